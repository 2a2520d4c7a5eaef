// SPDX-License-Identifier: Apache-2.0
// Generated code against the direct evaluator: chains, broadcasts, reductions, types, odd sizes, NaN and infinities.
#include "paddle/cinn/compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <thread>

#include "cpp/cinn/groups.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using testing::Elementwise;
using testing::In;
using testing::kF32;
using testing::Reduce;
using testing::Softmax;

// Runs the group compiled and interpreted on the same data. Tolerance in units in the last place.
void Check(const FusionGroup& g, const std::vector<int64_t>& dims, double ulps, bool special = false,
           unsigned seed = 1) {
  testing::GroupData data(g, dims, testing::Draw(seed, special));
  auto kernel = Compile(g);
  kernel->Run(data.inputs.data(), data.outputs.data(), dims.data());
  const std::string bad = data.Difference(ulps);
  EXPECT_TRUE(bad.empty()) << ToString(g) << kernel->Explain() << bad;
}

TEST(Compile, ArithmeticChainIsExactAtAllSizes) {
  const Expr x = In(0), y = In(1);
  const Expr e = select(x > y, x * y - 3, (x + y) / (abs(x) + 0.5));
  const FusionGroup g = Elementwise(1, {kF32, kF32}, e);
  for (int64_t n : {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000, 4097, 100003})
    Check(g, {n}, 0, true, static_cast<unsigned>(n));
}

TEST(Compile, BroadcastsAndStrides) {
  const Expr e = In(0) * In(1) + In(2) - In(3);
  const FusionGroup g = Elementwise(3,
                                    {kF32,
                                     {DataType::FLOAT32, {false, false, true}, {}},
                                     {DataType::FLOAT32, {true, false, false}, {}},
                                     {DataType::FLOAT32, {true, true, false}, {}}},
                                    e);
  for (const std::vector<int64_t>& d :
       std::vector<std::vector<int64_t>>{{3, 5, 7}, {1, 1, 1}, {4, 1, 40}, {2, 33, 16}, {70, 3, 129}, {2, 0, 5}})
    Check(g, d, 0);
  const FusionGroup t = Elementwise(2, {kF32, {DataType::FLOAT32, {}, {1, 0}}}, In(0) - In(1));
  for (const std::vector<int64_t>& d : std::vector<std::vector<int64_t>>{{5, 9}, {64, 64}, {1, 3}, {130, 17}})
    Check(t, d, 0);
  Check(Elementwise(0, {kF32}, In(0) + 1), {}, 0);
}

TEST(Compile, PositionsAndExtents) {
  const Expr e = select(Expr::Index(1) > Expr::Index(0), In(0), cast(Expr::Extent(1), DataType::FLOAT32));
  Check(Elementwise(2, {kF32}, e), {9, 21}, 0);
  Check(Elementwise(1, {}, cast(Expr::Index(0) * 3 + 1, DataType::FLOAT32)), {37}, 0);
}

TEST(Compile, EveryTypeLoadsAndStores) {
  const DataType all[] = {DataType::BOOL,  DataType::UINT8,   DataType::INT8,     DataType::INT16,   DataType::INT32,
                          DataType::INT64, DataType::FLOAT16, DataType::BFLOAT16, DataType::FLOAT32, DataType::FLOAT64};
  for (DataType a : all)
    for (DataType b : all) {
      Check(Elementwise(1, {{a, {}, {}}}, In(0, a), b), {77}, 0, true);
      if (a == b) Check(Elementwise(1, {{a, {}, {}}, {a, {}, {}}}, In(0, a) + In(1, a) * 2, a), {77}, 0, true);
    }
}

TEST(Compile, IntegerOperations) {
  for (DataType t : {DataType::INT32, DataType::INT64}) {
    const Expr x = In(0, t), y = In(1, t);
    for (const Expr& e : {floor_divide(x, y), mod(x, y), x / y, fmod(x, y), x << y, x >> y, (x & y) ^ ~x,
                          maximum(x, -y), abs(x) + sign(y), pow(x, y)})
      Check(Elementwise(1, {{t, {}, {}}, {t, {}, {}}}, e, t), {203}, 0, false, 5);
  }
}

TEST(Compile, HalfRoundsAtCastsOnly) {
  const DataType h = DataType::BFLOAT16;
  Check(Elementwise(1, {{h, {}, {}}, {h, {}, {}}}, (In(0, h) + In(1, h)) * In(0, h), h), {333}, 0);
  Check(Elementwise(1, {{h, {}, {}}, {h, {}, {}}}, cast(In(0, h) + In(1, h), h) * In(0, h), h), {333}, 0);
  Check(Elementwise(1, {kF32}, cast(In(0), DataType::FLOAT16) - In(0)), {333}, 0, true);
}

struct MathCase {
  const char* name;
  std::function<Expr(Expr)> f;
  double ulps32, ulps64;
};

TEST(Compile, VectorMathWithinTwoUlp) {
#define CASE(name)                              \
  MathCase {                                    \
#name, [](Expr x) { return name(x); }, 2, 4 \
  }
  const MathCase cases[] = {CASE(exp),  CASE(expm1),   CASE(log),   CASE(log1p), CASE(log2),       CASE(log10),
                            CASE(sin),  CASE(cos),     CASE(tan),   CASE(asin),  CASE(acos),       CASE(atan),
                            CASE(sinh), CASE(cosh),    CASE(tanh),  CASE(asinh), CASE(acosh),      CASE(atanh),
                            CASE(erf),  CASE(sigmoid), CASE(sqrt),  CASE(rsqrt), CASE(reciprocal), CASE(floor),
                            CASE(ceil), CASE(round),   CASE(trunc), CASE(sign),  CASE(square)};
#undef CASE
  for (const MathCase& c : cases) {
    SCOPED_TRACE(c.name);
    Check(Elementwise(1, {kF32}, c.f(In(0))), {2000}, c.ulps32, true);
    const DataType d = DataType::FLOAT64;
    Check(Elementwise(1, {{d, {}, {}}}, c.f(In(0, d)), d), {2000}, c.ulps64, true);
  }
  Check(Elementwise(1, {kF32, kF32}, atan2(In(0), In(1))), {2000}, 2, true);
  Check(Elementwise(1, {kF32, kF32}, pow(In(0), In(1))), {2000}, 2, true);
  Check(Elementwise(1, {kF32, kF32}, fmod(In(0), In(1))), {2000}, 0, true);
  Check(Elementwise(1, {kF32, kF32}, maximum(In(0), In(1)) - fmin(In(0), In(1))), {2000}, 0, true);
}

TEST(Compile, Reductions) {
  const std::vector<std::vector<int64_t>> shapes = {{3, 5, 7},    {2, 64, 130}, {1, 1, 1}, {1, 1, 20011},
                                                    {300, 2, 33}, {5, 700, 3},  {0, 3, 4}};
  for (auto [rb, re] : {std::pair{2, 3}, {1, 3}, {0, 3}, {0, 2}, {1, 2}, {0, 1}}) {
    for (const auto& d : shapes) {
      Check(Reduce(3, rb, re, {kF32}, ReduceKind::kMax, In(0) * 2), d, 0, true);
      Check(Reduce(3, rb, re, {kF32}, ReduceKind::kMin, In(0)), d, 0);
      Check(Reduce(3, rb, re, {kF32}, ReduceKind::kSum, In(0) * In(0)), d, 40);
      Check(Reduce(3, rb, re, {kF32}, ReduceKind::kMean, abs(In(0))), d, 40);
      const DataType i = DataType::INT32;
      Check(Reduce(3, rb, re, {{i, {}, {}}}, ReduceKind::kSum, In(0, i), DataType::INT64), d, 0);
      Check(Reduce(3, rb, re, {{i, {}, {}}}, ReduceKind::kAny, In(0, i) > 15, DataType::BOOL), d, 0);
      const DataType f = DataType::FLOAT64;
      Check(Reduce(3, rb, re, {{f, {}, {}}}, ReduceKind::kSum, exp(In(0, f)), f), d, 200);
    }
  }
  Check(
      Reduce(2, 1, 2, {{DataType::BFLOAT16, {}, {}}}, ReduceKind::kSum, In(0, DataType::BFLOAT16), DataType::BFLOAT16),
      {5, 77}, 1);
}

TEST(Compile, ReducedAxesNeedNotBeAdjacent) {
  for (const std::vector<int64_t>& d : std::vector<std::vector<int64_t>>{
           {2, 3, 4, 5}, {3, 6, 1, 49}, {1, 70, 7, 7}, {5, 1, 33, 1}, {2, 8, 30, 300}, {0, 3, 4, 5}, {3, 2, 0, 5}}) {
    for (const std::vector<int>& axes : std::vector<std::vector<int>>{{0, 2, 3}, {0, 2}, {1, 3}, {0, 3}, {0, 1, 3}}) {
      FusionGroup g = Reduce(4, 0, 0, {kF32}, ReduceKind::kMean, In(0));
      for (int a : axes) g.reduced.add(a);
      const Expr mean = Expr::Reduced(0, DataType::FLOAT32);
      g.reductions.push_back({ReduceKind::kSum, square(In(0) - mean)});
      g.outputs.push_back({Expr::Reduced(1, DataType::FLOAT32) + mean, DataType::FLOAT32, true});
      g.outputs.push_back({In(0) - mean, DataType::FLOAT32, false});
      // Rounded means leave some units in the last place of small differences.
      Check(g, d, 1e5);
      g.reductions[0] = {ReduceKind::kMax, In(0)};
      Check(g, d, 40, true);
    }
  }
}

TEST(Compile, SoftmaxAndNormChains) {
  for (int64_t n : {1, 5, 16, 100, 1000, 9001}) Check(Softmax(), {7, n}, 8);
  for (int64_t n : {3, 64, 257}) Check(testing::RmsNorm(), {2, 5, n}, 4);
  FusionGroup c = Softmax();  // over the first axis: lanes along the kept one
  c.reduced = AxisSet::Range(0, 1);
  for (int64_t n : {1, 5, 16, 100, 1000}) Check(c, {37, n}, 8);
}

// Every value is read before an output is written over it, whichever output takes whose memory.
TEST(Compile, OutputsMayTakeTheMemoryOfInputs) {
  FusionGroup g = Elementwise(2, {kF32, kF32, kF32, {DataType::FLOAT32, {false, true}, {}}}, In(1) + In(2) * In(3));
  g.outputs.push_back({In(0) - In(1) * In(2), DataType::FLOAT32, false});
  g.outputs.push_back({select(In(0) > In(1), In(0) * In(0), In(1)) + In(3), DataType::FLOAT32, false});
  auto kernel = Compile(g);
  for (const std::vector<int64_t>& d :
       std::vector<std::vector<int64_t>>{{1, 1}, {3, 7}, {5, 16}, {9, 65}, {4, 1000}, {1, 300001}}) {
    std::vector<int> taken{0, 1, 2};  // output k is the memory of input taken[k]
    do {
      testing::GroupData data(g, d, testing::Draw(7, true));
      std::vector<void*> outputs;
      for (int i : taken) outputs.push_back(data.inputs[static_cast<size_t>(i)]);
      kernel->Run(data.inputs.data(), outputs.data(), d.data());
      for (size_t o = 0; o < 3; ++o) std::memcpy(data.outputs[o], outputs[o], static_cast<size_t>(d[0] * d[1]) * 4);
      const std::string bad = data.Difference(0);
      EXPECT_TRUE(bad.empty()) << bad;
    } while (std::next_permutation(taken.begin(), taken.end()));
  }
}

TEST(Compile, ThreadCountDoesNotMatter) {
  const int64_t n = 300000;
  const FusionGroup g = Reduce(2, 1, 2, {kF32}, ReduceKind::kSum, In(0));
  std::mt19937 rng(3);
  std::vector<float> x(n);
  for (float& v : x) v = std::normal_distribution<float>(0, 2)(rng);
  float a[3], b[3];
  void *pin[] = {x.data()}, *pa[] = {a}, *pb[] = {b};
  const int64_t dims[] = {3, n / 3};
  Compile(g)->Run(pin, pa, dims);
  std::thread([&] { Compile(g)->Run(pin, pb, dims); }).join();
  EXPECT_EQ(0, std::memcmp(a, b, sizeof(a)));
}

TEST(Compile, ConcurrentCompilationGivesOneKernel) {
  ClearKernelCache();
  std::vector<std::shared_ptr<CompiledGroup>> got(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { got[i] = Compile(Elementwise(1, {kF32}, In(0) * (1000 + i / 2))); });
  for (auto& t : threads) t.join();
  for (int i = 0; i < 8; i += 2) EXPECT_EQ(got[i], got[i + 1]);
  float x[2] = {1, 2}, y[2];
  for (int i = 0; i < 8; ++i) {
    void *pin[] = {x}, *pout[] = {y};
    const int64_t dims[] = {2};
    got[i]->Run(pin, pout, dims);
    EXPECT_EQ(y[1], 2.0f * (1000 + i / 2));
  }
}

TEST(Compile, RejectsContradictions) {
  EXPECT_THROW(Compile(Elementwise(1, {}, In(0))), common::Error);
  EXPECT_THROW(Compile(Elementwise(1, {kF32}, In(0, DataType::FLOAT64))), common::Error);
  EXPECT_THROW(Compile(Elementwise(1, {kF32}, Expr::Reduced(0, DataType::FLOAT32))), common::Error);
  EXPECT_THROW(Compile(Elementwise(2, {{DataType::FLOAT32, {true}, {}}}, In(0))), common::Error);
}

// Of this thread, in milliseconds: what else the machine does is not in it.
double ProcessorTime() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

TEST(Compile, TimePerKernel) {
  const Expr x = In(0);
  const Expr gelu = 0.5 * x * (1 + erf(x * 0.7071067811865476));
  const std::pair<const char*, FusionGroup> groups[] = {
      {"add", Elementwise(1, {kF32, kF32}, In(0) + In(1))},
      {"gelu + bias", Elementwise(2, {kF32, {DataType::FLOAT32, {false, true}, {}}},
                                  Substitute(gelu, [](const ExprNode&) { return In(0) + In(1); }))},
      {"softmax", Softmax()},
      {"tanh chain of 10", [] {
         Expr e = In(0);
         for (int i = 0; i < 10; ++i) e = tanh(e * 1.01 + 0.1);
         return Elementwise(1, {kF32}, e);
       }()}};
  for (const auto& [name, g] : groups) {
    FusionGroup fresh = g;
    fresh.outputs[0].value = fresh.outputs[0].value +
                             static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count() % 100000);
    const double before = ProcessorTime();
    Compile(fresh);
    const double ms = ProcessorTime() - before;
    std::printf("compile %-18s %6.1f ms\n", name, ms);
    EXPECT_LT(ms, 2000);
  }
}

}  // namespace
}  // namespace cinn
