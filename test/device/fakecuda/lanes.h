// SPDX-License-Identifier: Apache-2.0
// Instructions as loops over lanes. Inactive lanes are computed too and thrown away, so that the loops vectorise.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "device/fakecuda/machine.h"

namespace fakecuda {

using F16 = _Float16;

struct BF16 {
  uint16_t bits;
  BF16() = default;
  explicit BF16(float f) {
    const uint32_t u = std::bit_cast<uint32_t>(f);
    bits = f != f ? 0x7fff : static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

template <class T>
constexpr bool kHalf = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
constexpr bool kFloating = std::is_floating_point_v<T> || kHalf<T>;

inline float Flush(float f) { return std::fabs(f) < std::numeric_limits<float>::min() ? std::copysign(0.0f, f) : f; }
inline double Flush(double f) { return f; }
// NaN becomes +0.
template <class T>
T Saturate(T f) {
  return f > T(0) ? (f < T(1) ? f : T(1)) : T(0);
}

// The NaN that arithmetic of 32 and 16 bits produces has no payload.
inline float Canonical(float f) { return f == f ? f : std::bit_cast<float>(0x7fffffffu); }
inline double Canonical(double f) { return f; }
template <class T>
T FromFloat(float f) {
  if constexpr (std::is_same_v<T, F16>) {
    return f == f ? static_cast<F16>(f) : std::bit_cast<F16>(static_cast<uint16_t>(0x7fff));
  } else {
    return T(f);
  }
}

// A float op in T: halves go through float, which rounds twice without harm for one addition, product or quotient.
template <class F, class T, class... A>
T ApplyFloat(A... a) {
  if constexpr (kHalf<T>) {
    return FromFloat<T>(F::template Do<float>(static_cast<float>(a)...));
  } else {
    return F::template Do<T>(a...);
  }
}

template <class F, class T, bool kMods, class... A>
inline T Apply(const Instr& i, A... a) {
  if constexpr (!kFloating<T>) {
    return F::template Do<T>(a...);
  } else if constexpr (!kMods) {
    if constexpr (kHalf<T>)
      return ApplyFloat<F, T>(a...);
    else
      return Canonical(F::template Do<T>(a...));
  } else if constexpr (kHalf<T>) {
    float r = F::template Do<float>(static_cast<float>(a)...);
    if (i.flags & kSat) r = Saturate(r);
    return FromFloat<T>(r);
  } else {
    const bool ftz = i.flags & kFtz;
    T r = F::template Do<T>((ftz ? Flush(a) : a)...);
    if (i.flags & kSat) r = Saturate(r);
    if (ftz) r = Flush(r);
    return Canonical(r);
  }
}

template <class F, class T, bool kMods = false>
void Unary(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = Apply<F, T, kMods>(i, a[l]);
  Put(w.R<T>(i.d), r, m);
}

template <class F, class T, bool kMods = false>
void Binary(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = Apply<F, T, kMods>(i, a[l], b[l]);
  Put(w.R<T>(i.d), r, m);
}

template <class F, class T, bool kMods = false>
void Ternary(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b), *c = w.R<T>(i.c);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = Apply<F, T, kMods>(i, a[l], b[l], c[l]);
  Put(w.R<T>(i.d), r, m);
}

// Two halves of a 32-bit register.
template <class F, class T, int kArity>
void Packed(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  const T* b = kArity > 1 ? w.R<T>(i.b) : a;
  const T* c = kArity > 2 ? w.R<T>(i.c) : a;
  alignas(64) T r[2 * kLanes];
  for (int l = 0; l < 2 * kLanes; ++l) {
    if constexpr (kArity == 1) r[l] = Apply<F, T, true>(i, a[l]);
    if constexpr (kArity == 2) r[l] = Apply<F, T, true>(i, a[l], b[l]);
    if constexpr (kArity == 3) r[l] = Apply<F, T, true>(i, a[l], b[l], c[l]);
  }
  Put(w.R<uint32_t>(i.d), reinterpret_cast<const uint32_t*>(r), m);
}

// A rounding mode other than to nearest: the operation runs lane by lane in that mode.
template <class F, class T, int kArity>
void Rounded(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  const T* b = kArity > 1 ? w.R<T>(i.b) : a;
  const T* c = kArity > 2 ? w.R<T>(i.c) : a;
  T r[kLanes];
  std::fesetround(static_cast<int>(i.imm));
  for (int l = 0; l < kLanes; ++l) {
    volatile T x = a[l], y = b[l], z = c[l];
    volatile T out;
    if constexpr (kArity == 1) out = Apply<F, T, true>(i, T(x));
    if constexpr (kArity == 2) out = Apply<F, T, true>(i, T(x), T(y));
    if constexpr (kArity == 3) out = Apply<F, T, true>(i, T(x), T(y), T(z));
    r[l] = out;
  }
  std::fesetround(FE_TONEAREST);
  Put(w.R<T>(i.d), r, m);
}

// One bit a lane.
template <class F>
uint32_t Bits(F&& f) {
  uint32_t r = 0;
  for (int l = 0; l < kLanes; ++l) r |= static_cast<uint32_t>(f(l) ? 1u : 0u) << l;
  return r;
}

}  // namespace fakecuda
