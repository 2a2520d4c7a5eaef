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
UNARY(exp2)
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
UNARY(erfc)
UNARY(normal_cdf)
UNARY(sigmoid)
UNARY(rsqrt)
UNARY(sign)
BINARY(atan2)
BINARY(pow)




