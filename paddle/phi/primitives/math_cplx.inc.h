// SPDX-License-Identifier: Apache-2.0
// Part of math.inc.h: complex arithmetic, and the functions of common/complex_functions.inc.h. Those of complex64 work
// in double and round at the end.
#pragma once

#include "paddle/phi/primitives/math_real.inc.h"
#include "paddle/phi/primitives/product.inc.h"

namespace phi {
namespace PD_ISA {

template <class T>
PD_MATH cplx<T> operator+(cplx<T> a, cplx<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
PD_MATH cplx<T> operator-(cplx<T> a, cplx<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
PD_MATH cplx<T> operator-(cplx<T> a) {
  return {-a.re, -a.im};
}
template <class T>
PD_MATH cplx<T> operator*(cplx<T> a, cplx<T> b) {
  return ProductOf(a, b);
}
template <class T>
PD_MATH cplx<T> operator*(cplx<T> a, T b) {
  return {a.re * b, a.im * b};
}
template <class R>
PD_MATH R Infinity() {
  return limits<R>::inf;
}
template <class R>
PD_MATH R NotANumber() {
  return limits<R>::nan;
}
PD_MATH double Number(double v) { return v; }
PD_MATH bool GoesOn(double count) { return count >= 1.0; }
template <class F, class G>
PD_MATH auto Choose(bool c, F f, G g) {
  return c ? f() : g();
}
using Real = double;
using Complex = cplx<double>;
template <class T>
PD_MATH cplx<T> operator/(cplx<T> a, cplx<T> b);
#define PD_COMPLEX PD_SLOW
#define PD_COMPLEX_INLINE PD_MATH
#include "paddle/common/complex_functions.inc.h"
#undef PD_COMPLEX
#undef PD_COMPLEX_INLINE
template <class T>
PD_MATH cplx<T> operator/(cplx<T> a, cplx<T> b) {
  return QuotientOf<T>(a, b);
}
PD_MATH float hypot(float x, float y) { return LengthOf(x, y); }
PD_MATH double hypot(double x, double y) { return LengthOf(x, y); }

template <class T>
PD_MATH bool operator==(cplx<T> a, cplx<T> b) {
  return (a.re == b.re) & (a.im == b.im);
}
template <class T>
PD_MATH bool operator!=(cplx<T> a, cplx<T> b) {
  return (a.re != b.re) | (a.im != b.im);
}
// By the real parts, then by the imaginary ones.
template <class T>
PD_MATH bool operator<(cplx<T> a, cplx<T> b) {
  return (a.re < b.re) | ((a.re == b.re) & (a.im < b.im));
}
template <class T>
PD_MATH bool operator>(cplx<T> a, cplx<T> b) {
  return b < a;
}
template <class T>
PD_MATH bool operator<=(cplx<T> a, cplx<T> b) {
  return (a < b) | (a == b);
}
template <class T>
PD_MATH bool operator>=(cplx<T> a, cplx<T> b) {
  return b <= a;
}
template <class T>
PD_MATH cplx<T> reciprocal(cplx<T> a) {
  return cplx<T>{T(1), T(0)} / a;
}
template <class T>
PD_MATH cplx<T> make_cplx(T re, T im) {
  return {re, im};
}
template <class T>
PD_MATH T real(cplx<T> z) {
  return z.re;
}
template <class T>
PD_MATH T imag(cplx<T> z) {
  return z.im;
}
template <class T>
PD_MATH cplx<T> conj(cplx<T> z) {
  return {z.re, -z.im};
}
PD_MATH float real(float x) { return x; }
PD_MATH double real(double x) { return x; }
PD_MATH float imag(float) { return 0.0f; }
PD_MATH double imag(double) { return 0.0; }
PD_MATH float conj(float x) { return x; }
PD_MATH double conj(double x) { return x; }
PD_MATH int32_t conj(int32_t x) { return x; }
PD_MATH int64_t conj(int64_t x) { return x; }
PD_MATH bool conj(bool x) { return x; }
PD_MATH double abs(cplx<double> z) { return hypot(z.re, z.im); }
PD_MATH float abs(cplx<float> z) {
  double a = z.re, b = z.im;
  double h = sqrt(a * a + b * b);
  return static_cast<float>(select(isinf(z.re) | isinf(z.im), limits<double>::inf, h));
}
template <class T>
PD_MATH T angle(cplx<T> z) {
  return atan2(z.im, z.re);
}
template <class T>
PD_MATH T angle(T x) {
  return select(x != x, x, select(x < T(0), angles<T>::pi, T(0)));
}
template <class T>
PD_MATH bool isnan(cplx<T> z) {
  return isnan(z.re) | isnan(z.im);
}
template <class T>
PD_MATH bool isinf(cplx<T> z) {
  return isinf(z.re) | isinf(z.im);
}
template <class T>
PD_MATH bool isfinite(cplx<T> z) {
  return isfinite(z.re) & isfinite(z.im);
}
template <class T>
PD_MATH cplx<T> sign(cplx<T> z) {
  return SignOf(z, abs(z));
}

#define PD_CPLX_F32(f)                                           \
  PD_MATH cplx<float> f(cplx<float> z) {                         \
    Complex w = f(Complex{z.re, z.im});                          \
    return {static_cast<float>(w.re), static_cast<float>(w.im)}; \
  }
PD_COMPLEX_FUNCTIONS(PD_CPLX_F32)
#undef PD_CPLX_F32
PD_MATH cplx<float> pow(cplx<float> z, cplx<float> w) {
  Complex r = pow(Complex{z.re, z.im}, Complex{w.re, w.im});
  return {static_cast<float>(r.re), static_cast<float>(r.im)};
}

}  // namespace PD_ISA
}  // namespace phi
