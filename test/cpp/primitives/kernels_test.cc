// SPDX-License-Identifier: Apache-2.0
// Attention, recurrent layers, softmax, norms, quantized products, transposes and updates against loops written from
// their definitions, of the instruction set that this process uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "paddle/phi/primitives/attention.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/norm.h"
#include "paddle/phi/primitives/optim.h"
#include "paddle/phi/primitives/rnn.h"
#include "paddle/phi/primitives/softmax.h"
#include "paddle/phi/primitives/weight_only.h"

namespace phi::cpu {
namespace {

template <class T>
constexpr DataType kType = std::is_same_v<T, double> ? DataType::FLOAT64 : DataType::FLOAT32;
template <class T>
constexpr double kTolerance = std::is_same_v<T, double> ? 1e-12 : 2e-5;

template <class T>
std::vector<T> Random(int64_t n, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<T> v(n);
  for (T& x : v) x = std::uniform_real_distribution<T>(-1, 1)(rng);
  return v;
}
template <class T>
void ExpectNear(const std::vector<T>& got, const std::vector<double>& want, double tolerance = kTolerance<T>) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << "element " << i;
}

template <class T>
void CheckAttention(int64_t nq, int64_t nk, int64_t dim, int64_t vdim, bool causal) {
  const int64_t batch = 2, heads = 3, rows = batch * heads;
  const auto q = Random<T>(rows * nq * dim, 1), k = Random<T>(rows * nk * dim, 2), v = Random<T>(rows * nk * vdim, 3);
  AttentionArgs a{};
  a.type = static_cast<int>(kType<T>);
  a.batch = batch, a.heads = a.kv_heads = heads, a.nq = nq, a.nk = nk, a.dim = dim, a.vdim = vdim;
  a.scale = 0.5, a.causal = causal, a.offset = nk - nq;
  const auto of = [&](const std::vector<T>& x, int64_t n, int64_t d) {
    return AttentionRows{x.data(), n * heads * d, heads * d, d};
  };
  a.q = of(q, nq, dim), a.k = of(k, nk, dim), a.v = of(v, nk, vdim);
  std::vector<T> out(rows * nq * vdim);
  Attention(a, out.data(), nullptr);
  std::vector<double> want;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < nq; ++i)
      for (int64_t h = 0; h < heads; ++h) {
        std::vector<double> sum(vdim, 0);
        double total = 0;
        for (int64_t j = 0; j < (causal ? std::min(nk, i + nk - nq + 1) : nk); ++j) {
          double score = 0;
          for (int64_t d = 0; d < dim; ++d)
            score += double{q[((b * nq + i) * heads + h) * dim + d]} * k[((b * nk + j) * heads + h) * dim + d];
          const double p = std::exp(score * a.scale);
          total += p;
          for (int64_t d = 0; d < vdim; ++d) sum[d] += p * v[((b * nk + j) * heads + h) * vdim + d];
        }
        for (double s : sum) want.push_back(s / total);
      }
  ExpectNear(out, want);
}
TEST(Kernels, Attention) {
  for (bool causal : {false, true}) {
    CheckAttention<float>(33, 70, 24, 17, causal);
    CheckAttention<float>(5, 5, 64, 64, causal);
    CheckAttention<double>(19, 40, 9, 12, causal);
  }
}

template <class T>
void CheckRnn(RnnMode mode) {
  const int64_t time = 3, batch = 5, width = 7, hidden = 19, gates = RnnGates(mode) * hidden;
  const auto x = Random<T>(time * batch * width, 1), wi = Random<T>(gates * width, 2),
             wh = Random<T>(gates * hidden, 3), bi = Random<T>(gates, 4), bh = Random<T>(gates, 5);
  auto h = Random<T>(batch * hidden, 6), c = Random<T>(batch * hidden, 7);
  std::vector<double> hs(h.begin(), h.end()), cs(c.begin(), c.end()), want;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (int64_t t = 0; t < time; ++t) {
    const std::vector<double> before = hs;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t j = 0; j < hidden; ++j) {
        double in[4], rec[4];
        for (int64_t g = 0; g < RnnGates(mode); ++g) {
          const int64_t row = g * hidden + j;
          in[g] = bi[row], rec[g] = bh[row];
          for (int64_t p = 0; p < width; ++p) in[g] += double{wi[row * width + p]} * x[(t * batch + b) * width + p];
          for (int64_t p = 0; p < hidden; ++p) rec[g] += wh[row * hidden + p] * before[b * hidden + p];
        }
        double& state = hs[b * hidden + j];
        double& cell = cs[b * hidden + j];
        switch (mode) {
          case RnnMode::kTanh: state = std::tanh(in[0] + rec[0]); break;
          case RnnMode::kRelu: state = std::max(0.0, in[0] + rec[0]); break;
          case RnnMode::kLstm:
            cell = sigmoid(in[1] + rec[1]) * cell + sigmoid(in[0] + rec[0]) * std::tanh(in[2] + rec[2]);
            state = sigmoid(in[3] + rec[3]) * std::tanh(cell);
            break;
          case RnnMode::kGru: {
            const double fresh = std::tanh(in[2] + sigmoid(in[0] + rec[0]) * rec[2]), keep = sigmoid(in[1] + rec[1]);
            state = (before[b * hidden + j] - fresh) * keep + fresh;
          }
        }
      }
    want.insert(want.end(), hs.begin(), hs.end());
  }
  std::vector<T> kept(time * batch * gates), aux(time * batch * hidden), out(time * batch * hidden);
  const RnnLayer layer{kType<T>, mode, time, batch, width, hidden, 1, nullptr};
  const RnnWeights weights{wi.data(), wh.data(), bi.data(), bh.data()};
  const RnnKept keep{kept.data(), aux.data()};
  void *hp = h.data(), *cp = c.data();
  RnnForward(layer, &weights, x.data(), &keep, &hp, &cp, out.data());
  ExpectNear(out, want);
}
TEST(Kernels, RecurrentLayers) {
  for (RnnMode mode : {RnnMode::kTanh, RnnMode::kRelu, RnnMode::kLstm, RnnMode::kGru}) {
    CheckRnn<float>(mode);
    CheckRnn<double>(mode);
  }
}

template <class T>
void CheckSoftmaxAndNorm() {
  const int64_t rows = 11, n = 133;
  const auto x = Random<T>(rows * n, 1), scale = Random<T>(n, 2), bias = Random<T>(n, 3);
  std::vector<T> out(rows * n), logs(rows * n), normed(rows * n);
  Softmax(kType<T>, x.data(), rows, n, 1, out.data());
  LogSoftmax(kType<T>, x.data(), rows, n, 1, logs.data());
  LayerNorm(kType<T>, kType<T>, x.data(), rows, n, scale.data(), bias.data(), 1e-5, normed.data(), nullptr, nullptr);
  std::vector<double> want, want_logs, want_normed;
  for (int64_t r = 0; r < rows; ++r) {
    double total = 0, mean = 0, variance = 0;
    for (int64_t j = 0; j < n; ++j) total += std::exp(double{x[r * n + j]}), mean += double{x[r * n + j]} / n;
    for (int64_t j = 0; j < n; ++j) variance += (x[r * n + j] - mean) * (x[r * n + j] - mean) / n;
    for (int64_t j = 0; j < n; ++j) {
      want.push_back(std::exp(double{x[r * n + j]}) / total);
      want_logs.push_back(x[r * n + j] - std::log(total));
      want_normed.push_back((x[r * n + j] - mean) / std::sqrt(variance + 1e-5) * scale[j] + bias[j]);
    }
  }
  ExpectNear(out, want);
  ExpectNear(logs, want_logs);
  ExpectNear(normed, want_normed);
}
TEST(Kernels, SoftmaxAndNorm) {
  CheckSoftmaxAndNorm<float>();
  CheckSoftmaxAndNorm<double>();
}

TEST(Kernels, QuantizedProducts) {
  const int64_t m = 3, n = 21, k = 150;
  const auto w = Random<float>(k * n, 1), x = Random<float>(m * k, 2);
  for (bool half : {false, true})
    for (int64_t group : {k, int64_t{64}}) {
      std::vector<int8_t> bytes(n * k);
      std::vector<float> scales((k + group - 1) / group * n), numbers(k * n), out(m * n);
      QuantizeWeight(w.data(), n, k, half, group, bytes.data(), scales.data());
      const QuantizedWeight weight{bytes.data(), half, n, k, scales.data(), group};
      DequantizeWeight(weight, true, numbers.data());
      MultiplyQuantized(x.data(), m, weight, out.data());
      std::vector<double> want(m * n, 0);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t p = 0; p < k; ++p) want[i * n + j] += double{x[i * k + p]} * numbers[p * n + j];
      ExpectNear(out, want);
      for (int64_t i = 0; i < k * n; ++i) ASSERT_NEAR(numbers[i], w[i], half ? 0.08 : 0.004);
      if (half || group != k) continue;
      MultiplyInt8(x.data(), m, weight, 6.0, out.data());
      ExpectNear(out, want, 0.05);
    }
}

TEST(Kernels, Transposes) {
  for (int64_t size : {1, 2, 4, 8, 16})
    for (int64_t rows : {8, 9, 40})
      for (int64_t cols : {8, 23, 64}) {
        std::vector<char> from(rows * cols * size), to(rows * cols * size);
        for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 31 + i / 256);
        const int64_t shape[2] = {cols, rows}, strides[2] = {1, cols};
        CopyToContiguous(size, shape, from.data(), strides, to.data());
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < cols; ++c)
            ASSERT_TRUE(std::equal(&from[(r * cols + c) * size], &from[(r * cols + c) * size] + size,
                                   &to[(c * rows + r) * size]))
                << size << " bytes at " << r << ", " << c;
      }
}

// Of 65,536 float16 numbers each goes to float32 and back; numbers between two go to the nearest, halfway to the even.
TEST(Kernels, Float16) {
  std::vector<uint16_t> halves(65536), back(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<float> floats(halves.size()), above(halves.size());
  Convert(DataType::FLOAT16, halves.data(), 1, DataType::FLOAT32, floats.data(), 1, 65536);
  Convert(DataType::FLOAT32, floats.data(), 1, DataType::FLOAT16, back.data(), 1, 65536);
  for (size_t i = 0; i < halves.size(); ++i) {
    const int e = static_cast<int>(i >> 10 & 31);
    const double m = static_cast<double>(i & 1023), sign = i >> 15 ? -1 : 1;
    if (e == 31) {
      ASSERT_EQ(std::isnan(floats[i]), m != 0);
      ASSERT_EQ(back[i], m != 0 ? i | 512 : i);
      continue;
    }
    ASSERT_EQ(floats[i], sign * (e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24)));
    ASSERT_EQ(back[i], i);
  }
  for (size_t i = 0; i < 0x7bff; ++i) above[i] = (floats[i] + floats[i + 1]) / 2;
  Convert(DataType::FLOAT32, above.data(), 1, DataType::FLOAT16, back.data(), 1, 0x7bff);
  for (size_t i = 0; i < 0x7bff; ++i) ASSERT_EQ(back[i], i + i % 2) << above[i];
}

// A loop of an update halves its parameter: what becomes denormal is zero, on the caller's thread only meanwhile.
void Halve(char* const* ptrs, int64_t n, const double*) {
  auto* p = reinterpret_cast<volatile float*>(ptrs[0]);
  for (int64_t i = 0; i < n; ++i) p[i] = p[i] * 0.5f;
}
TEST(Kernels, UpdatesFlushDenormals) {
  const float least = std::numeric_limits<float>::min();
  std::vector<float> p(100, least), g(100);
  p[7] = 4;
  UpdateArgs args;
  args.n = 100, args.ptrs[0] = p.data(), args.ptrs[1] = g.data();
  RunUpdate(args, {{{Halve, Halve}, {Halve, Halve}}}, nullptr, 0);
  EXPECT_EQ(p[7], 2);
  EXPECT_EQ(p[8], 0);
  volatile float kept = least;
  kept = kept * 0.5f;
  EXPECT_GT(kept, 0);
}

}  // namespace
}  // namespace phi::cpu
