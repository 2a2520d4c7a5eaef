// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/recorded_view.h"

#include <algorithm>

#include "paddle/common/op_traits.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/recorded_rules.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"

namespace egr {

using common::Ints;
using phi::AttrValue;

AutogradMeta::AutogradMeta() = default;
AutogradMeta::~AutogradMeta() = default;

RecordedView::RecordedView(const Tensor& view, const Tensor& of, RecordedStrides steps)
    : base(of), self(view.impl()), strides(std::move(steps)) {
  MetaOf(base).recorded_views.push_back(self);
}

RecordedView::~RecordedView() {
  if (AutogradMeta* m = MaybeMeta(base)) std::erase(m->recorded_views, self);
}

namespace {

RecordedView* ViewInfo(const Tensor& t) {
  AutogradMeta* m = MaybeMeta(t);
  return m ? m->recorded_view.get() : nullptr;
}

RecordedStrides RowMajor(const common::Dims& dims) {
  RecordedStrides strides(dims.size());
  for (int64_t i = dims.size() - 2; i >= 0; --i) strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

RecordedStrides StridesOf(const Tensor& t) {
  if (RecordedView* v = ViewInfo(t)) return v->strides;
  if (t.is_symbolic() || t.is_contiguous()) return RowMajor(t.extents());
  RecordedStrides strides;
  for (int64_t s : t.strides()) strides.push_back({s, common::Dim(1)});
  return strides;
}

bool IsRowMajor(const common::Dims& dims, const RecordedStrides& strides) {
  const RecordedStrides plain = RowMajor(dims);
  for (int64_t i = 0; i < dims.size(); ++i)
    if (!common::IsOne(dims[i]) && !(strides[i] == plain[i])) return false;
  return true;
}

// The strides by which the elements are seen with shape `to`; false where that takes a copy.
bool ReshapedStrides(const common::Dims& from, const RecordedStrides& strides, const common::Dims& to,
                     RecordedStrides* out) {
  *out = RowMajor(to);
  if (IsRowMajor(from, strides)) return true;
  for (common::Dim d : from)
    if (d.known() && d.raw() == 0) return true;
  // Axes of extent 1 say nothing about the memory.
  common::Dims old;
  RecordedStrides steps;
  for (int64_t i = 0; i < from.size(); ++i) {
    if (common::IsOne(from[i])) continue;
    old.push_back(from[i]);
    steps.push_back(strides[i]);
  }
  // From the last axis on, the fewest old and new axes that hold equally many elements.
  int64_t i = old.size(), j = to.size();
  while (i > 0) {
    int64_t k = i, l = j;
    common::Dim have(1);
    bool found = false;
    while (!found && k > 0) {
      have = have * old[--k];
      common::Dim want(1);
      for (l = j; l > 0 && !found;) {
        want = want * to[--l];
        found = common::SameDim(have, want);
      }
    }
    if (!found) return false;
    for (int64_t a = k; a + 1 < i; ++a)
      if (!(steps[a] == steps[a + 1] * old[a + 1])) return false;
    RecordedStride step = steps[i - 1];
    for (int64_t a = j - 1; a >= l; --a) {
      (*out)[a] = step;
      step = step * to[a];
    }
    i = k;
    j = l;
  }
  return true;
}

// A block of the base: [start, stop) with steps along axes, of which `drop` are taken away.
struct Part {
  Ints axes;
  phi::IntArray starts, stops, steps;
  Ints drop;
};

Tensor Take(const Tensor& base, const Part& p) {
  bool every = true;
  for (int64_t i = 0; i < p.steps.size(); ++i) every = every && p.steps[i].is(1);
  if (every) return paddle::slice(base, p.axes, p.starts, p.stops, Ints(p.axes.size(), 1), p.drop);
  Tensor r = paddle::strided_slice(base, p.axes, p.starts, p.stops, p.steps);
  return p.drop.empty() ? r : paddle::squeeze(r, p.drop);
}

void Add(const Tensor& view, const Tensor& base, RecordedStrides strides, std::function<Tensor(const Tensor&)> derive,
         std::function<Tensor(const Tensor&, const Tensor&)> scatter) {
  if (!view.defined() || view.is_same(base)) return;
  auto v = std::make_unique<RecordedView>(view, base, std::move(strides));
  v->derive = std::move(derive);
  v->scatter = std::move(scatter);
  MetaOf(view).recorded_view = std::move(v);
}

void AddPart(const Tensor& view, const Tensor& base, Part p) {
  RecordedStrides strides = StridesOf(base);
  const int64_t rank = base.ndim();
  for (int64_t i = 0; i < p.axes.size(); ++i) {
    RecordedStride& s = strides[common::NormalizeAxis("slice", p.axes[i], rank)];
    s = p.steps[i].known() ? s * p.steps[i].value() : RecordedStride{1, common::NewSymbol()};
  }
  common::SmallVector<bool, 8> gone(rank, false);
  for (int64_t a : p.drop) gone[common::NormalizeAxis("slice", a, rank)] = true;
  for (int64_t i = rank - 1; i >= 0; --i)
    if (gone[i]) strides.erase(strides.begin() + i);
  Add(
      view, base, std::move(strides), [p](const Tensor& b) { return Take(b, p); },
      [p](const Tensor& b, const Tensor& v) {
        return paddle::set_value_with_tensor(b, v, p.starts, p.stops, p.steps, p.axes, p.drop, Ints{});
      });
}

// The same elements in the same order.
void AddReshaped(const Tensor& view, const Tensor& base, std::function<Tensor(const Tensor&)> derive) {
  RecordedStrides strides;
  if (!ReshapedStrides(base.extents(), StridesOf(base), view.extents(), &strides)) return;  // a copy
  Add(view, base, std::move(strides), std::move(derive),
      [](const Tensor& b, const Tensor& v) { return paddle::reshape_like(v, b); });
}

bool FitsIn(const common::Dims& dims, const Ints& steps, int64_t offset, int64_t count) {
  int64_t low = offset, high = offset;
  for (int64_t i = 0; i < dims.size(); ++i) (steps[i] < 0 ? low : high) += (dims[i].raw() - 1) * steps[i];
  return low >= 0 && high < count;
}
// Elements at `offset` plus multiples of `steps` of the base in row-major order. A value is put back by the places of
// its elements, which must be `known` and differ.
void AddStrided(const Tensor& view, const Tensor& base, RecordedStrides strides, const Ints& steps, int64_t offset,
                bool known, std::function<Tensor(const Tensor&)> derive) {
  std::function<Tensor(const Tensor&, const Tensor&)> scatter;
  const common::Dims dims = view.extents();
  if (known && common::AllKnown(dims) && common::AllKnown(base.extents()) &&
      FitsIn(dims, steps, offset, common::Product(base.extents()).raw()) && !MayOverlap(common::ToInts(dims), steps)) {
    scatter = [dims = common::ToInts(dims), steps, offset](const Tensor& b, const Tensor& v) {
      const Tensor at = StridedPlaces(dims, steps, offset);
      const Tensor flat = paddle::reshape(b, Ints{-1});
      return paddle::reshape_like(
          paddle::scatter(flat, paddle::reshape(at, Ints{-1}), paddle::reshape(v, Ints{-1}), true), b);
    };
  }
  Add(view, base, std::move(strides), std::move(derive), std::move(scatter));
}

// The slices along an axis.
void AddPieces(const std::vector<Tensor>& views, const Tensor& base, int64_t axis) {
  for (int64_t at = 0; at < static_cast<int64_t>(views.size()); ++at)
    AddPart(views[at], base, {{axis}, {at}, {at + 1}, {1}, Ints{axis}});
}

// The cell stands for `value` from now on.
void SetCell(Recorder& r, const Tensor& cell, const Tensor& value) {
  r.BeforeWrite(cell);
  cell->value = value->value;
  if (!State().grad_enabled) return;
  cell->ShareHistory(*value.impl());
  cell->stop_gradient = value->stop_gradient;
}

void SpreadDown(Recorder& r, const Tensor& t, const phi::TensorImpl* except) {
  AutogradMeta* m = MaybeMeta(t);
  if (!m) return;
  const std::vector<phi::TensorImpl*> views = m->recorded_views;
  for (phi::TensorImpl* impl : views) {
    if (impl == except) continue;
    const Tensor view{phi::Ref<phi::TensorImpl>(impl)};
    RecordedView* info = ViewInfo(view);
    if (!info || !info->base.is_same(t)) continue;
    SetCell(r, view, info->derive(t));
    SpreadDown(r, view, nullptr);
  }
}

}  // namespace

void ViewReshape(const Viewing& c) {
  AddReshaped(c.out, c.base, [shape = c.attr<phi::IntArray>(0)](const Tensor& b) { return paddle::reshape(b, shape); });
}
void ViewFlatten(const Viewing& c) {
  const auto start = c.attr<int64_t>(0), stop = c.attr<int64_t>(1);
  AddReshaped(c.out, c.base, [start, stop](const Tensor& b) { return paddle::flatten(b, start, stop); });
}
void ViewSqueeze(const Viewing& c) {
  AddReshaped(c.out, c.base, [axis = c.attr<phi::IntArray>(0)](const Tensor& b) { return paddle::squeeze(b, axis); });
}
void ViewUnsqueeze(const Viewing& c) {
  AddReshaped(c.out, c.base, [axis = c.attr<phi::IntArray>(0)](const Tensor& b) { return paddle::unsqueeze(b, axis); });
}
void ViewTranspose(const Viewing& c) {
  const Ints perm = c.attr<Ints>(0);
  const RecordedStrides from = StridesOf(c.base);
  RecordedStrides strides;
  for (int64_t p : perm) strides.push_back(from[common::NormalizeAxis("transpose", p, c.base.ndim())]);
  Add(
      c.out, c.base, std::move(strides), [perm](const Tensor& b) { return paddle::transpose(b, perm); },
      [perm](const Tensor&, const Tensor& v) { return paddle::transpose(v, paddle::inverse_perm(perm)); });
}
void ViewDiagonal(const Viewing& c) {
  const auto offset = c.attr<int64_t>(0);
  const int64_t a = c.axis("diagonal", 1), b = c.axis("diagonal", 2);
  const RecordedStrides from = StridesOf(c.base);
  RecordedStrides strides;
  for (int64_t i = 0; i < c.base.ndim(); ++i)
    if (i != a && i != b) strides.push_back(from[i]);
  // A sum of steps that are not known is one of its own.
  strides.push_back(common::SameDim(from[a].extent, from[b].extent)
                        ? RecordedStride{from[a].factor + from[b].factor, from[a].extent}
                        : RecordedStride{1, common::NewSymbol()});
  Add(
      c.out, c.base, std::move(strides), [=](const Tensor& t) { return paddle::diagonal(t, offset, a, b); },
      [=](const Tensor& t, const Tensor& v) { return paddle::fill_diagonal_tensor(t, v, offset, a, b); });
}
void ViewAsStrided(const Viewing& c) {
  const Ints dims = c.attr<Ints>(0), steps = c.attr<Ints>(1);
  const auto offset = c.attr<int64_t>(2);
  RecordedStrides strides;
  for (int64_t step : steps) strides.push_back({step, common::Dim(1)});
  AddStrided(c.out, c.base, std::move(strides), steps, offset, IsRowMajor(c.base.extents(), StridesOf(c.base)),
             [=](const Tensor& b) { return paddle::as_strided(b, dims, steps, offset); });
}
void ViewUnfold(const Viewing& c) {
  const int64_t axis = c.axis("unfold", 0);
  const auto size = c.attr<int64_t>(1), step = c.attr<int64_t>(2);
  auto windows = [&](RecordedStrides strides) {
    const RecordedStride along = c.base.ndim() ? strides[axis] : RecordedStride{};
    if (c.base.ndim()) strides[axis] = along * step;
    strides.push_back(along);
    return strides;
  };
  Ints steps;
  bool known = true;
  for (const RecordedStride& s : windows(RowMajor(c.base.extents()))) {
    known = known && common::IsOne(s.extent);
    steps.push_back(s.factor);
  }
  AddStrided(c.out, c.base, windows(StridesOf(c.base)), steps, 0, known,
             [=](const Tensor& b) { return paddle::tensor_unfold(b, axis, size, step); });
}
// The strides of a tensor of complex numbers, counted in their parts.
static RecordedStrides StridesOfParts(const Tensor& t) {
  RecordedStrides strides = StridesOf(t);
  for (RecordedStride& s : strides) s = s * int64_t{2};
  return strides;
}
void ViewAsReal(const Viewing& c) {
  RecordedStrides strides = StridesOfParts(c.base);
  strides.push_back({1, common::Dim(1)});
  Add(
      c.out, c.base, std::move(strides), [](const Tensor& b) { return paddle::as_real(b); },
      [](const Tensor&, const Tensor& v) { return paddle::as_complex(v); });
}
void ViewAsComplex(const Viewing& c) {
  RecordedStrides strides = StridesOf(c.base);
  bool pairs = strides.back() == RecordedStride{};
  strides.pop_back();
  for (RecordedStride& s : strides) {
    pairs = pairs && s.factor % 2 == 0;
    s.factor /= 2;
  }
  if (!pairs) return;  // a copy
  Add(
      c.out, c.base, std::move(strides), [](const Tensor& b) { return paddle::as_complex(b); },
      [](const Tensor&, const Tensor& v) { return paddle::as_real(v); });
}
void ViewReal(const Viewing& c) {
  if (!phi::IsComplex(c.base.dtype()))
    return AddReshaped(c.out, c.base, [](const Tensor& b) { return paddle::real(b); });
  Add(
      c.out, c.base, StridesOfParts(c.base), [](const Tensor& b) { return paddle::real(b); },
      [](const Tensor& b, const Tensor& v) { return paddle::complex(v, paddle::imag(b)); });
}
void ViewImag(const Viewing& c) {
  Add(
      c.out, c.base, StridesOfParts(c.base), [](const Tensor& b) { return paddle::imag(b); },
      [](const Tensor& b, const Tensor& v) { return paddle::complex(paddle::real(b), v); });
}
void ViewDtype(const Viewing& c) {
  const auto dtype = c.attr<phi::DataType>(0), of = c.base.dtype();
  const bool alike = phi::SizeOf(dtype) == phi::SizeOf(of);
  if (!alike && !IsRowMajor(c.base.extents(), StridesOf(c.base))) return;  // a copy
  Add(
      c.out, c.base, StridesOf(alike ? c.base : c.out),
      [dtype](const Tensor& b) { return paddle::view_dtype(b, dtype); },
      [of](const Tensor&, const Tensor& v) { return paddle::view_dtype(v, of); });
}
void ViewSlice(const Viewing& c) {
  const Ints axes = c.attr<Ints>(0);
  AddPart(c.out, c.base,
          {axes, c.attr<phi::IntArray>(1), c.attr<phi::IntArray>(2), Ints(axes.size(), 1), c.attr<Ints>(4)});
}
void ViewStridedSlice(const Viewing& c) {
  AddPart(c.out, c.base,
          {c.attr<Ints>(0), c.attr<phi::IntArray>(1), c.attr<phi::IntArray>(2), c.attr<phi::IntArray>(3), Ints{}});
}

void MarkRecordedViews(const phi::OpDef& op, const phi::InSlot* in, const AttrValue* attrs, phi::OutSlot* outs) {
  if (in[0].n != 1 || !in[0].p[0].defined()) return;
  const Tensor base = in[0].p[0];
  if (const RecordedRules* rules = RecordedRulesOf(op); rules && rules->view) {
    const Tensor out = outs[0].p ? *outs[0].p : Tensor();
    return rules->view({base, out, attrs});
  }
  if (outs[0].list && common::TraitsOf(op.name).movement == common::Movement::kUnbind)
    AddPieces(*outs[0].list, base, Viewing{base, base, attrs}.axis(op.name, 0));
}

void MarkRecordedDetach(const Tensor& view, const Tensor& base) {
  Add(
      view, base, StridesOf(base),
      [](const Tensor& b) {
        const GradModeGuard off(false);
        return paddle::assign(b);
      },
      [](const Tensor&, const Tensor& v) { return v; });
  MetaOf(view).recorded_view->detached = true;
}

bool IsApart(const Tensor& t, const Recorder& recorder) {
  Tensor root = t;
  while (RecordedView* v = ViewInfo(root)) root = v->base;
  AutogradMeta* m = MaybeMeta(root);
  return (m && m->apart) || recorder.IsMade(root);
}

void BeforeRecordedValues(const Tensor& t, const Recorder& recorder) {
  Tensor root = t;
  for (RecordedView* v = ViewInfo(root); v; v = ViewInfo(root)) {
    if (v->detached) return;
    root = v->base;
  }
  PD_CHECK(!State().grad_enabled || root.is_same(t) || !NeedsGrad(root) || root->node() || recorder.IsMade(root),
           Unimplemented,
           "[out] expected a tensor of its own while recording, or values with a gradient, got a view of an input that "
           "needs a gradient and values that do not: whether that input is a leaf is not known");
}

void BeforeRecordedWrite(const Tensor& t) {
  Tensor root = t;
  while (RecordedView* v = ViewInfo(root)) {
    if (v->detached) return;
    PD_CHECK(v->scatter, Unimplemented,
             "[in-place] expected a view whose elements have places of their own that are known while recording, got a "
             "strided view that has not");
    root = v->base;
  }
  if (!State().grad_enabled || root.is_same(t)) return;
  // An input of the program may stand for a tensor that is no leaf.
  PD_CHECK(
      root.is_symbolic() || !(NeedsGrad(root) && IsLeaf(root)), InvalidArgument,
      "[in-place] expected a tensor that can be written in place, got a view of a leaf tensor that needs gradients");
}

Tensor FittedToViews(const Tensor& t, const Tensor& value) {
  const AutogradMeta* m = MaybeMeta(t);
  if (!State().recorder || !value.is_symbolic() || !m || (!m->recorded_view && m->recorded_views.empty())) return value;
  if (common::SameDims(t.extents(), value.extents()) || !common::MayMatch(t.extents(), value.extents())) return value;
  return paddle::expand_as(value, t);
}

void AfterRecordedWrite(const Tensor& t, const common::Dims& before) {
  AutogradMeta* m = MaybeMeta(t);
  DispatchState& s = State();
  if (!s.recorder || !m || (!m->recorded_view && m->recorded_views.empty())) return;
  if (!common::SameDims(before, t.extents())) {  // it has taken other memory
    m->recorded_view.reset();
    for (phi::TensorImpl* view : std::vector<phi::TensorImpl*>(m->recorded_views))
      MetaOf(Tensor(phi::Ref<phi::TensorImpl>(view))).recorded_view.reset();
    return;
  }
  SpreadDown(*s.recorder, t, nullptr);
  const GradModeGuard mode(s.grad_enabled);
  for (Tensor at = t; RecordedView* v = ViewInfo(at);) {
    const Tensor base = v->base;
    if (v->detached) s.grad_enabled = false;  // values only: the base and its views keep their history
    SetCell(*s.recorder, base, v->scatter(base, at));
    SpreadDown(*s.recorder, base, at.impl());
    at = base;
  }
}

void ShowRecordedAs(Tensor& x, const std::function<Tensor(const Tensor&)>& show) {
  if (!x.is_symbolic()) return paddle::ReplaceRecorded(x, show(x));
  RequireFilled(x, "in-place");
  PD_CHECK(State().recorder, InvalidArgument,
           "[in-place] expected tensors with data where nothing is being recorded, got a value of a program");
  // What x was, with its base and its views, becomes a tensor of its own of which x is a view.
  Tensor was = State().recorder->Wrap(State().recorder->ValueOf(x));
  was->stop_gradient = x->stop_gradient;
  if (NeedsGrad(x)) {
    const Edge e = GradEdge(x);
    was->SetHistory(Ref<phi::RefCounted>(e.node.get()), e.slot);
  }
  if (AutogradMeta* m = MaybeMeta(x)) {
    AutogradMeta& w = MetaOf(was);
    w.recorded_views = std::move(m->recorded_views);
    m->recorded_views.clear();
    for (phi::TensorImpl* view : w.recorded_views) static_cast<AutogradMeta&>(*view->meta).recorded_view->base = was;
    if (auto info = std::move(m->recorded_view)) {
      auto& views = MetaOf(info->base).recorded_views;
      std::replace(views.begin(), views.end(), info->self, was.impl());
      info->self = was.impl();
      w.recorded_view = std::move(info);
    }
  }
  Tensor out = show(was);
  State().recorder->BeforeWrite(x);
  x->value = out->value;
  x->ShareHistory(*out.impl());
  x->Become(out->state());
  if (AutogradMeta* o = MaybeMeta(out); o && o->recorded_view) {
    auto info = std::move(o->recorded_view);
    auto& views = MetaOf(was).recorded_views;
    std::replace(views.begin(), views.end(), info->self, x.impl());
    info->self = x.impl();
    MetaOf(x).recorded_view = std::move(info);
  }
}

}  // namespace egr
