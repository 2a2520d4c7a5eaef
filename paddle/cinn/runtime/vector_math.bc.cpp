// SPDX-License-Identifier: Apache-2.0
// The scalar functions of phi's vector math under C names, compiled by clang to LLVM bitcode (see cinn.cmake) and copied into
// kernels at the width of their vectors. `mod` is the remainder with the divisor's sign, `fmod` with the dividend's.
#define PD_ISA cinn_math
#include "paddle/phi/primitives/math.inc.h"

namespace m = phi::cinn_math;

#define UNARY(name)                                              \
  extern "C" float cinn_##name##_f32(float x) { return m::name(x); } \
  extern "C" double cinn_##name##_f64(double x) { return m::name(x); }
#define BINARY_AS(name, fn)                                                        \
  extern "C" float cinn_##name##_f32(float x, float y) { return m::fn(x, y); }     \
  extern "C" double cinn_##name##_f64(double x, double y) { return m::fn(x, y); }
#define BINARY(name) BINARY_AS(name, name)

UNARY(exp)
UNARY(expm1)
UNARY(log)
UNARY(log1p)
UNARY(log2)
UNARY(log10)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(erf)
UNARY(normal_cdf)
UNARY(sigmoid)
UNARY(rsqrt)
UNARY(sign)
BINARY(atan2)
BINARY(pow)

// With branches: GPUs run these; loops of CPUs that need them run their own kernels or the C library.
UNARY(erfinv)
UNARY(lgamma)
UNARY(digamma)
UNARY(i0)
UNARY(i0e)
UNARY(i1)
UNARY(i1e)

// The remainder with the dividend's sign, exactly: the divisor is taken off bit by bit.
template <class T, class U, int kMantissa, U kInfinity>
static T Remainder(T x, T y) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1), kHidden = U{1} << kMantissa;
  const U bits = __builtin_bit_cast(U, x), sign = bits & kSign;
  U a = bits & ~kSign, b = __builtin_bit_cast(U, y) & ~kSign;
  if (a >= kInfinity || b > kInfinity || b == 0) return (x * y) / (x * y);
  if (a < b) return x;
  int ea = static_cast<int>(a >> kMantissa), eb = static_cast<int>(b >> kMantissa);
  a &= kHidden - 1;
  b &= kHidden - 1;
  if (ea) a |= kHidden;
  if (eb) b |= kHidden;
  ea = ea ? ea : 1;
  eb = eb ? eb : 1;
  for (; ea > eb; --ea) {
    if (a >= b) a -= b;
    a <<= 1;
  }
  if (a >= b) a -= b;
  for (; a && a < kHidden && ea > 1; --ea) a <<= 1;
  if (a >= kHidden) a = (a & (kHidden - 1)) | (static_cast<U>(ea) << kMantissa);
  return __builtin_bit_cast(T, a | sign);
}
extern "C" float cinn_fmod_f32(float x, float y) { return Remainder<float, unsigned, 23, 0x7f800000u>(x, y); }
extern "C" double cinn_fmod_f64(double x, double y) {
  return Remainder<double, unsigned long, 52, 0x7ff0000000000000ul>(x, y);
}
