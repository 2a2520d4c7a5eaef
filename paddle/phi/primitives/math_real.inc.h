// SPDX-License-Identifier: Apache-2.0
// Part of math.inc.h: branch-free elementary functions of float and double, written so that a loop over them
// vectorises. Errors stated are the largest seen over the whole range, in units in the last place. Polynomial
// coefficients are minimax fits made for this file.
#pragma once

#include "paddle/phi/primitives/math_base.inc.h"

namespace phi {
namespace PD_ISA {

// --- scaling by powers of two --------------------------------------------------------------------------------------
static constexpr float kMagicF = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
static constexpr double kMagicD = 6755399441055744.0;  // 1.5 * 2^52

// 2^k for an integral k in [-126, 127]; any k gives some finite or infinite number.
PD_MATH float pow2i(int32_t k) { return from_bits(static_cast<uint32_t>(k + 127) << 23); }
PD_MATH double pow2k(double k) { return from_bits((bits(k + 1023.0 + kMagicD)) << 52); }
// y * 2^k, k integral, rounded once; |k| up to about 250 and 2000.
// With `zero` it is 0.
PD_MATH float scale2(float y, int32_t k, bool zero = false) {
  const int32_t biased = k + 254, h = biased >> 1;  // exponents of 2^(k / 2) and of the rest, as they are stored
  const float first = from_bits(static_cast<uint32_t>(select(zero, 0, h)) << 23);
  return y * first * from_bits(static_cast<uint32_t>(biased - h) << 23);
}
PD_MATH double scale2(double y, double k) {
  double h = __builtin_rint(k * 0.5);
  return y * pow2k(h) * pow2k(k - h);
}

// --- exp family ----------------------------------------------------------------------------------------------------
// x = k ln2 + r, |r| <= 0.3470; returns e^r - 1 = r + r^2 q(r).
struct ExpF {
  float p;
  int32_t k;
};
struct ExpD {
  double p, k;
};
PD_MATH ExpF exp_parts(float x) {
  float t = fma(x, 1.442695022e+00f, kMagicF);
  float k = t - kMagicF;
  float r = fma(k, -0x1.62e4p-1f, x);
  r = fma(k, -1.428606765e-06f, r);
  float q = poly(r, 5.000000000e-01f, 1.666653305e-01f, 4.166729748e-02f, 8.367592469e-03f, 1.386148622e-03f);
  return {fma(r * r, q, r), static_cast<int32_t>(bits(t)) - 0x4b400000};
}
PD_MATH ExpD exp_parts(double x) {
  double k = fma(x, 1.44269504088896339e+00, kMagicD) - kMagicD;
  double r = fma(k, -6.93147180558298714e-01, x);
  double l = k * 1.64659495828970823e-12;
  double s = r - l;
  l = (r - s) - l;
  double q = poly(s, 5.00000000000000000e-01, 1.66666666666666796e-01, 4.16666666666664076e-02, 8.33333333331863491e-03,
                  1.38888888890329170e-03, 1.98412698931824821e-04, 2.48015870266418096e-05, 2.75572375338374258e-06,
                  2.75575250337694842e-07, 2.51112404475156660e-08, 2.08389011498073716e-09);
  return {s + fma(s * s, q, l), k};
}
PD_MATH float clamp(float x, float lo, float hi) { return select(x > hi, hi, select(x < lo, lo, x)); }
PD_MATH double clamp(double x, double lo, double hi) { return select(x > hi, hi, select(x < lo, lo, x)); }

// A result of 0, as of masked scores of attention, is 0 before it is scaled: processors take some 150 cycles for a
// product that underflows.
PD_MATH float exp(float x) {
  ExpF e = exp_parts(clamp(x, -104.5f, 89.0f));
  return scale2(1.0f + e.p, e.k, x < -104.5f);
}
PD_MATH double exp(double x) {
  ExpD e = exp_parts(clamp(x, -746.0, 710.0));
  return scale2(select(x < -746.0, 0.0, 1.0 + e.p), e.k);
}
PD_MATH float expm1(float x) {
  ExpF e = exp_parts(clamp(x, -25.0f, 89.0f));
  float s = pow2i(e.k - 1);
  float y = fma(s, e.p, s - 0.5f);
  return select(x == 0.0f, x, y + y);
}
PD_MATH double expm1(double x) {
  ExpD e = exp_parts(clamp(x, -60.0, 710.0));
  double s = pow2k(e.k - 1.0);
  double y = fma(s, e.p, s - 0.5);
  return select(x == 0.0, x, y + y);
}

// --- log family ----------------------------------------------------------------------------------------------------
// x = 2^e (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1]; log(1 + f) = f + t. For positive finite x.
struct LogF {
  float e, f, t;
};
struct LogD {
  double e, f, t;
};
PD_MATH LogF log_parts(float x) {
  bool sub = x < limits<float>::tiny;
  uint32_t ix = bits(select(sub, x * 33554432.0f, x)) - 0x3f3504f3u;
  int32_t k = static_cast<int32_t>(ix) >> 23;
  float f = from_bits((ix & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  float e = static_cast<float>(k) - select(sub, 25.0f, 0.0f);
  float p = poly(f, 3.333331048e-01f, -2.499998659e-01f, 2.000214607e-01f, -1.666921824e-01f, 1.422002465e-01f,
                 -1.238553077e-01f, 1.186509281e-01f, -1.178080440e-01f, 6.921245903e-02f);
  return {e, f, f * f * fma(f, p, -0.5f)};
}
PD_MATH LogD log_parts(double x) {
  bool sub = x < limits<double>::tiny;
  uint64_t ix = bits(select(sub, x * 18014398509481984.0, x)) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  double e = from_bits((ix >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0) - select(sub, 54.0, 0.0);
  double f = from_bits((ix & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  double r =
      z * poly(z, 6.66666666666666630e-01, 4.00000000000036826e-01, 2.85714285697528769e-01, 2.22222225620924085e-01,
               1.81817815259159882e-01, 1.53868650738897550e-01, 1.32546639523650839e-01, 1.32139873943682512e-01);
  double h = 0.5 * f * f;
  return {e, f, s * (h + r) - h};
}
// The values of a logarithm at 0, negative numbers, infinity and NaN.
template <class T>
PD_MATH T log_edges(T x, T y) {
  return select(x > T(0), select(x == limits<T>::inf, x, y), select(x == T(0), -limits<T>::inf, limits<T>::nan));
}
PD_MATH float log_finite(float x) {
  LogF l = log_parts(x);
  return fma(l.e, 0x1.62e4p-1f, l.f + fma(l.e, 1.428606765e-06f, l.t));
}
PD_MATH double log_finite(double x) {
  LogD l = log_parts(x);
  return fma(l.e, 6.93147180558298714e-01, l.f + fma(l.e, 1.64659495828970823e-12, l.t));
}
PD_MATH float log(float x) { return log_edges(x, log_finite(x)); }
PD_MATH double log(double x) { return log_edges(x, log_finite(x)); }
// e * a + log(1 + f) / ln(base), with a and b = 1 / ln(base) given as high and low parts.
PD_MATH float log_base(float x, float a, float al, float b, float bl) {
  LogF l = log_parts(x);
  float low = fma(l.e, al, fma(l.f, bl, l.t * b));
  return log_edges(x, fma(l.e, a, fma(l.f, b, low)));
}
PD_MATH double log_base(double x, double a, double al, double b, double bl) {
  LogD l = log_parts(x);
  double h = l.f + l.t;
  double lo = (l.f - h) + l.t;
  double v = h * b;
  double vl = fma(h, b, -v) + fma(h, bl, lo * b);
  double u = l.e * a;
  double s = u + v;
  double sl = (u - s) + v;  // |u| >= |v| or u == 0
  return log_edges(x, s + (sl + fma(l.e, al, vl)));
}
PD_MATH float log2(float x) { return log_base(x, 1.0f, 0.0f, 1.442695022e+00f, 1.925963034e-08f); }
PD_MATH double log2(double x) { return log_base(x, 1.0, 0.0, 1.44269504088896339e+00, 2.03552737409310331e-17); }
PD_MATH float log10(float x) {
  return log_base(x, 3.010300100e-01f, -1.432098884e-08f, 4.342944920e-01f, -1.010304995e-08f);
}
PD_MATH double log10(double x) {
  return log_base(x, 3.01029995662247529e-01, 1.73366596037528533e-12, 4.34294481903251817e-01,
                  1.09831965021676507e-17);
}
template <class T>
PD_MATH T log1p_any(T x) {
  T u = T(1) + x;
  T c = select(x >= T(1), T(1) - (u - x), x - (u - T(1)));
  T y = log_finite(u) + c / u;
  return select(x == T(0), x, log_edges(u, y));
}
PD_MATH float log1p(float x) { return log1p_any(x); }
PD_MATH double log1p(double x) { return log1p_any(x); }

// --- trigonometry --------------------------------------------------------------------------------------------------
// x = q pi/2 + r, |r| <= pi/4 (a hair more), for every finite x; r is NaN for infinities and NaN. q is right modulo 4.
struct TrigF {
  double r;
  int32_t q;
};
struct TrigD {
  double r, rl;
  int64_t q;
};
// |x| up to 2^20 only.
PD_MATH TrigF trig_reduce_narrow(float x) {
  double d = static_cast<double>(x);
  double t = fma(d, 6.36619772367581343e-01, kMagicD);
  double k = t - kMagicD;
  double r = fma(k, -1.5707963267341256, d);
  return {fma(k, -6.07710050650619225e-11, r), static_cast<int32_t>(bits(t))};
}
// 1 / (2 pi) in pieces of 29 bits: each product with a float is exact, and so is its distance to an integer.
PD_MATH TrigF trig_reduce(float x) {
  double d = static_cast<double>(x);
  double a = d * 1.59154942724853754e-01, b = d * 3.67041581156302144e-10, c = d * 5.69002516799295402e-19;
  double e = d * 1.47030368469326084e-27, f = d * 2.58671717520905366e-36, g = d * 9.45814097074016904e-46;
  a -= __builtin_rint(a);
  b -= __builtin_rint(b);
  c -= __builtin_rint(c);
  e -= __builtin_rint(e);
  f -= __builtin_rint(f);
  double s = (a + b) + (c + e) + (f + g);
  double t = fma(s, 4.0, kMagicD);
  double k = (t - kMagicD) * 0.25;
  double r = (((((a - k) + b) + c) + e) + f) + g;
  return {r * 6.28318530717958623e+00, static_cast<int32_t>(bits(t))};
}
// 2^(16 i) / (2 pi) without the bits that give whole turns for exponents 24 + 16 i and up, in three doubles.
static const double kTurn0[63] = {
    1.59154943091895346e-01, 1.04303783504704534e+04, 1.46694363576431602e+08, 1.43901610206679720e+07,
    5.98357224962438345e+07, 8.87682658357618600e+07, 2.52302836489459485e+08, 9.99089412165559977e+07,
    2.23164272214243263e+08, 1.24794584646092355e+08, 1.14861414308851480e+08, 9.05909928908767402e+07,
    2.52765200498357356e+08, 6.81901003473353237e+07, 2.61380330967513174e+08, 1.49616558942755580e+08,
    1.28905560428849906e+08, 2.25724891076441146e+07, 2.31283598564749986e+08, 1.93892499455932707e+08,
    9.66367200613854639e+06, 7.91678902958146632e+07, 2.63648585095885098e+07, 1.96772468392688721e+08,
    4.11823432481610030e+07, 7.59724874796016365e+07, 2.60537031173010468e+08, 1.80825162413325906e+08,
    2.06203343727059215e+08, 1.64608544552693099e+08, 1.69905533295636237e+08, 2.26315182816913277e+08,
    1.96006177228135824e+08, 1.89548551095226444e+07, 1.74529545676145524e+08, 2.01960727873295695e+08,
    2.19668368306220382e+08, 2.61115492459203780e+08, 2.41464718378247172e+08, 9.32169808065971881e+07,
    1.39464931528487131e+07, 2.43083041093306512e+08, 1.19609314935520768e+08, 1.32312958289288044e+08,
    2.59934734781221747e+08, 1.68740862148436993e+08, 1.34096383966818213e+08, 1.00661121398498282e+08,
    1.25920771983577996e+08, 1.00924363767133147e+08, 1.97903458837930411e+08, 7.35863066065651923e+07,
    1.09222727856653199e+08, 1.89258573623837113e+08, 1.89636531788860470e+08, 2.63440882759488344e+08,
    1.66904429827416420e+08, 4.07520815619148985e+07, 6.40654976546627581e+07, 2.65922455978689045e+08,
    1.27400587364409372e+08, 1.76905545932403266e+08, 2.22949041980369359e+08};
static const double kTurn1[63] = {
    -9.83933833759124294e-18, -6.44830877292379697e-13, -1.24573139865380850e-08, 4.27421616178524509e-10,
    -2.68000655781007625e-09, 3.07721924117479186e-09,  -3.67540790303039270e-09, 5.73836554754153457e-09,
    -5.98168664511169057e-09, 3.93271370440597929e-09,  3.84132316119447997e-09,  4.73748317913150354e-09,
    -4.89700744752650812e-09, -3.97144920025770453e-09, -9.21337634578337523e-09, -1.27806225522775244e-08,
    3.39112011691863878e-09,  8.04647037492667658e-10,  1.30399452864603673e-08,  4.25982630356895494e-09,
    5.84309108435559084e-10,  -2.70253775567750899e-09, 1.68759399202272311e-09,  1.74148046387208399e-09,
    1.67009664169595370e-09,  2.42454137498958291e-09,  -1.12394198741117553e-08, 7.57926448939459115e-09,
    -6.29658753889575283e-10, 1.09004120508012169e-08,  7.73652825189204767e-09,  -5.79526586312252508e-09,
    2.25290319127569272e-09,  1.83314450275555113e-09,  3.79658778798759643e-09,  -6.41234131305462916e-09,
    3.34769654343311948e-09,  -1.00567477799674749e-08, -6.62904066549745490e-10, -7.19602533820032996e-09,
    6.83479190712587365e-10,  -3.98306165927851254e-10, 3.44152137343554084e-09,  -4.31100606525751594e-10,
    -7.72573650108449654e-12, 3.25613255746722873e-10,  9.27499027387835666e-10,  2.73974918460736938e-09,
    -6.78982343570597066e-09, 6.06888252197264491e-10,  -1.30718915733143955e-08, 3.17204676342607380e-09,
    -2.84312747748908604e-09, -3.08279685364563598e-09, -4.23113433386782634e-09, -1.08122092446806984e-08,
    -8.92796955053742586e-09, -1.86760699559809158e-09, 2.64598274811783411e-09,  -1.25885933486481202e-08,
    -3.26419962767346412e-09, -1.51670033120197735e-09, -7.72774268892691743e-09};
static const double kTurn2[63] = {
    -5.36071814144650200e-34, -3.51320024117837955e-29, -6.48049684952607290e-25, 2.21215037272085588e-26,
    1.20844767159159537e-25,  -1.58114346284373940e-25, -9.02646409521581013e-26, 4.12231538620367585e-25,
    2.87309042527224210e-25,  -2.68724804017701927e-26, -4.73514850153875787e-26, 3.54736330519534245e-25,
    8.90411253539908990e-26,  -3.60030362463013715e-25, -4.50041913505610783e-25, 5.07768704831491406e-27,
    -1.68898154227409902e-25, 7.93143080416667784e-27,  3.24824498566040290e-25,  2.05273971849477848e-25,
    -1.68731287855132615e-26, 1.43110896000800188e-25,  -7.16951240635252481e-26, -1.89761728554493921e-26,
    4.35867187456564903e-26,  -1.69045736537403086e-25, 6.75734820004030126e-25,  -6.38471079879536131e-25,
    -1.28025669444220260e-26, -2.67886140871822009e-25, -1.04807350266632697e-25, 2.53299566302026650e-25,
    -3.37458508184846571e-26, -1.00711579690902169e-25, -1.59979062356825715e-25, 1.26433492695324749e-25,
    7.71813371245441476e-26,  7.73844644914050169e-25,  3.24983079253393490e-26,  -1.80969129006682556e-25,
    1.93866267936966593e-26,  2.42514585383530177e-26,  -8.39602511393932634e-26, -1.35839685371865389e-26,
    -3.68077065989270256e-28, 2.10355322186786291e-26,  -1.52489128671478103e-26, -1.18573697341501862e-25,
    -3.11154649523719037e-25, 3.21446239255499415e-26,  6.28234024832391046e-25,  -1.42757798820174171e-25,
    5.12148020854353766e-26,  1.27934037182892263e-25,  -1.76280194606255276e-26, -5.25748247527962459e-25,
    -5.59147087356833103e-26, -1.62380918286312551e-26, -1.17280317078356016e-26, 6.69683669601718963e-25,
    -1.59969820290843511e-25, -9.50590836468134520e-26, 5.32267871837996816e-25};
PD_MATH TrigD trig_reduce(double x) {
  int64_t e = static_cast<int64_t>((bits(x) >> 52) & 0x7ff);
  int64_t i = (e < 1047 ? 0 : e - 1047) / 16;
  i = i > 62 ? 62 : i;
  double c0 = kTurn0[i], c1 = kTurn1[i], c2 = kTurn2[i];
  x *= from_bits(static_cast<uint64_t>(1023 - 16 * i) << 52);
  double p = x * c0, pl = fma(x, c0, -p);
  double m = x * c1, ml = fma(x, c1, -m);
  double n = x * c2;
  p -= __builtin_rint(p);
  pl -= __builtin_rint(pl);
  m -= __builtin_rint(m);
  double t = fma(p + pl + m, 4.0, kMagicD);
  p -= (t - kMagicD) * 0.25;
  double a = p + pl, v = a - p;
  double al = (p - (a - v)) + (pl - v);
  double b = a + m;
  v = b - a;
  double low = (a - (b - v)) + (m - v) + al + ml + n;
  double h = b + low;
  double l = (b - h) + low;
  double y = h * 6.28318530717958623e+00;
  double yl = fma(h, 6.28318530717958623e+00, -y) + fma(h, 2.44929359829470641e-16, l * 6.28318530717958623e+00);
  return {y, yl, static_cast<int64_t>(bits(t))};
}
PD_MATH float sin_poly(float r) {
  float z = r * r;
  return fma(r * z, poly(z, -1.666665524e-01f, 8.332176134e-03f, -1.951692684e-04f), r);
}
PD_MATH float cos_poly(float r) {
  float z = r * r;
  return fma(z * z, poly(z, 4.166664556e-02f, -1.388737350e-03f, 2.443887752e-05f), fma(z, -0.5f, 1.0f));
}
PD_MATH double sin_poly(double r, double rl) {
  double z = r * r;
  double p = r * z *
             poly(z, -1.66666666666666657e-01, 8.33333333333332281e-03, -1.98412698412551666e-04,
                  2.75573192142255869e-06, -2.50521049177609643e-08, 1.60583671248636930e-10, -7.57871117721642358e-13);
  return r + fma(rl, fma(z, -0.5, 1.0), p);
}
PD_MATH double cos_poly(double r, double rl) {
  double z = r * r;
  double h = 1.0 - 0.5 * z;
  double l = (1.0 - h) - 0.5 * z;
  return h +
         fma(z * z,
             poly(z, 4.16666666666666644e-02, -1.38888888888888786e-03, 2.48015873015748027e-05,
                  -2.75573192166060343e-07, 2.08767546107320316e-09, -1.14703181173470418e-11, 4.73912417496334883e-14),
             l - r * rl);
}
PD_MATH float sin_of(TrigF t, int32_t shift) {
  int32_t q = t.q + shift;
  float r = static_cast<float>(t.r);
  float y = select((q & 1) != 0, cos_poly(r), sin_poly(r));
  return from_bits(bits(y) ^ (static_cast<uint32_t>(q & 2) << 30));
}
PD_MATH double sin_of(TrigD t, int64_t shift) {
  int64_t q = t.q + shift;
  double y = select((q & 1) != 0, cos_poly(t.r, t.rl), sin_poly(t.r, t.rl));
  return from_bits(bits(y) ^ (static_cast<uint64_t>(q & 2) << 62));
}
PD_MATH float tan_of(float x, TrigF t) {
  double z = t.r * t.r;
  double s =
      fma(t.r * z,
          poly(z, -1.66666666416658615e-01, 8.33332938216460248e-03, -1.98393321168569546e-04, 2.71827613335800315e-06),
          t.r);
  double c =
      fma(z * z,
          poly(z, 4.16666666238984518e-02, -1.38888838218763615e-03, 2.47995338170707074e-05, -2.72111235234703141e-07),
          fma(z, -0.5, 1.0));
  bool odd = (t.q & 1) != 0;
  float y = static_cast<float>(select(odd, -c, s) / select(odd, s, c));
  return select(x == 0.0f, x, y);
}
PD_MATH float sin(float x) { return select(x == 0.0f, x, sin_of(trig_reduce(x), 0)); }
PD_MATH float cos(float x) { return sin_of(trig_reduce(x), 1); }
PD_MATH float tan(float x) { return tan_of(x, trig_reduce(x)); }
PD_MATH double sin(double x) { return select(abs(x) < 1e-8, x, sin_of(trig_reduce(x), 0)); }
PD_MATH double cos(double x) { return sin_of(trig_reduce(x), 1); }
PD_MATH double tan(double x) {
  TrigD t = trig_reduce(x);
  double s = sin_poly(t.r, t.rl), c = cos_poly(t.r, t.rl);
  bool odd = (t.q & 1) != 0;
  return select(abs(x) < 1e-8, x, select(odd, -c, s) / select(odd, s, c));
}

// The same functions where every |x| is known to be at most 2^20 : about twice as fast in float.
namespace narrow {
PD_MATH float sin(float x) { return select(x == 0.0f, x, sin_of(trig_reduce_narrow(x), 0)); }
PD_MATH float cos(float x) { return sin_of(trig_reduce_narrow(x), 1); }
PD_MATH float tan(float x) { return tan_of(x, trig_reduce_narrow(x)); }
}  // namespace narrow

// --- inverse trigonometry ------------------------------------------------------------------------------------------
PD_MATH float atan_tail(float z) {  // (atan(sqrt z) - sqrt z) / sqrt z
  return z * poly(z, -3.333331645e-01f, 1.999853253e-01f, -1.424451321e-01f, 1.060019583e-01f, -6.092755497e-02f);
}
PD_MATH double atan_tail(double z) {
  return z * poly(z, -3.33333333333333315e-01, 1.99999999999981387e-01, -1.42857142854352692e-01,
                  1.11111110906426308e-01, -9.09090822121363801e-02, 7.69228428655549523e-02, -6.66624696739430284e-02,
                  5.87720136526672446e-02, -5.21946415598569316e-02, 4.50753421829400147e-02, -3.35608598201385250e-02,
                  1.52773825105799697e-02);
}
template <class T>
struct angles;
template <>
struct angles<float> {
  static constexpr float pi = 3.141592741e+00f, pil = -8.742277657e-08f, pio2 = 1.570796371e+00f,
                         pio2l = -4.371138829e-08f, pio4 = 7.853981853e-01f, pio4l = -2.185569414e-08f;
};
template <>
struct angles<double> {
  static constexpr double pi = 3.14159265358979312e+00, pil = 1.22464679914735321e-16, pio2 = 1.57079632679489656e+00,
                          pio2l = 6.12323399573676604e-17, pio4 = 7.85398163397448279e-01,
                          pio4l = 3.06161699786838302e-17;
};
// atan(num / den) for num, den >= 0, not both 0 or infinite.
template <class T>
PD_MATH T atan_ratio(T num, T den) {
  bool swap = num > den;
  T mx = select(swap, num, den), mn = select(swap, den, num);
  bool mid = mn > T(0.41421356) * mx;
  T z = select(mid, mn - mx, mn) / select(mid, mn + mx, mx);
  T base = select(mid, angles<T>::pio4, T(0)), low = select(mid, angles<T>::pio4l, T(0));
  T tail = fma(z, atan_tail(z * z), low);
  // base + z + tail, or pi/2 minus that; when base is 0 and not swapped nothing but z + tail is left
  T b = select(swap, angles<T>::pio2 - base, base);
  T bl = select(swap, angles<T>::pio2l - low, T(0));
  T s = select(swap, -z, z), t = select(swap, -fma(z, atan_tail(z * z), T(0)), tail);
  return b + (s + (t + bl));
}
template <class T>
PD_MATH T atan_any(T x) {
  T a = abs(x);
  bool big = a > T(1e30);
  T y = atan_ratio(select(big, T(1e30), a), T(1));
  return copysign(select(a != a, x, select(a < T(1e-5) * T(sizeof(T) == 8 ? 1e-4 : 1), a, y)), x);
}
PD_MATH float atan(float x) { return atan_any(x); }
PD_MATH double atan(double x) { return atan_any(x); }
template <class T>
PD_MATH T atan2_any(T y, T x) {
  T ay = abs(y), ax = abs(x);
  bool both_zero = ay == T(0) && ax == T(0), both_inf = ay == limits<T>::inf && ax == limits<T>::inf;
  T mx = select(ay > ax, ay, ax);
  T k = select(mx > T(1e37), T(0.25), T(1));
  if constexpr (sizeof(T) == 8) k = select(mx > T(1e307), T(0.25), T(1));
  T n = select(both_inf, T(1), select(both_zero, T(0), ay * k));
  T d = select(both_inf, T(1), select(both_zero, T(1), ax * k));
  bool inf_n = n == limits<T>::inf, inf_d = d == limits<T>::inf;  // one of them at most
  n = select(inf_n, T(1), select(inf_d, T(0), n));
  d = select(inf_d, T(1), select(inf_n, T(0), d));
  T a = atan_ratio(n, d);
  a = select(signbit(x), angles<T>::pi - (a - angles<T>::pil), a);
  return select(x != x || y != y, x + y, copysign(a, y));
}
PD_MATH float atan2(float y, float x) { return atan2_any(y, x); }
PD_MATH double atan2(double y, double x) { return atan2_any(y, x); }

PD_MATH float asin_tail(float z) {  // (asin(sqrt z) - sqrt z) / sqrt z, z <= 1/4
  return z * poly(z, 1.666665971e-01f, 7.500494272e-02f, 4.451838136e-02f, 3.179827705e-02f, 1.446798351e-02f,
                  3.748161346e-02f);
}
PD_MATH double asin_tail(double z) {
  return z * poly(z, 1.66666666666666602e-01, 7.50000000000205641e-02, 4.46428571401242327e-02, 3.03819446235983545e-02,
                  2.23721522213139179e-02, 1.73529333316986695e-02, 1.39620325253252704e-02, 1.15844919959651044e-02,
                  9.49178843623080075e-03, 9.97372979369471994e-03, 7.96222631444316181e-04, 2.45893541927486407e-02,
                  -2.58583500454198818e-02, 3.34836254888435797e-02);
}
template <class T>
PD_MATH T asin_any(T x) {
  T a = abs(x);
  bool big = a > T(0.5);
  T z = select(big, (T(1) - a) * T(0.5), a * a);
  T s = select(big, sqrt(z), a);
  T y = fma(s, asin_tail(z), s);
  y = select(big, angles<T>::pio2 - (y + y - angles<T>::pio2l), y);
  return copysign(select(a > T(1), limits<T>::nan, y), x);
}
template <class T>
PD_MATH T acos_any(T x) {
  T a = abs(x);
  bool big = a > T(0.5);
  T z = select(big, (T(1) - a) * T(0.5), a * a);
  T r = sqrt(z);
  T c = select(big && z > T(0), fma(-r, r, z) / (r + r), T(0));  // what the square root lost
  T s = select(big, r, x);
  T p = fma(s, asin_tail(z), c);
  T y = select(big, T(2) * (s + p), angles<T>::pio2 - (s - (angles<T>::pio2l - p)));
  T y2 = angles<T>::pi - (y - angles<T>::pil);
  return select(a > T(1), limits<T>::nan, select(big && x < T(0), y2, y));
}
PD_MATH float asin(float x) { return asin_any(x); }
PD_MATH double asin(double x) { return asin_any(x); }
PD_MATH float acos(float x) { return acos_any(x); }
PD_MATH double acos(double x) { return acos_any(x); }

// --- hyperbolic functions ------------------------------------------------------------------------------------------
PD_MATH float sinh_tail(float z) {  // (sinh(sqrt z) - sqrt z) / sqrt z, z <= 1
  return z * poly(z, 1.666666716e-01f, 8.333351463e-03f, 1.983596885e-04f, 2.818024086e-06f);
}
PD_MATH double sinh_tail(double z) {
  return z * poly(z, 1.66666666666666685e-01, 8.33333333333312852e-03, 1.98412698414449155e-04, 2.75573191528987541e-06,
                  2.50521238061478856e-08, 1.60572072681360615e-10, 7.76035102441825649e-13);
}
PD_MATH float half_exp(float a) {  // exp(a) / 2, no overflow before the result does
  ExpF e = exp_parts(clamp(a, -100.0f, 90.0f));
  return scale2(1.0f + e.p, e.k - 1);
}
PD_MATH double half_exp(double a) {
  ExpD e = exp_parts(clamp(a, -700.0, 711.0));
  return scale2(1.0 + e.p, e.k - 1.0);
}
template <class T>
PD_MATH T sinh_any(T x) {
  T a = abs(x);
  T h = half_exp(a);
  T small = fma(a, sinh_tail(a * a), a);
  return copysign(select(a < T(1), small, h - T(0.25) / h), x);
}
template <class T>
PD_MATH T cosh_any(T x) {
  T h = half_exp(abs(x));
  return h + T(0.25) / h;
}
PD_MATH float sinh(float x) { return sinh_any(x); }
PD_MATH double sinh(double x) { return sinh_any(x); }
PD_MATH float cosh(float x) { return cosh_any(x); }
PD_MATH double cosh(double x) { return cosh_any(x); }
PD_MATH float tanh(float x) {
  float a = abs(x);
  float z = a * a;
  float small = fma(a * z,
                    poly(z, -3.333333135e-01f, 1.333324909e-01f, -5.395268649e-02f, 2.173552103e-02f, -8.269644342e-03f,
                         2.233342035e-03f),
                    a);
  ExpF e = exp_parts(clamp(a + a, 0.0f, 24.0f));
  float s = pow2i(e.k);
  float big = 1.0f - 2.0f / fma(s, e.p, s + 1.0f);
  return copysign(select(a < 0.58f, small, big), x);
}
PD_MATH double tanh(double x) {
  double m = expm1(clamp(2.0 * abs(x), 0.0, 44.0));
  return copysign(m / (m + 2.0), x);
}
template <class T>
PD_MATH T asinh_any(T x) {
  T a = abs(x);
  bool big = a > T(sizeof(T) == 8 ? 1e17 : 1e8);
  T c = select(big, T(1), a);
  T u = select(big, a, c + c * c / (T(1) + sqrt(fma(c, c, T(1)))));
  return copysign(log1p_any(u) + select(big, T(6.93147180559945286e-01), T(0)), x);
}
template <class T>
PD_MATH T acosh_any(T x) {
  T t = x - T(1);
  bool big = x > T(sizeof(T) == 8 ? 1e17 : 1e8);
  T c = select(big, T(1), t);
  T u = select(big, t, c + sqrt(fma(c, c, c + c)));
  return select(x < T(1), limits<T>::nan, log1p_any(u) + select(big, T(6.93147180559945286e-01), T(0)));
}
template <class T>
PD_MATH T atanh_any(T x) {
  T a = abs(x);
  return copysign(T(0.5) * log1p_any((a + a) / (T(1) - a)), x);
}
PD_MATH float asinh(float x) { return asinh_any(x); }
PD_MATH double asinh(double x) { return asinh_any(x); }
PD_MATH float acosh(float x) { return acosh_any(x); }
PD_MATH double acosh(double x) { return acosh_any(x); }
PD_MATH float atanh(float x) { return atanh_any(x); }
PD_MATH double atanh(double x) { return atanh_any(x); }

// --- error function ------------------------------------------------------------------------------------------------
PD_MATH float erf(float x) {
  float a = abs(x);
  float z = a * a;
  float small = fma(a,
                    poly(z, 1.283791661e-01f, -3.761263788e-01f, 1.128372848e-01f, -2.685831487e-02f, 5.179792177e-03f,
                         -7.387422957e-04f),
                    a);
  float l =
      poly(select(a > 3.95f, 3.95f, a), 6.011219739e-05f, -1.628415942f, -9.165784121e-01f, -1.521884203e-01f,
           3.276685253e-02f, -4.146418534e-03f, 1.232648356e-05f, 8.192616951e-05f, -8.754488590e-06f);  // log2 erfc(a)
  float t = l + kMagicF;
  float r = l - (t - kMagicF);
  float e = fma(r,
                poly(r, 6.931471825e-01f, 2.402265072e-01f, 5.550327152e-02f, 9.618003853e-03f, 1.340050600e-03f,
                     1.547641587e-04f),
                1.0f) *
            from_bits((bits(t) + 127u) << 23);
  return copysign(select(a < 0.58f, small, 1.0f - e), x);
}
// Phi(x), error below 1.3e-7, and below 4e-6 of Phi(x) down to -10: Phi(-a) = exp(-a^2 / 2) R(a) with a rational R that
// does not wait for the exponential. At 13.27 the power of two is 2^-127, whose bits are those of 0.
PD_MATH float normal_cdf(float x) {
  float a = abs(x);
  a = select(a > 13.27f, 13.27f, a);
  float u = a * a;
  float t = fma(u, -7.213475204e-01f, kMagicF);
  float r = fma(u, -7.213475204e-01f, kMagicF - t);
  float p = r * poly(r, 6.931470037e-01f, 2.402224243e-01f, 5.550733954e-02f, 9.671518579e-03f, 1.326472149e-03f);
  float v = poly(a, 4.999999702e-01f, 3.488831818e-01f, 1.118994057e-01f, 1.520664431e-02f) /
            poly(a, 1.0f, 1.495646596f, 9.171981215e-01f, 2.801846564e-01f, 3.812593222e-02f);
  float q = fma(v, p, v) * from_bits((bits(t) + 127u) << 23);
  return select(x < 0.0f, q, 1.0f - q);
}
PD_MATH double erfc_positive(double a) {
  double q = (a - 4.0) / (a + 4.0);
  double p = poly(q, 1.23299511862555256, -1.39621116840562887e-01, 1.53796521026197640e-02, 6.80970542547365970e-02,
                  -1.01039066036301153e-01, 9.37328349968239299e-02, -6.63303658125639350e-02, 3.71675155618513969e-02,
                  -1.61977340484245544e-02, 5.03196976357546486e-03, -7.57773404856527206e-04, -1.99255561281976696e-04,
                  1.50622471532381875e-04, -2.44029414893775190e-05, -1.12252829013146232e-05, 5.71729529672465380e-06,
                  3.01956149992893972e-07, -8.34240579348556831e-07, 6.23893125434851221e-08, 1.14561518839065202e-07,
                  -7.77893480923195480e-09, -1.33863537727523598e-08, -1.71764929515608528e-09);
  double h = a * a;
  double l = fma(a, a, -h);
  double e = exp(-h);
  return fma(e, -l, e) * (p / fma(2.0, a, 1.0));
}
PD_MATH double erf(double x) {
  double a = abs(x);
  double small =
      fma(a,
          poly(a * a, 1.28379167095512586e-01, -3.76126389031837538e-01, 1.12837916709551206e-01,
               -2.68661706451298679e-02, 5.22397762542361078e-03, -8.54832702195602477e-04, 1.20553329038126006e-04,
               -1.49256475944978533e-05, 1.64620459805576310e-06, -1.63646495514651611e-07, 1.47924696445201296e-08,
               -1.21649686171655607e-09, 8.71046533665047230e-11, -4.23312952867958036e-12),
          a);
  double big = 1.0 - erfc_positive(clamp(a, 1.0, 28.0));
  return copysign(select(a < 1.0, small, select(a != a, a, big)), x);
}
PD_MATH double erfc(double x) {
  double a = abs(x);
  double small =
      fma(-x,
          poly(x * x, 1.28379167095512586e-01, -3.76126389031837538e-01, 1.12837916709551206e-01,
               -2.68661706451298679e-02, 5.22397762542361078e-03, -8.54832702195602477e-04, 1.20553329038126006e-04,
               -1.49256475944978533e-05, 1.64620459805576310e-06, -1.63646495514651611e-07, 1.47924696445201296e-08,
               -1.21649686171655607e-09, 8.71046533665047230e-11, -4.23312952867958036e-12),
          1.0 - x);
  double big = erfc_positive(clamp(a, 0.0, 28.0));
  return select((x < 0.5) & (a < 1.0), small, select(x < 0.0, 2.0 - big, big));
}
PD_MATH double normal_cdf(double x) { return 0.5 * erfc(x * -7.07106781186547524e-01); }
PD_MATH float erfc(float x) {
  double a = clamp(static_cast<double>(abs(x)), 0.0, 12.0);
  double q = (a - 2.0) / (a + 2.0);
  double p = poly(q, 1.27697838272174646, -9.27638167456034807e-02, -1.66030521219801303e-01, 1.64050916775018762e-01,
                  -5.42179336268308054e-02, -8.02987441496367735e-03, 8.71035240977114864e-03, 1.25002435762275018e-03,
                  -1.42540255932673389e-03, -3.99432214458929748e-04, 1.74631115906924672e-04, 8.16921439129439429e-05);
  double z = a * a;
  double k = fma(z, -1.44269504088896339e+00, kMagicD) - kMagicD;
  double r = fma(z, -1.44269504088896339e+00, -k);
  double e = fma(r,
                 poly(r, 6.93147206440435371e-01, 2.40226513490804899e-01, 5.55032724787578105e-02,
                      9.61800351348676523e-03, 1.34005062659163401e-03, 1.54764156550523790e-04),
                 1.0);
  double y = e * pow2k(k) * p / fma(2.0, a, 1.0);
  return static_cast<float>(select(x < 0.0f, 2.0 - y, y));
}

// --- power and remainder -------------------------------------------------------------------------------------------
// Edge cases of pow as in C; y is |x|^y.
template <class T>
PD_MATH T pow_edges(T x, T y, T v) {
  bool integral = y == round(y);
  T half = y * T(0.5);
  bool odd = integral & (half != round(half));
  T s = select(odd & signbit(x), -v, v);
  s = select((x < T(0)) & (x > -limits<T>::inf) & !integral, limits<T>::nan, s);
  s = select((x != x) | (y != y), x + y, s);
  return select((y == T(0)) | (x == T(1)) | ((x == T(-1)) & isinf(y)), T(1), s);
}
PD_MATH float pow(float x, float y) {
  double a = static_cast<double>(abs(x));
  uint64_t ix = bits(a) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  double e = from_bits((ix >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  double f = from_bits((ix & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  double l = fma(fma(s * z,
                     poly(z, 6.66666666731991153e-01, 3.99999963451248886e-01, 2.85720429693454958e-01,
                          2.21786502299611027e-01, 1.95520038203442964e-01),
                     s + s),
                 1.44269504088896339e+00, e);
  l = select(a == 0.0, -limits<double>::inf, select(a == limits<double>::inf, a, l));
  double w = clamp(l * static_cast<double>(y), -200.0, 200.0);
  double k = (w + kMagicD) - kMagicD;
  double r = w - k;
  double p =
      fma(r,
          poly(r, 6.93147180541478614e-01, 2.40226510789889852e-01, 5.55041096369530279e-02, 9.61803632731856976e-03,
               1.33334294142572335e-03, 1.54673267940993152e-04, 1.53153339356802366e-05),
          1.0);
  return pow_edges(x, y, static_cast<float>(p * pow2k(k)));
}
PD_MATH double pow(double x, double y) {
  double a = abs(x);
  bool sub = a < limits<double>::tiny;
  uint64_t ix = bits(select(sub, a * 18014398509481984.0, a)) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  double e = from_bits((ix >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0) - select(sub, 54.0, 0.0);
  double f = from_bits((ix & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  // s = f / (2 + f) and log(1 + f) = 2 s + s^3 (2/3 + s^2 q) as sums of two doubles
  double d = 2.0 + f, dl = (2.0 - d) + f;
  double s = f / d;
  double sl = (fma(-s, d, f) - s * dl) / d;
  double z = s * s;
  double zl = fma(s, s, -z) + 2.0 * s * sl;
  double t =
      z * poly(z, 3.99999999999999967e-01, 2.85714285714319061e-01, 2.22222222207044157e-01, 1.81818184896533258e-01,
               1.53845821853848319e-01, 1.33353707379790354e-01, 1.16934675494835202e-01, 1.18384230462159026e-01);
  double c = 6.66666666666666630e-01 + t;
  double cl = (6.66666666666666630e-01 - c) + t + 3.70074341541718826e-17;
  double u = z * c;
  double ul = fma(z, c, -u) + fma(z, cl, zl * c);
  double v = s * u;
  double vl = fma(s, u, -v) + fma(s, ul, sl * u);
  double h = 2.0 * s + v;
  double hl = (2.0 * s - h) + v + (2.0 * sl + vl);
  double n = e * 6.93147180558298714e-01;
  double g = n + h;
  double gl = (n - g) + h + (hl + e * 1.64659495828970823e-12);
  double lh = g + gl;
  double ll = (g - lh) + gl;
  // y log x, again as two doubles; then exp of the sum
  double w = lh * y;
  double wl = fma(lh, y, -w) + ll * y;
  bool edge = (a == 0.0) | (a == limits<double>::inf) | isinf(y) | !(abs(w) < 800.0);
  double sign_w = select(a == 0.0, -y, select(a == limits<double>::inf, y, select(a > 1.0, y, -y)));
  double wc = select(edge, copysign(800.0, sign_w), w);
  ExpD x0 = exp_parts(wc);
  double p = x0.p + select(edge, 0.0, fma(x0.p, wl, wl));
  return pow_edges(x, y, scale2(1.0 + p, x0.k));
}
// v, or -0, which changes no sum: as bits, since such conditions are as good as random and a jump would often be
// foreseen wrongly.
PD_MATH float masked(bool c, float v) {
  const uint32_t all = -static_cast<uint32_t>(c), none = 0x80000000u;
  return from_bits((bits(v) & all) | (none & ~all));
}
PD_MATH double masked(bool c, double v) {
  const uint64_t all = -static_cast<uint64_t>(c), none = 0x8000000000000000u;
  return from_bits((bits(v) & all) | (none & ~all));
}
// C's fmod and Python's %: the remainder has the sign of the divisor.
PD_MATH float mod_trunc(float x, float y) {
  double a = static_cast<double>(abs(x)), b = static_cast<double>(abs(y));
  double q = a / b;
  if (__builtin_expect(!(q < 536870912.0), 0)) return __builtin_fmodf(x, y);
  b = select(b < 1e300, b, 1e300);  // 0 times infinity is no number
  double r = fma(-__builtin_trunc(q), b, a);
  return copysign(static_cast<float>(r + masked(r < 0.0, b)), x);
}
PD_MATH double mod_trunc(double x, double y) {
  double a = abs(x), b = abs(y);
  double q = a / b;
  if (__builtin_expect(!(q < 4503599627370496.0), 0)) return __builtin_fmod(x, y);
  double r = fma(-__builtin_trunc(q), b, a);
  r += masked(r < 0.0, b);
  return copysign(select(a < b, a, r), x);
}
template <class T>
PD_MATH T mod_floor_any(T x, T y) {
  T r = mod_trunc(x, y);
  return r + masked((r != T(0)) & ((r < T(0)) != (y < T(0))), y);
}
PD_MATH float mod_floor(float x, float y) { return mod_floor_any(x, y); }
PD_MATH double mod_floor(double x, double y) { return mod_floor_any(x, y); }
// floor(x / y) consistent with mod_floor; x / 0 is an infinity or NaN.
template <class T>
PD_MATH T floor_divide_any(T x, T y) {
  T m = mod_trunc(x, y);
  T d = (x - m) / y;
  d = select(m != T(0) && (m < T(0)) != (y < T(0)), d - T(1), d);
  T f = floor(d);
  f = select(d - f > T(0.5), f + T(1), f);
  return select(y == T(0), x / y, select(d == T(0), copysign(T(0), x / y), f));
}
PD_MATH float floor_divide(float x, float y) { return floor_divide_any(x, y); }
PD_MATH double floor_divide(double x, double y) { return floor_divide_any(x, y); }
PD_MATH float div_trunc(float x, float y) { return trunc(x / y); }
PD_MATH double div_trunc(double x, double y) { return trunc(x / y); }

// --- activations ---------------------------------------------------------------------------------------------------
template <class T>
PD_MATH T sigmoid_any(T x) {
  T e = exp(-abs(x));
  return select(x < T(0), e, T(1)) / (T(1) + e);
}
PD_MATH float sigmoid(float x) { return sigmoid_any(x); }
PD_MATH double sigmoid(double x) { return sigmoid_any(x); }

}  // namespace PD_ISA
}  // namespace phi
