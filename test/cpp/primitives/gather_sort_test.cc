// SPDX-License-Identifier: Apache-2.0
// Indexed moves, scans and sorts: values against plain loops, bounds, and the same bits whatever the thread count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/gather.h"
#include "paddle/phi/primitives/scan.h"
#include "paddle/phi/primitives/sort.h"

namespace phi::cpu {
namespace {

constexpr DataType kI64 = DataType::INT64, kF32 = DataType::FLOAT32;

std::mt19937 g_rng(11);
std::vector<int64_t> Indices(int64_t count, int64_t lo, int64_t hi) {
  std::vector<int64_t> v(static_cast<size_t>(count));
  for (int64_t& i : v) i = std::uniform_int_distribution<int64_t>(lo, hi)(g_rng);
  return v;
}
std::vector<float> Floats(int64_t count) {
  std::vector<float> v(static_cast<size_t>(count));
  for (float& f : v) f = std::normal_distribution<float>()(g_rng);
  return v;
}

TEST(GatherSort, GatherAxisTakesEveryElementSizeAndNegativeIndices) {
  const int64_t outer = 3, n = 5, inner = 2, count = 7;
  const std::vector<int64_t> index = Indices(count, -n, n - 1);
  for (int64_t size : {1, 2, 4, 8, 16}) {
    std::vector<uint8_t> x(outer * n * inner * size), out(outer * count * inner * size);
    std::iota(x.begin(), x.end(), uint8_t{0});
    GatherAxis("gather", size, x.data(), outer, n, inner, kI64, index.data(), count, out.data());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < count; ++i)
        for (int64_t b = 0; b < inner * size; ++b)
          ASSERT_EQ(out[(o * count + i) * inner * size + b], x[(o * n + (index[i] + n) % n) * inner * size + b]);
  }
}

TEST(GatherSort, BadIndicesThrowBeforeAnythingIsTouched) {
  std::vector<float> x(6, 1), out(6, 7);
  for (int64_t bad :
       {int64_t{6}, int64_t{-7}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    EXPECT_THROW(GatherAxis("gather", 4, x.data(), 1, 6, 1, kI64, &bad, 1, out.data()), common::Error) << bad;
    EXPECT_THROW(ScatterAddAxis("index_add", kF32, out.data(), 1, 6, 1, kI64, &bad, 1, x.data()), common::Error) << bad;
    EXPECT_THROW(GatherNd("gather_nd", 4, x.data(), std::vector<int64_t>{6}, kI64, &bad, 1, 1, out.data()),
                 common::Error);
    EXPECT_THROW(EmbeddingGrad(kF32, x.data(), 6, 1, kI64, &bad, 1, -1, std::vector<float>(6).data()), common::Error);
    EXPECT_THROW(OneHot(kF32, kI64, &bad, 1, 6, std::vector<float>(6).data()), common::Error);
  }
  const int64_t negative = -1;
  EXPECT_THROW(Embedding(kF32, x.data(), 6, 1, kI64, &negative, 1, -1, out.data()), common::Error);
  EXPECT_EQ(out, std::vector<float>(6, 7));
}

TEST(GatherSort, AddingWritesDoNotDependOnTheThreadCount) {
  const int64_t n = 500, inner = 64, count = 20000;
  const std::vector<int64_t> index = Indices(count, 0, n - 1);
  const std::vector<float> src = Floats(count * inner);
  const int threads = MaxThreads();
  std::vector<std::vector<float>> results;
  for (int used : {1, 2, 3}) {
    SetNumThreads(used);
    results.emplace_back(n * inner, 0.0f);
    ScatterAddAxis("index_add", kF32, results.back().data(), 1, n, inner, kI64, index.data(), count, src.data());
  }
  SetNumThreads(threads);
  std::vector<float> want(n * inner, 0.0f);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < inner; ++k) want[index[i] * inner + k] += src[i * inner + k];
  for (const std::vector<float>& r : results) EXPECT_EQ(r, want);
}

TEST(GatherSort, PutAlongAxisLeavesOutTheOldValueOnRequest) {
  const std::vector<int64_t> shape{4}, index_shape{3}, strides{1}, index{1, 1, -1};
  const std::vector<float> values{3, 5, 2};
  const auto put = [&](PutMode mode, bool include_self) {
    std::vector<float> out{10, 1, 30, 4};
    PutAlongAxis("put_along_axis", kF32, out.data(), shape, 0, kI64, index.data(), index_shape, values.data(), strides,
                 mode, include_self);
    return out;
  };
  EXPECT_EQ(put(PutMode::kAdd, true), (std::vector<float>{10, 9, 30, 6}));
  EXPECT_EQ(put(PutMode::kAdd, false), (std::vector<float>{10, 8, 30, 2}));
  EXPECT_EQ(put(PutMode::kMean, true), (std::vector<float>{10, 3, 30, 3}));
  EXPECT_EQ(put(PutMode::kMean, false), (std::vector<float>{10, 4, 30, 2}));
  EXPECT_EQ(put(PutMode::kMin, true), (std::vector<float>{10, 1, 30, 2}));
  EXPECT_EQ(put(PutMode::kMax, false), (std::vector<float>{10, 5, 30, 2}));
}

TEST(GatherSort, ScansRunBothWaysAndInPlace) {
  std::vector<int64_t> x{1, 2, 3, 4, 5, 6}, out(6);  // [1, 3, 2]
  CumSum(kI64, x.data(), 1, 3, 2, false, false, out.data());
  EXPECT_EQ(out, (std::vector<int64_t>{1, 2, 4, 6, 9, 12}));
  CumSum(kI64, x.data(), 1, 3, 2, true, true, out.data());
  EXPECT_EQ(out, (std::vector<int64_t>{8, 10, 5, 6, 0, 0}));
  CumProd(kI64, x.data(), 2, 3, 1, true, false, x.data());
  EXPECT_EQ(x, (std::vector<int64_t>{1, 1, 2, 1, 4, 20}));

  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  std::vector<float> f{-inf, -inf, 1000, 1000, inf, 2}, l(6);
  LogCumSumExp(kF32, f.data(), 1, 6, 1, false, false, l.data());
  EXPECT_EQ(l[1], -inf);
  EXPECT_FLOAT_EQ(l[3], 1000 + std::log(2.0f));
  EXPECT_EQ(l[5], inf);

  std::vector<float> e{2, 5, 5, 1, nan, 9}, m(6);
  std::vector<int32_t> at(6);
  CumExtreme(true, kF32, e.data(), 1, 6, 1, m.data(), DataType::INT32, at.data());
  EXPECT_EQ(at, (std::vector<int32_t>{0, 1, 2, 2, 4, 4}));
  EXPECT_TRUE(std::isnan(m[5]));
}

TEST(GatherSort, SortsAreStableWithNanLast) {
  for (int64_t n : {1, 7, 300, 9000}) {
    const int64_t inner = 2;
    std::vector<float> x(n * inner);
    for (float& v : x) v = static_cast<float>(Indices(1, -20, 20)[0]);
    for (int64_t i = 3; i < n * inner; i += 17) x[i] = std::nanf("");
    const auto less = [&](float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
    for (bool descending : {false, true}) {
      std::vector<float> values(n * inner), top(n * inner);
      std::vector<int64_t> indices(n * inner);
      Sort(kF32, x.data(), 1, n, inner, descending, values.data(), indices.data());
      const int64_t k = (n + 1) / 2;
      std::vector<int64_t> top_indices(k * inner);
      TopK(kF32, x.data(), 1, n, inner, k, descending, top.data(), top_indices.data());
      for (int64_t c = 0; c < inner; ++c) {
        std::vector<int64_t> want(n);
        std::iota(want.begin(), want.end(), int64_t{0});
        std::stable_sort(want.begin(), want.end(), [&](int64_t a, int64_t b) {
          const float u = x[a * inner + c], v = x[b * inner + c];
          return descending ? less(v, u) : less(u, v);
        });
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(indices[i * inner + c], want[i]);
        for (int64_t i = 0; i < k; ++i) ASSERT_EQ(top_indices[i * inner + c], want[i]);
        int64_t kth[inner];
        KthValue(kF32, x.data(), 1, n, inner, k, nullptr, kth);
        if (!descending) ASSERT_EQ(kth[c], want[k - 1]);
      }
    }
  }
}

TEST(GatherSort, UniqueSearchAndBins) {
  const std::vector<int64_t> x{5, -1, 5, 3, -1, 5};
  const UniqueResult u = Unique(kI64, x.data(), 6);
  EXPECT_EQ(u.first, (std::vector<int64_t>{1, 3, 0}));
  EXPECT_EQ(u.inverse, (std::vector<int64_t>{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(u.counts, (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(UniqueRows(kI64, x.data(), 3, 2).first, (std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(UniqueConsecutive(kI64, x.data(), 6, 1).counts, (std::vector<int64_t>(6, 1)));

  int64_t mode = 0, where = 0;
  Mode(kI64, x.data(), 1, 6, 1, &mode, &where);
  EXPECT_EQ(mode, 5);
  EXPECT_EQ(where, 5);

  const std::vector<int64_t> sorted{1, 3, 3, 8}, wanted{0, 3, 9};
  std::vector<int32_t> at(3);
  SearchSorted(kI64, sorted.data(), 1, 4, wanted.data(), 1, 3, false, DataType::INT32, at.data());
  EXPECT_EQ(at, (std::vector<int32_t>{0, 1, 4}));
  SearchSorted(kI64, sorted.data(), 1, 4, wanted.data(), 1, 3, true, DataType::INT32, at.data());
  EXPECT_EQ(at, (std::vector<int32_t>{0, 3, 4}));

  std::vector<int64_t> counts(9);
  BinCount(kI64, sorted.data(), 4, 9, counts.data());
  EXPECT_EQ(counts, (std::vector<int64_t>{0, 1, 0, 2, 0, 0, 0, 0, 1}));
  EXPECT_THROW(BinCount(kI64, x.data(), 6, 9, counts.data()), common::Error);
  const std::vector<float> f{0, 0.5f, 1, 2, std::nanf(""), -1};
  Histogram(kF32, f.data(), 6, 2, 0, 1, nullptr, counts.data());
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[1], 2);
}

}  // namespace
}  // namespace phi::cpu
