// SPDX-License-Identifier: Apache-2.0
// Part of math.inc.h: complex arithmetic and functions. complex64 functions work in double and round at the end.
#pragma once

#include "paddle/phi/primitives/math_real.inc.h"

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
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
PD_MATH cplx<T> operator*(cplx<T> a, T b) {
  return {a.re * b, a.im * b};
}
// Scaled, so it overflows only where the quotient does; by zero gives NaN in both parts, by infinity 0.
template <class T>
PD_MATH cplx<T> operator/(cplx<T> a, cplx<T> b) {
  T p = abs(b.re), q = abs(b.im);
  T m = select(p > q, p, q);
  T c = b.re / m, d = b.im / m;
  T n = fma(c, c, d * d);
  T re = fma(a.re, c, a.im * d) / n / m, im = fma(a.im, c, -(a.re * d)) / n / m;
  bool zero = (m == limits<T>::inf) & isfinite(a.re) & isfinite(a.im);
  return {select(zero, T(0), re), select(zero, T(0), im)};
}
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
// z / |z|, 0 at 0.
template <class T>
PD_MATH cplx<T> sign(cplx<T> z) {
  T r = abs(z);
  bool zero = r == T(0);
  T s = select(zero, T(1), r);
  return {select(zero, T(0), z.re / s), select(zero, T(0), z.im / s)};
}

using c128 = cplx<double>;
PD_SLOW c128 exp(c128 z) {
  double e = exp(z.re);
  double re = e * cos(z.im), im = z.im == 0.0 ? z.im : e * sin(z.im);
  return {re, im};
}
PD_SLOW c128 expm1(c128 z) {
  double s = sin(z.im * 0.5), im = z.im == 0.0 ? z.im : exp(z.re) * sin(z.im);
  return {fma(expm1(z.re), cos(z.im), -2.0 * s * s), im};
}
PD_SLOW c128 log(c128 z) {
  double a = abs(z.re), b = abs(z.im);
  double mx = a > b ? a : b, mn = a > b ? b : a;
  double re;
  if (mx > 0.5 && mx < 2.0)
    re = 0.5 * log1p(fma(mx - 1.0, mx + 1.0, mn * mn));
  else
    re = log(hypot(a, b));
  return {re, atan2(z.im, z.re)};
}
PD_SLOW c128 log2(c128 z) {
  c128 l = log(z);
  return {l.re * 1.44269504088896339, l.im * 1.44269504088896339};
}
PD_SLOW c128 log10(c128 z) {
  c128 l = log(z);
  return {l.re * 0.434294481903251817, l.im * 0.434294481903251817};
}
PD_SLOW c128 log1p(c128 z) {
  if (abs(z.re) > 0.5 || abs(z.im) > 0.5) return log(c128{z.re + 1.0, z.im});
  return {0.5 * log1p(fma(z.re, z.re + 2.0, z.im * z.im)), atan2(z.im, 1.0 + z.re)};
}
PD_SLOW c128 sqrt(c128 z) {
  if (isinf(z.im)) return {limits<double>::inf, z.im};
  if (z.re == limits<double>::inf) return {z.re, isnan(z.im) ? z.im : copysign(0.0, z.im)};
  if (z.re == -limits<double>::inf) return {isnan(z.im) ? z.im : 0.0, copysign(limits<double>::inf, z.im)};
  if (z.re == 0.0 && z.im == 0.0) return {0.0, z.im};
  double a = abs(z.re), b = abs(z.im), m = a > b ? a : b;
  double k = m > 1e300 ? 0.0625 : m < 1e-300 ? 0x1p120 : 1.0, undo = m > 1e300 ? 4.0 : m < 1e-300 ? 0x1p-60 : 1.0;
  a *= k;
  b *= k;
  double t = sqrt(0.5 * (a + hypot(a, b)));
  double u = b / (2.0 * t);
  double re = (signbit(z.re) ? u : t) * undo, im = (signbit(z.re) ? t : u) * undo;
  return {re, copysign(im, z.im)};
}
PD_SLOW c128 rsqrt(c128 z) { return c128{1.0, 0.0} / sqrt(z); }
PD_SLOW c128 sin(c128 z) { return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)}; }
PD_SLOW c128 cos(c128 z) { return {cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im))}; }
PD_SLOW c128 sinh(c128 z) {
  c128 w = sin(c128{-z.im, z.re});
  return {w.im, -w.re};
}
PD_SLOW c128 cosh(c128 z) { return cos(c128{-z.im, z.re}); }
PD_SLOW c128 tanh(c128 z) {
  if (abs(z.re) > 20.0) return {copysign(1.0, z.re), 2.0 * sin(2.0 * z.im) * exp(-2.0 * abs(z.re))};
  double t = tan(z.im), s = sinh(z.re);
  double b = 1.0 + t * t, r = sqrt(1.0 + s * s), d = 1.0 + b * s * s;
  return {b * r * s / d, t / d};
}
PD_SLOW c128 tan(c128 z) {
  c128 w = tanh(c128{-z.im, z.re});
  return {w.im, -w.re};
}
// After W. Kahan, "Branch cuts for complex elementary functions".
PD_SLOW c128 asin(c128 z) {
  c128 a = sqrt(c128{1.0 - z.re, -z.im}), b = sqrt(c128{1.0 + z.re, z.im});
  return {atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re)};
}
PD_SLOW c128 acos(c128 z) {
  c128 a = sqrt(c128{1.0 - z.re, -z.im}), b = sqrt(c128{1.0 + z.re, z.im});
  return {2.0 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}
PD_SLOW c128 asinh(c128 z) {
  c128 w = asin(c128{-z.im, z.re});
  return {w.im, -w.re};
}
PD_SLOW c128 acosh(c128 z) {
  c128 a = sqrt(c128{z.re - 1.0, z.im}), b = sqrt(c128{z.re + 1.0, z.im});
  return {asinh(a.re * b.re + a.im * b.im), 2.0 * atan2(a.im, b.re)};
}
PD_SLOW c128 atanh(c128 z) {
  double x = abs(z.re), y = copysign(1.0, z.re) * z.im;
  double re = 0.25 * log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y));
  double im = 0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y);
  if (x > 1e150 || abs(y) > 1e150) {
    double h = hypot(x, y);
    re = isinf(h) ? 0.0 : x / h / h;
    im = copysign(1.57079632679489656, y);
  }
  double s = copysign(1.0, z.re);
  return {s * re, s * im};
}
PD_SLOW c128 atan(c128 z) {
  c128 w = atanh(c128{-z.im, z.re});
  return {w.im, -w.re};
}
// 0 ** 0 is 1, 0 ** w is 0 for Re w > 0; otherwise exp(w log z).
PD_SLOW c128 pow(c128 z, c128 w) {
  if (w.re == 0.0 && w.im == 0.0) return {1.0, 0.0};
  if (z.re == 0.0 && z.im == 0.0) {
    if (w.re > 0.0) return {0.0, 0.0};
    return {w.re < 0.0 ? limits<double>::inf : limits<double>::nan, limits<double>::nan};
  }
  if (w.im == 0.0 && w.re == __builtin_rint(w.re) && abs(w.re) <= 64.0) {
    c128 r{1.0, 0.0}, b = z;
    for (int e = static_cast<int>(abs(w.re)); e; e >>= 1) {
      if (e & 1) r = r * b;
      b = b * b;
    }
    return w.re < 0.0 ? reciprocal(r) : r;
  }
  return exp(w * log(z));
}
PD_SLOW c128 sigmoid(c128 z) {
  if (z.re < 0.0) {
    c128 e = exp(z);
    return e / c128{1.0 + e.re, e.im};
  }
  c128 e = exp(-z);
  return reciprocal(c128{1.0 + e.re, e.im});
}

#define PD_CPLX_F32(f)                                           \
  PD_MATH cplx<float> f(cplx<float> z) {                         \
    c128 w = f(c128{z.re, z.im});                                \
    return {static_cast<float>(w.re), static_cast<float>(w.im)}; \
  }
PD_CPLX_F32(exp)
PD_CPLX_F32(expm1)
PD_CPLX_F32(log)
PD_CPLX_F32(log2)
PD_CPLX_F32(log10)
PD_CPLX_F32(log1p)
PD_CPLX_F32(sqrt)
PD_CPLX_F32(rsqrt)
PD_CPLX_F32(sin)
PD_CPLX_F32(cos)
PD_CPLX_F32(tan)
PD_CPLX_F32(sinh)
PD_CPLX_F32(cosh)
PD_CPLX_F32(tanh)
PD_CPLX_F32(asin)
PD_CPLX_F32(acos)
PD_CPLX_F32(atan)
PD_CPLX_F32(asinh)
PD_CPLX_F32(acosh)
PD_CPLX_F32(atanh)
PD_CPLX_F32(sigmoid)
#undef PD_CPLX_F32
PD_MATH cplx<float> pow(cplx<float> z, cplx<float> w) {
  c128 r = pow(c128{z.re, z.im}, c128{w.re, w.im});
  return {static_cast<float>(r.re), static_cast<float>(r.im)};
}

}  // namespace PD_ISA
}  // namespace phi
