// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/op_support.h"

#include <mutex>
#include <set>

#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle {

using egr::State;
using phi::DataType;

}  // namespace paddle

namespace egr {
struct AmpLists {
  std::set<std::string, std::less<>> white, black;
  auto operator<=>(const AmpLists&) const = default;
};
}  // namespace egr

namespace paddle {

namespace {

// Gradient of an op recorded as one pd_op whose rule is its composition: the composition is built again and
// differentiated.
class ComposeNode final : public egr::GradNode {
 public:
  ComposeNode(const char* op, const std::vector<const Tensor*>& inputs,
              std::function<Tensor(const std::vector<Tensor>&)> f)
      : op_(op), f_(std::move(f)) {
    SetCounts(static_cast<int>(inputs.size()), 1);
    for (size_t i = 0; i < inputs.size(); ++i) {
      SetInput(static_cast<int>(i), *inputs[i]);
      saved_.emplace_back();
      saved_.back().SaveInput(*inputs[i]);
    }
  }
  const char* name() const override { return op_; }
  void ReleaseSaved() override { saved_.clear(); }
  void ForEachSaved(const egr::SavedVisitor& see) const override {
    for (const egr::SavedTensor& s : saved_) see(s);
  }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    std::vector<Tensor> inputs, wanted;
    for (auto& s : saved_) inputs.push_back(s.Get(this, op_, "an input"));
    egr::GradModeGuard on(true);
    // Each input by a tensor of its own: one input may be computed from another.
    std::vector<Tensor> fresh;
    for (Tensor& t : inputs) {
      fresh.push_back(!t.defined() ? t : create_graph ? assign(t) : AliasWithHistory(t));
      if (!create_graph && t.defined()) fresh.back()->DropHistory();
    }
    Tensor out = f_(fresh);
    std::vector<int> index;
    for (int i = 0; i < num_inputs(); ++i)
      if (needs(i)) {
        wanted.push_back(fresh[i]);
        index.push_back(i);
      }
    auto g = egr::Grad({out}, wanted, {grads[0]}, create_graph, create_graph, true);
    for (size_t k = 0; k < index.size(); ++k) in[index[k]] = g[k];
  }

 private:
  const char* op_;
  std::function<Tensor(const std::vector<Tensor>&)> f_;
  std::vector<egr::SavedTensor> saved_;
};

}  // namespace

DataType AmpTarget(const char* op, AmpClass cls, std::initializer_list<AmpInput> inputs) {
  const auto& s = State();
  const std::string_view name(op);
  const DataType low = static_cast<DataType>(s.amp_dtype);
  if (s.amp_lists->black.count(name)) return DataType::FLOAT32;
  if (s.amp_lists->white.count(name)) return low;
  if (cls != AmpClass::kPromote) return cls == AmpClass::kWhite ? low : DataType::FLOAT32;
  if (s.amp_level == egr::kAmpOD) return DataType::FLOAT32;
  if (s.amp_level == egr::kAmpLow) return low;
  for (const AmpInput& input : inputs)
    for (const Tensor& t : input)
      if (t.defined() && t.dtype() == DataType::FLOAT32) return DataType::FLOAT32;
  return low;
}

Tensor AmpCast(const Tensor& x, DataType dtype) {
  if (!x.defined() || x.dtype() == dtype || !(x.dtype() == DataType::FLOAT32 || phi::IsHalf(x.dtype()))) return x;
  return paddle::cast(x, dtype);
}
std::vector<Tensor> AmpCast(const std::vector<Tensor>& xs, DataType dtype) {
  std::vector<Tensor> r;
  for (auto& x : xs) r.push_back(AmpCast(x, dtype));
  return r;
}

const egr::AmpLists* AmpListsOf(const std::vector<std::string>& white, const std::vector<std::string>& black) {
  static auto* all = new std::set<egr::AmpLists>;  // of all threads; states of threads name them for ever
  static auto* mutex = new std::mutex;
  std::lock_guard<std::mutex> lock(*mutex);
  return &*all->insert({{white.begin(), white.end()}, {black.begin(), black.end()}}).first;
}

Tensor GradOrZeros(const Tensor& g, const phi::TensorImpl* meta) {
  if (g.defined() || !meta) return g;
  if (meta->kind() == phi::ImplKind::kSymbolic) {
    auto impl = phi::Ref<phi::TensorImpl>(const_cast<phi::TensorImpl*>(meta));
    return zeros_like_of(Tensor(impl));
  }
  return zeros_of(meta->dims(), meta->dtype());
}

Tensor ReduceGrad(const Tensor& g, const Tensor& like) {
  if (!g.defined()) return g;
  return CastGrad(reduce_like(g, like), like);
}

bool AnyComplex(std::initializer_list<const Tensor*> tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor* t) { return t->defined() && phi::IsComplex(t->dtype()); });
}

Tensor CastGrad(Tensor g, const Tensor& like) { return like.defined() ? CastGrad(std::move(g), like.dtype()) : g; }

Tensor CastGrad(Tensor g, DataType dtype) {
  if (!g.defined() || g.dtype() == dtype) return g;
  if (phi::IsComplex(g.dtype()) && !phi::IsComplex(dtype)) g = paddle::real(g);
  return g.dtype() == dtype ? g : paddle::cast(g, dtype);
}

void Deliver(const Tensor& result, const Tensor& like, Tensor& out) {
  Tensor r = like.defined() ? ReduceGrad(result, like) : result;
  if (out.defined() && r.defined() && out.dims() == r.dims() && out.dtype() == r.dtype() && out.impl() != r.impl()) {
    phi::CopyInto(r, out);
  } else {
    out = r;
  }
}

void ComposeHistory(const char* op, const std::vector<const Tensor*>& inputs, Tensor& out,
                    std::function<Tensor(const std::vector<Tensor>&)> compose) {
  phi::Ref<egr::GradNode> n(new ComposeNode(op, inputs, std::move(compose)));
  n->SetOutput(0, out);
}

Tensor AliasWithHistory(const Tensor& x) {
  egr::RefreshView(x);
  bool recording = State().record == egr::RecordMode::kRecord;
  Tensor t = recording ? State().recorder->Wrap(State().recorder->ValueOf(x)) : phi::AliasOf(x);
  t->stop_gradient = x->stop_gradient;
  t->ShareHistory(*x.impl());
  if (!recording) t->value = x->value;
  return t;
}

Tensor CloneWithHistory(const Tensor& x) {
  egr::RefreshView(x);
  Tensor t = phi::CopyOf(x);
  t->stop_gradient = x->stop_gradient;
  t->ShareHistory(*x.impl());
  return t;
}

void CheckInplaceShape(const char* op, const Tensor& x, const Tensor& other) {
  if (other.dims() == x.dims()) return;
  auto out = common::BroadcastDims(op, common::ToDims(x.dims()), common::ToDims(other.dims()));
  PD_CHECK(common::ToInts(out) == x.dims(), InvalidArgument, "[", op,
           "] expected an operand that broadcasts to the shape of the tensor "
           "written in place ",
           common::ShapeText(x.dims()), ", got ", common::ShapeText(other.dims()));
}

void ReplaceRecorded(Tensor& x, const Tensor& out) {
  egr::AutogradMeta* m = egr::MaybeMeta(x);
  PD_CHECK(
      !(x->base() && !(m && m->recorded_view)), Unimplemented,
      "[in-place] expected a tensor of its own while recording, got a view that was made before: its base would keep "
      "the old recorded value");
  PD_CHECK(x.is_symbolic() || x.dtype() == out.dtype(), InvalidType,
           "[in-place] expected a tensor whose dtype stays, got data of dtype ", phi::NameOf(x.dtype()),
           " and a result of dtype ", phi::NameOf(out.dtype()),
           ": what a program writes keeps its dtype; use astype()");
  egr::BeforeRecordedWrite(x);
  const common::Dims before = x.extents();
  // Captured, so that the write is found also where the tensor is not read.
  if (State().recorder && !x.is_symbolic()) State().recorder->ValueOf(x);
  if (State().recorder) State().recorder->BeforeWrite(x);
  if (State().grad_enabled) {  // what is written under no_grad keeps its history, as in eager mode
    if (!out->node() && egr::NeedsGrad(x) && phi::IsDifferentiable(out.dtype())) {
      egr::CutHistory(x);
    } else {
      x->ShareHistory(*out.impl());
      x->stop_gradient = out->stop_gradient;
    }
  }
  x->value = out->value;
  if (x.is_symbolic()) x->Become(phi::TensorState::Symbolic(out.extents(), out.dtype()));
  if (!out.is_symbolic()) {
    phi::CopyInto(out, x);
    x->storage()->BumpVersion();
  }
  egr::AfterRecordedWrite(x, before);
}

}  // namespace paddle
