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
enum AttentionId : int {
  kQuery = 1,
  kKeys,
  kValues,
  kOut,
  kStatistics,
  kScale,
  kInfinity,  // of the forward pass, where that is causal
  kOutGradient = kInfinity,
  kSums,
  kOne,
  kQueryGradient,
  kKeyGradient,
  kValueGradient,
  kGradientInfinity
};

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

namespace {

// Why an attention is not given to cuDNN, or null.
const char* WhyNot(const cpu::AttentionArgs& a) {
  const auto type = KindOf(static_cast<DataType>(a.type));
  if (!type || *type == dnn::kFloat) return "a dtype that is not given to it";
  if (a.mask || a.keep) return "a mask or dropout";
  if (a.causal && a.offset != 0) return "causal rows that begin later";
  for (const int64_t extent : {a.batch, a.heads, a.kv_heads, a.nq, a.nk, a.dim, a.vdim})
    if (extent < 1 || extent > INT_MAX) return "no elements, or more than 31 bits count";
  if (a.nq % kStepOfLengths || a.nk % kStepOfLengths) return "lengths that are no multiples of 64";
  return nullptr;
}
const char* WhyNot(std::initializer_list<const cpu::AttentionRows*> all, int64_t batch) {
  for (const cpu::AttentionRows* r : all)
    if (r->batch % 8 || r->row % 8 || r->head % 8 || (r->batch == 0 && batch > 1))
      return "rows that are repeated or lie at no multiples of 16 bytes";
  return nullptr;
}
// Describes the tensors of an attention, [batch, heads, n, dim] or, turned, with the last two axes exchanged.
class AttentionRecipe {
 public:
  AttentionRecipe(const cpu::AttentionArgs& a, int64_t batch)
      : a_(a), batch_(batch), type_(*KindOf(static_cast<DataType>(a.type))), made_(std::make_unique<DnnRecipe>()) {
    made_->limits.without = {dnn::kVaries, dnn::kNarrowsInputs};
    made_->limits.workspace = kMostWorkspace;
  }
  DnnGraph::Id Of(const cpu::AttentionRows& r, int64_t heads, int64_t n, int64_t dim, bool turned = false) {
    return turned ? graph().Tensor(type_, {batch_, heads, dim, n}, {r.batch, r.head, 1, r.row})
                  : graph().Tensor(type_, {batch_, heads, n, dim}, {r.batch, r.head, r.row, 1});
  }
  DnnGraph::Id Contiguous(int64_t heads, int64_t n, int64_t dim) {
    return Of({nullptr, n * heads * dim, heads * dim, dim}, heads, n, dim);
  }
  DnnGraph::Id OfQueries() {
    return graph().Tensor(dnn::kFloat, {batch_, a_.heads, a_.nq, 1}, {a_.heads * a_.nq, a_.nq, 1, 1});
  }
  // The first six tensors; without rows, `out` is contiguous.
  void Operands(const cpu::AttentionRows* out, bool turned_values, DnnGraph::AttentionOperands* now) {
    now->q = Of(a_.q, a_.heads, a_.nq, a_.dim);
    now->keys = Of(a_.k, a_.kv_heads, a_.nk, a_.dim, true);
    now->v = Of(a_.v, a_.kv_heads, a_.nk, a_.vdim, turned_values);
    now->out = out ? Of(*out, a_.heads, a_.nq, a_.vdim) : Contiguous(a_.heads, a_.nq, a_.vdim);
    now->statistics = OfQueries();
    now->scale = graph().Number(4);
  }
  // The last tensor.
  void Hide(DnnGraph::AttentionOperands* now) {
    now->causal = a_.causal;
    if (a_.causal) now->infinity = graph().Number(4);
  }
  DnnGraph& graph() { return made_->graph; }
  std::unique_ptr<DnnRecipe> Take() { return std::move(made_); }

 private:
  const cpu::AttentionArgs& a_;
  const int64_t batch_;
  const dnn::DataKind type_;
  std::unique_ptr<DnnRecipe> made_;
};

std::string TextOf(const char* what, const cpu::AttentionArgs& a) {
  std::string text = (a.causal ? "causal attention" : "attention") + std::string(what) +
                     std::string(NameOf(static_cast<DataType>(a.type)));
  for (const int64_t n : {a.batch, a.heads, a.kv_heads, a.nq, a.nk, a.dim, a.vdim}) text += " " + std::to_string(n);
  return text;
}
// `kind` tells whose key it is.
DnnKey KeyOf(int64_t kind, const cpu::AttentionArgs& a, std::initializer_list<const cpu::AttentionRows*> rows) {
  DnnKey key = {kind,
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
                a.mask || a.keep};
  auto at = key.begin() + 12;
  for (const cpu::AttentionRows* r : rows)
    for (const int64_t stride : {r->batch, r->row, r->head}) *at++ = stride;
  return key;
}
constexpr int64_t kAttentionKey = 3, kAttentionGradKey = 4;

constexpr int64_t kMostScores = int64_t{256} << 20;  // bytes of the gradient of scores in a workspace
// How many batches a run takes, so that this holds.
int64_t BatchOfRun(const cpu::AttentionArgs& a) {
  int64_t one = 0, most = a.batch;
  if (__builtin_mul_overflow(a.heads * 2, a.nq, &one) || __builtin_mul_overflow(one, a.nk, &one)) return 1;
  while (most > 1 && (a.batch % most || most > kMostScores / std::max<int64_t>(one, 1))) --most;
  return most;
}

}  // namespace

std::unique_ptr<DnnRecipe> DescribeForDnn(const cpu::AttentionArgs& a, std::string* why) {
  const char* not_given = WhyNot(a);
  if (!not_given) not_given = WhyNot({&a.q, &a.k, &a.v}, a.batch);
  if (not_given) return *why = not_given, nullptr;
  AttentionRecipe recipe(a, a.batch);
  DnnGraph::Attention now;
  recipe.Operands(nullptr, false, &now);
  recipe.Hide(&now);
  recipe.graph().Attend(now);
  return recipe.Take();
}

std::unique_ptr<DnnRecipe> DescribeForDnn(const cpu::AttentionGradArgs& all, int64_t batch, std::string* why) {
  const cpu::AttentionArgs& a = all.a;
  const char* not_given = WhyNot(a);
  if (!not_given) not_given = WhyNot({&a.q, &a.k, &a.v, &all.out, &all.dout}, a.batch);
  if (not_given) return *why = not_given, nullptr;
  AttentionRecipe recipe(a, batch);
  DnnGraph::AttentionGradient now;
  recipe.Operands(&all.out, true, &now);
  now.out_gradient = recipe.Of(all.dout, a.heads, a.nq, a.vdim);
  now.sums = recipe.OfQueries();
  now.one = recipe.graph().Number(4);
  now.q_gradient = recipe.Contiguous(a.heads, a.nq, a.dim);
  now.k_gradient = recipe.Contiguous(a.kv_heads, a.nk, a.dim);
  now.v_gradient = recipe.Contiguous(a.kv_heads, a.nk, a.vdim);
  recipe.Hide(&now);
  recipe.graph().AttendGradient(now);
  return recipe.Take();
}

bool DnnAttend(const DeviceForms& forms, const cpu::AttentionArgs& a, void* out, float* statistics) {
  const std::function<std::string()> name = [&] { return TextOf(" of ", a); };
  DnnCall call(
      forms, KeyOf(kAttentionKey, a, {&a.q, &a.k, &a.v}), {a.q.p, a.k.p, a.v.p, out, statistics},
      [&](std::string* why) { return DescribeForDnn(a, why); }, name);
  if (!call) return false;
  const auto at = [](const void* p) { return const_cast<void*>(p); };
  float scale = static_cast<float>(a.scale), infinity = std::numeric_limits<float>::lowest();
  std::vector<std::pair<DnnGraph::Id, void*>> addresses = {{kQuery, at(a.q.p)},  {kKeys, at(a.k.p)},
                                                           {kValues, at(a.v.p)}, {kOut, out},
                                                           {kScale, &scale},     {kStatistics, statistics}};
  if (a.causal) addresses.emplace_back(kInfinity, &infinity);
  return call.Run(addresses);
}

bool DnnAttendGradient(const DeviceForms& forms, const cpu::AttentionGradArgs& g,
                       const std::function<void(float*)>& put_statistics) {
  const cpu::AttentionArgs& a = g.a;
  const int64_t batch = BatchOfRun(a), size = static_cast<int64_t>(SizeOf(static_cast<DataType>(a.type)));
  const std::function<std::string()> name = [&] { return TextOf("'s gradient of ", a); };
  DnnCall call(
      forms, KeyOf(kAttentionGradKey, a, {&a.q, &a.k, &a.v, &g.out, &g.dout}),
      {a.q.p, a.k.p, a.v.p, g.out.p, g.dout.p, g.dq, g.dk, g.dv},
      [&](std::string* why) { return DescribeForDnn(g, batch, why); }, name);
  if (!call) return false;
  const int64_t lines = a.heads * a.nq, bytes_of_lines = a.batch * lines * static_cast<int64_t>(sizeof(float));
  const std::shared_ptr<void> statistics = call.Room(bytes_of_lines), sums = call.Room(bytes_of_lines);
  if (!statistics || !sums) return false;
  // A gradient that nobody wants is made beside.
  void* made[] = {g.dq, g.dk, g.dv};
  const int64_t counts[] = {a.nq * a.heads * a.dim, a.nk * a.kv_heads * a.dim, a.nk * a.kv_heads * a.vdim};
  std::shared_ptr<void> rooms[3];
  for (size_t k = 0; k < 3; ++k)
    if (!made[k] && !(made[k] = (rooms[k] = call.Room(a.batch * counts[k] * size)).get())) return false;
  put_statistics(static_cast<float*>(statistics.get()));
  float scale = static_cast<float>(a.scale), one = 1, infinity = std::numeric_limits<float>::lowest();
  for (int64_t b = 0; b < a.batch; b += batch) {
    const auto of = [&](const void* p, int64_t step, int64_t bytes) {
      return const_cast<char*>(static_cast<const char*>(p)) + b * step * bytes;
    };
    const auto rows = [&](const cpu::AttentionRows& r) { return of(r.p, r.batch, size); };
    std::vector<std::pair<DnnGraph::Id, void*>> addresses = {{kQuery, rows(a.q)},
                                                             {kKeys, rows(a.k)},
                                                             {kValues, rows(a.v)},
                                                             {kOut, rows(g.out)},
                                                             {kStatistics, of(statistics.get(), lines, sizeof(float))},
                                                             {kScale, &scale},
                                                             {kOutGradient, rows(g.dout)},
                                                             {kSums, of(sums.get(), lines, sizeof(float))},
                                                             {kOne, &one},
                                                             {kQueryGradient, of(made[0], counts[0], size)},
                                                             {kKeyGradient, of(made[1], counts[1], size)},
                                                             {kValueGradient, of(made[2], counts[2], size)}};
    if (a.causal) addresses.emplace_back(kGradientInfinity, &infinity);
    if (!call.Run(addresses)) return false;
  }
  return true;
}

}  // namespace phi::gpu
