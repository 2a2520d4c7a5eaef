// SPDX-License-Identifier: Apache-2.0
// What frames keep from run to run: bound loops, shared memory, shapes that change, several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "cpp/executor/program_text.h"
#include "paddle/executor/binding.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace executor::test {
namespace {

using V = std::vector<float>;

std::string Fetch(const std::string& v, int col) {
  return "(%f" + std::to_string(col) + ") = \"pd_op.fetch\" (%" + v + ") {col:" + std::to_string(col) +
         ",name:\"fetch" + std::to_string(col) +
         "\",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>\n";
}
std::string Unary(const std::string& op, int out, int in) {
  return "(%" + std::to_string(out) + ") = \"pd_op." + op + "\" (%" + std::to_string(in) +
         ") {} : (tensor<-1xf32>) -> tensor<-1xf32>\n";
}
std::string Binary(const std::string& op, int out, int a, int b) {
  return "(%" + std::to_string(out) + ") = \"pd_op." + op + "\" (%" + std::to_string(a) + ", %" + std::to_string(b) +
         ") {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n";
}

TEST(PlaceBlocks, NeverOverlapWhileAlive) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<Block> blocks(60);
    size_t sum = 0;
    for (Block& b : blocks) {
      b.bytes = random() % 5000;
      b.from = random() % 50;
      b.to = b.from + random() % 10;
      sum += b.bytes + 64;
    }
    const size_t total = PlaceBlocks(blocks);
    EXPECT_LT(total, sum / 2);
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_LE(blocks[i].offset + blocks[i].bytes, total);
      EXPECT_EQ(blocks[i].offset % 64, 0u);
      for (size_t j = 0; j < i; ++j) {
        const Block &a = blocks[i], &b = blocks[j];
        if (a.to < b.from || b.to < a.from) continue;
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
      }
    }
  }
}

TEST(PlaceBlocks, NeedsLittleMoreThanWhatIsAlive) {
  std::vector<Block> blocks{{100, 0, 2}, {640, 1, 3}, {64, 3, SIZE_MAX}, {128, 4, 5}, {512, 4, 9}};
  EXPECT_EQ(LiveBytes(blocks), 128u + 640u);
  EXPECT_EQ(PlaceBlocks(blocks), 128u + 640u);
  EXPECT_EQ(LiveBytes({}), 0u);
}

// t1 = x + y; t2 = tanh(t1); t3 = t2 * t1; out = t3 + x; also t1's view goes out.
std::string Mixed() {
  return "{\n" + Data("0", "x", "float32", "-1xf32") + Data("1", "y", "float32", "-1xf32") + Binary("add", 2, 0, 1) +
         Unary("tanh", 3, 2) + Binary("multiply", 4, 3, 2) + Binary("add", 5, 4, 0) + Unary("abs", 6, 5) +
         Unary("tanh", 7, 6) + Binary("add", 8, 7, 6) + Fetch("8", 0) + Fetch("4", 1) + "}\n";
}
V MixedOut(const V& x, const V& y, V* fourth) {
  V r;
  for (size_t i = 0; i < x.size(); ++i) {
    float t = x[i] + y[i % y.size()], f = std::tanh(t) * t, a = std::abs(f + x[i]);
    fourth->push_back(f);
    r.push_back(std::tanh(a) + a);
  }
  return r;
}
void ExpectMixed(Plan& plan, const V& x, const V& y) {
  Tensor tx = F32(x), ty = F32(y);
  auto r = plan.Run({tx, ty});
  V fourth, out = MixedOut(x, y, &fourth);
  V got = Values(r[0]), got4 = Values(r[1]);
  ASSERT_EQ(got.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(got[i], out[i], 1e-6);
    EXPECT_NEAR(got4[i], fourth[i], 1e-6);
  }
  EXPECT_EQ(Values(tx), x);
  EXPECT_EQ(Values(ty), y);
}

TEST(Binding, RunsAgreeWhileShapesStayAndChange) {
  auto plan = PlanOf(Mixed());
  for (int repeat = 0; repeat < 6; ++repeat) ExpectMixed(*plan, {1, -2, 0.5f}, {0.25f, 3, -1.0f * repeat});
  for (int n = 1; n < 9; ++n)
    for (int repeat = 0; repeat < 4; ++repeat) ExpectMixed(*plan, V(n, 0.5f * repeat), V(n, 2));
  for (int repeat = 0; repeat < 5; ++repeat) ExpectMixed(*plan, {1, 2, 3, 4}, {repeat * 0.5f});  // broadcast
  ExpectMixed(*plan, V(40000, 1.5f), V(40000, -0.5f));
  ExpectMixed(*plan, V(40000, 1.0f), V(40000, -0.5f));
  ExpectMixed(*plan, V(40000, 0.5f), V(40000, -0.25f));
}

TEST(Binding, ResultsBelongToTheCaller) {
  auto plan = PlanOf(Mixed());
  Tensor y = F32({1, 1});
  std::vector<std::vector<Tensor>> kept;
  std::vector<V> first, second;
  for (int i = 0; i < 6; ++i) {
    kept.push_back(plan->Run({F32({0.1f * i, 2}), y}));
    first.push_back(Values(kept.back()[0]));
    second.push_back(Values(kept.back()[1]));
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Values(kept[i][0]), first[i]);
    EXPECT_EQ(Values(kept[i][1]), second[i]);
  }
  // Results of one run as inputs of the next.
  for (int i = 0; i < 4; ++i) {
    V before = Values(kept[0][1]);
    plan->Run({kept[0][0], kept[0][1]});
    EXPECT_EQ(Values(kept[0][1]), before);
  }
}

TEST(Binding, DataDependentShapes) {
  // The rows where x is not zero, doubled: their number changes from run to run.
  auto plan = PlanOf("{\n" + Data("0", "x", "float32", "-1xf32") + Unary("tanh", 1, 0) +
                     "(%2) = \"pd_op.nonzero\" (%1) {} : (tensor<-1xf32>) -> tensor<-1x1xi64>\n"
                     "(%3) = \"pd_op.add\" (%2, %2) {} : (tensor<-1x1xi64>, tensor<-1x1xi64>) -> tensor<-1x1xi64>\n"
                     "(%4) = \"pd_op.add\" (%3, %2) {} : (tensor<-1x1xi64>, tensor<-1x1xi64>) -> tensor<-1x1xi64>\n"
                     "(%5) = \"pd_op.fetch\" (%4) {col:0,name:\"f\"} : (tensor<-1x1xi64>) -> tensor<-1x1xi64>\n}\n");
  const std::vector<V> inputs{{1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}, {1, 0, 1}};
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const V& x : inputs) {
      V want;
      for (size_t i = 0; i < x.size(); ++i)
        if (x[i] != 0) want.push_back(3.0f * i);
      EXPECT_EQ(Values(plan->Run({F32(x)})[0]), want);
    }
}

TEST(Binding, ThreadsShareAPlan) {
  auto plan = PlanOf(Mixed());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&plan, t] {
      for (int i = 0; i < 200; ++i) ExpectMixed(*plan, V(1 + (t + i) % 3, 0.01f * i), V(1 + (t + i) % 3, 1.0f * t));
    });
  for (auto& t : threads) t.join();
}

TEST(Binding, LongChainsTakeLittleMemory) {
  std::string text = "{\n" + Data("0", "x", "float32", "-1xf32");
  for (int i = 0; i < 100; ++i) text += i % 2 ? Unary("tanh", i + 1, i) : Binary("add", i + 1, i, 0);
  auto plan = PlanOf(text + Fetch("100", 0) + "}\n");
  Tensor x = F32(V(1 << 16, 0.5f));
  V first = Values(plan->Run({x})[0]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Values(plan->Run({x})[0]), first);
  EXPECT_LT(plan->workspace_bytes(), (size_t{1} << 18) * 3);
  EXPECT_GT(plan->workspace_bytes(), 0u);
}

TEST(Binding, ProfileCountsInstructions) {
  auto plan = PlanOf(Mixed());
  plan->SetProfiling(true);
  for (int i = 0; i < 5; ++i) plan->Run({F32({1}), F32({2})});
  auto rows = plan->Profile();
  ASSERT_EQ(rows.size(), plan->num_instructions());
  for (auto& r : rows) EXPECT_EQ(r.calls, 5) << r.name;
  EXPECT_NE(plan->ProfileTable().find("multiply"), std::string::npos);
  plan->SetProfiling(false);
  plan->Run({F32({1}), F32({2})});
  EXPECT_EQ(plan->Profile()[0].calls, 5);
}

// tanh(x) and tanh(x) + x as a "fused" kernel that takes its time, or is the faster way.
struct SlowKernel final : FusedKernel {
  static inline std::atomic<int> runs = 0, milliseconds = 0;
  static inline int64_t slow_from = INT64_MAX;  // elements from which the cost model thinks so
  Estimate EstimateCost(const Tensor* const* inputs, bool) const override {
    return {inputs[0]->numel() >= slow_from ? 2.0 : 1.0, 1.0};
  }
  void Run(const Tensor* const* inputs, Tensor* const* outputs) override {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const Tensor& x = *inputs[0];
    for (int k = 0; k < 2; ++k) phi::EnsureOut(*outputs[k], x.dims(), x.dtype());
    for (int64_t i = 0; i < x.numel(); ++i) {
      const float v = x.data<float>()[i];
      outputs[0]->data<float>()[i] = std::tanh(v);
      outputs[1]->data<float>()[i] = std::tanh(v) + v;
    }
  }
  std::vector<std::pair<int, int>> Overlays() const override { return {{0, 0}}; }
};
std::vector<FusedGroup> FuseTanhAdd(pir::Block& block) {
  FusedGroup g;
  for (pir::Operation& op : block)
    if (op.isa("pd_op.tanh") || op.isa("pd_op.add")) g.ops.push_back(&op);
  g.inputs = {g.ops[0]->operand(0)};
  g.outputs = {g.ops[0]->result(0), g.ops[1]->result(0)};
  g.kernel = std::make_shared<SlowKernel>();
  return {g};
}
struct Trial : ::testing::Test {
  const FusionPass before = SetFusionPass(FuseTanhAdd);
  const bool trials = FusionTrials();
  std::string text = "{\n" + Data("0", "x", "float32", "-1xf32") + Unary("abs", 1, 0) + Unary("tanh", 2, 1) +
                     Binary("add", 3, 2, 1) + Binary("multiply", 4, 2, 3) + Fetch("4", 0) + "}\n";
  ~Trial() override {
    SetFusionPass(before);
    SetFusionTrials(trials);
    SlowKernel::slow_from = INT64_MAX;
  }
  std::shared_ptr<Plan> Start(bool on, int milliseconds) {
    SetFusionTrials(on);
    SlowKernel::runs = 0;
    SlowKernel::milliseconds = milliseconds;
    return Plan::Build(*Parse(text), true);
  }
  static void Run(Plan& plan, int calls, int64_t n) {
    phi::cpu::ThreadLimit alone(1);  // single ops do not wait for other processes
    for (int i = 0; i < calls; ++i) {
      const float x = 0.1f * static_cast<float>(i), t = std::tanh(x);
      const V got = Values(plan.Run({phi::FullLike({n}, phi::DataType::FLOAT32, -x)})[0]);
      EXPECT_NEAR(*std::min_element(got.begin(), got.end()), t * (t + x), 1e-6);
      EXPECT_NEAR(*std::max_element(got.begin(), got.end()), t * (t + x), 1e-6);
    }
  }
  static std::string NameOfGroup(Plan& plan) {
    plan.SetProfiling(true);
    for (const ProfileEntry& e : plan.Profile())
      if (e.name.find("tanh") != std::string::npos) return e.name;
    return "";
  }
};

TEST_F(Trial, AGroupThatLosesRunsAsSingleOpsFromThenOn) {
  auto plan = Start(true, 20);
  EXPECT_EQ(plan->num_fused(), 1u);
  EXPECT_EQ(plan->num_instructions(), 3u);
  Run(*plan, 10, 20000);
  EXPECT_EQ(SlowKernel::runs, 5);  // the first call, three times compared, the call in which that was
  Run(*plan, 4, 30000);            // another frame knows it too
  EXPECT_EQ(SlowKernel::runs, 5);
  EXPECT_EQ(NameOfGroup(*plan).substr(0, 8), "single (");
}

TEST_F(Trial, NoneWithoutTheFlagOrForFewElements) {
  auto off = Start(false, 1);
  Run(*off, 10, 20000);
  EXPECT_EQ(SlowKernel::runs, 10);
  EXPECT_EQ(NameOfGroup(*off), "fused tanh add");
  auto few = Start(true, 1);
  Run(*few, 10, 1000);
  EXPECT_EQ(SlowKernel::runs, 10);
  SetFusionTrials(false);  // after the plan was made
  Run(*few, 10, 20000);
  EXPECT_EQ(SlowKernel::runs, 20);
}

TEST_F(Trial, WithoutTheFlagTheModelChoosesByTheShapes) {
  SlowKernel::slow_from = 30000;
  auto plan = Start(false, 0);
  Run(*plan, 5, 40000);
  EXPECT_EQ(SlowKernel::runs, 0);
  Run(*plan, 5, 20000);
  EXPECT_EQ(SlowKernel::runs, 5);
  Run(*plan, 5, 40000);
  EXPECT_EQ(SlowKernel::runs, 5);
  SlowKernel::slow_from = 1000;  // small groups are not asked for
  Run(*plan, 5, 8000);
  EXPECT_EQ(SlowKernel::runs, 10);
}

TEST_F(Trial, ThreadsOfOnePlanCompareOnce) {
  auto plan = Start(true, 20);
  std::vector<std::thread> threads;
  std::atomic<int> calls = 0;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, n = 20000 + 100 * k] {
      for (int i = 0; i < 30; ++i, ++calls) Run(*plan, 1, n);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(NameOfGroup(*plan).substr(0, 8), "single (");
  EXPECT_LT(SlowKernel::runs, 30);
  const int runs = SlowKernel::runs;
  Run(*plan, 5, 20000);
  EXPECT_EQ(SlowKernel::runs, runs);
}

}  // namespace
}  // namespace executor::test
