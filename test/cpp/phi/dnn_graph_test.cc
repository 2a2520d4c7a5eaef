// SPDX-License-Identifier: Apache-2.0
// The real cuDNN makes plans of our graphs without a device, of the properties of three GPUs, where it is found.
#include "paddle/phi/backends/gpu/dnn_ops.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace phi::gpu {
namespace {

using Id = DnnGraph::Id;
using Sizes = DnnGraph::Sizes;

struct Device {
  const char* name;
  int version, processors, shared, blocks, threads, pci, clock, memory_clock, cache;
  long long memory;
};
// What the drivers of such devices say, by NVIDIA's published figures.
constexpr Device kDevices[] = {
    {"NVIDIA H100 80GB HBM3", 900, 132, 232448, 32, 2048, 0x2330, 1980000, 2619000, 52428800, 85028765696},
    {"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 32, 2048, 0x20b2, 1410000, 1593000, 41943040, 85094825984},
    {"NVIDIA GeForce RTX 4090", 890, 128, 101376, 24, 1536, 0x2684, 2520000, 10501000, 75497472, 25252724736},
};
std::string Json(const Device& d) {
  std::string text = "{\"deviceName\":\"" + std::string(d.name) +
                     "\",\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64]";
  const std::pair<const char*, long long> numbers[] = {{"regsPerBlock", 65536},
                                                       {"multiProcessorCount", d.processors},
                                                       {"warpSize", 32},
                                                       {"maxSharedMemoryPerBlock", 49152},
                                                       {"maxSharedMemoryPerBlockOptin", d.shared},
                                                       {"reservedSharedMemoryPerBlock", 1024},
                                                       {"maxRegistersPerSM", 65536},
                                                       {"maxCtasPerSM", d.blocks},
                                                       {"maxThreadsPerBlock", 1024},
                                                       {"maxThreadsPerSM", d.threads},
                                                       {"pciDeviceId", d.pci},
                                                       {"isTccDriver", 0},
                                                       {"supportCoopLaunch", 1},
                                                       {"totalGlobalMem", d.memory},
                                                       {"smClockRateKHz", d.clock},
                                                       {"memClockRateKHz", d.memory_clock},
                                                       {"l2CacheSize", d.cache},
                                                       {"cudaDeviceId", 0},
                                                       {"deviceVer", d.version},
                                                       {"driverVer", 13000}};
  for (const auto& [key, value] : numbers) text += ",\"" + std::string(key) + "\":" + std::to_string(value);
  return text + "}";
}

struct Shape {
  int64_t n, c, size, k, taps, pad, stride, groups;
};
constexpr Shape kShapes[] = {{8, 64, 56, 64, 3, 1, 1, 1},
                             {8, 256, 28, 512, 1, 0, 1, 1},
                             {4, 64, 57, 128, 3, 1, 2, 1},
                             {2, 16, 112, 32, 7, 3, 2, 1},
                             {2, 64, 28, 64, 3, 1, 1, 64}};
DnnGraph Convolution(const Shape& s, DnnGraph::Pass pass, dnn::DataKind type, bool channels_last) {
  const int64_t out = (s.size + 2 * s.pad - s.taps) / s.stride + 1;
  const auto strides = [&](const Sizes& d) {
    return channels_last ? Sizes{d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]}
                         : Sizes{d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
  };
  DnnGraph g;
  const auto tensor = [&](const Sizes& d) { return g.Tensor(type, d, strides(d)); };
  const Id x = tensor({s.n, s.c, s.size, s.size}), w = tensor({s.k, s.c / s.groups, s.taps, s.taps}),
           y = tensor({s.n, s.k, out, out});
  g.Convolve(pass, x, w, y, {s.pad, s.pad}, {s.stride, s.stride}, {1, 1});
  return g;
}

struct Attention {
  int64_t heads, key_heads, nq, nk, dim;
  bool causal, padded, paged;
};
constexpr Attention kAttentions[] = {
    {8, 8, 256, 256, 64, false, false, false}, {8, 2, 512, 512, 128, true, false, false},
    {8, 8, 128, 384, 64, false, false, false}, {8, 2, 256, 256, 64, true, true, false},
    {8, 8, 256, 256, 128, false, true, false}, {8, 2, 128, 512, 64, false, true, true}};
DnnGraph Attending(const Attention& a) {
  constexpr int64_t kBatch = 2, kPage = 64;
  DnnGraph g;
  // [batch, heads, length, dim] over memory [batch, length, heads, dim].
  const auto rows = [&](int64_t heads, int64_t n, bool turned) {
    return turned ? g.Tensor(dnn::kBfloat, {kBatch, heads, a.dim, n}, {n * heads * a.dim, a.dim, 1, heads * a.dim})
                  : g.Tensor(dnn::kBfloat, {kBatch, heads, n, a.dim}, {n * heads * a.dim, a.dim, heads * a.dim, 1});
  };
  DnnGraph::Attention now;
  now.q = rows(a.heads, a.nq, false);
  now.out = rows(a.heads, a.nq, false);
  now.scale = g.Number(4);
  now.causal = a.causal;
  const auto lengths = [&] { return g.Tensor(dnn::kInt32, {kBatch, 1, 1, 1}, {1, 1, 1, 1}); };
  if (a.padded) now.length_q = lengths(), now.length_kv = lengths();
  if (a.padded || a.causal) now.infinity = g.Number(4);
  now.statistics = g.Tensor(dnn::kFloat, {kBatch, a.heads, a.nq, 1}, {a.heads * a.nq, a.nq, 1, 1});
  if (a.paged) {
    const int64_t pages = a.nk / kPage, count = kBatch * pages, one = a.key_heads * kPage * a.dim;
    const auto table = [&] { return g.Tensor(dnn::kInt32, {kBatch, 1, pages, 1}, {pages, pages, 1, 1}); };
    const auto memory = [&] {
      return g.Tensor(dnn::kBfloat, {count, a.key_heads, kPage, a.dim}, {one, kPage * a.dim, a.dim, 1});
    };
    now.keys = memory();
    now.v = memory();
    now.table_k = table();
    now.table_v = table();
  } else {
    now.keys = rows(a.key_heads, a.nk, true);
    now.v = rows(a.key_heads, a.nk, false);
  }
  g.Attend(now);
  return g;
}

DnnGraph Normalised(dnn::NormMode mode, int64_t rows, int64_t width, bool training) {
  DnnGraph g;
  const auto vector = [&](dnn::DataKind type, const Sizes& d) {
    return g.Tensor(type, d, {d[1] * d[2] * d[3], d[2] * d[3], d[3], 1});
  };
  const bool layer = mode == dnn::kLayerNorm;
  const Sizes of_row = {rows, 1, 1, 1}, of_width = {1, width, 1, 1}, all = {rows, width, 1, 1};
  const Id x = vector(dnn::kBfloat, all), scale = vector(dnn::kFloat, of_width);
  const Id bias = layer ? vector(dnn::kFloat, of_width) : 0, epsilon = g.Number(4), y = vector(dnn::kBfloat, all);
  const Id mean = layer && training ? vector(dnn::kFloat, of_row) : 0;
  g.Norm(mode, x, scale, bias, epsilon, y, mean, training ? vector(dnn::kFloat, of_row) : 0);
  return g;
}

struct Named {
  std::string name;
  DnnGraph graph;
};
std::vector<Named> Graphs() {
  std::vector<Named> all;
  for (const Shape& s : kShapes)
    for (const auto pass : {DnnGraph::Pass::kForward, DnnGraph::Pass::kData, DnnGraph::Pass::kFilter})
      for (const auto& [type, last] : {std::pair{dnn::kHalf, true}, {dnn::kBfloat, true}, {dnn::kFloat, false}})
        all.push_back({"convolution of " + std::to_string(s.c) + " channels, pass " +
                           std::to_string(static_cast<int>(pass)) + ", type " + std::to_string(type),
                       Convolution(s, pass, type, last)});
  for (size_t k = 0; k < std::size(kAttentions); ++k)
    all.push_back({"attention " + std::to_string(k), Attending(kAttentions[k])});
  for (const auto mode : {dnn::kLayerNorm, dnn::kRmsNorm})
    for (const bool training : {false, true})
      all.push_back({"norm " + std::to_string(mode) + (training ? " in training" : ""),
                     Normalised(mode, 2048, training ? 1024 : 4096, training)});
  for (const int64_t n : {64, 256, 1000, 4096, 8192}) {
    DnnGraph g;
    const auto matrix = [&] { return g.Tensor(dnn::kHalf, {1, n, n}, {n * n, n, 1}); };
    g.Matmul(matrix(), matrix(), matrix());
    all.push_back({"product of " + std::to_string(n), std::move(g)});
  }
  return all;
}

class DnnGraphTest : public ::testing::TestWithParam<Device> {
 protected:
  static void SetUpTestSuite() {  // before cuDNN looks for the driver
    const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
    static void* const driver =
        dlopen((self.parent_path().parent_path() / "plan_driver/libcuda.so.1").c_str(), RTLD_NOW);
    ASSERT_NE(driver, nullptr) << dlerror();
  }
};

TEST_P(DnnGraphTest, PlansAreMadeWithoutADevice) {
  if (!HasDnn()) GTEST_SKIP() << "no cuDNN: install nvidia-cudnn-cu13: " << WhyNoDnn();
  const std::string device = Json(GetParam());
  int made = 0;
  for (const Named& n : Graphs()) {
    std::string why;
    const auto plan = DnnPlan::Make(n.graph, device, nullptr, &why);
    EXPECT_NE(plan, nullptr) << GetParam().name << ": " << n.name << ": " << why;
    if (!plan) continue;
    ++made;
    EXPECT_GE(plan->workspace(), 0);
    if (made % 16 != 1) continue;
    const std::string text = plan->text();
    ASSERT_GT(text.size(), 100u);
    const auto again = DnnPlan::Restore(text, device, nullptr, &why);
    ASSERT_NE(again, nullptr) << why;
    EXPECT_EQ(again->workspace(), plan->workspace());
  }
  EXPECT_GE(made, 60);
}
// Exact enough, and in order: plans of what operations ask for.
TEST_P(DnnGraphTest, ConvolutionsOfOperationsHavePlans) {
  if (!HasDnn()) GTEST_SKIP() << "no cuDNN";
  std::vector<cpu::ConvDesc> all;
  const auto add = [&](int nd, int64_t ic, int64_t oc, int64_t groups, int64_t size, int64_t k, int64_t stride,
                       int64_t dilation, bool last) {
    cpu::ConvDesc& d = all.emplace_back();
    d.nd = nd, d.n = 2, d.ic = ic, d.oc = oc, d.groups = groups, d.channels_last = last;
    for (int i = 0; i < nd; ++i) {
      d.in[i] = size, d.k[i] = k, d.stride[i] = stride, d.dilation[i] = dilation, d.pad_lo[i] = d.pad_hi[i] = k / 2;
      d.out[i] = cpu::ConvOutSize(size, k, stride, dilation, k / 2, k / 2);
    }
  };
  for (const bool last : {false, true}) {
    add(1, 16, 24, 1, 50, 5, 2, 1, last);
    add(2, 3, 64, 1, 56, 7, 2, 1, last);
    add(2, 64, 64, 1, 28, 3, 1, 2, last);
    add(2, 64, 96, 4, 28, 3, 1, 1, last);
    add(2, 64, 64, 64, 28, 3, 1, 1, last);
    add(2, 5, 7, 1, 19, 4, 3, 1, last);
    add(3, 8, 16, 1, 12, 3, 1, 1, last);
  }
  std::string none;
  int made = 0, wanted = 0;
  for (const cpu::ConvDesc& d : all)
    for (const auto pass : {ConvPass::kForward, ConvPass::kGradInput, ConvPass::kGradWeight})
      for (const DataType t : {DataType::FLOAT32, DataType::FLOAT16, DataType::BFLOAT16}) {
        std::string why;
        const auto c = DescribeForDnn(pass, t, d, false, &why);
        ASSERT_NE(c, nullptr) << why;
        const auto plan = DnnPlan::Make(c->graph, Json(GetParam()), nullptr, &why, c->limits);
        ++wanted;
        made += plan != nullptr;
        if (plan)
          EXPECT_LE(plan->workspace(), c->limits.workspace);
        else
          none += std::string(NameOf(t)) + " pass " + std::to_string(static_cast<int>(pass)) + " nd " +
                  std::to_string(d.nd) + " ic " + std::to_string(d.ic) + " groups " + std::to_string(d.groups) +
                  (d.channels_last ? " last" : "") + ": " + why + "\n";
      }
  EXPECT_EQ(made, wanted) << none;
  std::string of[2], why;
  for (const bool tf32 : {false, true}) {
    const auto c = DescribeForDnn(ConvPass::kForward, DataType::FLOAT32, all[2], tf32, &why);
    const auto plan = DnnPlan::Make(c->graph, Json(GetParam()), nullptr, &why, c->limits);
    ASSERT_NE(plan, nullptr) << why;
    of[tf32] = plan->text();
  }
  EXPECT_NE(of[0], of[1]);  // tensor cores only where asked for
}
TEST_P(DnnGraphTest, AttentionOfOperationsHasPlans) {
  if (!HasDnn()) GTEST_SKIP() << "no cuDNN";
  struct Case {
    DataType type;
    bool causal;
    int64_t heads, kv, nq, nk, dim;
  };
  std::string why;
  for (const Case& c :
       {Case{DataType::FLOAT16, false, 8, 8, 256, 256, 64}, Case{DataType::BFLOAT16, true, 32, 8, 1024, 1024, 128},
        Case{DataType::BFLOAT16, false, 12, 12, 64, 320, 40}}) {
    cpu::AttentionArgs a{};
    a.type = static_cast<int>(c.type), a.causal = c.causal, a.batch = 2;
    a.heads = c.heads, a.kv_heads = c.kv, a.nq = c.nq, a.nk = c.nk, a.dim = a.vdim = c.dim;
    a.q = {nullptr, c.nq * c.heads * c.dim, c.heads * c.dim, c.dim};
    a.k = a.v = {nullptr, c.nk * c.kv * c.dim, c.kv * c.dim, c.dim};
    const auto recipe = DescribeForDnn(a, &why);
    ASSERT_NE(recipe, nullptr) << why;
    EXPECT_NE(DnnPlan::Make(recipe->graph, Json(GetParam()), nullptr, &why, recipe->limits), nullptr) << why;
    cpu::AttentionGradArgs g{};
    g.a = a, g.out = g.dout = {nullptr, c.nq * c.heads * c.dim, c.heads * c.dim, c.dim};
    const auto gradient = DescribeForDnn(g, a.batch, &why);
    ASSERT_NE(gradient, nullptr) << why;
    EXPECT_NE(DnnPlan::Make(gradient->graph, Json(GetParam()), nullptr, &why, gradient->limits), nullptr) << why;
  }
}
TEST_P(DnnGraphTest, WhatCannotBeSaysWhy) {
  if (!HasDnn()) GTEST_SKIP() << "no cuDNN";
  DnnGraph g;
  g.Matmul(g.Tensor(dnn::kHalf, {1, 64, 64}, {4096, 64, 1}), g.Tensor(dnn::kHalf, {1, 32, 64}, {2048, 64, 1}),
           g.Tensor(dnn::kHalf, {1, 64, 64}, {4096, 64, 1}));
  std::string why;
  EXPECT_EQ(DnnPlan::Make(g, Json(GetParam()), nullptr, &why), nullptr);
  EXPECT_NE(why.find("failed with status"), std::string::npos) << why;
  EXPECT_EQ(DnnPlan::Make(g, "{}", nullptr, &why), nullptr);
}
INSTANTIATE_TEST_SUITE_P(Devices, DnnGraphTest, ::testing::ValuesIn(kDevices),
                         [](const auto& info) { return "sm" + std::to_string(info.param.version / 10); });

}  // namespace
}  // namespace phi::gpu
