// SPDX-License-Identifier: Apache-2.0
// The elementwise driver against a one-element-at-a-time reference over random layouts, and Convert against stated
// rules.
#include "paddle/phi/primitives/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/common/half.h"
#include "paddle/phi/primitives/isa.h"

namespace phi {
namespace {

void AddLoop(char* const* p, int64_t n, const double* attrs) {
  auto* o = reinterpret_cast<float*>(p[0]);
  auto *x = reinterpret_cast<const float*>(p[1]), *y = reinterpret_cast<const float*>(p[2]);
  const float k = attrs ? static_cast<float>(attrs[0]) : 1;
  for (int64_t i = 0; i < n; ++i) o[i] = x[i] + k * y[i];
}
// Two outputs of different types, three inputs.
void MixedLoop(char* const* p, int64_t n, const double*) {
  auto* sum = reinterpret_cast<double*>(p[0]);
  auto* less = reinterpret_cast<bool*>(p[1]);
  auto* x = reinterpret_cast<const float*>(p[2]);
  auto* y = reinterpret_cast<const double*>(p[3]);
  auto* z = reinterpret_cast<const int32_t*>(p[4]);
  for (int64_t i = 0; i < n; ++i) {
    const double s = x[i] + y[i] + z[i];
    less[i] = x[i] < y[i];
    sum[i] = s;
  }
}

double Get(DataType t, const char* p) {
  double v;
  Convert(t, p, 1, DataType::FLOAT64, &v, 1, 1);
  return v;
}

std::mt19937_64 g_rng(7);
int64_t Rand(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(g_rng); }

// A random layout of `shape`: permuted, padded, flipped, and for inputs broadcast along random dims.
struct Array {
  std::vector<char> memory;
  std::vector<int64_t> strides;
  DataType dtype;
  int64_t offset = 0;  // elements

  Array(const std::vector<int64_t>& shape, DataType t, bool output) : strides(shape.size()), dtype(t) {
    std::vector<int> order(shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const bool plain = Rand(0, 2) == 0;
    if (!plain) std::shuffle(order.begin(), order.end(), g_rng);
    int64_t size = 1;
    for (int q = static_cast<int>(order.size()) - 1; q >= 0; --q) {
      const int d = order[q];
      if (!output && Rand(0, 4) == 0) {
        strides[d] = 0;
        continue;
      }
      if (!plain && Rand(0, 3) == 0) size += Rand(0, 3);
      strides[d] = size;
      size *= std::max<int64_t>(shape[d], 1);
      if (!plain && Rand(0, 5) == 0) {
        offset += strides[d] * (shape[d] - 1);
        strides[d] = -strides[d];
      }
    }
    offset = std::max<int64_t>(offset, 0);
    const int64_t item = SizeOf(t);
    memory.resize((size + 8) * item);
    for (int64_t i = 0; i < size + 8; ++i) {
      double v = static_cast<double>(Rand(-40, 40));
      Convert(DataType::FLOAT64, &v, 1, t, memory.data() + i * item, 1, 1);
    }
  }
  char* data() { return memory.data() + offset * SizeOf(dtype); }
  char* at(const std::vector<int64_t>& idx) {
    int64_t o = 0;
    for (size_t d = 0; d < idx.size(); ++d) o += idx[d] * strides[d];
    return data() + o * SizeOf(dtype);
  }
};

bool Next(std::vector<int64_t>& idx, const std::vector<int64_t>& shape) {
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
    if (++idx[d] < shape[d]) return true;
    idx[d] = 0;
  }
  return false;
}

void CheckRandom(int64_t max_numel) {
  const DataType stored[] = {DataType::FLOAT32, DataType::FLOAT16, DataType::BFLOAT16,
                             DataType::FLOAT64, DataType::INT32,   DataType::INT8};
  std::vector<int64_t> shape(Rand(0, 5));
  int64_t numel = 1;
  for (auto& s : shape) {
    const int64_t kinds[] = {1, Rand(2, 5), Rand(6, 40), Rand(100, 1500), Rand(0, 9)};
    s = kinds[Rand(0, 4)];
    if (numel * std::max<int64_t>(s, 1) > max_numel) s = 2;
    numel *= s;
  }
  auto type = [&] { return Rand(0, 1) ? DataType::FLOAT32 : stored[Rand(0, 5)]; };
  Array out(shape, type(), true), x(shape, type(), false), y(shape, type(), false);
  const std::vector<char> before = out.memory;
  EwPlan plan{};
  plan.loop = AddLoop;
  plan.nout = 1;
  plan.nin = 2;
  plan.ops[0] = {out.data(), out.dtype, DataType::FLOAT32, out.strides.data()};
  plan.ops[1] = {x.data(), x.dtype, DataType::FLOAT32, x.strides.data()};
  plan.ops[2] = {y.data(), y.dtype, DataType::FLOAT32, y.strides.data()};
  plan.shape = shape.data();
  plan.ndim = static_cast<int>(shape.size());
  plan.cost = static_cast<int>(Rand(1, 400));
  RunElementwise(plan);

  std::vector<char> expect = before;
  std::vector<int64_t> idx(shape.size());
  const int64_t item = SizeOf(out.dtype);
  if (numel > 0) do {
      const float v = static_cast<float>(Get(x.dtype, x.at(idx)) + Get(y.dtype, y.at(idx)));
      char* p = out.at(idx);
      Convert(DataType::FLOAT32, &v, 1, out.dtype, expect.data() + (p - out.memory.data()), 1, 1);
      ASSERT_EQ(std::memcmp(expect.data() + (p - out.memory.data()), p, item), 0)
          << "got " << Get(out.dtype, p) << " want " << v;
    } while (Next(idx, shape));
  ASSERT_EQ(expect, out.memory) << "an element outside the output was written";
}

TEST(Elementwise, RandomSmallLayouts) {
  for (int i = 0; i < 4000; ++i) ASSERT_NO_FATAL_FAILURE(CheckRandom(500)) << "case " << i;
}
TEST(Elementwise, RandomLargeLayouts) {
  for (int i = 0; i < 150; ++i) ASSERT_NO_FATAL_FAILURE(CheckRandom(60000)) << "case " << i;
}

TEST(Elementwise, SeveralOutputsAndTypes) {
  for (int64_t n : {1, 7, 513, 70000}) {
    std::vector<double> sum(n * 2, -1), y(n);
    std::vector<char> less(n, 2);
    std::vector<uint16_t> x(n);
    std::vector<int16_t> z(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = ToBfloat16(static_cast<float>(i % 100)).x;
      y[i] = static_cast<double>(50 - i % 7);
      z[i] = static_cast<int16_t>(i % 1000);
    }
    const int64_t two[] = {2}, one[] = {1}, shape[] = {n};
    EwPlan plan{};
    plan.loop = MixedLoop;
    plan.nout = 2;
    plan.nin = 3;
    plan.ops[0] = {sum.data(), DataType::FLOAT64, DataType::FLOAT64, two};
    plan.ops[1] = {less.data(), DataType::BOOL, DataType::BOOL, one};
    plan.ops[2] = {x.data(), DataType::BFLOAT16, DataType::FLOAT32, one};
    plan.ops[3] = {y.data(), DataType::FLOAT64, DataType::FLOAT64, nullptr};
    plan.ops[4] = {z.data(), DataType::INT16, DataType::INT32, one};
    plan.shape = shape;
    plan.ndim = 1;
    RunElementwise(plan);
    for (int64_t i = 0; i < n; ++i) {
      const double v = i % 100;
      ASSERT_EQ(sum[2 * i], v + y[i] + z[i]);
      ASSERT_EQ(sum[2 * i + 1], -1);
      ASSERT_EQ(less[i], v < y[i]);
    }
  }
}

// The result does not depend on the number of threads, nor on which path a layout takes.
TEST(Elementwise, TransposedStreamedAndInPlace) {
  const int before = cpu::MaxThreads();
  for (int threads : {1, 2}) {
    cpu::SetNumThreads(threads);
    for (auto [rows, cols] : {std::pair<int64_t, int64_t>{300, 417}, {16, 8}, {1025, 63}, {64, 2000}}) {
      std::vector<float> x(rows * cols), y(rows * cols), out(rows * cols), flipped(rows * cols);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(i % 91);
      const int64_t shape[] = {rows, cols}, dense[] = {cols, 1}, turned[] = {1, rows};
      EwPlan plan{};
      plan.loop = AddLoop;
      plan.nout = 1;
      plan.nin = 2;
      plan.ops[0] = {out.data(), DataType::FLOAT32, DataType::FLOAT32, dense};
      plan.ops[1] = {x.data(), DataType::FLOAT32, DataType::FLOAT32, turned};
      plan.ops[2] = {y.data(), DataType::FLOAT32, DataType::FLOAT32, dense};
      plan.shape = shape;
      plan.ndim = 2;
      RunElementwise(plan);
      plan.ops[0] = {flipped.data(), DataType::FLOAT32, DataType::FLOAT32, turned};
      RunElementwise(plan);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c) {
          const float want = x[c * rows + r] + y[r * cols + c];
          ASSERT_EQ(out[r * cols + c], want);
          ASSERT_EQ(flipped[c * rows + r], want);
        }
    }
    const int64_t n = (int64_t{7} << 20) + 13, shape[] = {n};
    std::vector<float> x(n + 1), out(n + 2, -1.0f);
    for (int64_t i = 0; i <= n; ++i) x[i] = static_cast<float>(i & 0xffff);
    EwPlan plan{};
    plan.loop = AddLoop;
    plan.nout = 1;
    plan.nin = 2;
    plan.ops[0] = {out.data() + 1, DataType::FLOAT32, DataType::FLOAT32, nullptr};
    plan.ops[1] = {x.data(), DataType::FLOAT32, DataType::FLOAT32, nullptr};
    plan.ops[2] = {x.data() + 1, DataType::FLOAT32, DataType::FLOAT32, nullptr};
    plan.shape = shape;
    plan.ndim = 1;
    plan.cost = 2;
    RunElementwise(plan);
    ASSERT_EQ(out[0], -1);
    ASSERT_EQ(out[n + 1], -1);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i + 1], x[i] + x[i + 1]) << i;
    plan.ops[0] = plan.ops[1];
    plan.ops[2] = plan.ops[1];
    RunElementwise(plan);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], 2 * static_cast<float>(i & 0xffff)) << i;
  }
  cpu::SetNumThreads(before);
}

TEST(Elementwise, ZeroSizeAndZeroDim) {
  float x = 3, y = 4, out = 0;
  EwPlan plan{};
  plan.loop = AddLoop;
  plan.nout = 1;
  plan.nin = 2;
  plan.ops[0] = {&out, DataType::FLOAT32, DataType::FLOAT32, nullptr};
  plan.ops[1] = {&x, DataType::FLOAT32, DataType::FLOAT32, nullptr};
  plan.ops[2] = {&y, DataType::FLOAT32, DataType::FLOAT32, nullptr};
  RunElementwise(plan);
  EXPECT_EQ(out, 7);
  const int64_t empty[] = {3, 0, 5}, st[] = {0, 5, 1};
  plan.shape = empty;
  plan.ndim = 3;
  for (int i = 0; i < 3; ++i) plan.ops[i].data = nullptr, plan.ops[i].strides = st;
  RunElementwise(plan);
  plan.ops[1].dtype = DataType::FLOAT16;
  RunElementwise(plan);
}

// --- conversions ---------------------------------------------------------------------------------------------------
template <class T>
T One(DataType from, const void* src, DataType to) {
  T v;
  Convert(from, src, 1, to, &v, 1, 1);
  return v;
}

TEST(Convert, HalfTypesMatchTheScalarFunctions) {
  std::vector<float> values;
  for (uint64_t u = 0; u < (uint64_t{1} << 32); u += 4999)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(u)));
  for (int e = -30; e < 20; ++e)
    for (int q = 0; q < 64; ++q) values.push_back(std::ldexp(1.0f + static_cast<float>(q) / 64, e));
  const int64_t n = static_cast<int64_t>(values.size());
  std::vector<uint16_t> h(n), b(n);
  std::vector<uint8_t> f4(n), f5(n);
  Convert(DataType::FLOAT32, values.data(), 1, DataType::FLOAT16, h.data(), 1, n);
  Convert(DataType::FLOAT32, values.data(), 1, DataType::BFLOAT16, b.data(), 1, n);
  Convert(DataType::FLOAT32, values.data(), 1, DataType::FLOAT8_E4M3FN, f4.data(), 1, n);
  Convert(DataType::FLOAT32, values.data(), 1, DataType::FLOAT8_E5M2, f5.data(), 1, n);
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(h[i], ToFloat16(values[i]).x) << values[i];
    ASSERT_EQ(b[i], ToBfloat16(values[i]).x) << values[i];
    ASSERT_EQ(f4[i], ToFloat8E4M3(values[i]).x) << values[i];
    ASSERT_EQ(f5[i], ToFloat8E5M2(values[i]).x) << values[i];
  }
  for (uint32_t u = 0; u < 65536; ++u) {
    const uint16_t v = static_cast<uint16_t>(u);
    auto same = [](float a, float c) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(c); };
    ASSERT_TRUE(same(One<float>(DataType::FLOAT16, &v, DataType::FLOAT32), ToFloat(float16{v}))) << u;
    ASSERT_TRUE(same(One<float>(DataType::BFLOAT16, &v, DataType::FLOAT32), ToFloat(bfloat16{v}))) << u;
    if (std::isfinite(ToFloat(float16{v}))) { ASSERT_EQ(ToFloat16(ToFloat(float16{v})).x, v); }
    if (u < 256) {
      const uint8_t w = static_cast<uint8_t>(u);
      const float x = ToFloat(float8_e4m3fn{w}), y = ToFloat(float8_e5m2{w});
      ASSERT_TRUE(same(One<float>(DataType::FLOAT8_E4M3FN, &w, DataType::FLOAT32), x)) << u;
      ASSERT_TRUE(same(One<float>(DataType::FLOAT8_E5M2, &w, DataType::FLOAT32), y)) << u;
      if (!std::isnan(x)) { ASSERT_EQ(ToFloat8E4M3(x).x, w); }
      if (std::isfinite(y)) { ASSERT_EQ(ToFloat8E5M2(y).x, w); }
    }
  }
}

TEST(Convert, StatedValues) {
  EXPECT_EQ(ToFloat(float8_e4m3fn{0x7e}), 448);
  EXPECT_EQ(ToFloat(float8_e4m3fn{0x01}), 0x1p-9f);
  EXPECT_TRUE(std::isnan(ToFloat(float8_e4m3fn{0x7f})));
  EXPECT_EQ(ToFloat8E4M3(INFINITY).x, 0x7e);
  EXPECT_EQ(ToFloat8E4M3(-465).x, 0xfe);
  EXPECT_EQ(ToFloat8E4M3(1.0625f).x, ToFloat8E4M3(1).x);  // ties to even
  EXPECT_TRUE(std::isnan(ToFloat(ToFloat8E4M3(NAN))));
  EXPECT_EQ(ToFloat(ToFloat8E5M2(1e9f)), 57344);
  EXPECT_TRUE(std::isinf(ToFloat(float8_e5m2{0x7c})));
  EXPECT_TRUE(std::isinf(ToFloat(ToFloat16(65520.0f))));
  EXPECT_EQ(ToFloat(ToFloat16(65519.0f)), 65504);
  EXPECT_TRUE(std::isnan(ToFloat(ToBfloat16(std::bit_cast<float>(0x7f800001u)))));
  const double big = 1e20, neg = -300.7, nan = NAN;
  EXPECT_EQ(One<int32_t>(DataType::FLOAT64, &big, DataType::INT32), INT32_MIN);
  EXPECT_EQ(One<int64_t>(DataType::FLOAT64, &nan, DataType::INT64), INT64_MIN);
  EXPECT_EQ(One<int16_t>(DataType::FLOAT64, &big, DataType::INT16), 0);
  EXPECT_EQ(One<uint8_t>(DataType::FLOAT64, &neg, DataType::UINT8), 212);
  EXPECT_EQ(One<uint8_t>(DataType::FLOAT64, &nan, DataType::BOOL), 1);
  const float z[2] = {0, 2};
  EXPECT_EQ(One<uint8_t>(DataType::COMPLEX64, z, DataType::BOOL), 1);
  EXPECT_EQ(One<float>(DataType::COMPLEX64, z, DataType::FLOAT32), 0);
  const uint8_t truthy = 5;
  EXPECT_EQ(One<int32_t>(DataType::BOOL, &truthy, DataType::INT32), 1);
  const int64_t wide = (int64_t{1} << 40) + 7;
  EXPECT_EQ(One<int32_t>(DataType::INT64, &wide, DataType::INT32), 7);
}

// Every pair, contiguous and strided, keeps small integers (floats and float8 hold 0..8 exactly).
TEST(Convert, EveryPair) {
  for (int f = 0; f < kNumDataTypes; ++f)
    for (int t = 0; t < kNumDataTypes; ++t) {
      const DataType from = static_cast<DataType>(f), to = static_cast<DataType>(t);
      const int64_t n = 1500, in = SizeOf(from), out = SizeOf(to);
      std::vector<double> value(n), back(n);
      for (int64_t i = 0; i < n; ++i) value[i] = static_cast<double>(i % 9);
      std::vector<char> a(n * in * 2), b(n * out * 3);
      Convert(DataType::FLOAT64, value.data(), 1, from, a.data(), 2, n);
      Convert(from, a.data(), 2, to, b.data(), 3, n);
      Convert(to, b.data(), 3, DataType::FLOAT64, back.data(), 1, n);
      const bool as_bool = from == DataType::BOOL || to == DataType::BOOL;
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(back[i], as_bool ? value[i] != 0 : value[i]) << NameOf(from) << " to " << NameOf(to);
      std::vector<char> dense(n * in), direct(n * out), parallel(n * out);
      Convert(DataType::FLOAT64, value.data(), 1, from, dense.data(), 1, n);
      Convert(from, dense.data(), 1, to, direct.data(), 1, n);
      CastParallel(from, dense.data(), to, parallel.data(), n);
      ASSERT_EQ(direct, parallel);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(std::memcmp(&direct[i * out], &b[i * out * 3], out), 0);
    }
}

TEST(Isa, DetectedOnce) {
  EXPECT_TRUE(CpuSupported());
  EXPECT_EQ(CpuIsa(), CpuIsa());
  if (!HasAvx512()) { EXPECT_FALSE(HasAvx512Bf16() || HasAvx512Vnni() || HasAmx()); }
}

TEST(Half, ConversionsRoundToEven) {
  EXPECT_EQ(ToBfloat16(1.0f + 0x1p-8f).x, 0x3f80);  // tie, to even
  EXPECT_EQ(ToBfloat16(1.0f + 3 * 0x1p-8f).x, 0x3f82);
  EXPECT_EQ(ToFloat16(65519.0f).x, 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0f).x, 0x7c00);
  EXPECT_EQ(ToFloat16(0x1p-25f).x, 0);  // tie below the smallest subnormal
  EXPECT_EQ(ToFloat16(0x1.8p-25f).x, 1);
  for (int i = 0; i < 65536; ++i) {
    const float f = ToFloat(float16{static_cast<uint16_t>(i)});
    if (!std::isnan(f)) { EXPECT_EQ(ToFloat16(f).x, i); }
    const float g = ToFloat(bfloat16{static_cast<uint16_t>(i)});
    if (!std::isnan(g)) { EXPECT_EQ(ToBfloat16(g).x, i); }
  }
}

}  // namespace
}  // namespace phi
