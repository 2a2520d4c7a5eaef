// SPDX-License-Identifier: Apache-2.0
// Work of the host in the order of a stream, over copies of what lies on the device: for doubles of libraries. Numbers
// are read and written as float64.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/fakenccl/elements.h"
#include "device/loaded_driver.h"

enum class Real { kNone, k8, k16, kB16, k32, k64 };
inline size_t SizeOf(Real type) {
  constexpr size_t kSizes[] = {0, 1, 2, 2, 4, 8};
  return kSizes[static_cast<size_t>(type)];
}
// Of four bits of exponent and three of mantissa, without infinities.
inline double FromE4m3(uint8_t bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const double size = exponent == 15 && mantissa == 7 ? std::nan("")
                      : exponent == 0                 ? std::ldexp(mantissa, -9)
                                                      : std::ldexp(8 + mantissa, exponent - 10);
  return bits & 128 ? -size : size;
}
inline double Load(Real type, const char* p) {
  const auto as = [&](auto v) {
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  switch (type) {
    case Real::k64: return as(0.0);
    case Real::k32: return static_cast<double>(as(0.0f));
    case Real::k16: return static_cast<double>(as(_Float16{}));
    case Real::k8: return FromE4m3(as(uint8_t{}));
    default: return static_cast<double>(fakenccl::FromBfloat(as(uint16_t{})));
  }
}
inline void Store(Real type, double v, char* p) {
  const auto as = [&](auto value) { std::memcpy(p, &value, sizeof value); };
  switch (type) {
    case Real::k64: return as(v);
    case Real::k32: return as(static_cast<float>(v));
    case Real::k16: return as(static_cast<_Float16>(v));
    default: return as(fakenccl::ToBfloat(static_cast<float>(v)));
  }
}

class HostWork {
 public:
  // One that lasts as long as the stream needs it. What was done before is released. Any of these fails, and all that
  // follow, where the driver does not do it.
  static HostWork& On(CUstream stream) {
    static std::mutex mutex;
    static auto& all = *new std::list<std::unique_ptr<HostWork>>;
    std::lock_guard lock(mutex);
    const Relaxed relaxed;
    all.remove_if([](const auto& w) { return w->done_ && !w->lasting_; });
    all.push_back(std::unique_ptr<HostWork>(new HostWork(stream)));
    return *all.back();
  }
  ~HostWork() {
    for (char* p : rooms_) DRIVER(cuMemFreeHost)(p);
  }
  char* Room(size_t n) {
    void* p = nullptr;
    const Relaxed relaxed;
    ok_ = ok_ && DRIVER(cuMemHostAlloc)(&p, n, 0) == CUDA_SUCCESS;
    if (p) rooms_.push_back(static_cast<char*>(p));
    return static_cast<char*>(p);
  }
  char* Read(const void* from, size_t n) {
    char* to = Room(n);
    ok_ = ok_ && DRIVER(cuMemcpyDtoHAsync_v2)(to, reinterpret_cast<CUdeviceptr>(from), n, stream_) == CUDA_SUCCESS;
    return to;
  }
  void Do(std::function<void()> what) {
    what_ = std::move(what);
    ok_ = ok_ && DRIVER(cuLaunchHostFunc)(
                     stream_, [](void* data) { static_cast<HostWork*>(data)->what_(); }, this) == CUDA_SUCCESS;
  }
  void Write(void* to, const char* from, size_t n) {
    ok_ = ok_ && DRIVER(cuMemcpyHtoDAsync_v2)(reinterpret_cast<CUdeviceptr>(to), from, n, stream_) == CUDA_SUCCESS;
  }
  bool End() {
    ok_ = ok_ && DRIVER(cuLaunchHostFunc)(
                     stream_, [](void* data) { static_cast<HostWork*>(data)->done_ = true; }, this) == CUDA_SUCCESS;
    return ok_;
  }

 private:
  explicit HostWork(CUstream stream) : stream_(stream) {
    int capturing = 0;
    DRIVER(cuStreamIsCapturing)(stream, &capturing);
    lasting_ = capturing != 0;
  }

  const CUstream stream_;
  std::vector<char*> rooms_;
  std::function<void()> what_;
  bool done_ = false, lasting_ = false, ok_ = true;
};
