// SPDX-License-Identifier: Apache-2.0
// Virtual memory: ranges of addresses, physical memory, and mappings of the one to the other.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

constexpr size_t kGranularity = kPart;

struct Physical {
  int device, descriptor;
  size_t size;
  int mappings = 0;
  bool released = false;
};

std::set<Physical*>& Handles() {
  static auto* const handles = new std::set<Physical*>;
  return *handles;
}

std::map<CUdeviceptr, Physical*>& Mappings() {
  static auto* const mappings = new std::map<CUdeviceptr, Physical*>;
  return *mappings;
}

// The range that holds all of these addresses, which begin and end with a unit.
Allocation& RangeOf(CUdeviceptr pointer, size_t size) {
  Allocation* a = Memory::Get().Find(pointer);
  Require(a && a->live && a->origin == Origin::kVirtual && pointer + size <= a->address + a->size);
  Require(size > 0 && pointer % kGranularity == 0 && size % kGranularity == 0);
  return *a;
}

// Calls f(address, memory) of each mapping of the range, which must be whole mappings side by side.
template <class F>
void ForMappings(CUdeviceptr pointer, size_t size, F&& f) {
  for (CUdeviceptr at = pointer; at < pointer + size; at += Mappings().at(at)->size) {
    const auto it = Mappings().find(at);
    Require(it != Mappings().end() && at + it->second->size <= pointer + size);
  }
  for (CUdeviceptr at = pointer; at < pointer + size;) {
    Physical* p = Mappings().at(at);
    const CUdeviceptr next = at + p->size;
    f(at, p);
    at = next;
  }
}

Physical& HandleOf(unsigned long long handle) {
  auto* p = reinterpret_cast<Physical*>(handle);
  Require(Handles().count(p) != 0, CUDA_ERROR_INVALID_HANDLE);
  return *p;
}

// Physical memory goes with its last mapping.
void Drop(Physical* p) {
  if (!p->released || p->mappings) return;
  close(p->descriptor);
  Memory::Get().Drop(p->device, p->size);
  Handles().erase(p);
  delete p;
}

}  // namespace

std::vector<std::string> UnreleasedMemory() {
  std::vector<std::string> left;
  for (const Physical* p : Handles()) {
    if (!p->released) left.push_back("a handle of " + std::to_string(p->size) + " bytes (cuMemCreate)");
  }
  return left;
}

}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop, int) {
  return Call([&](Engine&) {
    Require(granularity && prop && prop->type == 1);
    *granularity = kGranularity;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t size, size_t align, CUdeviceptr, unsigned long long flags) {
  return Call([&](Engine& e) {
    Require(size > 0 && size % kGranularity == 0 && flags == 0);
    const int device = e.Current().index;
    *pointer = Memory::Get().Reserve(device, size, std::max(align, kGranularity));
    Require(*pointer != 0, CUDA_ERROR_OUT_OF_MEMORY);
    Memory::Get().AdoptRange(device, *pointer, size, Origin::kVirtual, "cuMemAddressReserve");
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  return Call([&](Engine&) {
    Allocation& a = RangeOf(pointer, size);
    Require(a.address == pointer && a.size == size);
    Require(std::all_of(a.parts.begin(), a.parts.end(), [](uint8_t part) { return part == 0; }));
    Memory::Get().Free(&a, "cuMemAddressFree");
  });
}

CUresult cuMemCreate(unsigned long long* handle, size_t size, const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  return Call([&](Engine& e) {
    Require(size > 0 && size % kGranularity == 0 && prop && prop->type == 1 && flags == 0);
    Require(prop->location.id >= 0 && prop->location.id < static_cast<int>(e.devices.size()),
            CUDA_ERROR_INVALID_DEVICE);
    if (++e.allocations == Config::Get().fail_allocation) throw ApiError{CUDA_ERROR_OUT_OF_MEMORY};
    Require(Memory::Get().Used(prop->location.id) + size <= Config::Get().memory, CUDA_ERROR_OUT_OF_MEMORY);
    const int descriptor = memfd_create("fakecuda", MFD_CLOEXEC);
    Require(descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) == 0, CUDA_ERROR_OUT_OF_MEMORY);
    auto* p = new Physical{prop->location.id, descriptor, size};
    Memory::Get().Hold(p->device, size);
    Handles().insert(p);
    *handle = reinterpret_cast<unsigned long long>(p);
  });
}

CUresult cuMemRelease(unsigned long long handle) {
  return Call([&](Engine&) {
    Physical& p = HandleOf(handle);
    Require(!p.released, CUDA_ERROR_INVALID_HANDLE);
    p.released = true;
    Drop(&p);
  });
}

CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, unsigned long long handle,
                  unsigned long long flags) {
  return Call([&](Engine&) {
    Physical& p = HandleOf(handle);
    Require(flags == 0 && offset == 0 && size == p.size && !p.released);
    Allocation& range = RangeOf(pointer, size);
    const auto part = range.parts.begin() + static_cast<int64_t>((pointer - range.address) / kPart);
    const auto end = part + static_cast<int64_t>(size / kPart);
    Require(std::all_of(part, end, [](uint8_t bits) { return bits == 0; }));
    Memory::Get().MapShared(pointer, size, p.descriptor, 0);
    std::fill(part, end, kMapped);
    Mappings()[pointer] = &p;
    ++p.mappings;
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc* access, size_t n) {
  return Call([&](Engine& e) {
    Require(n > 0 && access);
    Allocation& range = RangeOf(pointer, size);
    for (size_t k = 0; k < n; ++k) {
      const auto& [location, flags] = access[k];
      Require(location.type == 1 && location.id >= 0 && location.id < static_cast<int>(e.devices.size()));
      Require(flags == 0 || flags == 3);
    }
    ForMappings(pointer, size, [&](CUdeviceptr at, const Physical* p) {
      for (CUdeviceptr q = at; q < at + p->size; q += kPart) {
        uint8_t& bits = range.parts[(q - range.address) / kPart];
        for (size_t k = 0; k < n; ++k) {
          const auto bit = static_cast<uint8_t>(1 << access[k].location.id);
          bits = static_cast<uint8_t>(access[k].flags ? bits | bit : bits & ~bit);
        }
      }
    });
  });
}

// Nothing is waited for: work that comes later finds no memory there.
CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  return Call([&](Engine&) {
    Allocation& range = RangeOf(pointer, size);
    ForMappings(pointer, size, [&](CUdeviceptr at, Physical* p) {
      Memory::Get().Unmap(range, at, p->size);
      Mappings().erase(at);
      --p->mappings;
      Drop(p);
    });
  });
}
}
