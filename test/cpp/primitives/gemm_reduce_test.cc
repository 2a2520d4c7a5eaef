// SPDX-License-Identifier: Apache-2.0
// Matrix products, reductions, strided copies and the thread pool against plain loops.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/half.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi::cpu {
namespace {

template <class T>
double Loaded(T v) {
  return static_cast<double>(v);
}
double Loaded(float16 v) { return ToFloat(v); }
double Loaded(bfloat16 v) { return ToFloat(v); }
template <class A, class T>
void Store(A v, T& to) {
  to = static_cast<T>(v);
}
template <class A>
void Store(A v, float16& to) {
  to = ToFloat16(static_cast<float>(v));
}
template <class A>
void Store(A v, bfloat16& to) {
  to = ToBfloat16(static_cast<float>(v));
}

template <class T>
std::vector<T> Values(int64_t n, unsigned seed) {
  std::mt19937 g(seed);
  std::vector<T> v(n);
  for (auto& x : v) x = static_cast<T>(static_cast<int>(g() % 17) - 8);
  return v;
}

// Small integers are exact in every type, so results must match to the bit.
template <class T, class Stored = T>
void CheckGemm(int64_t m, int64_t n, int64_t k) {
  for (int ta : {0, 1})
    for (int tb : {0, 1}) {
      const auto a = Values<float>(m * k, 1), b = Values<float>(k * n, 2);
      std::vector<Stored> sa(m * k), sb(k * n), c(m * n);
      for (int64_t i = 0; i < m * k; ++i) Store(a[i], sa[i]);
      for (int64_t i = 0; i < k * n; ++i) Store(b[i], sb[i]);
      Gemm(kDataTypeOf<Stored>, ta, tb, m, n, k, 1.0, sa.data(), ta ? m : k, sb.data(), tb ? k : n, 0.0, c.data(), n);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double want = 0;
          for (int64_t p = 0; p < k; ++p)
            want += double(ta ? a[p * m + i] : a[i * k + p]) * (tb ? b[j * k + p] : b[p * n + j]);
          const double got = Loaded(c[i * n + j]);
          if constexpr (std::is_same_v<Stored, bfloat16> || std::is_same_v<Stored, float16>)
            ASSERT_NEAR(got, want, std::abs(want) / 128) << m << ' ' << n << ' ' << k;
          else
            ASSERT_EQ(got, want) << m << ' ' << n << ' ' << k << ' ' << ta << tb;
        }
    }
}

TEST(Gemm, EveryTypeAndPath) {
  const int64_t sizes[][3] = {{1, 1, 1},   {8, 8, 8},    {3, 5, 7}, {1, 70, 90},
                              {70, 1, 90}, {33, 47, 65}, {2, 3, 0}, {64, 128, 96}};
  for (const auto& s : sizes) {
    CheckGemm<float>(s[0], s[1], s[2]);
    CheckGemm<double>(s[0], s[1], s[2]);
    CheckGemm<int32_t>(s[0], s[1], s[2]);
    CheckGemm<int64_t>(s[0], s[1], s[2]);
    CheckGemm<float, float16>(s[0], s[1], s[2]);
    CheckGemm<float, bfloat16>(s[0], s[1], s[2]);
  }
}

TEST(Gemm, BetaZeroDoesNotReadC) {
  const auto a = Values<float>(64, 1), b = Values<float>(64, 2);
  std::vector<float> c(64, std::numeric_limits<float>::quiet_NaN());
  Gemm(DataType::FLOAT32, 0, 0, 8, 8, 8, 1.0, a.data(), 8, b.data(), 8, 0.0, c.data(), 8);
  for (float v : c) EXPECT_EQ(v, v);
}

TEST(Gemm, MatmulBroadcastsAndTakesStrides) {
  const auto x = Values<double>(2 * 4 * 5, 1), y = Values<double>(3 * 5 * 6, 2);
  std::vector<double> out(2 * 3 * 4 * 6);
  const int64_t xs[] = {2, 1, 4, 5}, xt[] = {20, 20, 1, 4};  // stored column by column
  const int64_t ys[] = {3, 5, 6}, yt[] = {30, 6, 1};
  Matmul(DataType::FLOAT64, x.data(), xs, xt, 0, y.data(), ys, yt, 0, out.data());
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 6; ++j) {
          double want = 0;
          for (int p = 0; p < 5; ++p) want += x[a * 20 + i + p * 4] * y[b * 30 + p * 6 + j];
          ASSERT_EQ(out[((a * 3 + b) * 4 + i) * 6 + j], want);
        }
  const int64_t bad[] = {4, 6};
  EXPECT_THROW(Matmul(DataType::FLOAT64, x.data(), Ints(xs).subspan(2), Ints(xt).subspan(2), 0, y.data(), bad, bad, 0,
                      out.data()),
               common::Error);
}

TEST(Reduce, EveryAxisSet) {
  const int64_t shape[] = {5, 70, 33}, strides[] = {70 * 33, 33, 1};
  const auto x = Values<float>(5 * 70 * 33, 3);
  for (AxisMask mask = 1; mask < 8; ++mask) {
    int64_t kept[3], n = 1;
    for (int i = 2; i >= 0; --i) {
      kept[i] = mask >> i & 1 ? 0 : n;
      if (kept[i]) n *= shape[i];
    }
    std::vector<double> sum(n), max(n, -1e9);
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 70; ++j)
        for (int64_t k = 0; k < 33; ++k) {
          const int64_t o = i * kept[0] + j * kept[1] + k * kept[2];
          const double v = x[(i * 70 + j) * 33 + k];
          sum[o] += v;
          max[o] = std::max(max[o], v);
        }
    std::vector<float> got(n);
    Reduce(ReduceOp::kSum, DataType::FLOAT32, x.data(), shape, strides, mask, DataType::FLOAT32, got.data());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[i], sum[i]) << mask;
    Reduce(ReduceOp::kMax, DataType::FLOAT32, x.data(), shape, strides, mask, DataType::FLOAT32, got.data());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[i], max[i]) << mask;
  }
}

TEST(Reduce, NanEmptyAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<float> x(100, 1.0f);
  x[37] = nan;
  float out = 0;
  const int64_t n[] = {100}, one[] = {1}, none[] = {0};
  for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
    Reduce(op, DataType::FLOAT32, x.data(), n, one, 1, DataType::FLOAT32, &out);
    EXPECT_TRUE(std::isnan(out));
    EXPECT_THROW(Reduce(op, DataType::FLOAT32, x.data(), none, one, 1, DataType::FLOAT32, &out), common::Error);
  }
  Reduce(ReduceOp::kNanSum, DataType::FLOAT32, x.data(), n, one, 1, DataType::FLOAT32, &out);
  EXPECT_EQ(out, 99.0f);
  Reduce(ReduceOp::kProd, DataType::FLOAT32, x.data(), none, one, 1, DataType::FLOAT32, &out);
  EXPECT_EQ(out, 1.0f);
  std::fill(x.begin(), x.end(), -inf);
  Reduce(ReduceOp::kLogSumExp, DataType::FLOAT32, x.data(), n, one, 1, DataType::FLOAT32, &out);
  EXPECT_EQ(out, -inf);
}

TEST(Reduce, SameBitsForAnyThreadCount) {
  std::mt19937 g(5);
  std::normal_distribution<float> d;
  std::vector<float> x(1 << 20);
  for (auto& v : x) v = d(g);
  const int64_t shapes[][2] = {{1, 1 << 20}, {1 << 10, 1 << 10}, {1 << 18, 4}};
  for (const auto& s : shapes)
    for (AxisMask mask : {1, 2, 3}) {
      const int64_t strides[] = {s[1], 1}, n = (mask & 1 ? 1 : s[0]) * (mask & 2 ? 1 : s[1]);
      std::vector<float> a(n), b(n);
      SetNumThreads(1);
      Reduce(ReduceOp::kSum, DataType::FLOAT32, x.data(), s, strides, mask, DataType::FLOAT32, a.data());
      SetNumThreads(4);
      Reduce(ReduceOp::kSum, DataType::FLOAT32, x.data(), s, strides, mask, DataType::FLOAT32, b.data());
      EXPECT_EQ(a, b);
    }
}

TEST(Reduce, ArgMaxFirstOfEqualsAndNan) {
  std::vector<float> x(300, 0.0f);
  x[120] = x[250] = 5;
  int64_t i = -1;
  const int64_t n[] = {300}, one[] = {1};
  ArgReduce(true, DataType::FLOAT32, x.data(), n, one, 0, DataType::INT64, &i, nullptr);
  EXPECT_EQ(i, 120);
  x[200] = std::numeric_limits<float>::quiet_NaN();
  ArgReduce(true, DataType::FLOAT32, x.data(), n, one, kFlatAxis, DataType::INT64, &i, nullptr);
  EXPECT_EQ(i, 200);
}

TEST(Copy, TransposeOfEverySize) {
  for (int64_t size : {1, 2, 4, 8, 16}) {
    const int64_t r = 37, c = 53, shape[] = {c, r}, strides[] = {1, c};
    std::vector<char> x(r * c * size), out(r * c * size);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<char>(i * 31 + i / 251);
    CopyToContiguous(size, shape, x.data(), strides, out.data());
    for (int64_t i = 0; i < c; ++i)
      for (int64_t j = 0; j < r; ++j)
        ASSERT_EQ(0, std::memcmp(&out[(i * r + j) * size], &x[(j * c + i) * size], size)) << size;
  }
}

TEST(Threads, ForkedChildDoesNotHang) {
  SetNumThreads(4);
  std::vector<float> x(1 << 18, 1.0f);
  float sum = 0;
  const int64_t n[] = {1 << 18}, one[] = {1};
  Reduce(ReduceOp::kSum, DataType::FLOAT32, x.data(), n, one, 1, DataType::FLOAT32, &sum);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    float s = 0;
    Reduce(ReduceOp::kSum, DataType::FLOAT32, x.data(), n, one, 1, DataType::FLOAT32, &s);
    std::vector<float> c(256 * 256);
    Gemm(DataType::FLOAT32, 0, 0, 256, 256, 256, 1.0, x.data(), 256, x.data(), 256, 0.0, c.data(), 256);
    _exit(s == sum && c[0] == 256 && MaxThreads() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace phi::cpu
