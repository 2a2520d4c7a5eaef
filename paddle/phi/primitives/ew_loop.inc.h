// SPDX-License-Identifier: Apache-2.0
// The form of a generated elementwise loop. A `.isa.cc` file includes only this header and lists loops; it is built
// once for each instruction set, with PD_ISA naming the namespace.
//
//   #include "paddle/phi/primitives/ew_loop.inc.h"
//   namespace phi::PD_ISA {
//   PD_EW_BEGIN(scale_add_f32)        // exported: void phi::<isa>::scale_add_f32(char* const*, int64_t, const double*)
//   PD_EW_OUT(0, float)               // ptrs[0] is an output of C type float
//   PD_EW_IN(1, float)                // ptrs[1], ptrs[2] are inputs
//   PD_EW_IN(2, float)
//   PD_EW_ATTR(0, float, alpha)       // const float alpha = (float)attrs[0]; bool and integer types work too
//   PD_EW_BODY
//   PD_EW_LOAD(1, x)                  // const float x = <element of ptrs[1]>
//   PD_EW_LOAD(2, y)
//   const float t = tanh(x);          // any number of local values
//   PD_EW_STORE(0, add(t, mul(alpha, y)))   // converted to the output's type by cast<>
//   PD_EW_END
//   }
//
// and the caller, in an ordinary file:
//   PD_ISA_DECL(void, scale_add_f32, (char* const* ptrs, int64_t n, const double* attrs))
//   plan.loop = PD_ISA_CALL(scale_add_f32);
//
// Rules. Sections in the order above: OUT/IN/ATTR lines, BODY, every LOAD before the first STORE, STOREs, END; no
// commas outside parentheses in a STORE expression (cplx<float> is fine). Numbers are positions in ptrs (outputs
// first) and in attrs. Operand types: float, double, int32_t, int64_t, bool, cplx<float>, cplx<double>.
// PD_EW_ATTR_INT(k, T, name) reads attrs[k] as the bit pattern of an int64_t (exact large integers), saturated to T;
// PD_EW_ATTR_C(k, T, name) gives cplx<T>{attrs[k], attrs[k + 2]}.
// A body is straight-line code over math.inc.h: no `if`, `?:` or loops (select(c, a, b) computes both sides), no calls
// elsewhere. Literals take the compute type: lit<float>(0.5), lit<cplx<float>>(2). Operators on integers wrap, and none
// divides them: mod_floor, floor_divide and div_trunc have a result for each operand. cast<T>(x) converts between any
// two types by the rules of phi::Convert.
#pragma once

#include "paddle/phi/primitives/math.inc.h"

namespace phi {
namespace PD_ISA {
template <class T>
PD_MATH T ew_load(const T* p) {
  return *p;
}
// As a byte: a loaded bool is then a comparison, which the vectoriser can use as a mask, and any nonzero byte is true.
PD_MATH bool ew_load(const bool* p) { return *reinterpret_cast<const uint8_t*>(p) != 0; }
}  // namespace PD_ISA
}  // namespace phi

#if defined(__clang__)
#define PD_EW_IVDEP _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define PD_EW_IVDEP _Pragma("GCC ivdep")
#endif

namespace phi::PD_ISA {
// An attribute in the loop's type. Integers saturate, so that an infinite bound stays a bound.
template <class T>
static inline T ew_attr(T*, double v) {
  return cast<T>(v);
}
static inline int64_t ew_attr(int64_t*, double v) { return v >= 9223372036854775807.0 ? INT64_MAX : cast<int64_t>(v); }
static inline int32_t ew_attr(int32_t*, double v) {
  return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : cast<int32_t>(v);
}
static inline int64_t ew_attr_int(int64_t*, int64_t v) { return v; }
static inline int32_t ew_attr_int(int32_t*, int64_t v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : static_cast<int32_t>(v);
}
}  // namespace phi::PD_ISA

#define PD_EW_BEGIN(name)                                                                             \
  __attribute__((visibility("hidden"))) void name(char* const* ptrs, int64_t n, const double* attrs); \
  void name(char* const* ptrs, int64_t n, [[maybe_unused]] const double* attrs) {
#define PD_EW_OUT(k, ...)      \
  using pd_t##k = __VA_ARGS__; \
  pd_t##k* const pd_p##k = reinterpret_cast<pd_t##k*>(ptrs[k]);
#define PD_EW_IN(k, ...)       \
  using pd_t##k = __VA_ARGS__; \
  const pd_t##k* const pd_p##k = reinterpret_cast<const pd_t##k*>(ptrs[k]);
#define PD_EW_ATTR(k, T, name) const T name = ew_attr(static_cast<T*>(nullptr), attrs[k]);
#define PD_EW_ATTR_INT(k, T, name) \
  const T name = ew_attr_int(static_cast<T*>(nullptr), __builtin_bit_cast(int64_t, attrs[k]));
#define PD_EW_ATTR_C(k, T, name) const cplx<T> name = {cast<T>(attrs[k]), cast<T>(attrs[(k) + 2])};
#define PD_EW_BODY PD_EW_IVDEP for (int64_t pd_i = 0; pd_i < n; ++pd_i) {
#define PD_EW_LOAD(k, name) const pd_t##k name = ew_load(pd_p##k + pd_i);
#define PD_EW_STORE(k, ...) pd_p##k[pd_i] = cast<pd_t##k>(__VA_ARGS__);
#define PD_EW_END \
  }               \
  }
