// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/dnn_ops.h"

#include <algorithm>
#include <climits>
#include <limits>
#include <optional>

namespace phi::gpu {
namespace {

using Sizes = DnnGraph::Sizes;

constexpr int64_t kMostWorkspace = int64_t{512} << 20;
constexpr int64_t kStepOfLengths = 64;  // a plan of attention takes a third of a second
// Numbers of the tensors, in the order in which they are described.
enum ConvolutionId : int { kX = 1, kW, kY };
enum AttentionId : int { kQuery = 1, kKeys, kValues, kOut, kScale, kStatistics, kInfinity };

std::optional<dnn::DataKind> KindOf(DataType t) {
  switch (t) {
    case DataType::FLOAT32: return dnn::kFloat;
    case DataType::FLOAT16: return dnn::kHalf;
    case DataType::BFLOAT16: return dnn::kBfloat;
    default: return std::nullopt;
  }
}

DnnKey KeyOf(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32) {
  DnnKey key = {
      static_cast<int64_t>(pass), static_cast<int64_t>(t), d.nd, d.channels_last, tf32, d.n, d.ic, d.oc, d.groups};
  ptrdiff_t at = 9;
  for (const int64_t* numbers : {d.in, d.k, d.out, d.stride, d.dilation, d.pad_lo, d.pad_hi}) {
    std::copy_n(numbers, d.nd, key.begin() + at);
    at += 3;
  }
  return key;
}
std::string TextOf(ConvPass pass, DataType t, const cpu::ConvDesc& d) {
  const char* names[] = {"convolution", "convolution's input gradient", "convolution's filter gradient"};
  std::string text = std::string(names[static_cast<size_t>(pass)]) + " of " + std::string(NameOf(t)) + " [" +
                     std::to_string(d.n) + ", " + std::to_string(d.ic);
  for (int i = 0; i < d.nd; ++i) text += ", " + std::to_string(d.in[i]);
  text += "] by [" + std::to_string(d.oc) + ", " + std::to_string(d.ic / d.groups);
  for (int i = 0; i < d.nd; ++i) text += ", " + std::to_string(d.k[i]);
  return text + (d.channels_last ? "], channels last" : "]");
}

}  // namespace

std::unique_ptr<DnnRecipe> DescribeForDnn(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32,
                                          std::string* why) {
  const auto type = KindOf(t);
  if (!type) return *why = "a dtype that is not given to it", nullptr;
  for (int i = 0; i < d.nd; ++i)
    if (d.pad_lo[i] != d.pad_hi[i]) return *why = "padding that differs at the ends", nullptr;
  Sizes x = {d.n, d.ic}, w = {d.oc, d.ic / d.groups}, y = {d.n, d.oc}, pads, strides, dilations;
  const auto axis = [&](int64_t in, int64_t k, int64_t out, int64_t pad, int64_t stride, int64_t dilation) {
    x.push_back(in), w.push_back(k), y.push_back(out);
    pads.push_back(pad), strides.push_back(stride), dilations.push_back(dilation);
  };
  if (d.nd == 1) axis(1, 1, 1, 0, 1, 1);  // a picture of one row
  for (int i = 0; i < d.nd; ++i) axis(d.in[i], d.k[i], d.out[i], d.pad_lo[i], d.stride[i], d.dilation[i]);
  for (const Sizes* sizes : {&x, &w, &y}) {
    int64_t n = 1;
    for (const int64_t extent : *sizes)
      if (extent < 1 || __builtin_mul_overflow(n, extent, &n) || n > INT_MAX)
        return *why = "no elements, or more than 31 bits count", nullptr;
  }
  const auto tensor = [&](const Sizes& dims, DnnGraph& graph) {
    Sizes steps(dims.size());
    int64_t step = 1;
    if (d.channels_last) steps[1] = step, step *= dims[1];
    for (size_t a = dims.size(); a-- > 0;)
      if (a != 1 || !d.channels_last) steps[a] = step, step *= dims[a];
    return graph.Tensor(*type, dims, steps);
  };
  auto made = std::make_unique<DnnRecipe>();
  const DnnGraph::Id xs = tensor(x, made->graph), ws = tensor(w, made->graph), ys = tensor(y, made->graph);
  made->graph.Convolve(pass == ConvPass::kForward     ? DnnGraph::Pass::kForward
                       : pass == ConvPass::kGradInput ? DnnGraph::Pass::kData
                                                      : DnnGraph::Pass::kFilter,
                       xs, ws, ys, pads, strides, dilations);
  made->limits.without = {dnn::kVaries, dnn::kNarrowsInputs, dnn::kNarrowsSums};
  if (*type == dnn::kFloat && !tf32) made->limits.without.push_back(dnn::kTensorCores);
  made->limits.workspace = kMostWorkspace;
  return made;
}

bool DnnConvolve(const DeviceForms& forms, ConvPass pass, DataType t, const cpu::ConvDesc& d, const void* a,
                 const void* b, void* out, bool tf32) {
  if (!KindOf(t)) return false;
  const std::function<std::string()> name = [&] { return TextOf(pass, t, d); };
  DnnCall call(
      forms, KeyOf(pass, t, d, tf32), {a, b, out},
      [&](std::string* why) { return DescribeForDnn(pass, t, d, tf32, why); }, name);
  if (!call) return false;
  int64_t taps = 1;
  for (int i = 0; i < d.nd; ++i) taps *= d.k[i];
  const int64_t channels = d.ic / d.groups, size = static_cast<int64_t>(SizeOf(t));
  const bool turned = d.channels_last && taps > 1 && channels > 1;  // the filter, in memory
  const Sizes shape = {d.oc, taps, channels}, first = {taps * channels, 1, taps}, last = {taps * channels, channels, 1};
  const std::shared_ptr<void> filter = turned ? call.Room(d.oc * taps * channels * size) : nullptr;
  if (turned && !filter) return false;
  void *const from = const_cast<void*>(a), *const second = const_cast<void*>(b);
  void* given[] = {from, second, out};  // x, w and y
  if (pass == ConvPass::kGradInput) std::swap(given[0], given[2]);
  if (pass == ConvPass::kGradWeight) std::swap(given[1], given[2]);
  void* const w = turned ? filter.get() : given[1];
  if (turned && pass != ConvPass::kGradWeight) forms.Copy(size, shape, given[1], first, w, last);
  if (!call.Run({{kX, given[0]}, {kW, w}, {kY, given[2]}})) return false;
  if (turned && pass == ConvPass::kGradWeight) forms.Copy(size, shape, w, last, out, first);
  return true;
}

std::unique_ptr<DnnRecipe> DescribeForDnn(const cpu::AttentionArgs& a, std::string* why) {
  const auto type = KindOf(static_cast<DataType>(a.type));
  if (!type || *type == dnn::kFloat) return *why = "a dtype that is not given to it", nullptr;
  if (a.mask || a.keep) return *why = "a mask or dropout", nullptr;
  if (a.causal && a.offset != 0) return *why = "causal rows that begin later", nullptr;
  for (const int64_t extent : {a.batch, a.heads, a.kv_heads, a.nq, a.nk, a.dim, a.vdim})
    if (extent < 1 || extent > INT_MAX) return *why = "no elements, or more than 31 bits count", nullptr;
  if (a.nq % kStepOfLengths || a.nk % kStepOfLengths) return *why = "lengths that are no multiples of 64", nullptr;
  for (const cpu::AttentionRows* r : {&a.q, &a.k, &a.v})
    if (r->batch % 8 || r->row % 8 || r->head % 8 || (r->batch == 0 && a.batch > 1))
      return *why = "rows that are repeated or lie at no multiples of 16 bytes", nullptr;
  auto made = std::make_unique<DnnRecipe>();
  DnnGraph& g = made->graph;
  const auto rows = [&](const cpu::AttentionRows& r, int64_t heads, int64_t n, int64_t dim, bool turned) {
    return turned ? g.Tensor(*type, {a.batch, heads, dim, n}, {r.batch, r.head, 1, r.row})
                  : g.Tensor(*type, {a.batch, heads, n, dim}, {r.batch, r.head, r.row, 1});
  };
  const cpu::AttentionRows out = {nullptr, a.nq * a.heads * a.vdim, a.heads * a.vdim, a.vdim};
  DnnGraph::Attention now;
  now.q = rows(a.q, a.heads, a.nq, a.dim, false);
  now.keys = rows(a.k, a.kv_heads, a.nk, a.dim, true);
  now.v = rows(a.v, a.kv_heads, a.nk, a.vdim, false);
  now.out = rows(out, a.heads, a.nq, a.vdim, false);
  now.scale = g.Number(4);
  now.statistics = g.Tensor(dnn::kFloat, {a.batch, a.heads, a.nq, 1}, {a.heads * a.nq, a.nq, 1, 1});
  if (a.causal) now.infinity = g.Number(4);
  now.causal = a.causal;
  g.Attend(now);
  made->limits.without = {dnn::kVaries, dnn::kNarrowsInputs};
  made->limits.workspace = kMostWorkspace;
  return made;
}

bool DnnAttend(const DeviceForms& forms, const cpu::AttentionArgs& a, void* out, float* statistics) {
  const std::function<std::string()> name = [&] {
    std::string text =
        (a.causal ? "causal attention of " : "attention of ") + std::string(NameOf(static_cast<DataType>(a.type)));
    for (const int64_t n : {a.batch, a.heads, a.kv_heads, a.nq, a.nk, a.dim, a.vdim}) text += " " + std::to_string(n);
    return text;
  };
  const DnnKey key = {3,
                      a.type,
                      a.batch,
                      a.heads,
                      a.kv_heads,
                      a.nq,
                      a.nk,
                      a.dim,
                      a.vdim,
                      a.causal,
                      a.causal ? a.offset : 0,
                      a.mask || a.keep,
                      a.q.batch,
                      a.q.row,
                      a.q.head,
                      a.k.batch,
                      a.k.row,
                      a.k.head,
                      a.v.batch,
                      a.v.row,
                      a.v.head};
  DnnCall call(
      forms, key, {a.q.p, a.k.p, a.v.p, out, statistics}, [&](std::string* why) { return DescribeForDnn(a, why); },
      name);
  if (!call) return false;
  const auto at = [](const void* p) { return const_cast<void*>(p); };
  float scale = static_cast<float>(a.scale), infinity = std::numeric_limits<float>::lowest();
  std::vector<std::pair<DnnGraph::Id, void*>> addresses = {{kQuery, at(a.q.p)},  {kKeys, at(a.k.p)},
                                                           {kValues, at(a.v.p)}, {kOut, out},
                                                           {kScale, &scale},     {kStatistics, statistics}};
  if (a.causal) addresses.emplace_back(kInfinity, &infinity);
  return call.Run(addresses);
}

}  // namespace phi::gpu
