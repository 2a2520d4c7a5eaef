// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/recorded_view.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/phi/api/ops.h"

namespace egr {

using common::Ints;
using phi::AttrValue;

AutogradMeta::AutogradMeta() = default;
AutogradMeta::~AutogradMeta() = default;

RecordedView::RecordedView(const Tensor& view, const Tensor& of, bool row_major)
    : base(of), self(view.impl()), contiguous(row_major) {
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

bool IsRowMajor(const Tensor& t) {
  if (RecordedView* v = ViewInfo(t)) return v->contiguous;
  return t.is_symbolic() || t.is_contiguous();
}

// A block of the base: [start, stop) with steps along axes, of which `drop` are taken away.
struct Part {
  Ints axes, starts, stops, steps, drop;
};

Tensor Take(const Tensor& base, const Part& p) {
  if (std::all_of(p.steps.begin(), p.steps.end(), [](int64_t s) { return s == 1; }))
    return paddle::slice(base, p.axes, p.starts, p.stops, Ints(p.axes.size(), 1), p.drop);
  Tensor r = paddle::strided_slice(base, p.axes, p.starts, p.stops, p.steps);
  return p.drop.empty() ? r : paddle::squeeze(r, p.drop);
}

// Whether a block of a row-major tensor lies without gaps.
bool IsRun(const common::Dims& dims, const Part& p) {
  int64_t last = -1;
  for (int64_t a : p.axes) last = std::max(last, common::NormalizeAxis("slice", a, dims.size()));
  for (int64_t i = 0; i < last; ++i)
    if (!common::IsOne(dims[i])) return false;
  return std::all_of(p.steps.begin(), p.steps.end(), [](int64_t s) { return s == 1; });
}

void Add(const Tensor& view, const Tensor& base, bool contiguous, std::function<Tensor(const Tensor&)> derive,
         std::function<Tensor(const Tensor&, const Tensor&)> scatter) {
  if (!view.defined() || view.is_same(base)) return;
  auto v = std::make_unique<RecordedView>(view, base, contiguous);
  v->derive = std::move(derive);
  v->scatter = std::move(scatter);
  MetaOf(view).recorded_view = std::move(v);
}

void AddPart(const Tensor& view, const Tensor& base, Part p) {
  const bool run = IsRowMajor(base) && IsRun(base.shape(), p);
  Add(
      view, base, run, [p](const Tensor& b) { return Take(b, p); },
      [p](const Tensor& b, const Tensor& v) {
        return paddle::set_value_with_tensor(b, v, p.starts, p.stops, p.steps, p.axes, p.drop, Ints{});
      });
}

// The same elements in the same order.
void AddReshaped(const Tensor& view, const Tensor& base, std::function<Tensor(const Tensor&)> derive) {
  if (!IsRowMajor(base)) return;  // a copy
  Add(view, base, true, std::move(derive), [](const Tensor& b, const Tensor& v) { return paddle::reshape_like(v, b); });
}

template <class T>
T Attr(const AttrValue& v) {
  return phi::AttrAs<T>(v, "view", "attribute");
}

// The parts of a split or unbind, one after another along an axis; false where an extent is not known.
void AddPieces(const std::vector<Tensor>& views, const Tensor& base, int64_t axis, bool dropped) {
  int64_t at = 0;
  for (const Tensor& v : views) {
    common::Dim n = dropped ? common::Dim(1) : v.shape()[axis];
    if (!n.known()) return;
    AddPart(v, base, {{axis}, {at}, {at + n.raw()}, {1}, dropped ? Ints{axis} : Ints{}});
    at += n.raw();
  }
}

// The cell stands for `value` from now on.
void SetCell(Recorder& r, const Tensor& cell, const Tensor& value) {
  r.BeforeWrite(cell);
  cell->value = value->value;
  if (!State().grad_enabled && !cell->node && !value->node) return;  // a leaf written without history
  cell->node = value->node;
  cell->slot = value->slot;
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

bool SameShape(const common::Dims& a, const common::Dims& b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (!common::SameDim(a[i], b[i])) return false;
  return true;
}

}  // namespace

void MarkRecordedViews(const phi::OpDef& op, const phi::InSlot* in, const AttrValue* attrs, phi::OutSlot* outs) {
  enum Kind { kReshape, kFlatten, kSqueeze, kUnsqueeze, kTranspose, kSlice, kStridedSlice, kSplit, kUnbind };
  static const auto* kinds = new std::unordered_map<std::string_view, Kind>{{"reshape", kReshape},
                                                                            {"flatten", kFlatten},
                                                                            {"squeeze", kSqueeze},
                                                                            {"unsqueeze", kUnsqueeze},
                                                                            {"transpose", kTranspose},
                                                                            {"slice", kSlice},
                                                                            {"strided_slice", kStridedSlice},
                                                                            {"split", kSplit},
                                                                            {"split_with_num", kSplit},
                                                                            {"unbind", kUnbind}};
  auto it = kinds->find(op.name);
  if (it == kinds->end() || in[0].n != 1 || !in[0].p[0].defined()) return;
  const Tensor base = in[0].p[0];
  const Tensor out = outs[0].p ? *outs[0].p : Tensor();
  switch (it->second) {
    case kReshape:
      return AddReshaped(out, base,
                         [shape = Attr<Ints>(attrs[0])](const Tensor& b) { return paddle::reshape(b, shape); });
    case kFlatten: {
      auto start = Attr<int64_t>(attrs[0]), stop = Attr<int64_t>(attrs[1]);
      return AddReshaped(out, base, [start, stop](const Tensor& b) { return paddle::flatten(b, start, stop); });
    }
    case kSqueeze:
    case kUnsqueeze: {
      const Ints axis = Attr<Ints>(attrs[0]);
      const bool more = it->second == kUnsqueeze;
      return Add(
          out, base, IsRowMajor(base),
          [axis, more](const Tensor& b) { return more ? paddle::unsqueeze(b, axis) : paddle::squeeze(b, axis); },
          [](const Tensor& b, const Tensor& v) { return paddle::reshape_like(v, b); });
    }
    case kTranspose: {
      const Ints perm = Attr<Ints>(attrs[0]);
      return Add(
          out, base, false, [perm](const Tensor& b) { return paddle::transpose(b, perm); },
          [perm](const Tensor&, const Tensor& v) { return paddle::transpose(v, paddle::inverse_perm(perm)); });
    }
    case kSlice: {
      const Ints axes = Attr<Ints>(attrs[0]);
      return AddPart(out, base,
                     {axes, Attr<Ints>(attrs[1]), Attr<Ints>(attrs[2]), Ints(axes.size(), 1), Attr<Ints>(attrs[4])});
    }
    case kStridedSlice:
      return AddPart(out, base,
                     {Attr<Ints>(attrs[0]), Attr<Ints>(attrs[1]), Attr<Ints>(attrs[2]), Attr<Ints>(attrs[3]), {}});
    case kSplit: {
      const phi::Scalar axis = Attr<phi::Scalar>(attrs[op.attrs.size() - 1]);
      if (outs[0].list && !HasDeferred(attrs[op.attrs.size() - 1]))
        AddPieces(*outs[0].list, base, common::NormalizeAxis("split", axis.to_int(), base.ndim()), false);
      return;
    }
    case kUnbind:
      if (outs[0].list)
        AddPieces(*outs[0].list, base, common::NormalizeAxis("unbind", Attr<int64_t>(attrs[0]), base.ndim()), true);
      return;
  }
}

void BeforeRecordedWrite(const Tensor& t) {
  if (!State().grad_enabled || !ViewInfo(t)) return;
  Tensor root = t;
  while (RecordedView* v = ViewInfo(root)) root = v->base;
  // An input of the program may stand for a tensor that is no leaf.
  PD_CHECK(
      root.is_symbolic() || !(NeedsGrad(root) && IsLeaf(root)), InvalidArgument,
      "[in-place] expected a tensor that can be written in place, got a view of a leaf tensor that needs gradients: "
      "leaf Variable can't use inplace strategy");
}

void AfterRecordedWrite(const Tensor& t, const common::Dims& before) {
  AutogradMeta* m = MaybeMeta(t);
  DispatchState& s = State();
  if (!s.recorder || !m || (!m->recorded_view && m->recorded_views.empty())) return;
  if (!SameShape(before, t.shape())) {
    m->recorded_view.reset();
    for (phi::TensorImpl* view : std::vector<phi::TensorImpl*>(m->recorded_views))
      MetaOf(Tensor(phi::Ref<phi::TensorImpl>(view))).recorded_view.reset();
    return;
  }
  SpreadDown(*s.recorder, t, nullptr);
  for (Tensor at = t; RecordedView* v = ViewInfo(at);) {
    const Tensor base = v->base;
    SetCell(*s.recorder, base, v->scatter(base, at));
    SpreadDown(*s.recorder, base, at.impl());
    at = base;
  }
}

}  // namespace egr
