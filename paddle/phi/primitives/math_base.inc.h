// SPDX-License-Identifier: Apache-2.0
// Part of math.inc.h: types, bit access, comparison, integer arithmetic with no undefined case, casts.
#pragma once

#include <stdint.h>

#ifndef PD_ISA
#define PD_ISA cpu_any
#endif
#define PD_MATH static inline __attribute__((always_inline, unused))
#define PD_SLOW static __attribute__((noinline, unused))

namespace phi {
namespace PD_ISA {

// Layout of std::complex<T>, without its weak members.
template <class T>
struct cplx {
  T re, im;
};

PD_MATH uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
PD_MATH uint64_t bits(double x) { return __builtin_bit_cast(uint64_t, x); }
PD_MATH float from_bits(uint32_t x) { return __builtin_bit_cast(float, x); }
PD_MATH double from_bits(uint64_t x) { return __builtin_bit_cast(double, x); }

template <class T>
struct limits;
template <>
struct limits<float> {
  static constexpr float inf = __builtin_inff(), nan = __builtin_nanf(""), tiny = 1.17549435e-38f;
  static constexpr uint32_t sign = 0x80000000u;
};
template <>
struct limits<double> {
  static constexpr double inf = __builtin_inf(), nan = __builtin_nan(""), tiny = 2.2250738585072014e-308;
  static constexpr uint64_t sign = 0x8000000000000000u;
};

template <class T>
PD_MATH T select(bool c, T a, T b) {
  return c ? a : b;
}

PD_MATH bool select(bool c, bool a, bool b) { return (c & a) | (!c & b); }

// --- real basics ---------------------------------------------------------------------------------------------------
PD_MATH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
PD_MATH double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
PD_MATH float sqrt(float x) { return __builtin_sqrtf(x); }
PD_MATH double sqrt(double x) { return __builtin_sqrt(x); }
PD_MATH float floor(float x) { return __builtin_floorf(x); }
PD_MATH double floor(double x) { return __builtin_floor(x); }
PD_MATH float ceil(float x) { return __builtin_ceilf(x); }
PD_MATH double ceil(double x) { return __builtin_ceil(x); }
PD_MATH float trunc(float x) { return __builtin_truncf(x); }
PD_MATH double trunc(double x) { return __builtin_trunc(x); }
// Half to even, as paddle.round.
PD_MATH float round(float x) { return __builtin_rintf(x); }
PD_MATH double round(double x) { return __builtin_rint(x); }
PD_MATH float rint(float x) { return __builtin_rintf(x); }
PD_MATH double rint(double x) { return __builtin_rint(x); }
PD_MATH float abs(float x) { return __builtin_fabsf(x); }
PD_MATH double abs(double x) { return __builtin_fabs(x); }
PD_MATH float copysign(float x, float s) { return __builtin_copysignf(x, s); }
PD_MATH double copysign(double x, double s) { return __builtin_copysign(x, s); }
PD_MATH bool signbit(float x) { return static_cast<int32_t>(bits(x)) < 0; }
PD_MATH bool signbit(double x) { return static_cast<int64_t>(bits(x)) < 0; }
PD_MATH float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
PD_MATH double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
PD_MATH bool isnan(float x) { return x != x; }
PD_MATH bool isnan(double x) { return x != x; }
PD_MATH bool isinf(float x) { return abs(x) == limits<float>::inf; }
PD_MATH bool isinf(double x) { return abs(x) == limits<double>::inf; }
PD_MATH bool isfinite(float x) { return abs(x) < limits<float>::inf; }
PD_MATH bool isfinite(double x) { return abs(x) < limits<double>::inf; }
PD_MATH bool isnan(int32_t) { return false; }
PD_MATH bool isnan(int64_t) { return false; }
PD_MATH bool isnan(bool) { return false; }
PD_MATH bool isinf(int32_t) { return false; }
PD_MATH bool isinf(int64_t) { return false; }
PD_MATH bool isinf(bool) { return false; }
PD_MATH bool isfinite(int32_t) { return true; }
PD_MATH bool isfinite(int64_t) { return true; }
PD_MATH bool isfinite(bool) { return true; }

template <class T>
struct is_cplx {
  static constexpr bool value = false;
};
template <class T>
struct is_cplx<cplx<T>> {
  static constexpr bool value = true;
};
template <class T>
struct is_real_float {
  static constexpr bool value = false;
};
template <>
struct is_real_float<float> {
  static constexpr bool value = true;
};
template <>
struct is_real_float<double> {
  static constexpr bool value = true;
};
template <class T>
struct unsigned_of {
  using type = T;
};
template <>
struct unsigned_of<int32_t> {
  using type = uint32_t;
};
template <>
struct unsigned_of<int64_t> {
  using type = uint64_t;
};
template <>
struct unsigned_of<int16_t> {
  using type = uint32_t;
};
template <>
struct unsigned_of<int8_t> {
  using type = uint32_t;
};
template <>
struct unsigned_of<uint8_t> {
  using type = uint32_t;
};

// --- casts: the rules stated at phi::Convert -----------------------------------------------------------------------
// Out of range and NaN give the smallest value, as the hardware does, but without an undefined conversion.
PD_MATH int32_t to_int32(float x) {
  return static_cast<int32_t>(select(x >= -2147483648.0f && x < 2147483648.0f, x, -2147483648.0f));
}
PD_MATH int32_t to_int32(double x) {
  return static_cast<int32_t>(select(x > -2147483649.0 && x < 2147483648.0, x, -2147483648.0));
}
PD_MATH int64_t to_int64(float x) {
  return static_cast<int64_t>(
      select(x >= -9223372036854775808.0f && x < 9223372036854775808.0f, x, -9223372036854775808.0f));
}
PD_MATH int64_t to_int64(double x) {
  return static_cast<int64_t>(
      select(x >= -9223372036854775808.0 && x < 9223372036854775808.0, x, -9223372036854775808.0));
}
template <class To, class From>
struct caster {
  PD_MATH To run(From x) {
    if constexpr (is_real_float<From>::value && !is_real_float<To>::value) {
      if constexpr (sizeof(To) == 8)
        return static_cast<To>(to_int64(x));
      else
        return static_cast<To>(to_int32(x));
    } else {
      return static_cast<To>(x);
    }
  }
};
template <class From>
struct caster<bool, From> {
  PD_MATH bool run(From x) { return x != From(0); }
};
template <class T>
struct caster<bool, cplx<T>> {
  PD_MATH bool run(cplx<T> x) { return x.re != T(0) || x.im != T(0); }
};
template <class To, class T>
struct caster<To, cplx<T>> {
  PD_MATH To run(cplx<T> x) { return caster<To, T>::run(x.re); }
};
template <class T, class From>
struct caster<cplx<T>, From> {
  PD_MATH cplx<T> run(From x) { return {caster<T, From>::run(x), T(0)}; }
};
template <class T, class U>
struct caster<cplx<T>, cplx<U>> {
  PD_MATH cplx<T> run(cplx<U> x) { return {static_cast<T>(x.re), static_cast<T>(x.im)}; }
};
template <class To, class From>
PD_MATH To cast(From x) {
  return caster<To, From>::run(x);
}
// A literal of the compute type: lit<float>(0.5), lit<cplx<double>>(2).
template <class T>
PD_MATH T lit(double v) {
  return caster<T, double>::run(v);
}

// --- arithmetic by name --------------------------------------------------------------------------------------------
// Integers wrap. bool: add is or, mul is and, sub is xor.
template <class T>
PD_MATH T add(T a, T b) {
  if constexpr (is_real_float<T>::value || is_cplx<T>::value)
    return a + b;
  else
    return static_cast<T>(static_cast<typename unsigned_of<T>::type>(a) +
                          static_cast<typename unsigned_of<T>::type>(b));
}
template <class T>
PD_MATH T sub(T a, T b) {
  if constexpr (is_real_float<T>::value || is_cplx<T>::value)
    return a - b;
  else
    return static_cast<T>(static_cast<typename unsigned_of<T>::type>(a) -
                          static_cast<typename unsigned_of<T>::type>(b));
}
template <class T>
PD_MATH T mul(T a, T b) {
  if constexpr (is_real_float<T>::value || is_cplx<T>::value)
    return a * b;
  else
    return static_cast<T>(static_cast<typename unsigned_of<T>::type>(a) *
                          static_cast<typename unsigned_of<T>::type>(b));
}
PD_MATH bool add(bool a, bool b) { return a | b; }
PD_MATH bool sub(bool a, bool b) { return a ^ b; }
PD_MATH bool mul(bool a, bool b) { return a & b; }
template <class T>
PD_MATH T neg(T a) {
  if constexpr (is_real_float<T>::value || is_cplx<T>::value)
    return -a;
  else
    return sub(T(0), a);
}
PD_MATH bool neg(bool a) { return a; }
PD_MATH int32_t abs(int32_t x) { return select(x < 0, neg(x), x); }  // abs(INT_MIN) is INT_MIN
PD_MATH int64_t abs(int64_t x) { return select(x < 0, neg(x), x); }
PD_MATH bool abs(bool x) { return x; }

// Integer division: by zero gives 0 (quotient and remainder); INT_MIN / -1 is INT_MIN with remainder 0.
PD_MATH int32_t div_trunc(int32_t a, int32_t b) {
  double q = static_cast<double>(a) / static_cast<double>(select(b == 0, 1, b));
  int32_t r = static_cast<int32_t>(select(q >= 2147483648.0, -2147483648.0, q));
  return select(b == 0, 0, r);
}
PD_MATH int64_t div_trunc(int64_t a, int64_t b) {
  int64_t safe = select(b == 0 || b == -1, int64_t{1}, b);
  int64_t q = a / safe;
  return select(b == 0, int64_t{0}, select(b == -1, neg(a), q));
}
PD_MATH bool div_trunc(bool a, bool b) { return a & b; }
template <class T>
PD_MATH T mod_trunc_int(T a, T b) {
  return select(b == T(0), T(0), sub(a, mul(div_trunc(a, b), b)));
}
PD_MATH int32_t mod_trunc(int32_t a, int32_t b) { return mod_trunc_int(a, b); }
PD_MATH int64_t mod_trunc(int64_t a, int64_t b) { return mod_trunc_int(a, b); }
PD_MATH bool mod_trunc(bool, bool) { return false; }
template <class T>
PD_MATH T mod_floor_int(T a, T b) {
  T r = mod_trunc_int(a, b);
  return select(r != T(0) && ((r ^ b) < T(0)), add(r, b), r);
}
PD_MATH int32_t mod_floor(int32_t a, int32_t b) { return mod_floor_int(a, b); }
PD_MATH int64_t mod_floor(int64_t a, int64_t b) { return mod_floor_int(a, b); }
PD_MATH bool mod_floor(bool, bool) { return false; }
template <class T>
PD_MATH T floor_divide_int(T a, T b) {
  T q = div_trunc(a, b);
  T r = sub(a, mul(q, b));
  return select(b != T(0) && r != T(0) && ((r ^ b) < T(0)), sub(q, T(1)), q);
}
PD_MATH int32_t floor_divide(int32_t a, int32_t b) { return floor_divide_int(a, b); }
PD_MATH int64_t floor_divide(int64_t a, int64_t b) { return floor_divide_int(a, b); }
PD_MATH bool floor_divide(bool a, bool b) { return a & b; }

// --- comparison ----------------------------------------------------------------------------------------------------
// NaN in either operand is the result; of equal operands the second. Two selects, not one on a joined condition: gcc
// then vectorises nests such as clip.
template <class T>
PD_MATH T maximum(T a, T b) {
  return select(a != a, a, select(a > b, a, b));
}
template <class T>
PD_MATH T minimum(T a, T b) {
  return select(a != a, a, select(a < b, a, b));
}
// NaN only if both operands are.
template <class T>
PD_MATH T fmax(T a, T b) {
  return select(b != b, a, select(a > b, a, b));
}
template <class T>
PD_MATH T fmin(T a, T b) {
  return select(b != b, a, select(a < b, a, b));
}
// NaN in x stays; so does NaN in a bound.
template <class T>
PD_MATH T clip(T x, T lo, T hi) {
  return minimum(maximum(x, lo), hi);
}
// sign(-0.0) is 0, sign(NaN) is NaN.
template <class T>
PD_MATH T sign(T x) {
  if constexpr (is_real_float<T>::value)
    return select(x > T(0), T(1), select(x < T(0), T(-1), select(x == T(0), T(0), x)));
  else
    return static_cast<T>((x > T(0)) - (x < T(0)));
}
template <class T>
PD_MATH T square(T x) {
  return mul(x, x);
}
PD_MATH float reciprocal(float x) { return 1.0f / x; }
PD_MATH double reciprocal(double x) { return 1.0 / x; }
PD_MATH int32_t floor(int32_t x) { return x; }
PD_MATH int64_t floor(int64_t x) { return x; }
PD_MATH int32_t ceil(int32_t x) { return x; }
PD_MATH int64_t ceil(int64_t x) { return x; }
PD_MATH int32_t trunc(int32_t x) { return x; }
PD_MATH int64_t trunc(int64_t x) { return x; }
PD_MATH int32_t round(int32_t x) { return x; }
PD_MATH int64_t round(int64_t x) { return x; }

// Integer power, wrapping. A negative exponent gives the truncated true value: 1, +-1 for base +-1, else 0 (also base
// 0).
template <class T>
PD_MATH T pow_int(T x, T y) {
  using U = typename unsigned_of<T>::type;
  U r = 1, b = static_cast<U>(x), e = y < T(0) ? U(0) : static_cast<U>(y);
  while (e != 0) {
    r = (e & 1) ? r * b : r;
    b *= b;
    e >>= 1;
  }
  T neg_result = x == T(1) ? T(1) : x == T(-1) ? ((y & T(1)) ? T(-1) : T(1)) : T(0);
  return y < T(0) ? neg_result : static_cast<T>(r);
}
PD_MATH int32_t pow(int32_t x, int32_t y) { return pow_int(x, y); }
PD_MATH int64_t pow(int64_t x, int64_t y) { return pow_int(x, y); }
PD_MATH bool pow(bool x, bool y) { return x | !y; }

template <class T>
PD_MATH T poly(T, T c) {
  return c;
}
// c0 + c1 x + c2 x^2 + ... by Horner's rule with fused multiply-add.
template <class T, class... C>
PD_MATH T poly(T x, T c, C... rest) {
  return fma(poly(x, static_cast<T>(rest)...), x, c);
}

}  // namespace PD_ISA
}  // namespace phi
