// SPDX-License-Identifier: Apache-2.0
// Factorisations reproduce their input; transforms match the defining sum; bad input is an error.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/fft.h"
#include "paddle/phi/backends/cpu/lapack.h"

namespace phi::cpu {
namespace {

using C = std::complex<double>;
constexpr DataType kC = DataType::COMPLEX128;

std::vector<C> Random(int64_t n, unsigned seed) {
  std::mt19937 g(seed);
  std::normal_distribution<double> d;
  std::vector<C> v(n);
  for (auto& x : v) x = {d(g), d(g)};
  return v;
}
std::vector<C> Product(const std::vector<C>& a, const std::vector<C>& b, int64_t m, int64_t k, int64_t n) {
  std::vector<C> c(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  return c;
}
std::vector<C> Adjoint(const std::vector<C>& a, int64_t m, int64_t n) {
  std::vector<C> r(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) r[j * m + i] = std::conj(a[i * n + j]);
  return r;
}
void ExpectNear(const std::vector<C>& a, const std::vector<C>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_LT(std::abs(a[i] - b[i]), 1e-9) << i;
}

TEST(Lapack, FactorsReproduceTheMatrix) {
  const int64_t m = 7, n = 5;
  const auto a = Random(m * n, 1);
  std::vector<C> q(m * n), r(n * n), u(m * n), vh(n * n), lu(m * n), p(m * m), l(m * n), up(n * n);
  Qr(kC, 1, m, n, false, a.data(), q.data(), r.data());
  ExpectNear(Product(q, r, m, n, n), a);
  std::vector<double> s(n);
  Svd(kC, 1, m, n, false, a.data(), u.data(), s.data(), vh.data());
  for (int64_t i = 0; i < n * n; ++i) vh[i] *= s[i / n];
  ExpectNear(Product(u, vh, m, n, n), a);
  std::vector<int32_t> piv(n), info(1);
  LuFactor(kC, 1, m, n, a.data(), lu.data(), piv.data(), info.data());
  LuUnpack(kC, 1, m, n, lu.data(), piv.data(), p.data(), l.data(), up.data());
  ExpectNear(Product(Product(p, l, m, m, n), up, m, n, n), a);
  const auto spd = Product(Adjoint(a, m, n), a, n, m, n);
  std::vector<C> f(n * n), v(n * n);
  Cholesky(kC, 1, n, false, spd.data(), f.data());
  ExpectNear(Product(f, Adjoint(f, n, n), n, n, n), spd);
  std::vector<double> w(n);
  Eigh(kC, 1, n, false, spd.data(), w.data(), v.data());
  auto vw = v;
  for (int64_t i = 0; i < n * n; ++i) vw[i] *= w[i % n];
  ExpectNear(Product(spd, v, n, n, n), vw);
}

TEST(Lapack, SolversAndEig) {
  const int64_t n = 6, k = 3;
  const auto a = Random(n * n, 2), b = Random(n * k, 3);
  std::vector<C> x(n * k), inv(n * n), w(n), v(n * n), eye(n * n);
  for (int64_t i = 0; i < n; ++i) eye[i * n + i] = 1;
  Solve(kC, 1, n, k, a.data(), b.data(), x.data());
  ExpectNear(Product(a, x, n, n, k), b);
  Inverse(kC, 1, n, a.data(), inv.data());
  ExpectNear(Product(a, inv, n, n, n), eye);
  Lstsq(kC, 1, n, n, k, "gelsd", -1, a.data(), b.data(), x.data(), nullptr, nullptr);
  ExpectNear(Product(a, x, n, n, k), b);
  Eig(kC, 1, n, a.data(), w.data(), v.data());
  auto vw = v;
  for (int64_t i = 0; i < n * n; ++i) vw[i] *= w[i % n];
  ExpectNear(Product(a, v, n, n, n), vw);
  const double rotation[] = {0, -1, 1, 0};  // a real matrix with a conjugate pair
  Eig(DataType::FLOAT64, 1, 2, rotation, w.data(), nullptr);
  EXPECT_NEAR(std::abs(w[0] - std::conj(w[1])), 0, 1e-12);
  EXPECT_NEAR(std::abs(w[0].imag()), 1, 1e-12);
}

TEST(Lapack, SingularAndOtherBadInput) {
  const double zero[4] = {0, 0, 0, 0}, neg[4] = {-1, 0, 0, -1};
  double out[4], sign, logabs;
  EXPECT_THROW(Inverse(DataType::FLOAT64, 1, 2, zero, out), common::Error);
  EXPECT_THROW(Solve(DataType::FLOAT64, 1, 2, 2, zero, neg, out), common::Error);
  EXPECT_THROW(Cholesky(DataType::FLOAT64, 1, 2, false, neg, out), common::Error);
  EXPECT_THROW(Inverse(DataType::INT32, 1, 2, zero, out), common::Error);
  EXPECT_THROW(Lstsq(DataType::FLOAT64, 1, 2, 2, 1, "qr", -1, zero, neg, out, nullptr, nullptr), common::Error);
  const double nan[4] = {1, NAN, 2, 3};
  EXPECT_THROW(Svd(DataType::FLOAT64, 1, 2, 2, false, nan, nullptr, out, nullptr), common::Error);
  EXPECT_THROW(Eigh(DataType::FLOAT64, 1, 2, true, nan, out, nullptr), common::Error);
  EXPECT_NO_THROW(Eigh(DataType::FLOAT64, 1, 2, false, nan, out, nullptr));  // the other triangle is not read
  SlogDet(DataType::FLOAT64, 1, 2, zero, &sign, &logabs);
  EXPECT_EQ(sign, 0);
  EXPECT_EQ(logabs, -std::numeric_limits<double>::infinity());
  Det(DataType::FLOAT64, 1, 0, zero, out);
  EXPECT_EQ(out[0], 1);
}

TEST(Fft, MatchesTheSumAndInverts) {
  const int64_t shape[] = {3, 7, 4}, axis[] = {1};
  const auto x = Random(84, 4);
  std::vector<C> y(84), back(84);
  FftC2C(kC, x.data(), shape, axis, true, 1.0, y.data());
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t k = 0; k < 7; ++k)
      for (int64_t c = 0; c < 4; ++c) {
        C want = 0;
        for (int64_t j = 0; j < 7; ++j)
          want += x[(a * 7 + j) * 4 + c] * std::polar(1.0, -2 * M_PI * double(j * k % 7) / 7);
        ASSERT_LT(std::abs(y[(a * 7 + k) * 4 + c] - want), 1e-12);
      }
  FftC2C(kC, y.data(), shape, axis, false, 1.0 / 7, back.data());
  ExpectNear(back, x);
}

TEST(Fft, RealTransformsRoundTripAndKeepTheirInput) {
  for (int64_t n : {1, 6, 7}) {
    const int64_t shape[] = {5, n}, half[] = {5, n / 2 + 1}, axes[] = {0, 1};
    std::vector<double> x(5 * n), back(5 * n);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.0 + 3.7 * i);
    std::vector<C> y(5 * (n / 2 + 1));
    FftR2C(DataType::FLOAT64, x.data(), shape, axes, true, true, 1.0, y.data());
    const auto kept = y;
    FftC2R(DataType::FLOAT64, y.data(), half, axes, n, false, FftScale("backward", false, 5 * n), back.data());
    EXPECT_EQ(y, kept);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], 1e-12);
  }
  const int64_t shape[] = {4}, bad[] = {0, 0};
  C v[4];
  EXPECT_THROW(FftC2C(kC, v, shape, bad, true, 1.0, v), common::Error);
  EXPECT_THROW(FftScale("none", true, 4), common::Error);
}

}  // namespace
}  // namespace phi::cpu
