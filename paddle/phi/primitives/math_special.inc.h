// SPDX-License-Identifier: Apache-2.0
// Part of math.inc.h: special functions, one value at a time in double; float calls them and rounds. Accuracy first.
#pragma once

#include "paddle/phi/primitives/math_real.inc.h"

namespace phi {
namespace PD_ISA {

// Of x mod 2, exactly reduced: near integers the result keeps its relative accuracy.
PD_SLOW double sin_pi(double x) {
  double k = __builtin_rint(x);
  double s = sin((x - k) * 3.14159265358979312);
  return (k * 0.5 != __builtin_rint(k * 0.5)) ? -s : s;
}

// For x > 0 finite.
PD_SLOW double lgamma_positive(double x) {
  if (x >= 12.0) {
    double w = 1.0 / x, z = w * w;
    double s = w * poly(z, 8.33333333333333287e-02, -2.77777777777777788e-03, 7.93650793650793650e-04,
                        -5.95238095238095238e-04, 8.41750841750841751e-04, -1.91752691752691753e-03,
                        6.41025641025641026e-03, -2.95506535947712418e-02);
    double l = log(x);
    return fma(x, l - 1.0, -0.5 * l) + (0.918938533204672742 + s);
  }
  double product = 1.0, extra = 0.0;
  while (x > 2.5) {
    x -= 1.0;
    product *= x;
  }
  double t = x - 2.0;
  if (x < 0.5) {
    t = x;
    extra = log(x) + log1p(x);
  } else if (x < 1.5) {
    t = x - 1.0;
    extra = log1p(t);
  }
  double p = poly(t, 4.22784335098467134e-01, 3.22467033424113203e-01, -6.73523010531980881e-02,
                  2.05808084277846297e-02, -7.38555102867420252e-03, 2.89051033073433987e-03, -1.19275391169074868e-03,
                  5.09669525026267066e-04, -2.23154758825081640e-04, 9.94575066519074060e-05, -4.49262302805061674e-05,
                  2.05072923634840544e-05, -9.43955840435781520e-06, 4.37422121946320969e-06, -2.03872650397358365e-06,
                  9.58428988182302582e-07, -4.51433459666892347e-07, 2.01921764961996008e-07, -9.44205663113348308e-08,
                  6.47396853123810045e-08, -3.17891750920925923e-08);
  return t * p - extra + log(product);
}
// log|gamma(x)|; infinite at 0 and the negative integers.
PD_SLOW double lgamma(double x) {
  if (x != x) return x;
  if (isinf(x)) return limits<double>::inf;
  if (x > 0.0) return lgamma_positive(x);
  if (x == __builtin_floor(x)) return limits<double>::inf;
  if (x > -1e-300) return -log(-x);
  return 1.14472988584940017 - log(abs(x * sin_pi(x))) - lgamma_positive(-x);
}
PD_SLOW float lgamma(float x) { return static_cast<float>(lgamma(static_cast<double>(x))); }

// NaN at the negative integers and -inf; -inf at 0, +inf at -0.
PD_SLOW double digamma(double x) {
  if (x != x || x == limits<double>::inf) return x;
  if (x == 0.0) return copysign(limits<double>::inf, -x);
  double r = 0.0;
  if (x < 0.0) {
    if (x == __builtin_floor(x)) return limits<double>::nan;
    double f = x - __builtin_rint(x);
    r = -3.14159265358979312 / tan(3.14159265358979312 * f);
    x = 1.0 - x;
  }
  while (x < 12.0) {
    r -= 1.0 / x;
    x += 1.0;
  }
  double w = 1.0 / x, z = w * w;
  double s =
      z * poly(z, 8.33333333333333287e-02, -8.33333333333333322e-03, 3.96825396825396803e-03, -4.16666666666666661e-03,
               7.57575757575757576e-03, -2.10927960927960928e-02, 8.33333333333333287e-02);
  return r + (log(x) - 0.5 * w - s);
}
PD_SLOW float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

// Sum of (x + k)^-2, k >= 0: the derivative of digamma. Infinite at 0 and the negative integers.
PD_SLOW double trigamma(double x) {
  if (x != x) return x;
  if (x == limits<double>::inf) return 0.0;
  if (x <= 0.0) {
    if (x == __builtin_floor(x)) return x == -limits<double>::inf ? limits<double>::nan : limits<double>::inf;
    double s = 3.14159265358979312 / sin_pi(x);
    return s * s - trigamma(1.0 - x);
  }
  double r = 0.0;
  while (x < 12.0) {
    r += 1.0 / (x * x);
    x += 1.0;
  }
  double w = 1.0 / x, z = w * w;
  double s = w * z *
             poly(z, 1.66666666666666657e-01, -3.33333333333333329e-02, 2.38095238095238082e-02,
                  -3.33333333333333329e-02, 7.57575757575757569e-02, -2.53113553113553102e-01);
  return r + (w + 0.5 * z + s);
}
PD_SLOW float trigamma(float x) { return static_cast<float>(trigamma(static_cast<double>(x))); }

// erf(erfinv(x)) = x; +-inf at +-1, NaN outside.
PD_SLOW double erfinv(double x) {
  double a = abs(x);
  if (!(a < 1.0)) return a == 1.0 ? copysign(limits<double>::inf, x) : limits<double>::nan;
  if (a < 1e-8) return x * 0.886226925452758014;
  double c = 1.0 - a;
  double l = log(c * (1.0 + a));
  double u = 4.33074675078709593 + 0.5 * l;  // 2 / (pi 0.147) + l / 2
  double y = sqrt(sqrt(u * u - l / 0.147) - u);
  for (int i = 0; i < 3; ++i) {
    double f = a < 0.5 ? erf(y) - a : c - erfc(y);
    double d = f * 0.886226925452758014 * exp(y * y);  // Newton step
    y -= d / fma(y, d, 1.0);                           // with Halley's correction
  }
  return copysign(y, x);
}
PD_SLOW float erfinv(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }

// Modified Bessel functions of order n = 0, 1; the e-forms are scaled by exp(-|x|).
template <int n>
PD_SLOW double bessel_i_scaled(double a, bool scaled) {
  if (a != a) return a;
  if (a == limits<double>::inf) return scaled ? 0.0 : a;
  if (a <= 8.0) {
    double z = a * a * 0.25, t = n == 0 ? 1.0 : 0.5 * a, s = t;
    for (int k = 1; t > s * 1e-18; ++k) {
      t *= z / (static_cast<double>(k) * static_cast<double>(k + n));
      s += t;
    }
    return scaled ? s * exp(-a) : s;
  }
  double q = 16.0 / a - 1.0;
  double p;
  if constexpr (n == 0)
    p = poly(q, 4.02176509445008101e-01, 3.36055198366787050e-03, 1.36216074391895244e-04, 1.11430337901080812e-05,
             1.48384756790291145e-06, 2.97359881274131469e-07, 8.87221518110195255e-08, 3.93255632296694240e-08,
             2.15488789179350750e-08, 7.55662855711891751e-09, -6.75083603068603932e-09, -1.34170695052492329e-08,
             -5.39219791289655370e-09, 7.57455334769736151e-09, 7.39812858308006021e-09, -3.54467821151737297e-09,
             -5.89864660806548355e-09, 1.56445207529408230e-09, 3.57683617149025720e-09, -6.03453022573912611e-10,
             -1.57613680932143350e-09, 1.65816045072664108e-10, 4.40551988688610932e-10, -2.25711692664779813e-11,
             -5.76847080923882018e-11);
  else
    p = poly(q, 3.89398459025872334e-01, -9.74957719323574397e-03, -2.19235763833860851e-04, -1.50385471997722669e-05,
             -1.83491013443648679e-06, -3.48385597799317756e-07, -1.00012843814314311e-07, -4.31289054378715196e-08,
             -2.33743662807049508e-08, -8.42965063952144675e-09, 6.73728320882207759e-09, 1.40421911318022547e-08,
             5.96316084787754158e-09, -7.66387680550449037e-09, -7.85907981234565416e-09, 3.46417042256162848e-09,
             6.19263108615649499e-09, -1.48229739433990389e-09, -3.73852996081120707e-09, 5.60919610013515803e-10,
             1.64531108891864837e-09, -1.52955036405583468e-10, -4.59946429489630150e-10, 2.07968278280294055e-11,
             6.02680731862763902e-11);
  double e = p / sqrt(a);
  if (scaled) return e;
  double h = exp(a * 0.5);
  return h * e * h;
}
PD_SLOW double i0(double x) { return bessel_i_scaled<0>(abs(x), false); }
PD_SLOW double i0e(double x) { return bessel_i_scaled<0>(abs(x), true); }
PD_SLOW double i1(double x) { return copysign(bessel_i_scaled<1>(abs(x), false), x); }
PD_SLOW double i1e(double x) { return copysign(bessel_i_scaled<1>(abs(x), true), x); }
PD_SLOW float i0(float x) { return static_cast<float>(i0(static_cast<double>(x))); }
PD_SLOW float i0e(float x) { return static_cast<float>(i0e(static_cast<double>(x))); }
PD_SLOW float i1(float x) { return static_cast<float>(i1(static_cast<double>(x))); }
PD_SLOW float i1e(float x) { return static_cast<float>(i1e(static_cast<double>(x))); }

}  // namespace PD_ISA
}  // namespace phi
