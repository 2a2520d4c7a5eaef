// SPDX-License-Identifier: Apache-2.0
// Virtual memory: ranges of addresses, physical memory, and mappings of the one to the other.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <set>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

constexpr size_t kGranularity = 2 << 20;

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

struct Range {
  size_t size;
  int device;
};

std::map<CUdeviceptr, Range>& Ranges() {
  static auto* const ranges = new std::map<CUdeviceptr, Range>;
  return *ranges;
}

std::map<CUdeviceptr, Physical*>& Mappings() {
  static auto* const mappings = new std::map<CUdeviceptr, Physical*>;
  return *mappings;
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
  Handles().erase(p);
  delete p;
}

const char* const kNoAccess = "nobody: cuMemSetAccess has not been called";

}  // namespace
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
    Ranges()[*pointer] = {size, device};
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  return Call([&](Engine&) {
    const auto it = Ranges().find(pointer);
    Require(it != Ranges().end() && it->second.size == size);
    const auto mapped = Mappings().lower_bound(pointer);
    Require(mapped == Mappings().end() || mapped->first >= pointer + size);
    Ranges().erase(it);
  });
}

CUresult cuMemCreate(unsigned long long* handle, size_t size, const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  return Call([&](Engine& e) {
    Require(size > 0 && size % kGranularity == 0 && prop && prop->type == 1 && flags == 0);
    Require(prop->location.id >= 0 && prop->location.id < static_cast<int>(e.devices.size()),
            CUDA_ERROR_INVALID_DEVICE);
    if (++e.allocations == Config::Get().fail_allocation) throw ApiError{CUDA_ERROR_OUT_OF_MEMORY};
    size_t held = size;
    for (const Physical* p : Handles()) held += p->device == prop->location.id ? p->size : 0;
    Require(held <= Config::Get().memory, CUDA_ERROR_OUT_OF_MEMORY);
    const int descriptor = memfd_create("fakecuda", MFD_CLOEXEC);
    Require(descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) == 0, CUDA_ERROR_OUT_OF_MEMORY);
    auto* p = new Physical{prop->location.id, descriptor, size};
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
    auto it = Ranges().upper_bound(pointer);
    Require(it != Ranges().begin());
    --it;
    Require(pointer % kGranularity == 0 && pointer + size <= it->first + it->second.size);
    for (const auto& [at, other] : Mappings()) Require(at + other->size <= pointer || at >= pointer + size);
    Memory::Get().MapShared(pointer, size, p.descriptor, 0);
    Allocation* a = Memory::Get().AdoptRange(p.device, pointer, size, "cuMemMap");
    a->live = false;
    a->freed = kNoAccess;
    Mappings()[pointer] = &p;
    ++p.mappings;
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc* access, size_t n) {
  return Call([&](Engine&) {
    Require(n > 0 && access);
    CUdeviceptr at = pointer;
    for (; at < pointer + size; at += Mappings().at(at)->size) {
      Require(Mappings().count(at) != 0);
      Memory::Get().Find(at)->live = access[0].flags == 3;
    }
    Require(at == pointer + size);
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  return Call([&](Engine& e) {
    e.RunAll();
    for (CUdeviceptr at = pointer; at < pointer + size;) {
      const auto it = Mappings().find(at);
      Require(it != Mappings().end());
      Physical* p = it->second;
      Memory::Get().Free(Memory::Get().Find(at), "cuMemUnmap");
      at += p->size;
      Mappings().erase(it);
      --p->mappings;
      Drop(p);
    }
  });
}
}
