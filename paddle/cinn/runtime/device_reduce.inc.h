// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: reductions that no group does (products, norms, variance, few elements), and the place
// of the largest or smallest element of a line. A result belongs to a block, or to a thread where there is little to
// reduce or the lines lie side by side.
#pragma once

#include "paddle/phi/core/line_op.h"

namespace {

using enum phi::LineOp;

template <class T>
struct SumOf {
  typedef double type;
};
template <>
struct SumOf<int> {
  typedef i64 type;
};
template <>
struct SumOf<i64> {
  typedef i64 type;
};

// Offset of element i over the axes, of extents e and strides s, outermost first.
INLINE i64 Offset(i64 i, const i64* e, const i64* s) {
  i64 to = 0;
#pragma unroll
  for (int a = 3; a > 0; --a) {
    if (e[a] == 1) continue;
    const i64 q = i / e[a];
    to += (i - q * e[a]) * s[a];
    i = q;
  }
  return to + i * s[0];
}

template <class A>
INLINE A Start(i64 kind) {
  const A most = phi::device_math::limits<A>::inf;
  return kind == kProduct ? A(1) : kind == kMinAbs || kind == kMin ? most : kind == kMax ? -most : A(0);
}
template <>
INLINE i64 Start<i64>(i64 kind) {
  constexpr i64 most = 0x7fffffffffffffff;
  return kind == kProduct ? 1 : kind == kMin ? most : kind == kMax ? -most - 1 : 0;
}
template <class A>
INLINE A Joined(i64 kind, A a, A b) {
  if (kind == kProduct) return a * b;
  if (kind == kMaxAbs || kind == kMax) return a > b || a != a ? a : b;
  if (kind == kMinAbs || kind == kMin) return a < b || a != a ? a : b;
  return a + b;
}
INLINE i64 Taken(i64, i64 v, double, double) { return v; }
INLINE double Taken(i64 kind, double v, double p, double mean) {
  const double size = __builtin_fabs(v);
  switch (kind) {
    case kProduct:
    case kSum:
    case kMean:
    case kMax:
    case kMin: return v;
    case kLength:
    case kSumSquare: return v * v;
    case kPowers:
    case kSumPow: return phi::device_math::pow(size, p);
    case kNonzero: return v != 0;
    case kVariance: return (v - mean) * (v - mean);
    default: return size;
  }
}

// Over the block, or the thread alone.
template <bool kBlock, class A>
INLINE A Together(i64 kind, A v, A* room) {
  if (!kBlock) return v;
  room[Thread()] = v;
  __syncthreads();
  for (int half = kThreads / 2; half; half /= 2) {
    if (Thread() < half) room[Thread()] = Joined(kind, room[Thread()], room[Thread() + half]);
    __syncthreads();
  }
  v = room[0];
  __syncthreads();
  return v;
}

template <bool kBlock, class T, class A>
INLINE void Reduce(const T* x, T* out, A* room, i64 kind, i64 outs, i64 count, double p, const i64* ke, const i64* ks,
                   const i64* re, const i64* rs) {
  const i64 first = kBlock ? First() / kThreads : First(), step = kBlock ? Step() / kThreads : Step();
  const i64 lane = kBlock ? Thread() : 0, lanes = kBlock ? kThreads : 1;
  for (i64 o = first; o < outs; o += step) {
    const T* from = x + Offset(o, ke, ks);
    double mean = 0;
    if (kind == kVariance) {
      A sum = 0;
      for (i64 i = lane; i < count; i += lanes) sum += static_cast<A>(Wide(from[Offset(i, re, rs)]));
      mean = static_cast<double>(Together<kBlock>(kSumAbs, sum, room)) / static_cast<double>(count);
    }
    A acc = Start<A>(kind);
    for (i64 i = lane; i < count; i += lanes)
      acc = Joined(kind, acc, static_cast<A>(Taken(kind, static_cast<A>(Wide(from[Offset(i, re, rs)])), p, mean)));
    acc = Together<kBlock>(kind, acc, room);
    if (kBlock && lane) continue;
    if (kind == kLength) acc = static_cast<A>(phi::device_math::sqrt(static_cast<double>(acc)));
    if (kind == kPowers) acc = static_cast<A>(phi::device_math::pow(static_cast<double>(acc), 1 / p));
    if (kind == kVariance) acc = static_cast<A>(static_cast<double>(acc) / p);
    if (kind == kMean) acc = static_cast<A>(static_cast<double>(acc) / static_cast<double>(count));
    out[o] = Narrow(static_cast<typename WideOf<T>::type>(acc), static_cast<T*>(nullptr));
  }
}

// The place of the first element of a line that no other exceeds; NaN exceeds all.
template <bool kBlock, class T>
INLINE void Extreme(const T* x, i64* out, double* values, i64* places, i64 lines, i64 n, i64 inner, i64 largest) {
  typedef typename SumOf<T>::type A;
  A* room = reinterpret_cast<A*>(values);
  const i64 first = kBlock ? First() / kThreads : First(), step = kBlock ? Step() / kThreads : Step();
  const i64 lane = kBlock ? Thread() : 0, lanes = kBlock ? kThreads : 1;
  auto before = [&](A v, i64 i, A w, i64 k) {
    if (i < 0 || k < 0) return i >= 0;
    const bool nan = v != v, other = w != w;
    if (nan || other) return nan && (!other || i < k);
    return v == w ? i < k : largest ? v > w : v < w;
  };
  for (i64 line = first; line < lines; line += step) {
    const T* from = x + line / inner * n * inner + line % inner;
    A best = 0;
    i64 place = -1;
    for (i64 i = lane; i < n; i += lanes) {
      const A v = static_cast<A>(Wide(from[i * inner]));
      if (before(v, i, best, place)) best = v, place = i;
    }
    if (kBlock) {
      room[lane] = best, places[lane] = place;
      __syncthreads();
      for (i64 half = kThreads / 2; half; half /= 2) {
        if (lane < half && before(room[lane + half], places[lane + half], room[lane], places[lane]))
          room[lane] = room[lane + half], places[lane] = places[lane + half];
        __syncthreads();
      }
      place = places[0];
      __syncthreads();
    }
    if (!kBlock || lane == 0) out[line] = place;
  }
}

}  // namespace

#define FOUR(x) i64 x##0, i64 x##1, i64 x##2, i64 x##3
#define FOUR_OF(x) \
  { x##0, x##1, x##2, x##3 }
#define REDUCE_PARAMS i64 kind, i64 outs, i64 count, i64 p, FOUR(ke), FOUR(ks), FOUR(re), FOUR(rs)
#define REDUCED(kBlock, room)                                                           \
  const i64 a[] = FOUR_OF(ke), b[] = FOUR_OF(ks), c[] = FOUR_OF(re), d[] = FOUR_OF(rs); \
  Reduce<kBlock>(x, out, room, kind, outs, count, __builtin_bit_cast(double, p), a, b, c, d);
#define REDUCE(name, T)                                                                                            \
  KERNEL device_reduce_##name(const T* x, T* out, REDUCE_PARAMS) {                                                 \
    SHARED SumOf<T>::type room[kThreads];                                                                          \
    REDUCED(true, (SumOf<T>::type*)room)                                                                           \
  }                                                                                                                \
  KERNEL device_reduce_alone_##name(const T* x, T* out, REDUCE_PARAMS){REDUCED(                                    \
      false, static_cast<SumOf<T>::type*>(nullptr))} KERNEL device_extreme_##name(const T* x, i64* out, i64 lines, \
                                                                                  i64 n, i64 inner, i64 largest) { \
    SHARED double values[kThreads];                                                                                \
    SHARED i64 places[kThreads];                                                                                   \
    Extreme<true>(x, out, (double*)values, (i64*)places, lines, n, inner, largest);                                \
  }                                                                                                                \
  KERNEL device_extreme_alone_##name(const T* x, i64* out, i64 lines, i64 n, i64 inner, i64 largest) {             \
    Extreme<false>(x, out, static_cast<double*>(nullptr), static_cast<i64*>(nullptr), lines, n, inner, largest);   \
  }
EACH_NUMBER(REDUCE)

// Of another integer type.
KERNEL device_narrow_i32(const i64* x, int* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = static_cast<int>(x[i]);
}
