// SPDX-License-Identifier: Apache-2.0
// Memory of devices and of the host, copies and fills.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device/fakecuda/access.h"
#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

Allocation* Take(Engine& e, size_t bytes, Origin origin, const char* call) {
  Require(bytes > 0);
  const int device = e.Current().index;
  const Config& c = Config::Get();
  if (++e.allocations == c.fail_allocation) throw ApiError{CUDA_ERROR_OUT_OF_MEMORY};
  Require(Memory::Get().Used(device) + bytes <= c.memory, CUDA_ERROR_OUT_OF_MEMORY);
  Allocation* a = Memory::Get().Allocate(device, bytes, origin, call);
  Require(a != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  return a;
}

// The live allocation that begins at the address.
Allocation* Owned(uint64_t address) {
  Allocation* a = Memory::Get().Find(address);
  return a && a->live && a->address == address && a->origin != Origin::kVirtual ? a : nullptr;
}

bool Pinned(const void* pointer) {
  const Allocation* a = Memory::Get().Find(reinterpret_cast<uint64_t>(pointer));
  return a && a->live && (a->origin == Origin::kHost || a->origin == Origin::kRegistered);
}

[[noreturn]] void Misfreed(const char* call, uint64_t address) {
  throw Find(CUDA_ERROR_INVALID_VALUE, std::string(call) +
                                           ": expected the begin of a live allocation, got an address " +
                                           Memory::Get().Explain(address));
}

// The bytes of a range that a copy touches. Host memory that nobody registered is taken as it is.
uint8_t* Touched(const Order& order, uint64_t address, size_t bytes, Touch touch, const std::string& what) {
  CheckRange(Memory::Get(), order, address, bytes, touch, what);
  const Allocation* a = Memory::Get().Find(address);
  return a->bytes + (address - a->address);
}

void Upload(Engine& e, CUdeviceptr to, const void* from, size_t bytes, Stream& s, const char* call) {
  if (bytes == 0) return;
  // Pageable memory is read before the call returns, pinned memory when the copy runs.
  std::shared_ptr<std::vector<uint8_t>> staged;
  const auto* source = static_cast<const uint8_t*>(from);
  if (!Pinned(from) && !s.capture) staged = std::make_shared<std::vector<uint8_t>>(source, source + bytes);
  e.Enqueue(s, call, [=, name = std::string(call)](const Order& order) {
    std::memcpy(Touched(order, to, bytes, Touch::kWrite, name), staged ? staged->data() : source, bytes);
  });
}

void Download(Engine& e, void* to, CUdeviceptr from, size_t bytes, Stream& s, const char* call) {
  if (bytes == 0) return;
  e.Enqueue(s, call, [=, name = std::string(call)](const Order& order) {
    std::memcpy(to, Touched(order, from, bytes, Touch::kRead, name), bytes);
  });
  if (!Pinned(to) && !s.capture) e.RunUntil(s, s.end(), s.tail);
}

void Copy(Engine& e, CUdeviceptr to, CUdeviceptr from, size_t bytes, Stream& s, const char* call) {
  if (bytes == 0) return;
  e.Enqueue(s, call, [=, name = std::string(call)](const Order& order) {
    const uint8_t* source = Touched(order, from, bytes, Touch::kRead, name);
    const Allocation* a = Memory::Get().Find(from);
    std::vector<uint8_t> fresh(bytes);  // what was never written stays so in the copy
    if (a->written) {
      for (size_t i = 0; i < bytes; ++i) fresh[i] = a->written[from - a->address + i] == 0;
    }
    std::memmove(Touched(order, to, bytes, Touch::kWrite, name), source, bytes);
    const Allocation* b = Memory::Get().Find(to);
    for (size_t i = 0; b->written && i < bytes; ++i) {
      if (fresh[i]) b->written[to - b->address + i] = 0;
    }
  });
}

template <class T>
void Fill(Engine& e, CUdeviceptr to, T value, size_t n, Stream& s, const char* call) {
  if (n == 0) return;
  Require(to % sizeof(T) == 0);
  e.Enqueue(s, call, [=, name = std::string(call)](const Order& order) {
    uint8_t* bytes = Touched(order, to, n * sizeof(T), Touch::kWrite, name);
    for (size_t i = 0; i < n; ++i) std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
  });
}

void Wait(Engine& e, Stream& s) { e.RunUntil(s, s.end(), s.tail); }

// A call that waits uses the default stream.
template <class F>
CUresult Waiting(const char* name, F&& f) {
  return Call([&](Engine& e) {
    e.Unsafe(name);
    Stream& s = e.Resolve(nullptr);
    f(e, s);
    Wait(e, s);
  });
}

}  // namespace
}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  return Call([&](Engine& e) {
    e.Unsafe("cuMemAlloc");
    *pointer = Take(e, bytes, Origin::kDevice, "cuMemAlloc")->address;
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return Call([&](Engine& e) {
    if (pointer == 0) return;
    e.Unsafe("cuMemFree");
    e.RunAll();
    Allocation* a = Owned(pointer);
    if (!a || a->origin == Origin::kImported) Misfreed("cuMemFree", pointer);
    CheckShared(*a, "cuMemFree");
    Memory::Get().Free(a, "cuMemFree");
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    Require(!s.capture, CUDA_ERROR_NOT_SUPPORTED);
    Allocation* a = Take(e, bytes, Origin::kPool, "cuMemAllocAsync");
    *pointer = a->address;
    // Memory of a pool holds old bytes; an access that does not come after this one is a race with it.
    e.Enqueue(s, "cuMemAllocAsync", [a](const Order& order) {
      std::fill_n(a->read, a->live ? a->size : 0, order.id << kBlockBits | kManyBlocks);
    });
  });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    Require(!s.capture, CUDA_ERROR_NOT_SUPPORTED);
    e.Enqueue(s, "cuMemFreeAsync", [=, id = s.id](const Order& order) {
      Allocation* a = Owned(pointer);
      if (!a) Misfreed("cuMemFreeAsync", pointer);
      CheckRange(Memory::Get(), order, a->address, a->size, Touch::kWrite, "cuMemFreeAsync");
      Memory::Get().Free(a, "cuMemFreeAsync in stream " + std::to_string(id));
    });
  });
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return Call([&](Engine& e) {
    *total = Config::Get().memory;
    *free = *total - Memory::Get().Used(e.Current().index);
  });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  return Call([&](Engine& e) {
    Require(bytes > 0);
    e.Unsafe("cuMemHostAlloc");
    if (++e.allocations == Config::Get().fail_allocation) throw ApiError{CUDA_ERROR_OUT_OF_MEMORY};
    *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    Require(*pointer != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
    Memory::Get().AdoptHost(*pointer, bytes, Origin::kHost, "cuMemHostAlloc");
  });
}

CUresult cuMemFreeHost(void* pointer) {
  return Call([&](Engine& e) {
    if (!pointer) return;
    e.Unsafe("cuMemFreeHost");
    e.RunAll();
    Allocation* a = Owned(reinterpret_cast<uint64_t>(pointer));
    Require(a && a->origin == Origin::kHost);
    Memory::Get().Free(a, "cuMemFreeHost");
    std::free(pointer);
  });
}

CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned) {
  return Call([&](Engine&) {
    Require(pointer && bytes > 0);
    Require(!Pinned(pointer), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    Memory::Get().AdoptHost(pointer, bytes, Origin::kRegistered, "cuMemHostRegister");
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return Call([&](Engine& e) {
    e.RunAll();
    Allocation* a = Owned(reinterpret_cast<uint64_t>(pointer));
    Require(a && a->origin == Origin::kRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    Memory::Get().Free(a, "cuMemHostUnregister");
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pointer, void* host, unsigned flags) {
  return Call([&](Engine&) {
    Require(flags == 0 && Pinned(host));
    *pointer = reinterpret_cast<CUdeviceptr>(host);
  });
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return Waiting("cuMemcpyHtoD", [&](Engine& e, Stream& s) { Upload(e, to, from, bytes, s, "cuMemcpyHtoD"); });
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return Waiting("cuMemcpyDtoH", [&](Engine& e, Stream& s) { Download(e, to, from, bytes, s, "cuMemcpyDtoH"); });
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Waiting("cuMemcpyDtoD", [&](Engine& e, Stream& s) { Copy(e, to, from, bytes, s, "cuMemcpyDtoD"); });
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return Call([&](Engine& e) { Upload(e, to, from, bytes, e.Resolve(stream), "cuMemcpyHtoDAsync"); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Call([&](Engine& e) { Download(e, to, from, bytes, e.Resolve(stream), "cuMemcpyDtoHAsync"); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Call([&](Engine& e) { Copy(e, to, from, bytes, e.Resolve(stream), "cuMemcpyDtoDAsync"); });
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  return Call([&](Engine& e) { Copy(e, to, from, bytes, e.Resolve(stream), "cuMemcpyPeerAsync"); });
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
  return Waiting("cuMemsetD8", [&](Engine& e, Stream& s) { Fill(e, to, value, n, s, "cuMemsetD8"); });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return Call([&](Engine& e) { Fill(e, to, value, n, e.Resolve(stream), "cuMemsetD8Async"); });
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return Call([&](Engine& e) { Fill(e, to, value, n, e.Resolve(stream), "cuMemsetD16Async"); });
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
  return Call([&](Engine& e) { Fill(e, to, value, n, e.Resolve(stream), "cuMemsetD32Async"); });
}

CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer) {
  return Call([&](Engine& e) {
    const Allocation* a = Memory::Get().Find(pointer);
    Require(a && a->live);
    const bool host = a->origin == Origin::kHost || a->origin == Origin::kRegistered;
    switch (attribute) {
      case 1: *static_cast<void**>(value) = e.devices[static_cast<size_t>(a->device)].get(); break;  // context
      case 2: *static_cast<unsigned*>(value) = host ? 1 : 2; break;                                  // kind of memory
      case 3: *static_cast<CUdeviceptr*>(value) = pointer; break;
      case 4: Require(host), *static_cast<void**>(value) = reinterpret_cast<void*>(pointer); break;
      case 8: *static_cast<unsigned*>(value) = 0; break;  // managed
      case 9: *static_cast<int*>(value) = a->device; break;
      case 10: *static_cast<int*>(value) = a->origin == Origin::kDevice; break;  // cuIpcGetMemHandle takes it
      case 11: *static_cast<CUdeviceptr*>(value) = a->address; break;
      case 12: *static_cast<size_t*>(value) = a->size; break;
      default: throw ApiError{CUDA_ERROR_NOT_SUPPORTED};
    }
  });
}
}
