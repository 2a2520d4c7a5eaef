// SPDX-License-Identifier: Apache-2.0
// The functions of math.inc.h against the long double library: error bounds over the range, edge values, integer
// corners.
#include "paddle/phi/primitives/math.inc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace m = phi::PD_ISA;
using ld = long double;

namespace {

// Distance in units of T's last place at `want`; huge where one is NaN, infinite or of the other sign of zero.
template <class T>
double Ulp(T got, ld want) {
  const T w = static_cast<T>(want);
  if (std::isnan(w) || std::isnan(got)) return std::isnan(w) && std::isnan(got) ? 0 : 1e30;
  if (std::isinf(got) || std::isinf(w)) {
    if (got == w) return 0;
    const T finite = std::isinf(got) ? w : got;
    return std::fabs(finite) == std::numeric_limits<T>::max() && std::signbit(got) == std::signbit(w) ? 1 : 1e30;
  }
  if ((got == 0 || w == 0) && std::signbit(got) != std::signbit(w)) return 1e30;
  int e = 0;
  std::frexp(want, &e);
  const int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent - digits;
  return static_cast<double>(std::fabs(static_cast<ld>(got) - want) / std::ldexp(ld{1}, std::max(e - digits, lowest)));
}

template <class T>
const std::vector<T>& Points() {
  static const std::vector<T> points = [] {
    std::vector<T> v;
    std::mt19937_64 g(1);
    for (int i = 0; i < 40000; ++i) {
      const uint64_t u = g();
      T f;
      std::memcpy(&f, &u, sizeof(T));
      v.push_back(f);
    }
    std::uniform_real_distribution<double> one(-1, 1);
    for (int i = 0; i < 20000; ++i) {
      const double u = one(g);
      for (double s : {1.0, 20.0, 800.0}) v.push_back(static_cast<T>(u * s));
      v.push_back(static_cast<T>(1 + u * 1e-3));
      v.push_back(static_cast<T>(std::ldexp(u, -(i % 40))));
    }
    const double inf = INFINITY;
    for (double s : {0.0, 1.0, 0.5, 2.0, 3.0, 88.0, 104.0, 1e-45, 1e-310, 1e300, 1e38, inf, double{NAN}, 0.25}) {
      v.push_back(static_cast<T>(s));
      v.push_back(static_cast<T>(-s));
    }
    return v;
  }();
  return points;
}

template <class T, class F, class R>
void Check(const char* name, F f, R ref, double bound) {
  double worst = 0;
  T at = 0;
  for (T x : Points<T>()) {
    const double u = Ulp<T>(f(x), ref(static_cast<ld>(x)));
    if (u > worst) worst = u, at = x;
  }
  EXPECT_LE(worst, bound) << name << " of " << sizeof(T) * 8 << " bits at " << at << " gives " << f(at);
}

#define CHECK_BOTH(fn, ref, bound32, bound64)                                          \
  Check<float>(                                                                        \
      #fn, [](float x) { return m::fn(x); }, [](ld x) -> ld { return ref; }, bound32); \
  Check<double>(                                                                       \
      #fn, [](double x) { return m::fn(x); }, [](ld x) -> ld { return ref; }, bound64)

TEST(Math, ExponentialsAndLogarithms) {
  CHECK_BOTH(exp, expl(x), 1.5, 1.5);
  CHECK_BOTH(expm1, expm1l(x), 2, 2);
  CHECK_BOTH(log, logl(x), 1.5, 1.5);
  CHECK_BOTH(log1p, log1pl(x), 2, 2);
  CHECK_BOTH(log2, log2l(x), 1.5, 1.5);
  CHECK_BOTH(log10, log10l(x), 1.5, 1.5);
  CHECK_BOTH(rsqrt, 1 / sqrtl(x), 1.6, 1.6);
  CHECK_BOTH(sqrt, sqrtl(x), 0.51, 0.51);
}

TEST(Math, Trigonometry) {
  CHECK_BOTH(sin, sinl(x), 1.7, 1.5);
  CHECK_BOTH(cos, cosl(x), 1.7, 1.5);
  CHECK_BOTH(tan, tanl(x), 1.5, 3);
  CHECK_BOTH(asin, asinl(x), 2.5, 2.5);
  CHECK_BOTH(acos, acosl(x), 2, 2);
  CHECK_BOTH(atan, atanl(x), 2, 2);
}

TEST(Math, Hyperbolic) {
  CHECK_BOTH(sinh, sinhl(x), 2, 2);
  CHECK_BOTH(cosh, coshl(x), 2, 2);
  CHECK_BOTH(tanh, tanhl(x), 1.5, 3);
  CHECK_BOTH(asinh, asinhl(x), 2.5, 3);
  CHECK_BOTH(acosh, acoshl(x), 3, 3);
  CHECK_BOTH(atanh, atanhl(x), 3, 3);
}

TEST(Math, ErrorFunctionAndSigmoid) {
  CHECK_BOTH(erf, erfl(x), 1.8, 1.5);
  CHECK_BOTH(erfc, erfcl(x), 1, 4);
  for (double x = -9; x < 9; x += 0.00037) {
    const double exact = 0.5 * std::erfc(-x * M_SQRT1_2);
    ASSERT_NEAR(m::normal_cdf(static_cast<float>(x)),
                0.5 * std::erfc(-static_cast<double>(static_cast<float>(x)) * M_SQRT1_2), 1e-7)
        << x;
    if (x < 0) {
      const float narrow = static_cast<float>(x);
      const double tail = 0.5 * std::erfc(-static_cast<double>(narrow) * M_SQRT1_2);
      ASSERT_NEAR(m::normal_cdf(narrow), tail, 4e-6 * tail) << x;
    }
    ASSERT_NEAR(m::normal_cdf(x), exact, 1e-15 * exact * 16) << x;
  }
  EXPECT_TRUE(std::isnan(m::normal_cdf(NAN)));
  EXPECT_EQ(m::normal_cdf(-INFINITY), 0);
  EXPECT_EQ(m::normal_cdf(INFINITY), 1);
  CHECK_BOTH(sigmoid, 1 / (1 + expl(-x)), 2.5, 2.5);
}

TEST(Math, Rounding) {
  CHECK_BOTH(floor, floorl(x), 0, 0);
  CHECK_BOTH(ceil, ceill(x), 0, 0);
  CHECK_BOTH(trunc, truncl(x), 0, 0);
  CHECK_BOTH(round, rintl(x), 0, 0);
}

template <class T>
void CheckBinary() {
  const auto& p = Points<T>();
  std::mt19937_64 g(2);
  std::vector<std::pair<T, T>> pairs;
  for (T x : p) pairs.push_back({x, p[g() % p.size()]});
  std::uniform_real_distribution<double> one(-1, 1);
  for (int i = 0; i < 60000; ++i) {
    const double base = std::exp2(one(g) * (i % 2 ? 1 : 100));
    pairs.push_back({static_cast<T>(base), static_cast<T>(one(g) * 700 / std::fabs(std::log(base) + 1e-3))});
  }
  const double edge[] = {0,    -0.0,  1,        -1,        2,   -2,    3,      -3, 0.5,   -0.5,
                         1e38, -1e38, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 7,  1e308, -1e308};
  for (double a : edge)
    for (double b : edge) pairs.push_back({static_cast<T>(a), static_cast<T>(b)});
  for (auto [x, y] : pairs) {
    ASSERT_LE(Ulp<T>(m::pow(x, y), powl(x, y)), sizeof(T) == 4 ? 1 : 2) << "pow " << x << " " << y;
    ASSERT_LE(Ulp<T>(m::atan2(x, y), atan2l(x, y)), 2.5) << "atan2 " << x << " " << y;
    ASSERT_LE(Ulp<T>(m::hypot(x, y), hypotl(x, y)), 2.5) << "hypot " << x << " " << y;
    ASSERT_LE(Ulp<T>(m::mod_trunc(x, y), fmodl(x, y)), 0) << "mod_trunc " << x << " " << y;
    ld r = fmodl(x, y);
    if (r != 0 && (r < 0) != (y < 0)) r += y;
    ASSERT_LE(Ulp<T>(m::mod_floor(x, y), r), 0.51) << "mod_floor " << x << " " << y;
  }
}
TEST(Math, PowAtan2Remainder32) { CheckBinary<float>(); }
TEST(Math, PowAtan2Remainder64) { CheckBinary<double>(); }

TEST(Math, FloorDivide) {
  const float inf = INFINITY;
  EXPECT_EQ(m::floor_divide(5.0f, -3.0f), -2.0f);
  EXPECT_EQ(m::floor_divide(-5.0f, -3.0f), 1.0f);
  EXPECT_EQ(m::floor_divide(1.0f, 0.0f), inf);
  EXPECT_EQ(m::floor_divide(-1.0f, 0.0f), -inf);
  EXPECT_TRUE(std::isnan(m::floor_divide(0.0f, 0.0f)));
  EXPECT_TRUE(std::isnan(m::floor_divide(inf, 2.0f)));
  EXPECT_EQ(m::floor_divide(-1.0f, inf), -1.0f);
  EXPECT_EQ(m::floor_divide(1.0f, inf), 0.0f);
  EXPECT_EQ(m::floor_divide(1.0, 0.1), 9.0);
  EXPECT_TRUE(std::signbit(m::floor_divide(-0.0f, 3.0f)));
}

TEST(Math, NanRules) {
  const float nan = NAN;
  EXPECT_TRUE(std::isnan(m::maximum(nan, 1.0f)) && std::isnan(m::maximum(1.0f, nan)));
  EXPECT_TRUE(std::isnan(m::minimum(nan, 1.0f)) && std::isnan(m::minimum(1.0f, nan)));
  EXPECT_EQ(m::fmax(nan, 1.0f), 1.0f);
  EXPECT_EQ(m::fmin(1.0f, nan), 1.0f);
  EXPECT_TRUE(std::isnan(m::sign(nan)));
  EXPECT_FALSE(std::signbit(m::sign(-0.0f)));
  EXPECT_TRUE(std::isnan(m::clip(nan, 0.0f, 1.0f)));
  EXPECT_TRUE(std::signbit(m::maximum(0.0f, -0.0f)));  // of equals the second
}

TEST(Math, IntegerCorners) {
  const int32_t lo = INT32_MIN, hi = INT32_MAX;
  EXPECT_EQ(m::add(hi, 1), lo);
  EXPECT_EQ(m::neg(lo), lo);
  EXPECT_EQ(m::abs(lo), lo);
  EXPECT_EQ(m::mul(lo, -1), lo);
  EXPECT_EQ(m::div_trunc(lo, -1), lo);
  EXPECT_EQ(m::div_trunc(5, 0), 0);
  EXPECT_EQ(m::mod_floor(5, 0), 0);
  EXPECT_EQ(m::mod_floor(lo, -1), 0);
  EXPECT_EQ(m::floor_divide(lo, -1), lo);
  EXPECT_EQ(m::div_trunc(INT64_MIN, int64_t{-1}), INT64_MIN);
  EXPECT_EQ(m::div_trunc(int64_t{7}, int64_t{0}), 0);
  EXPECT_EQ(m::mod_floor(INT64_MIN, int64_t{-1}), 0);
  for (int32_t a : {lo, lo + 1, -7, -1, 0, 1, 7, hi})
    for (int32_t b : {lo, -3, -1, 1, 3, hi}) {
      const int64_t q = int64_t{a} / b, r = int64_t{a} % b;
      const bool fix = r != 0 && (r < 0) != (b < 0);
      EXPECT_EQ(m::div_trunc(a, b), static_cast<int32_t>(q)) << a << " " << b;
      EXPECT_EQ(m::floor_divide(a, b), static_cast<int32_t>(q - fix)) << a << " " << b;
      EXPECT_EQ(m::mod_floor(a, b), static_cast<int32_t>(fix ? r + b : r)) << a << " " << b;
    }
  EXPECT_EQ(m::pow(3, 19), 1162261467);
  EXPECT_EQ(m::pow(int64_t{7}, int64_t{21}), 558545864083284007);
  EXPECT_EQ(m::pow(2, -1), 0);
  EXPECT_EQ(m::pow(-1, -3), -1);
  EXPECT_EQ(m::pow(0, 0), 1);
}

TEST(Math, FloatToInteger) {
  EXPECT_EQ(m::cast<int32_t>(NAN), INT32_MIN);
  EXPECT_EQ(m::cast<int32_t>(3e9f), INT32_MIN);
  EXPECT_EQ(m::cast<int32_t>(-2147483648.5), INT32_MIN);
  EXPECT_EQ(m::cast<int32_t>(2147483647.5), INT32_MAX);
  EXPECT_EQ(m::cast<int64_t>(1e20), INT64_MIN);
  EXPECT_EQ(m::cast<int64_t>(3e9f), 3000000000);
  EXPECT_EQ(m::cast<uint8_t>(-300.7f), 212);
  EXPECT_EQ(m::cast<int8_t>(300.7f), 44);
  EXPECT_TRUE(m::cast<bool>(static_cast<float>(NAN)));
  EXPECT_TRUE(m::cast<bool>(m::cplx<float>{0, 1}));
}

using C = m::cplx<double>;
void ExpectNear(C got, std::complex<double> want, const char* what) {
  const double scale = std::max(std::abs(want), 1e-300);
  EXPECT_LE(std::abs(std::complex<double>(got.re, got.im) - want) / scale, 1e-14) << what << " " << want;
}

TEST(Math, ComplexFunctions) {
  std::mt19937_64 g(3);
  std::normal_distribution<double> d;
  for (int i = 0; i < 2000; ++i) {
    const C z{d(g), d(g)}, w{d(g), d(g)};
    const std::complex<double> Z(z.re, z.im), W(w.re, w.im);
    ExpectNear(z * w, Z * W, "mul");
    ExpectNear(z / w, Z / W, "div");
    ExpectNear(m::exp(z), std::exp(Z), "exp");
    ExpectNear(m::log(z), std::log(Z), "log");
    ExpectNear(m::sqrt(z), std::sqrt(Z), "sqrt");
    ExpectNear(m::sin(z), std::sin(Z), "sin");
    ExpectNear(m::cos(z), std::cos(Z), "cos");
    ExpectNear(m::tan(z), std::tan(Z), "tan");
    ExpectNear(m::sinh(z), std::sinh(Z), "sinh");
    ExpectNear(m::cosh(z), std::cosh(Z), "cosh");
    ExpectNear(m::tanh(z), std::tanh(Z), "tanh");
    ExpectNear(m::asin(z), std::asin(Z), "asin");
    ExpectNear(m::acos(z), std::acos(Z), "acos");
    ExpectNear(m::atan(z), std::atan(Z), "atan");
    ExpectNear(m::asinh(z), std::asinh(Z), "asinh");
    ExpectNear(m::acosh(z), std::acosh(Z), "acosh");
    ExpectNear(m::atanh(z), std::atanh(Z), "atanh");
    ExpectNear(m::pow(z, w), std::pow(Z, W), "pow");
    ExpectNear(m::sigmoid(z), 1.0 / (1.0 + std::exp(-Z)), "sigmoid");
  }
  const C q = C{1e300, 1e300} / C{1e300, 1e300};
  EXPECT_EQ(q.re, 1);
  EXPECT_EQ(q.im, 0);
  EXPECT_TRUE(std::isnan((C{3, 4} / C{0, 0}).re));
  EXPECT_EQ(m::sign(C{0, 0}).re, 0);
  EXPECT_EQ(m::abs(C{3, 4}), 5);
  EXPECT_TRUE(std::signbit(m::sqrt(C{-1, -0.0}).im));
}

TEST(Math, SpecialFunctions) {
  for (double x = 0.01; x < 170; x *= 1.03) {
    EXPECT_NEAR(m::lgamma(x), static_cast<double>(lgammal(x)), 4e-15 * std::max(1.0, std::fabs(std::lgamma(x)))) << x;
    const double h = 1e-3 * x;
    const ld slope = (lgammal(x + h) - lgammal(x - h)) / (2 * h);
    EXPECT_NEAR(m::digamma(x), static_cast<double>(slope), 1e-4 * std::max(1.0, 1 / x)) << x;
    EXPECT_NEAR(m::digamma(x + 1) - m::digamma(x), 1 / x, 1e-13 * std::max(1.0, 1 / x)) << x;
    EXPECT_NEAR(m::trigamma(x) - m::trigamma(x + 1), 1 / (x * x), 1e-13 * std::max(1.0, 1 / (x * x))) << x;
    if (x < 100) {
      const double i0 = std::cyl_bessel_i(0.0, x), i1 = std::cyl_bessel_i(1.0, x);
      EXPECT_NEAR(m::i0(x) / i0, 1, 1e-13) << x;
      EXPECT_NEAR(m::i1(x) / i1, 1, 1e-13) << x;
      EXPECT_NEAR(m::i0e(x) / (i0 * std::exp(-x)), 1, 1e-13) << x;
      EXPECT_NEAR(m::i1e(-x) / (i1 * std::exp(-x)), -1, 1e-13) << x;
    }
  }
  EXPECT_NEAR(m::lgamma(-1.5), std::lgamma(-1.5), 1e-15);
  EXPECT_EQ(m::lgamma(0.0), INFINITY);
  EXPECT_EQ(m::lgamma(-2.0), INFINITY);
  EXPECT_EQ(m::digamma(0.0), -INFINITY);
  EXPECT_EQ(m::digamma(-0.0), INFINITY);
  EXPECT_TRUE(std::isnan(m::digamma(-1.0)));
  EXPECT_NEAR(m::digamma(-1.5), 0.70315664064524319, 1e-14);
  for (double x = -0.9999; x < 1; x += 0.0137) EXPECT_NEAR(std::erf(m::erfinv(x)), x, 2e-16) << x;
  EXPECT_EQ(m::erfinv(1.0), INFINITY);
  EXPECT_TRUE(std::isnan(m::erfinv(1.5)));
}

}  // namespace
