// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/dnn_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/gpu/library.h"

namespace phi::gpu {

using namespace dnn;  // NOLINT: of the list of functions

namespace {

struct Dnn {
#define PADDLE_CUDNN_MEMBER(name, symbol, args) Status(*name) args = nullptr;
  PADDLE_CUDNN_FUNCTIONS(PADDLE_CUDNN_MEMBER)
#undef PADDLE_CUDNN_MEMBER
  void (*LastError)(char*, size_t) = nullptr;
  std::string why;

  Dnn() {
    constexpr size_t kLeast = 90800;  // plans without a device
    Library library = OpenLibrary({"libcudnn.so.9"}, "FLAGS_cudnn_dir", "cudnn");
#define PADDLE_CUDNN_LOOK_UP(name, symbol, args) name = reinterpret_cast<Status(*) args>(library.Find(#symbol));
    PADDLE_CUDNN_FUNCTIONS(PADDLE_CUDNN_LOOK_UP)
#undef PADDLE_CUDNN_LOOK_UP
    LastError = reinterpret_cast<void (*)(char*, size_t)>(library.Find("cudnnGetLastErrorString"));
    const auto version = reinterpret_cast<size_t (*)()>(library.Find("cudnnGetVersion"));
    why = library.Why();
    if (why.empty() && version() < kLeast)
      why = library.path + " is version " + std::to_string(version()) + ", expected " + std::to_string(kLeast) +
            " or newer";
  }
};
const Dnn& Api() {
  static const auto* api = new Dnn;
  return *api;
}

// What cuDNN refuses.
struct Refused {
  std::string why;
};
void Check(Status s, const char* call) {
  if (s == kSuccess) return;
  char text[1024] = {};
  Api().LastError(text, sizeof(text) - 1);
  throw Refused{std::string(call) + " failed with status " + std::to_string(static_cast<int>(s)) + ": " + text};
}
#define DNN_CALL(name, ...) Check(Api().name(__VA_ARGS__), #name)

class Owned {
 public:
  explicit Owned(DescriptorKind kind) { DNN_CALL(CreateDescriptor, kind, &descriptor_); }
  Owned(Owned&& other) noexcept : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  ~Owned() {
    if (descriptor_) Api().DestroyDescriptor(descriptor_);
  }
  BackendDescriptor get() const { return descriptor_; }
  BackendDescriptor release() { return std::exchange(descriptor_, nullptr); }
  void Put(Attribute attribute, ValueKind kind, int64_t count, const void* values) {
    DNN_CALL(SetAttribute, descriptor_, attribute, kind, count, values);
  }
  void Put(Attribute attribute, const Owned& other) { Put(attribute, kOfDescriptor, 1, &other.descriptor_); }
  void Finalize() { DNN_CALL(Finalize, descriptor_); }

 private:
  BackendDescriptor descriptor_ = nullptr;
};

// What a plan is for: a device that is there, by its handle, or the properties of one.
class Device {
 public:
  Device(const std::string& properties, Handle handle) : handle_(handle) {
    if (handle) return;
    properties_.emplace(kDeviceProperties);
    properties_->Put(kPropertiesText, kOfChar, static_cast<int64_t>(properties.size() + 1), properties.c_str());
    properties_->Finalize();
  }
  void PutHandle(Owned& to, Attribute attribute) const {
    if (handle_) to.Put(attribute, kOfHandle, 1, &handle_);
  }
  void PutProperties(Owned& to, Attribute attribute) const {
    if (properties_) to.Put(attribute, *properties_);
  }

 private:
  const Handle handle_;
  std::optional<Owned> properties_;
};

bool Does(const Owned& config, const std::vector<Note>& notes) {
  constexpr int64_t kMost = 10;
  Owned engine(kEngine);
  BackendDescriptor raw = engine.get();
  int64_t count = 0;
  DNN_CALL(GetAttribute, config.get(), kConfigEngine, kOfDescriptor, 1, &count, &raw);
  Note found[kMost] = {};
  DNN_CALL(GetAttribute, engine.get(), kEngineNotes, kOfNote, kMost, &count, found);
  return std::find_first_of(found, found + std::min(count, kMost), notes.begin(), notes.end()) !=
         found + std::min(count, kMost);
}

// A plan that its owner is to destroy.
BackendDescriptor PlanOf(const Owned& config, const Device& there) {
  Owned plan(kPlan);
  there.PutHandle(plan, kPlanHandle);
  plan.Put(kPlanConfig, config);
  there.PutProperties(plan, kPlanDevice);
  plan.Finalize();
  return plan.release();
}

DnnGraph::Sizes Contiguous(const DnnGraph::Sizes& dims) {
  DnnGraph::Sizes strides(dims.size(), 1);
  for (size_t a = dims.size(); a-- > 1;) strides[a - 1] = strides[a] * dims[a];
  return strides;
}
void Append(std::string& text, const std::vector<int64_t>& numbers) {
  for (int64_t n : numbers) text += std::to_string(n) + ",";
  text += ";";
}

}  // namespace

bool HasDnn() { return Api().why.empty(); }
const std::string& WhyNoDnn() { return Api().why; }
Handle MakeDnnHandle(std::string* why) {
  Handle handle = nullptr;
  try {
    DNN_CALL(Create, &handle);
  } catch (const Refused& r) { *why = r.why; }
  return handle;
}

DnnGraph::Id DnnGraph::Add(Made made) {
  text_ += "t" + std::to_string(made.type) + (made.between ? "b" : made.number ? "n" : "m");
  Append(text_, made.dims);
  Append(text_, made.strides);
  tensors_.push_back(std::move(made));
  return static_cast<Id>(tensors_.size());
}
DnnGraph::Id DnnGraph::Tensor(DataKind type, Sizes dims, Sizes strides) {
  return Add({type, std::move(dims), std::move(strides), false, false});
}
DnnGraph::Id DnnGraph::Between(DataKind type, Sizes dims, Sizes strides) {
  if (strides.empty()) strides = Contiguous(dims);
  return Add({type, std::move(dims), std::move(strides), true, false});
}
DnnGraph::Id DnnGraph::Number(int64_t rank) {
  const Sizes ones(static_cast<size_t>(rank), 1);
  return Add({kFloat, ones, ones, false, true});
}
void DnnGraph::Add(Operation op) {
  text_ += "o" + std::to_string(op.kind);
  for (const std::vector<Value>* values : {&op.own, &op.values})
    for (const Value& v : *values) {
      text_ += std::to_string(v.attribute) + "=" + std::to_string(v.tensor) + "/" + std::to_string(v.real) + "/";
      Append(text_, v.numbers);
    }
  operations_.push_back(std::move(op));
}

void DnnGraph::Convolve(Pass pass, Id x, Id w, Id y, const Sizes& pads, const Sizes& strides, const Sizes& dilations) {
  const DataKind wide = Of(x).type == kDouble ? kDouble : kFloat;
  constexpr struct {
    DescriptorKind kind;
    Attribute of, x, w, y, alpha, beta;
  } kPasses[] = {{kConvolveForward, kForwardConvolution, kForwardX, kForwardW, kForwardY, kForwardAlpha, kForwardBeta},
                 {kConvolveData, kDataConvolution, kDataDx, kDataW, kDataDy, kDataAlpha, kDataBeta},
                 {kConvolveFilter, kFilterConvolution, kFilterX, kFilterDw, kFilterDy, kFilterAlpha, kFilterBeta}};
  const auto& p = kPasses[static_cast<size_t>(pass)];
  Add({p.kind,
       kConvolution,
       p.of,
       {{kConvolutionAxes, kOfInt64, 0, {static_cast<int64_t>(pads.size())}},
        {kConvolutionType, kOfDataKind, 0, {wide}},
        {kConvolutionMode, kOfConvolutionMode, 0, {kCrossCorrelation}},
        {kConvolutionPre, kOfInt64, 0, pads},
        {kConvolutionPost, kOfInt64, 0, pads},
        {kConvolutionStrides, kOfInt64, 0, strides},
        {kConvolutionDilations, kOfInt64, 0, dilations}},
       {{p.x, kOfDescriptor, x},
        {p.w, kOfDescriptor, w},
        {p.y, kOfDescriptor, y},
        {p.alpha, kOfFloat, 0, {}, 1},
        {p.beta, kOfFloat, 0, {}, 0}}});
}
DnnGraph::Id DnnGraph::Pointwise(dnn::Pointwise mode, Id out, Id x, Id b, Id condition, int64_t axis) {
  Operation op{kPointwiseOp,
               kPointwise,
               kPointwiseOf,
               {{kPointwiseMode, kOfPointwise, 0, {mode}}, {kPointwisePrecision, kOfDataKind, 0, {kFloat}}},
               {{kPointwiseX, kOfDescriptor, x}, {kPointwiseY, kOfDescriptor, out}}};
  if (axis >= 0) op.own.push_back({kPointwiseAxis, kOfInt64, 0, {axis}});
  if (b) op.values.push_back({kPointwiseB, kOfDescriptor, b});
  if (condition) op.values.push_back({kPointwiseT, kOfDescriptor, condition});
  Add(std::move(op));
  return out;
}
DnnGraph::Id DnnGraph::Matmul(Id a, Id b, Id out) {
  Add({kMatmulOp,
       kMatmul,
       kMatmulOf,
       {{kMatmulType, kOfDataKind, 0, {kFloat}}},
       {{kMatmulA, kOfDescriptor, a}, {kMatmulB, kOfDescriptor, b}, {kMatmulC, kOfDescriptor, out}}});
  return out;
}
DnnGraph::Id DnnGraph::Reduce(dnn::Reduction how, Id x, Id out) {
  Add({kReductionOp,
       kReduction,
       kReductionOf,
       {{kReductionType, kOfDataKind, 0, {kFloat}}, {kReductionOperator, kOfReduction, 0, {how}}},
       {{kReductionX, kOfDescriptor, x}, {kReductionY, kOfDescriptor, out}}});
  return out;
}
DnnGraph::Id DnnGraph::Reshape(Id x, Id out) {
  Add({kReshapeOp, kReshapeOp, kReshapeX, {}, {{kReshapeX, kOfDescriptor, x}, {kReshapeY, kOfDescriptor, out}}});
  return out;
}
void DnnGraph::Norm(NormMode mode, Id x, Id scale, Id bias, Id epsilon, Id y, Id mean, Id inverse_deviation) {
  Operation op{kNormForward, kNormForward, kNormForwardMode, {}, {}};
  op.values = {{kNormForwardMode, kOfNormMode, 0, {mode}},
               {kNormForwardPhase, kOfNormPhase, 0, {inverse_deviation ? kTraining : kInference}},
               {kNormForwardX, kOfDescriptor, x},
               {kNormForwardScale, kOfDescriptor, scale},
               {kNormForwardEpsilon, kOfDescriptor, epsilon},
               {kNormForwardY, kOfDescriptor, y}};
  if (bias) op.values.push_back({kNormForwardBias, kOfDescriptor, bias});
  if (mean) op.values.push_back({kNormForwardMean, kOfDescriptor, mean});
  if (inverse_deviation) op.values.push_back({kNormForwardInvStd, kOfDescriptor, inverse_deviation});
  Add(std::move(op));
}
DnnGraph::Id DnnGraph::Causal(Id scores, Id infinity) {
  const Sizes all = Of(scores).dims;
  const Id rows = Pointwise(kIndex, Between(kInt32, all), scores, 0, 0, 2);
  const Id columns = Pointwise(kIndex, Between(kInt32, all), scores, 0, 0, 3);
  const Id seen = Pointwise(kGreaterEqual, Between(kBoolean, all), rows, columns);
  return Pointwise(kSelect, Between(kFloat, all), scores, infinity, seen);
}
void DnnGraph::Attend(const Attention& a) {
  if (a.table_k) {
    Add({kAttention,
         kAttention,
         kAttentionQ,
         {},
         {{kAttentionQ, kOfDescriptor, a.q},
          {kAttentionK, kOfDescriptor, a.keys},
          {kAttentionV, kOfDescriptor, a.v},
          {kAttentionOut, kOfDescriptor, a.out},
          {kAttentionStatistics, kOfDescriptor, a.statistics},
          {kAttentionScale, kOfDescriptor, a.scale},
          {kAttentionTableK, kOfDescriptor, a.table_k},
          {kAttentionTableV, kOfDescriptor, a.table_v},
          {kAttentionLengthQ, kOfDescriptor, a.length_q},
          {kAttentionLengthKv, kOfDescriptor, a.length_kv}}});
    return;
  }
  const Made q = Of(a.q), k = Of(a.keys);
  const Sizes all = {q.dims[0], q.dims[1], q.dims[2], k.dims[3]}, row = {q.dims[0], q.dims[1], q.dims[2], 1};
  const auto between = [&](const Sizes& dims, DataKind type = kFloat) { return Between(type, dims); };
  Id scores = Pointwise(kMultiply, between(all), Matmul(a.q, a.keys, between(all)), a.scale);
  if (a.length_q) {
    const Id rows = Pointwise(kIndex, between(all, kInt32), scores, 0, 0, 2);
    const Id columns = Pointwise(kIndex, between(all, kInt32), scores, 0, 0, 3);
    const Id in_rows = Pointwise(kLess, between(all, kBoolean), rows, a.length_q);
    const Id in_columns = Pointwise(kLess, between(all, kBoolean), columns, a.length_kv);
    const Id seen = Pointwise(kAnd, between(all, kBoolean), in_rows, in_columns);
    scores = Pointwise(kSelect, between(all), scores, a.infinity, seen);
  }
  if (a.causal) scores = Causal(scores, a.infinity);
  const Id most = Reduce(kMax, scores, between(row));
  const Id powers = Pointwise(kExp, between(all), Pointwise(kSubtract, between(all), scores, most));
  const Id sum = Reduce(kSum, powers, between(row));
  Pointwise(kAdd, a.statistics, Pointwise(kLog, between(row), sum), most);
  Matmul(Pointwise(kDivide, between(all, q.type), powers, sum), a.v, a.out);
}

void DnnGraph::AttendGradient(const AttentionGradient& a) {
  const Made q = Of(a.q), k = Of(a.keys), v = Of(a.v);
  const int64_t batch = q.dims[0], heads = q.dims[1], nq = q.dims[2], nk = k.dims[3];
  const Sizes all = {batch, heads, nq, nk}, row = {batch, heads, nq, 1}, out = {batch, heads, nq, v.dims[2]};
  // [batch, heads, nq, nk] as its transpose.
  const auto turned = [&](Id scores) {
    return Reshape(scores, Between(q.type, {batch, heads, nk, nq}, {heads * nq * nk, nq * nk, 1, nk}));
  };
  // Of a key or a value, whose heads may be shared.
  const auto gradient = [&](Id weights, Id rows, Id result) {
    const Sizes dims = {batch, heads, nk, Of(rows).dims[3]};
    if (Of(result).dims[1] == heads)
      Matmul(weights, rows, result);
    else
      Reduce(kSum, Matmul(weights, rows, Between(q.type, dims)), result);
  };
  const Id products = Pointwise(kMultiply, Between(kFloat, out), a.out_gradient, a.out);
  Pointwise(kMultiply, a.sums, Reduce(kSum, products, Between(kFloat, row)), a.one);
  Id scores = Pointwise(kMultiply, Between(kFloat, all), Matmul(a.q, a.keys, Between(kFloat, all)), a.scale);
  scores = Pointwise(kSubtract, Between(kFloat, all), scores, a.statistics);
  if (a.causal) scores = Causal(scores, a.infinity);
  const Id powers = Pointwise(kExp, Between(kFloat, all), scores);
  gradient(turned(powers), a.out_gradient, a.v_gradient);
  Id change = Matmul(a.out_gradient, a.v, Between(kFloat, all));
  change = Pointwise(kSubtract, Between(kFloat, all), change, a.sums);
  change = Pointwise(kMultiply, Between(kFloat, all), change, powers);
  change = Pointwise(kMultiply, Between(q.type, all), change, a.scale);
  gradient(turned(change), a.q, a.k_gradient);
  const Sizes &d = k.dims, &s = k.strides;
  const Id rows = Reshape(a.keys, Between(q.type, {d[0], d[1], d[3], d[2]}, {s[0], s[1], s[3], s[2]}));
  Matmul(change, rows, a.q_gradient);
}

std::unique_ptr<DnnPlan> DnnPlan::Finished(BackendDescriptor plan) {
  std::unique_ptr<DnnPlan> made(new DnnPlan);
  made->plan_ = plan;
  int64_t got = 0;
  DNN_CALL(GetAttribute, plan, kPlanWorkspace, kOfInt64, 1, &got, &made->workspace_);
  return made;
}

// A graph as cuDNN's descriptors.
struct DnnPlan::Described {
  explicit Described(const DnnGraph& graph) {
    for (const DnnGraph::Made& t : graph.tensors_) AddTensor(t);
    for (const DnnGraph::Operation& o : graph.operations_) AddOperation(o);
  }
  void AddTensor(const DnnGraph::Made& t) {
    Owned& d = tensors.emplace_back(kTensor);
    const auto id = static_cast<int64_t>(tensors.size()), rank = static_cast<int64_t>(t.dims.size());
    const int64_t alignment = t.number ? 4 : 16;
    d.Put(kTensorId, kOfInt64, 1, &id);
    d.Put(kTensorType, kOfDataKind, 1, &t.type);
    d.Put(kTensorDims, kOfInt64, rank, t.dims.data());
    d.Put(kTensorStrides, kOfInt64, rank, t.strides.data());
    d.Put(kTensorAlignment, kOfInt64, 1, &alignment);
    if (t.between) d.Put(kTensorVirtual, kOfBool, 1, &t.between);
    if (t.number) d.Put(kTensorByValue, kOfBool, 1, &t.number);
    d.Finalize();
  }
  void AddOperation(const DnnGraph::Operation& o) {
    Owned op(o.kind);
    if (o.of != o.kind) {
      Owned own(o.of);
      Put(own, o.own);
      own.Finalize();
      op.Put(o.link, own);
      kept.push_back(std::move(own));
    }
    Put(op, o.values);
    op.Finalize();
    operations.push_back(op.get());
    kept.push_back(std::move(op));
  }
  void Put(Owned& d, const std::vector<DnnGraph::Value>& values) const {
    for (const DnnGraph::Value& v : values) {
      const auto n = static_cast<int64_t>(v.numbers.size());
      if (v.kind == kOfDescriptor) {
        d.Put(v.attribute, tensors[static_cast<size_t>(v.tensor) - 1]);
      } else if (v.kind == kOfFloat) {
        d.Put(v.attribute, v.kind, 1, &v.real);
      } else if (v.kind == kOfInt64) {
        d.Put(v.attribute, v.kind, n, v.numbers.data());
      } else {  // numbers of an enumeration
        const std::vector<int> narrow(v.numbers.begin(), v.numbers.end());
        d.Put(v.attribute, v.kind, n, narrow.data());
      }
    }
  }

  std::vector<Owned> tensors, kept;
  std::vector<BackendDescriptor> operations;
};

std::unique_ptr<DnnPlan> DnnPlan::Make(const DnnGraph& graph, const std::string& device, Handle handle,
                                       std::string* why, const DnnLimits& limits) {
  constexpr int64_t kMostConfigs = 32;
  try {
    const Described parts(graph);
    const Device there(device, handle);
    Owned all(kGraph);
    there.PutHandle(all, kGraphHandle);
    all.Put(kGraphOps, kOfDescriptor, static_cast<int64_t>(parts.operations.size()), parts.operations.data());
    all.Finalize();
    *why = "no engine serves it";
    for (const HeuristicMode mode : {kModeA, kFallback}) {
      Owned heuristic(DescriptorKind::kHeuristic);
      heuristic.Put(kHeuristicGraph, all);
      heuristic.Put(kHeuristicMode, kOfHeuristic, 1, &mode);
      there.PutProperties(heuristic, kHeuristicDevice);
      std::vector<Owned> configs;
      std::vector<BackendDescriptor> raw;
      for (int64_t k = 0; k < kMostConfigs; ++k) raw.push_back(configs.emplace_back(kEngineConfig).get());
      int64_t count = 0;
      if (Api().Finalize(heuristic.get()) != kSuccess ||
          Api().GetAttribute(heuristic.get(), kHeuristicResults, kOfDescriptor, kMostConfigs, &count, raw.data()) !=
              kSuccess)
        continue;
      for (int64_t k = 0; k < count; ++k) {  // the best first
        const Owned& config = configs[static_cast<size_t>(k)];
        try {
          if (!limits.without.empty() && Does(config, limits.without)) continue;
          std::unique_ptr<DnnPlan> made = Finished(PlanOf(config, there));
          if (made->workspace_ <= limits.workspace) return made;
        } catch (const Refused& r) { *why = r.why; }
      }
    }
  } catch (const Refused& r) { *why = r.why; }
  return nullptr;
}

std::unique_ptr<DnnPlan> DnnPlan::Restore(const std::string& text, const std::string& device, Handle handle,
                                          std::string* why) {
  try {
    const Device there(device, handle);
    Owned plan(kPlan);
    there.PutHandle(plan, kPlanHandle);
    there.PutProperties(plan, kPlanDevice);
    plan.Put(kPlanText, kOfChar, static_cast<int64_t>(text.size() + 1), text.c_str());
    plan.Finalize();
    return Finished(plan.release());
  } catch (const Refused& r) {
    *why = r.why;
    return nullptr;
  }
}
DnnPlan::~DnnPlan() {
  if (plan_) Api().DestroyDescriptor(plan_);
}

std::string DnnPlan::text() const {
  int64_t n = 0;
  std::string text;
  try {
    DNN_CALL(GetAttribute, plan_, kPlanText, kOfChar, 0, &n, nullptr);
    text.resize(static_cast<size_t>(n));
    DNN_CALL(GetAttribute, plan_, kPlanText, kOfChar, n, &n, text.data());
  } catch (const Refused& r) { PD_THROW(PreconditionNotMet, "[cudnn] expected a plan's text, got: ", r.why); }
  return text.c_str();  // up to its end
}

bool DnnPlan::Run(Handle handle, Stream stream, const std::vector<std::pair<DnnGraph::Id, void*>>& addresses,
                  void* workspace, std::string* why) const {
  std::vector<int64_t> ids;
  std::vector<void*> pointers;
  for (const auto& [id, address] : addresses) ids.push_back(id), pointers.push_back(address);
  const auto n = static_cast<int64_t>(ids.size());
  try {
    Owned pack(kVariantPack);
    pack.Put(kPackIds, kOfInt64, n, ids.data());
    pack.Put(kPackPointers, kOfPointer, n, pointers.data());
    pack.Put(kPackWorkspace, kOfPointer, 1, &workspace);
    pack.Finalize();
    DNN_CALL(SetStream, handle, stream);
    DNN_CALL(Execute, handle, plan_, pack.get());
  } catch (const Refused& r) {
    *why = r.why;
    return false;
  }
  return true;
}

}  // namespace phi::gpu
