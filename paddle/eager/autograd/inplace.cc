// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/inplace.h"

#include <algorithm>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/phi/core/tensor_copy.h"

namespace egr {

using common::Ints;
using phi::DataType;

namespace {

// The elements a tensor shows, counted in elements of its dtype or, where a view and its base differ in being complex,
// in real numbers.
struct Layout {
  Ints dims, strides;
  int64_t offset = 0;
  bool pairs = false;  // complex numbers, as pairs of real ones along a last axis
};
Layout LayoutOf(const Tensor& t, bool real_numbers) {
  Layout l{t.dims(), t.strides(), t->offset(), real_numbers && phi::IsComplex(t.dtype())};
  if (l.pairs) {
    for (int64_t& s : l.strides) s *= 2;
    l.offset *= 2;
    l.dims.push_back(2);
    l.strides.push_back(1);
  }
  return l;
}
bool InRealNumbers(const Tensor& view, const Tensor& base) {
  return phi::IsComplex(view.dtype()) != phi::IsComplex(base.dtype());
}
Tensor Spread(const Tensor& g, const Layout& l) { return l.pairs ? paddle::as_real(paddle::contiguous(g)) : g; }
Tensor Gathered(const Tensor& g, const Layout& l) { return l.pairs ? paddle::as_complex(paddle::contiguous(g)) : g; }

// The history of a view derived from its base: the base's gradient is the view's, where the view lies.
class ViewOfBaseGrad final : public GradNode {
 public:
  ViewOfBaseGrad(const Tensor& view, const Tensor& base)
      : view_(LayoutOf(view, InRealNumbers(view, base))), like_(LayoutOf(base, InRealNumbers(view, base))) {
    SetCounts(1, 1);
    SetInput(0, base);
  }
  const char* name() const override { return "AsStridedGrad"; }
  void Run(Tensor* g, Tensor* in, bool) override {
    if (!g[0].defined()) return;
    const Tensor like(phi::TensorState::Strided(like_.dims, like_.strides, 0, g[0].dtype(), {}));
    const Tensor sums = paddle::strided_sum(Spread(g[0], view_), paddle::memory_shape(like), view_.dims, view_.strides,
                                            view_.offset - like_.offset + paddle::first_place(like));
    in[0] = Gathered(paddle::laid_out_like(sums, like), like_);
  }

 private:
  Layout view_, like_;
};

// The history of a base after a write through one of its views: outside the view the old value, inside the new one.
class WriteViewGrad final : public GradNode {
 public:
  WriteViewGrad(const Tensor& base, const Tensor& view)
      : base_(LayoutOf(base, InRealNumbers(view, base))),
        view_(LayoutOf(view, InRealNumbers(view, base))),
        plain_(common::RowMajor(base_.dims, base_.strides)) {
    SetCounts(2, 1);
    SetInput(0, base);
  }
  const char* name() const override { return "WriteViewGrad"; }
  void Run(Tensor* g, Tensor* in, bool) override {
    if (!g[0].defined()) return;
    const auto [lowest, extent] = plain_ ? Reach{0, 0} : ReachOf(base_.dims, base_.strides);
    const int64_t offset = view_.offset - base_.offset - lowest;
    Tensor memory = paddle::contiguous(Spread(g[0], base_));  // the gradient, laid out as the base is
    if (!plain_)
      memory = paddle::as_strided_scatter(paddle::zeros_of({extent}, memory.dtype()), memory, base_.dims, base_.strides,
                                          -lowest);
    if (needs(1)) in[1] = Gathered(paddle::as_strided(memory, view_.dims, view_.strides, offset), view_);
    if (!needs(0)) return;
    memory = paddle::as_strided_scatter(memory, paddle::zeros_of(view_.dims, memory.dtype()), view_.dims, view_.strides,
                                        offset);
    in[0] = Gathered(plain_ ? memory : paddle::as_strided(memory, base_.dims, base_.strides, -lowest), base_);
  }

 private:
  Layout base_, view_;
  bool plain_;
};

// The history of a tensor that was given values of no history: none of its gradient reaches what it was.
class OverwrittenGrad final : public GradNode {
 public:
  explicit OverwrittenGrad(const Tensor& x) {
    SetCounts(1, 1);
    SetInput(0, x);
  }
  const char* name() const override { return "OverwrittenGrad"; }
  void Run(Tensor* g, Tensor* in, bool) override {
    if (g[0].defined()) in[0] = paddle::zeros_like_of(g[0]);
  }
};

// What `x` is a view of; null for a tensor of its own. A base that has taken other memory since left a tensor behind
// that stands for it.
phi::TensorImpl* BaseOf(phi::TensorImpl* x) {
  phi::TensorImpl* base = x->base().get();
  if (__builtin_expect(base && base->storage() && base->storage().get() != x->storage().get(), 0)) {
    Tensor stands;
    if (base->meta && x->storage())
      for (auto& [id, t] : static_cast<AutogradMeta&>(*base->meta).left)
        if (id == x->storage()->id()) stands = t;
    x->SetBase(Ref<phi::TensorImpl>(stands.impl()));
  }
  return x->base().get();
}

// x has the memory of `from` from now on and is no view; its version goes on. `handles`: how many of its memory the
// caller knows of, that of x included; where there are others, views of what x was may be among them.
void TakeMemory(const Tensor& x, const Tensor& from, uint32_t handles) {
  const uint32_t version = VersionOf(x);
  AutogradMeta& m = MetaOf(x);
  if (x->storage() && x->storage()->use_count() > handles && !IsView(x)) {
    Tensor stands = phi::WithoutData(x);
    stands->stop_gradient = x->stop_gradient;
    stands->ShareHistory(*x.impl());
    stands->SetGeneration(x->generation());
    m.left.emplace_back(x->storage()->id(), stands);
  }
  x->SetBase({});
  x->Become(from->state());
  m.replaced = x->storage() ? version + 1 - x->storage()->version() : 0;
}

// Whether nobody but the caller can see the memory of `result`.
bool IsFree(const Tensor& result, uint32_t handles) {
  return result->use_count() == handles && result->storage()->use_count() == 1 && result.is_contiguous();
}

bool MayBe(const common::Dims& a, const common::Dims& b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (a[i].known() && b[i].known() && a[i].raw() != b[i].raw()) return false;
  return true;
}

// `values` as a result of casting x.
Tensor CastOf(const Tensor& x, const Tensor& values) {
  Tensor t = paddle::cast(paddle::AliasWithHistory(x), values.dtype());
  phi::CopyInto(values, t);
  return t;
}

// The history of x once its memory holds new values: those of output `slot` of `node`, or, without one, of nothing.
void GiveHistory(Tensor& x, GradNode* node, int slot) {
  if (!State().grad_enabled) return;
  if (phi::TensorImpl* root = BaseOf(x.impl())) {
    Tensor base{Ref<phi::TensorImpl>(root)};
    if (!node && !NeedsGrad(base)) return;
    Ref<GradNode> w(new WriteViewGrad(base, x));
    if (node) w->edge(1) = {Ref<GradNode>(node), static_cast<uint16_t>(slot)};
    w->SetOutput(0, base);
    base->SetGeneration(base->generation() + 1);
    if (node) {
      node->SetOutput(slot, x);
      x->SetBaseGeneration(base->generation());
    } else {
      RefreshView(x);
    }
    return;
  }
  if (!node && (!NeedsGrad(x) || !x->node())) return;
  if (node)
    node->SetOutput(slot, x);
  else
    CutHistory(x);
  x->SetGeneration(x->generation() + 1);
}

[[noreturn]] void ThrowLeaf(const char* op) {
  PD_THROW(
      InvalidArgument, "[", op,
      "] expected a tensor that can be written in place, got a leaf tensor that needs gradients, or a view of one; "
      "paddle.no_grad() admits the write");
}

}  // namespace

Tensor StridedPlaces(const Ints& dims, const Ints& strides, int64_t offset) {
  Tensor at = paddle::full(Ints(dims.size(), 1), phi::Scalar(offset), DataType::INT64);
  for (int64_t i = 0; i < dims.size(); ++i) {
    Ints along(dims.size(), 1);
    along[i] = dims[i];
    const Tensor steps =
        paddle::arange(phi::Scalar(int64_t{0}), phi::Scalar(dims[i]), phi::Scalar(int64_t{1}), DataType::INT64);
    at = at + paddle::reshape(steps, along) * phi::Scalar(strides[i]);
  }
  return at;
}

void CutHistory(const Tensor& x) {
  Tensor same = x;
  Ref<GradNode>(new OverwrittenGrad(x))->SetOutput(0, same);
}
bool IsCut(const Tensor& x) { return dynamic_cast<OverwrittenGrad*>(x->node().get()) != nullptr; }

bool IsView(const Tensor& x) { return BaseOf(x.impl()) != nullptr; }

void MarkView(const Tensor& view, const Tensor& base) {
  if (view.is_symbolic()) return;
  phi::TensorImpl* of = BaseOf(base.impl());
  phi::TensorImpl* root = of ? of : base.impl();
  view->SetBase(Ref<phi::TensorImpl>(root));
  view->SetBaseGeneration(root->generation());
}

void RefreshStaleView(const Tensor& t) {
  phi::TensorImpl* root = BaseOf(t.impl());
  if (!root || root->generation() == t->base_generation()) return;
  t->SetBaseGeneration(root->generation());
  const Tensor base{Ref<phi::TensorImpl>(root)};
  if (!NeedsGrad(base)) return;
  Ref<GradNode> node(new ViewOfBaseGrad(t, base));
  Tensor self = t;
  node->SetOutput(0, self);
}

void RequireApartStrided(const Tensor& x, const char* op) {
  PD_CHECK(!MayOverlap(x.dims(), x.strides()), InvalidArgument, "[", op,
           "] expected a tensor whose elements have memory of their own, got one of strides ",
           common::ShapeText(x.strides()), " and shape ", common::ShapeText(x.dims()));
}

namespace {

// Whether an element of a and one of b may be the same memory; `same_counts`: also where all are, one by one.
bool MayShare(const Tensor& a, const Tensor& b, bool same_counts) {
  if (!a.defined() || !b.defined() || !phi::SameStorage(a, b)) return false;
  if (a.numel() == 0 || b.numel() == 0) return false;
  if (a.dtype() == b.dtype() && a.dims() == b.dims() && a.strides() == b.strides()) {
    if (a->offset() == b->offset()) return same_counts;
    Ints dims(a.dims().size() + 1, 2), strides(dims.size(), a->offset() - b->offset());
    for (int64_t i = 0; i < a.dims().size(); ++i) dims[i] = a.dims()[i], strides[i] = a.strides()[i];
    return MayOverlap(dims, strides);
  }
  const auto bytes = [](const Tensor& t) {
    const Reach r = ReachOf(t.dims(), t.strides());
    const int64_t size = phi::SizeOf(t.dtype()), first = (t->offset() + r.lowest) * size;
    return std::pair(first, first + r.extent * size);
  };
  const auto [a_first, a_end] = bytes(a);
  const auto [b_first, b_end] = bytes(b);
  return a_first < b_end && b_first < a_end;
}

}  // namespace

void RequireApart(const char* op, std::initializer_list<const Tensor*> written,
                  std::initializer_list<const Tensor*> read, bool by_element) {
  for (const Tensor* const* w = written.begin(); w != written.end(); ++w) {
    RequireApart(**w, op);
    for (const Tensor* const* v = written.begin(); v != w; ++v)
      PD_CHECK(!MayShare(**w, **v, true), InvalidArgument, "[", op,
               "] expected memory of its own for each tensor that is written, got two, of shapes ",
               common::ShapeText((*v)->dims()), " and ", common::ShapeText((*w)->dims()), ", that share elements");
    for (const Tensor* r : read)
      PD_CHECK(!MayShare(**w, *r, !by_element), InvalidArgument, "[", op,
               "] expected tensors to read apart from those that are written, got one of shape ",
               common::ShapeText(r->dims()), " that shares elements with one to write of shape ",
               common::ShapeText((*w)->dims()));
  }
}

void BeforeInplace(const Tensor& x, const char* op) {
  PD_CHECK(!phi::IsSelectedRows(x), InvalidArgument, "[", op,
           "] expected a dense tensor, got rows of a table; to_dense() makes a table of them");
  RefreshView(x);
  RequireApart(x, op);
  if (!State().grad_enabled) return;
  const phi::TensorImpl* base = BaseOf(x.impl());
  const phi::TensorImpl& root = base ? *base : *x.impl();
  if (!NeedsGrad(root)) return;
  if (!root.node()) ThrowLeaf(op);
}

void AfterInplace(Tensor& x, GradNode* node, int slot) {
  if (x->storage()) x->storage()->BumpVersion();
  GiveHistory(x, node, slot);
}

Tensor BeforeWrite(Tensor& x, const char* op, bool saved) {
  RequireFilled(x, op);
  if (State().record == RecordMode::kRecord) {
    // A symbolic leaf may stand for a tensor that is none.
    if (State().grad_enabled && !x.is_symbolic() && NeedsGrad(x) && IsLeaf(x)) ThrowLeaf(op);
    BeforeRecordedWrite(x);
    return x;
  }
  PD_CHECK(!x.is_symbolic(), PreconditionNotMet, "[", op, "] expected a tensor with data, got a value of a program");
  PD_CHECK(!x.is_dist(), Unimplemented, "[", op,
           "] expected a tensor that is not distributed, got one that is: this form has no rule of placements");
  BeforeInplace(x, op);
  // Memory of a tensor without a history may be somebody else's: it is written, never left.
  const bool own = x->node() && x->storage()->use_count() == 1;
  return saved && !own ? paddle::CloneWithHistory(x) : paddle::AliasWithHistory(x);
}

void WriteOver(Tensor& x, const Tensor& old, const Tensor& result, const char* op, bool saved, uint32_t handles) {
  PD_CHECK(!result.is_dist(), InvalidArgument, "[", op,
           "] expected a distributed tensor to write to, as others are, got a dense one");
  PD_CHECK(MayBe(x.extents(), result.extents()), InvalidArgument, "[", op, "] expected a result of the shape ",
           common::ShapeText(x.extents()), " of the tensor that is written in place, got ",
           common::ShapeText(result.extents()));
  if (State().record == RecordMode::kRecord) return paddle::ReplaceRecorded(x, result);
  Tensor traced = State().grad_enabled && NeedsGrad(result) && !result->node() ? paddle::assign(result) : result;
  if (State().amp_level != 0 && x.dtype() != traced.dtype() && phi::IsFloating(x.dtype()) &&
      phi::IsFloating(traced.dtype()))
    traced = paddle::cast(traced, x.dtype());
  Ref<GradNode> node(static_cast<GradNode*>(traced->node().get()));
  const int slot = traced->slot();
  const bool shared = old->storage().get() == x->storage().get();
  if (traced.dtype() != x.dtype()) {
    PD_CHECK(!IsView(x), InvalidArgument, "[", op, "] expected a result of the dtype of the view that is written, ",
             phi::NameOf(x.dtype()), ", got ", phi::NameOf(traced.dtype()));
    if (!State().grad_enabled && x->node() && phi::IsDifferentiable(traced.dtype())) {
      const GradModeGuard on(true);  // x keeps its history, by way of a cast
      traced = CastOf(x, traced);
      node = Ref<GradNode>(static_cast<GradNode*>(traced->node().get()));
    }
    const bool free = traced.is_same(result) && IsFree(result, handles + 1);
    TakeMemory(x, free ? result : phi::CopyOf(traced), 1 + shared);
    x->DropHistory();
    if (node && phi::IsDifferentiable(x.dtype())) node->SetOutput(traced->slot(), x);
    x->SetGeneration(x->generation() + 1);
    return;
  }
  if (saved && shared) {
    TakeMemory(x, traced.is_same(result) && IsFree(result, handles + 1) ? result : phi::CopyOf(traced), 1 + shared);
  } else {
    phi::CopyInto(traced, x);
    x->storage()->BumpVersion();
  }
  GiveHistory(x, node.get(), slot);
}

void Assume(Tensor& x, const Tensor& result) {
  PD_CHECK(!x.is_dist() && !result.is_dist(), Unimplemented,
           "[out] expected tensors that are not distributed, got one that is");
  const bool differentiable = State().grad_enabled && NeedsGrad(result);
  const Tensor value = differentiable && !result->node() ? paddle::assign(result) : result;
  Ref<GradNode> node(static_cast<GradNode*>(value->node().get()));
  const int slot = value->slot();
  // Memory that repeats places cannot hold a result: x leaves it.
  if (x->storage() && x.dims() == value.dims() && x.dtype() == value.dtype() && x->kind() == value->kind() &&
      !MayOverlap(x.dims(), x.strides())) {
    // A leaf takes other values as its own; a history it cannot take.
    const phi::TensorImpl* base = BaseOf(x.impl());
    const bool of_leaf = base && NeedsGrad(*base) && !base->node();
    if (of_leaf && differentiable) ThrowLeaf("out=");
    phi::CopyInto(value, x);
    x->storage()->BumpVersion();
    if (!of_leaf) GiveHistory(x, node.get(), slot);
    return;
  }
  TakeMemory(x, value, 1);
  if (node) {
    node->SetOutput(slot, x);
  } else if (x->node()) {  // that of other elements
    x->DropHistory();
    x->stop_gradient = value->stop_gradient;
  }
}

Tensor Apart(const Tensor& result, const Tensor& x) {
  if (result.is_symbolic()) {
    AutogradMeta& m = MetaOf(result);
    m.recorded_view.reset();
    m.apart = true;
  }
  if (result.is_symbolic() || !result->storage() || result->storage().get() != x->storage().get()) return result;
  Tensor own = phi::CopyOf(result);
  own->stop_gradient = result->stop_gradient;
  own->ShareHistory(*result.impl());
  return own;
}

void ShowAs(Tensor& x, const Tensor& result) {
  Ref<GradNode> node(static_cast<GradNode*>(result->node().get()));
  const int slot = result->slot();
  if (result->storage().get() != x->storage().get()) {
    TakeMemory(x, result, 1);
  } else {
    x->Become(result->state());
    x->storage()->BumpVersion();
  }
  if (node) node->SetOutput(slot, x);
}

}  // namespace egr
