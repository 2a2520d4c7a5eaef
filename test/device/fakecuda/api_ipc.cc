// SPDX-License-Identifier: Apache-2.0
// Memory that processes share. An allocation whose handle is asked for moves into a file of memory, which another
// process opens by way of this one's descriptor; a page after its bytes counts who has it open.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

constexpr uint64_t kPage = 4096;
uint64_t Whole(uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

// What the 64 bytes of a handle hold.
struct Handle {
  uint64_t mark, id;
  uint64_t size;
  int process, descriptor, device;
};
constexpr uint64_t kMark = 0x63706966616b6531;
static_assert(sizeof(Handle) <= sizeof(CUipcMemHandle));

struct Exported {
  Handle handle;
  std::atomic<int>* opened;
};
// By the number of the allocation, which no other gets.
std::map<uint64_t, Exported>& Exports() {
  static auto* const exports = new std::map<uint64_t, Exported>;
  return *exports;
}

struct Imported {
  Handle handle;
  std::atomic<int>* opened;
  int count;
};
std::map<uint64_t, Imported>& Imports() {  // by address
  static auto* const imports = new std::map<uint64_t, Imported>;
  return *imports;
}

std::atomic<int>* CountOf(int descriptor, uint64_t size) {
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(Whole(size)));
  Require(page != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  return static_cast<std::atomic<int>*>(page);
}

// Others may have written all of it, which this process does not see.
void Written(Allocation& a) {
  for (uint64_t i = 0; i < a.size; ++i) {
    if (a.written[i] == 0) a.written[i] = kMaxOrder << kBlockBits;
  }
}

}  // namespace

void CheckShared(const Allocation& a, const char* call) {
  const auto it = Exports().find(a.id);
  if (it == Exports().end()) return;
  if (const int n = it->second.opened->load()) {
    throw Find(CUDA_ERROR_ILLEGAL_ADDRESS, std::string(call) +
                                               ": expected memory that no other process has open, got " + a.Describe() +
                                               ", which is open " + std::to_string(n) + " times");
  }
  munmap(it->second.opened, kPage);
  close(it->second.handle.descriptor);
  Exports().erase(it);
}

}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr pointer) {
  return Call([&](Engine&) {
    const Allocation* a = Memory::Get().Find(pointer);
    Require(a && a->live && a->origin != Origin::kVirtual, CUDA_ERROR_NOT_FOUND);
    if (base) *base = a->address;
    if (size) *size = a->size;
  });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr pointer) {
  return Call([&](Engine& e) {
    Allocation* a = Memory::Get().Find(pointer);
    Require(out && a && a->live && a->origin == Origin::kDevice && a->device == e.Current().index);
    auto it = Exports().find(a->id);
    if (it == Exports().end()) {
      const int fd = memfd_create("fakecuda_shared", MFD_CLOEXEC);
      const uint64_t whole = Whole(a->size);
      Require(fd >= 0 && ftruncate(fd, static_cast<off_t>(whole + kPage)) == 0, CUDA_ERROR_OUT_OF_MEMORY);
      const std::vector<uint8_t> bytes(a->bytes, a->bytes + a->size);
      Memory::Get().MapShared(a->address, whole, fd, 0);
      std::copy(bytes.begin(), bytes.end(), a->bytes);
      Written(*a);
      const Handle handle{kMark, a->id, a->size, getpid(), fd, a->device};
      it = Exports().emplace(a->id, Exported{handle, CountOf(fd, a->size)}).first;
    }
    *out = {};
    std::memcpy(out, &it->second.handle, sizeof(Handle));
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pointer, CUipcMemHandle from, unsigned flags) {
  return Call([&](Engine& e) {
    Handle h;
    std::memcpy(&h, &from, sizeof h);
    Require(pointer && flags == 1 && h.mark == kMark);
    Require(h.process != getpid() && h.device == e.Current().index, CUDA_ERROR_INVALID_CONTEXT);
    for (auto& [address, i] : Imports()) {
      if (std::memcmp(&i.handle, &h, sizeof h) != 0) continue;
      ++i.count;
      *pointer = address;
      return;
    }
    const std::string path = "/proc/" + std::to_string(h.process) + "/fd/" + std::to_string(h.descriptor);
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    Require(fd >= 0, CUDA_ERROR_INVALID_HANDLE);
    std::atomic<int>* opened = CountOf(fd, h.size);
    const uint64_t address = Memory::Get().Reserve(h.device, h.size, kPage);
    Require(address != 0, CUDA_ERROR_OUT_OF_MEMORY);
    Memory::Get().MapShared(address, Whole(h.size), fd, 0);
    close(fd);
    Written(*Memory::Get().AdoptRange(h.device, address, h.size, Origin::kImported, "cuIpcOpenMemHandle"));
    ++*opened;
    Imports()[address] = {h, opened, 1};
    *pointer = address;
  });
}

// Nothing is waited for: work that comes later finds freed memory there.
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return Call([&](Engine&) {
    const auto it = Imports().find(pointer);
    Require(it != Imports().end());
    if (--it->second.count > 0) return;
    Memory::Get().Free(Memory::Get().Find(pointer), "cuIpcCloseMemHandle");
    --*it->second.opened;
    munmap(it->second.opened, kPage);
    Imports().erase(it);
  });
}
}
