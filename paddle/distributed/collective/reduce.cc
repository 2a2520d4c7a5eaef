// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/collective/reduce.h"

#include <cmath>
#include <type_traits>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/elementwise.h"

namespace paddle::distributed {

using phi::DataType;

const char* NameOf(ReduceOp op) {
  static constexpr const char* kNames[kNumReduceOps] = {"SUM", "MAX", "MIN", "PROD", "AVG"};
  return kNames[static_cast<int>(op)];
}

void CheckReduction(const char* what, DataType dtype, ReduceOp op) {
  const bool ordered = op == ReduceOp::kMax || op == ReduceOp::kMin;
  PD_CHECK(!(phi::IsComplex(dtype) && ordered) && !(dtype == DataType::BOOL && op == ReduceOp::kAvg), InvalidType, "[",
           what, "] expected numbers that ReduceOp.", NameOf(op), " is defined for, got ", phi::NameOf(dtype));
}

namespace {

// Elements reduced together, so that what they add up in stays in the first-level cache.
constexpr int64_t kBlock = 1024;

// Arithmetic of signed integers wraps.
template <class T>
struct Wrapping {
  using type = T;
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct Wrapping<T> {
  using type = std::make_unsigned_t<T>;
};

template <class T>
T Larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a || a > b ? a : b;
  else
    return a > b ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a || a < b ? a : b;
  else
    return a < b ? a : b;
}

template <class T>
void Accumulate(ReduceOp op, T* __restrict acc, const T* __restrict x, int64_t n) {
  using W = typename Wrapping<T>::type;
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kAvg:
#pragma omp simd
      for (int64_t i = 0; i < n; ++i)
        if constexpr (std::is_same_v<T, bool>)
          acc[i] = acc[i] | x[i];
        else
          acc[i] = static_cast<T>(static_cast<W>(acc[i]) + static_cast<W>(x[i]));
      return;
    case ReduceOp::kProd:
#pragma omp simd
      for (int64_t i = 0; i < n; ++i)
        if constexpr (std::is_same_v<T, bool>)
          acc[i] = acc[i] & x[i];
        else if constexpr (std::is_integral_v<T>)
          acc[i] = static_cast<T>(static_cast<uint64_t>(acc[i]) * static_cast<uint64_t>(x[i]));
        else
          acc[i] = acc[i] * x[i];
      return;
    case ReduceOp::kMax:
    case ReduceOp::kMin:
      if constexpr (!std::is_same_v<T, phi::complex64> && !std::is_same_v<T, phi::complex128>) {
        if (op == ReduceOp::kMax) {
#pragma omp simd
          for (int64_t i = 0; i < n; ++i) acc[i] = Larger(acc[i], x[i]);
        } else {
#pragma omp simd
          for (int64_t i = 0; i < n; ++i) acc[i] = Smaller(acc[i], x[i]);
        }
      }
      return;
  }
}

template <class T>
void Divide(T* acc, int n, int64_t count) {
  if constexpr (!std::is_same_v<T, bool>) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) acc[i] = static_cast<T>(acc[i] / static_cast<T>(n));
  }
}

template <class T>
void ReduceAs(ReduceOp op, const void* const* sources, int n, void* out, int64_t count) {
  alignas(64) T acc[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t m = std::min(kBlock, count - at);
    std::memcpy(acc, static_cast<const T*>(sources[0]) + at, static_cast<size_t>(m) * sizeof(T));
    for (int r = 1; r < n; ++r) Accumulate(op, acc, static_cast<const T*>(sources[r]) + at, m);
    if (op == ReduceOp::kAvg) Divide(acc, n, m);
    std::memcpy(static_cast<T*>(out) + at, acc, static_cast<size_t>(m) * sizeof(T));
  }
}

void ReduceInFloat(ReduceOp op, DataType dtype, const void* const* sources, int n, void* out, int64_t count) {
  alignas(64) float acc[kBlock], next[kBlock];
  const int64_t size = phi::SizeOf(dtype);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t m = std::min(kBlock, count - at);
    const auto load = [&](int r, float* to) {
      phi::Convert(dtype, static_cast<const char*>(sources[r]) + at * size, 1, DataType::FLOAT32, to, 1, m);
    };
    load(0, acc);
    for (int r = 1; r < n; ++r) {
      load(r, next);
      Accumulate(op, acc, next, m);
    }
    if (op == ReduceOp::kAvg) Divide(acc, n, m);
    phi::Convert(DataType::FLOAT32, acc, 1, dtype, static_cast<char*>(out) + at * size, 1, m);
  }
}

}  // namespace

void Reduce(ReduceOp op, DataType dtype, const void* const* sources, int n, void* out, int64_t count) {
  if (phi::IsHalf(dtype) || phi::IsFloat8(dtype)) return ReduceInFloat(op, dtype, sources, n, out, count);
  phi::cpu::DispatchNumber("reduce", dtype,
                           [&](auto tag) { ReduceAs<typename decltype(tag)::type>(op, sources, n, out, count); });
}

}  // namespace paddle::distributed
