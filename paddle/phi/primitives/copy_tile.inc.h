// SPDX-License-Identifier: Apache-2.0
// Loading and storing tiles between any stored element type and the type a kernel computes in.
#pragma once

#include "paddle/phi/backends/cpu/threads.inc.h"
#include "paddle/phi/primitives/product.inc.h"
#include "paddle/phi/primitives/simd.inc.h"

namespace phi::PD_ISA {
namespace {

// The numbers of phi::DataType.
enum : int { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64, kC64, kC128 };

struct Half {
  uint16_t x;
};
struct BHalf {
  uint16_t x;
};
template <class R>
struct Cx {
  R re, im;
};
template <class R>
inline Cx<R> operator+(Cx<R> a, Cx<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
inline Cx<R> operator-(Cx<R> a, Cx<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
inline Cx<R> operator*(Cx<R> a, Cx<R> b) {
  return ProductOf(a, b);
}
template <class R>
inline Cx<R>& operator+=(Cx<R>& a, Cx<R> b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}

inline int ElemSize(int t) {
  switch (t) {
    case kBool:
    case kU8:
    case kI8:
      return 1;
    case kI16:
    case kF16:
    case kBF16:
      return 2;
    case kI32:
    case kF32:
      return 4;
    case kC128:
      return 16;
    default:
      return 8;
  }
}

inline float ToFloat(Half h) { return F16ToF32(h.x); }
inline float ToFloat(BHalf h) {
  uint32_t u = static_cast<uint32_t>(h.x) << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
inline uint16_t FloatToBf16(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  const uint32_t r = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
  const uint32_t nan = (u >> 16) | 0x40;
  return static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? nan : r);
}
inline uint16_t FloatToF16(float f) { return F32ToF16(f); }

inline void WidenF16(const Half* __restrict s, int64_t n, float* __restrict d) { F16ToF32(&s->x, n, d); }
inline void NarrowF16(const float* __restrict s, int64_t n, Half* __restrict d) { F32ToF16(s, n, &d->x); }
inline void WidenBF16(const BHalf* __restrict s, int64_t n, float* __restrict d) {
  for (int64_t i = 0; i < n; ++i) d[i] = ToFloat(s[i]);
}
inline void NarrowBF16(const float* __restrict s, int64_t n, BHalf* __restrict d) {
  for (int64_t i = 0; i < n; ++i) d[i].x = FloatToBf16(s[i]);
}

// A contiguous run to and from float32; t is kF16 or kBF16.
inline void Widen(int t, const void* s, int64_t n, float* d) {
  if (t == kF16)
    WidenF16(static_cast<const Half*>(s), n, d);
  else
    WidenBF16(static_cast<const BHalf*>(s), n, d);
}
inline void Narrow(int t, const float* s, int64_t n, void* d) {
  if (t == kF16)
    NarrowF16(s, n, static_cast<Half*>(d));
  else
    NarrowBF16(s, n, static_cast<BHalf*>(d));
}

template <class T>
struct TypeCode;
template <>
struct TypeCode<float> {
  static constexpr int value = kF32;
};
template <>
struct TypeCode<double> {
  static constexpr int value = kF64;
};
template <>
struct TypeCode<int32_t> {
  static constexpr int value = kI32;
};
template <>
struct TypeCode<int64_t> {
  static constexpr int value = kI64;
};
template <>
struct TypeCode<uint8_t> {
  static constexpr int value = kU8;
};
template <>
struct TypeCode<Cx<float>> {
  static constexpr int value = kC64;
};
template <>
struct TypeCode<Cx<double>> {
  static constexpr int value = kC128;
};

template <class D, class S>
struct CastTo {
  static D Do(S s) { return static_cast<D>(s); }
};
template <class D>
struct CastTo<D, Half> {
  static D Do(Half s) { return CastTo<D, float>::Do(ToFloat(s)); }
};
template <class D>
struct CastTo<D, BHalf> {
  static D Do(BHalf s) { return CastTo<D, float>::Do(ToFloat(s)); }
};
template <class S>
struct CastTo<Half, S> {
  static Half Do(S s) { return Half{FloatToF16(CastTo<float, S>::Do(s))}; }
};
template <class S>
struct CastTo<BHalf, S> {
  static BHalf Do(S s) { return BHalf{FloatToBf16(CastTo<float, S>::Do(s))}; }
};
template <>
struct CastTo<Half, Half> {
  static Half Do(Half s) { return s; }
};
template <>
struct CastTo<BHalf, BHalf> {
  static BHalf Do(BHalf s) { return s; }
};
template <class R, class S>
struct CastTo<Cx<R>, S> {
  static Cx<R> Do(S s) { return {CastTo<R, S>::Do(s), R(0)}; }
};
template <class R, class Q>
struct CastTo<Cx<R>, Cx<Q>> {
  static Cx<R> Do(Cx<Q> s) { return {static_cast<R>(s.re), static_cast<R>(s.im)}; }
};
template <class R>
struct CastTo<Cx<R>, Half> {
  static Cx<R> Do(Half s) { return {static_cast<R>(ToFloat(s)), R(0)}; }
};
template <class R>
struct CastTo<Cx<R>, BHalf> {
  static Cx<R> Do(BHalf s) { return {static_cast<R>(ToFloat(s)), R(0)}; }
};
template <class D, class R>
struct CastReal {
  static D Do(Cx<R> s) { return static_cast<D>(s.re); }
};
template <class D>
struct CastTo<D, Cx<float>> {
  static D Do(Cx<float> s) { return CastTo<D, float>::Do(s.re); }
};
template <class D>
struct CastTo<D, Cx<double>> {
  static D Do(Cx<double> s) { return CastTo<D, double>::Do(s.re); }
};
template <>
struct CastTo<Cx<float>, Cx<float>> {
  static Cx<float> Do(Cx<float> s) { return s; }
};
template <>
struct CastTo<Cx<double>, Cx<double>> {
  static Cx<double> Do(Cx<double> s) { return s; }
};
template <>
struct CastTo<Cx<double>, Cx<float>> {
  static Cx<double> Do(Cx<float> s) { return {s.re, s.im}; }
};
template <>
struct CastTo<Cx<float>, Cx<double>> {
  static Cx<float> Do(Cx<double> s) { return {static_cast<float>(s.re), static_cast<float>(s.im)}; }
};
template <>
struct CastTo<Half, Cx<float>> {
  static Half Do(Cx<float> s) { return Half{FloatToF16(s.re)}; }
};
template <>
struct CastTo<BHalf, Cx<float>> {
  static BHalf Do(Cx<float> s) { return BHalf{FloatToBf16(s.re)}; }
};
template <>
struct CastTo<Half, Cx<double>> {
  static Half Do(Cx<double> s) { return Half{FloatToF16(static_cast<float>(s.re))}; }
};
template <>
struct CastTo<BHalf, Cx<double>> {
  static BHalf Do(Cx<double> s) { return BHalf{FloatToBf16(static_cast<float>(s.re))}; }
};
template <>
struct CastTo<Half, BHalf> {
  static Half Do(BHalf s) { return Half{FloatToF16(ToFloat(s))}; }
};
template <>
struct CastTo<BHalf, Half> {
  static BHalf Do(Half s) { return BHalf{FloatToBf16(ToFloat(s))}; }
};

template <class S, class D>
inline void ConvertRun(const S* __restrict s, int64_t stride, int64_t n, D* __restrict d) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) d[i] = CastTo<D, S>::Do(s[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) d[i] = CastTo<D, S>::Do(s[i * stride]);
  }
}

// n elements of type t from p, `stride` elements apart, to D (bool is 0 or 1).
template <class D>
__attribute__((noinline)) void LoadTile(int t, const void* p, int64_t stride, int64_t n, D* d) {
  switch (t) {
    case kBool:
    case kU8:
      return ConvertRun(static_cast<const uint8_t*>(p), stride, n, d);
    case kI8:
      return ConvertRun(static_cast<const int8_t*>(p), stride, n, d);
    case kI16:
      return ConvertRun(static_cast<const int16_t*>(p), stride, n, d);
    case kI32:
      return ConvertRun(static_cast<const int32_t*>(p), stride, n, d);
    case kI64:
      return ConvertRun(static_cast<const int64_t*>(p), stride, n, d);
    case kF16:
      return ConvertRun(static_cast<const Half*>(p), stride, n, d);
    case kBF16:
      return ConvertRun(static_cast<const BHalf*>(p), stride, n, d);
    case kF32:
      return ConvertRun(static_cast<const float*>(p), stride, n, d);
    case kF64:
      return ConvertRun(static_cast<const double*>(p), stride, n, d);
    case kC64:
      return ConvertRun(static_cast<const Cx<float>*>(p), stride, n, d);
    case kC128:
      return ConvertRun(static_cast<const Cx<double>*>(p), stride, n, d);
    default:
      return;
  }
}
// n contiguous values to type t (bool: != 0).
template <class S>
__attribute__((noinline)) void StoreTile(int t, const S* s, int64_t n, void* p) {
  switch (t) {
    case kBool: {
      uint8_t* d = static_cast<uint8_t*>(p);
      for (int64_t i = 0; i < n; ++i) d[i] = CastTo<double, S>::Do(s[i]) != 0;
      return;
    }
    case kU8:
      return ConvertRun(s, 1, n, static_cast<uint8_t*>(p));
    case kI8:
      return ConvertRun(s, 1, n, static_cast<int8_t*>(p));
    case kI16:
      return ConvertRun(s, 1, n, static_cast<int16_t*>(p));
    case kI32:
      return ConvertRun(s, 1, n, static_cast<int32_t*>(p));
    case kI64:
      return ConvertRun(s, 1, n, static_cast<int64_t*>(p));
    case kF16:
      return ConvertRun(s, 1, n, static_cast<Half*>(p));
    case kBF16:
      return ConvertRun(s, 1, n, static_cast<BHalf*>(p));
    case kF32:
      return ConvertRun(s, 1, n, static_cast<float*>(p));
    case kF64:
      return ConvertRun(s, 1, n, static_cast<double*>(p));
    case kC64:
      return ConvertRun(s, 1, n, static_cast<Cx<float>*>(p));
    case kC128:
      return ConvertRun(s, 1, n, static_cast<Cx<double>*>(p));
    default:
      return;
  }
}

template <>
inline void ConvertRun<Half, float>(const Half* __restrict s, int64_t stride, int64_t n, float* __restrict d) {
  if (stride == 1) return WidenF16(s, n, d);
  for (int64_t i = 0; i < n; ++i) d[i] = ToFloat(s[i * stride]);
}
template <>
inline void ConvertRun<float, Half>(const float* __restrict s, int64_t, int64_t n, Half* __restrict d) {
  NarrowF16(s, n, d);
}

}  // namespace
}  // namespace phi::PD_ISA
