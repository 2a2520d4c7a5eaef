// SPDX-License-Identifier: Apache-2.0
// x[key] and x[key] = value. The basic part of a key makes one strided view through autograd; index tensors then index
// that view (advanced indexing).
#include <algorithm>
#include <string_view>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/pybind/index_key.h"
#include "paddle/jit/writes.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/watched.h"

namespace paddle::py {
namespace {

// The basic part as ops that programs can hold.
Tensor RecordedView(const Tensor& x, const Parsed& p) {
  Tensor r = x;
  Ints axes, drop, infer;
  phi::IntArray starts, ends, steps;
  bool strided = false;
  for (const BasicStep& s : p.steps) {
    axes.push_back(s.axis);
    starts.push_back(s.start);
    ends.push_back(s.stop);
    steps.push_back(s.step);
    infer.push_back(s.start.known() && s.stop.known() ? 1 : -1);
    strided = strided || !s.step.is(1);
    if (s.drop) drop.push_back(s.axis);
  }
  if (!axes.empty()) {
    if (strided) {
      r = paddle::strided_slice(r, axes, starts, ends, steps);
      if (!drop.empty()) r = paddle::squeeze(r, drop);
    } else {
      r = paddle::slice(r, axes, starts, ends, infer, drop);
    }
  }
  if (!p.new_axes.empty()) r = paddle::unsqueeze(r, p.new_axes);
  return r;
}

Tensor BasicView(const Tensor& x, const Parsed& p) {
  if (!p.changed) return x;
  if (Recording(x)) return RecordedView(x, p);
  return paddle::as_strided(x, p.dims, p.strides, p.offset);
}

// The advanced axes first, then the others, as a permutation of the view's axes.
Ints FrontPerm(const Parsed& p, int64_t rank) {
  Ints perm = p.axes;
  for (int64_t i = 0; i < rank; ++i)
    if (std::find(p.axes.begin(), p.axes.end(), i) == p.axes.end()) perm.push_back(i);
  return perm;
}
bool IsIdentity(const Ints& perm) {
  for (int64_t i = 0; i < perm.size(); ++i)
    if (perm[i] != i) return false;
  return true;
}
bool Adjacent(const Ints& axes) {
  for (int64_t i = 1; i < axes.size(); ++i)
    if (axes[i] != axes[i - 1] + 1) return false;
  return true;
}

// All index tensors broadcast to one shape.
void BroadcastIndices(std::vector<Tensor>* indices) {
  if (indices->size() == 1) return;
  common::Dims shape;
  for (const Tensor& t : *indices) shape = common::BroadcastDims("index", shape, t.extents());
  for (Tensor& t : *indices) {
    const common::Dims have = t.extents();
    bool same = have.size() == shape.size();
    for (int64_t i = 0; same && i < shape.size(); ++i) same = common::SameDim(have[i], shape[i]);
    if (same) continue;
    t = paddle::expand(t, shape);
    if (!t.is_symbolic()) t = phi::Contiguous(t);
  }
}

// [dims of the index..., k]: what gather_nd takes.
Tensor Stacked(const std::vector<Tensor>& indices) {
  if (indices.size() == 1) return paddle::unsqueeze(indices[0], Ints{-1});
  return paddle::stack(indices, -1);
}

// Where the axes of the advanced result stand: the permutation from [index..., rest...] to NumPy's order.
Ints ResultPerm(const Parsed& p, int64_t index_rank, int64_t rest) {
  int64_t first = Adjacent(p.axes) ? p.axes[0] : 0;
  Ints perm;
  for (int64_t i = 0; i < first; ++i) perm.push_back(index_rank + i);
  for (int64_t i = 0; i < index_rank; ++i) perm.push_back(i);
  for (int64_t i = first; i < rest; ++i) perm.push_back(index_rank + i);
  return perm;
}

Tensor GatherNd(const Tensor& x, const Tensor& index) {
  PyRef a = Own(ToPy(x)), b = Own(ToPy(index));
  PyRef r = Own(CallOp("gather_nd", {a.get(), b.get()}));
  return ToTensor(r.get(), "gather_nd", "out");
}

// Whether several elements lie at one place, as after expand.
bool Overlaps(const Tensor& x) {
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (x.strides()[i] == 0 && x.dim(i) > 1) return true;
  return false;
}

// A bool mask whose values are known only when the program runs.
bool IsRecordedMask(PyObject* key) {
  return IsTensor(key) && AsTensor(key).defined() && AsTensor(key).is_symbolic() &&
         AsTensor(key).dtype() == DataType::BOOL && AsTensor(key).ndim() > 0;
}
Tensor Masked(const Tensor& x, const Tensor& mask) {
  PD_CHECK(mask.ndim() <= x.ndim(), OutOfRange, "[index] expected a mask of at most ", x.ndim(), " dimensions, got ",
           mask.ndim());
  for (int64_t i = 0; i < mask.ndim(); ++i) common::RequireEq("index", "extent", x.extents()[i], mask.extents()[i]);
  return mask.ndim() == x.ndim() ? paddle::masked_select(x, mask) : GatherNd(x, paddle::nonzero(mask));
}

Tensor GetItem(const Tensor& x, PyObject* key) {
  if (IsRecordedMask(key)) return Masked(x, AsTensor(key));
  // The gradient of a view is written through its strides, which needs a place for each element.
  if (!Recording(x) && !x.is_contiguous() && egr::NeedsGrad(x) && Overlaps(x))
    return GetItem(paddle::contiguous(x), key);
  Parsed p = ParseKey(x, key);
  if (p.indices.empty() && !p.changed && !Recording(x)) return paddle::as_strided(x, p.dims, p.strides, 0);
  Tensor view = BasicView(x, p);
  if (p.indices.empty()) return view.is_same(x) ? paddle::slice(x, {}, {}, {}, {}, {}) : view;
  int64_t rank = view.ndim(), k = static_cast<int64_t>(p.indices.size());
  BroadcastIndices(&p.indices);
  int64_t index_rank = p.indices[0].ndim();
  Ints perm = FrontPerm(p, rank);
  Tensor front = IsIdentity(perm) ? view : paddle::transpose(view, perm);
  Tensor out = GatherNd(front, Stacked(p.indices));
  Ints back = ResultPerm(p, index_rank, rank - k);
  return IsIdentity(back) ? out : paddle::transpose(out, back);
}

Tensor ValueFor(const Tensor& x, PyObject* value) {
  Scalar s;
  Tensor v;
  if (IsTensor(value)) {
    v = WholeOf(ToTensor(value, "__setitem__", "value"));
    PD_CHECK(phi::IsComplex(x.dtype()) || !phi::IsComplex(v.dtype()), InvalidType,
             "[__setitem__] expected a real value for ", NameOf(x.dtype()), ", got one of ", NameOf(v.dtype()));
  } else if (NumberOf(value, &s)) {
    if (s.dtype() == DataType::COMPLEX128 && !phi::IsComplex(x.dtype()))
      RaiseTypeError("cannot assign a complex number to a tensor of a real dtype");
    CheckFits(value, x, "__setitem__", "value");
    return paddle::full({}, s, x.dtype());
  } else {
    v = TensorFromData(value, x.dtype());
  }
  return v.dtype() == x.dtype() ? v : paddle::cast(v, x.dtype());
}

// Without history: straight into the memory.
bool Plain(const Tensor& x, const Tensor& value) {
  return !Recording(x) && !value.is_symbolic() &&
         !(egr::State().grad_enabled && (egr::NeedsGrad(x) || egr::NeedsGrad(value)));
}

// `v` as a tensor of shape `dims` without copying (stride 0 along repeated axes); extra leading axes of 1 are dropped.
Tensor BroadcastView(const Tensor& v, const Ints& dims) {
  Ints strides(dims.size(), 0);
  int64_t lead = v.ndim() - dims.size();
  for (int64_t i = 0; i < lead; ++i)
    PD_CHECK(v.dim(i) == 1, InvalidArgument, "[__setitem__] expected a value that broadcasts to ",
             common::ShapeText(dims), ", got shape ", common::ShapeText(v.dims()));
  for (int64_t i = std::max<int64_t>(lead, 0); i < v.ndim(); ++i) {
    int64_t at = i - lead;
    PD_CHECK(v.dim(i) == dims[at] || v.dim(i) == 1, InvalidArgument,
             "[__setitem__] expected a value that broadcasts to ", common::ShapeText(dims), ", got shape ",
             common::ShapeText(v.dims()));
    strides[at] = v.dim(i) == 1 ? 0 : v.strides()[i];
  }
  return phi::ViewOf(v, dims, strides, v->offset());
}

Tensor Untangled(const Tensor& value, const Tensor& x) {
  if (value->storage().get() != x->storage().get()) return value;
  Tensor copy = phi::Empty(value.dims(), value.dtype());
  phi::CopyInto(value, copy);
  return copy;
}

PyRef IndexList(const std::vector<Tensor>& indices) { return Own(Wrap(std::vector<Tensor>(indices))); }

void SetAdvanced(const Tensor& x, Parsed& p, Tensor value) {
  Tensor view = BasicView(x, p);
  if (!view.is_symbolic()) egr::RequireApart(view, "__setitem__");
  int64_t rank = view.ndim(), k = static_cast<int64_t>(p.indices.size());
  BroadcastIndices(&p.indices);
  int64_t index_rank = p.indices[0].ndim();
  Ints perm = FrontPerm(p, rank), back = ResultPerm(p, index_rank, rank - k);
  // The value is given in the order of x[key]; index_put wants [index..., rest...].
  if (!IsIdentity(back)) {
    common::Dims front_dims = p.indices[0].extents(), dims;
    for (int64_t i = k; i < rank; ++i) front_dims.push_back(paddle::dim_at(view, perm[i]));
    for (int64_t b : back) dims.push_back(front_dims[b]);
    Ints inverse(back.size(), 0);
    for (int64_t i = 0; i < back.size(); ++i) inverse[back[i]] = i;
    if (value.ndim() > 0) value = paddle::transpose(paddle::expand(value, dims), inverse);
  } else {
    // Leading axes of 1 that x[key] does not have are dropped.
    int64_t result_rank = index_rank + rank - k;
    Ints drop;
    for (int64_t i = 0; i < value.ndim() - result_rank; ++i) drop.push_back(i);
    if (!drop.empty()) value = paddle::squeeze(value, drop);
  }
  PyRef indices = IndexList(p.indices), v = Own(ToPy(value));
  Tensor target = IsIdentity(perm) ? view : paddle::transpose(view, perm);
  PyRef t = Own(ToPy(target));
  PyRef r = Own(CallOp("index_put_", {t.get(), indices.get(), v.get(), Py_False}));
}

void SetItem(const Tensor& x, PyObject* key, PyObject* value_object) {
  if (IsRecordedMask(key) && AsTensor(key).ndim() == x.ndim()) {
    Tensor value = ValueFor(x, value_object);
    PD_CHECK(value->numel() == 1, Unimplemented,
             "[__setitem__] expected one value under a mask that is being recorded, got shape ",
             common::ShapeText(value.extents()));
    jit::Rebind(x, paddle::where(AsTensor(key), value, x));
    return;
  }
  // Reading the value or the key may run Python code that changes x.
  Tensor value = ValueFor(x, value_object);
  Parsed p = ParseKey(x, key);
  if (value.dtype() != x.dtype()) value = paddle::cast(value, x.dtype());
  if (Recording(x)) {
    // The slice is scattered back and x takes the result.
    if (!p.indices.empty() && !p.changed && IsIdentity(FrontPerm(p, x.ndim()))) {
      PyRef xs = Own(ToPy(x)), v = Own(ToPy(value)), indices = Own(Wrap(std::vector<Tensor>(p.indices)));
      PyRef r = Own(CallOp("index_put", {xs.get(), indices.get(), v.get(), Py_False}));
      jit::Rebind(x, ToTensor(r.get(), "__setitem__", "out"));
      return;
    }
    if (!p.indices.empty()) {
      SetAdvanced(x, p, value);
      return;
    }
    if (!p.new_axes.empty()) {
      Tensor view = BasicView(x, p);
      ReplaceRecorded(view, paddle::expand_like(value, view));
      return;
    }
    Ints axes, drop;
    phi::IntArray starts, ends, steps;
    for (const BasicStep& s : p.steps) {
      axes.push_back(s.axis);
      starts.push_back(s.start);
      ends.push_back(s.stop);
      steps.push_back(s.step);
      if (s.drop) drop.push_back(s.axis);
    }
    jit::Rebind(x, paddle::set_value_with_tensor(x, value, starts, ends, steps, axes, drop, {}));
    return;
  }
  if (!p.indices.empty()) {
    SetAdvanced(x, p, value);
    return;
  }
  egr::RefreshView(x);
  if (Plain(x, value)) {
    Tensor view = phi::ViewOf(x, p.dims, p.strides, x->offset() + p.offset);
    Tensor source = BroadcastView(Untangled(value, x), p.dims);
    if (value.numel() != 1) egr::RequireApart(view, "__setitem__");
    if (view.numel()) phi::CopyInto(source, view);
    x->storage()->BumpVersion();
    return;
  }
  egr::BeforeInplace(x, "__setitem__");
  Ints drop;
  for (int64_t i = 0; i < value.ndim() - p.dims.size(); ++i) drop.push_back(i);
  if (!drop.empty()) value = paddle::squeeze(value, drop);
  if (!value.is_symbolic()) value = value->storage().get() == x->storage().get() ? paddle::assign(value) : value;
  if (!p.changed) {
    Tensor whole = x;
    paddle::set_value_into_(whole, value);
    return;
  }
  Tensor view = paddle::as_strided(x, p.dims, p.strides, p.offset);
  paddle::set_value_into_(view, value);
}

}  // namespace

namespace {

// The item of a tensor of which this process has no part: only its shape is computed, on one element.
Tensor AbsentItem(const Tensor& x, PyObject* key) {
  struct Outside {
    const egr::DispatchState old = egr::State();
    Outside() {
      egr::State().record = egr::RecordMode::kRun;
      egr::State().grad_enabled = false;
    }
    ~Outside() { egr::State() = old; }
  };
  phi::Ints dims;
  {
    const Outside mode;
    const Tensor one = phi::Empty({1}, x.dtype());
    const phi::Ints strides(std::vector<int64_t>(static_cast<size_t>(x.ndim())));
    dims = GetItem(Tensor(phi::TensorState::Strided(x.dims(), strides, 0, x.dtype(), one->storage())), key).dims();
  }
  return AbsentLike(x, dims);
}

// The item of a distributed tensor by operations, which leave it where it is; undefined where the key has indices.
Tensor PlacedItem(const Tensor& x, PyObject* key) {
  if (IsRecordedMask(key)) return {};
  const Parsed p = ParseKey(x, key);
  if (!p.indices.empty()) return {};
  return p.changed ? RecordedView(x, p) : paddle::assign(x);
}

PyObject* Get(PyObject* self, PyObject* key) {
  const auto get = [&] {
    const Tensor& x = ToTensor(self, "__getitem__", "x");
    if (!x.is_dist()) return ToPy(GetItem(x, key));
    if (const Tensor placed = PlacedItem(x, key); placed.defined()) return ToPy(placed);
    if (!phi::HasPart(x)) return ToPy(AbsentItem(x, key));
    Tensor item = GetItem(WholeOf(x), key);
    if (item->storage().get() == phi::LocalOf(x)->storage().get()) item = paddle::assign(item);
    return ToPy(Replicated(item, x));
  };
  return phi::OpsWatched() ? WatchedCall("getitem", get) : Guarded(get);
}

PyObject* Set(PyObject* self, PyObject* key, PyObject* value) {
  return Guarded([&]() -> PyObject* {
    if (!value) RaiseTypeError("'Tensor' object doesn't support item deletion");
    const Tensor& x = ToTensor(self, "__setitem__", "x");
    PD_CHECK(!phi::IsSelectedRows(x), InvalidArgument,
             "[__setitem__] expected a dense tensor, got rows of a table; to_dense() makes a table of them");
    if (!x.is_dist()) {
      SetItem(x, key, value);
      Py_RETURN_NONE;
    }
    Tensor written = x;
    egr::DistWrite(written, "__setitem__", [&](const Tensor& was) {
      if (!phi::HasPart(was)) return AbsentLike(was, was.dims(), IsTensor(value) ? AsTensor(value) : Tensor());
      const Tensor whole = paddle::assign(WholeOf(was));
      SetItem(whole, key, value);
      return Replicated(whole, x);
    });
    Py_RETURN_NONE;
  });
}

}  // namespace

PyObject* TensorGetItem(PyObject* self, PyObject* key) { return OnTape<Get>(self, key); }

int TensorSetItem(PyObject* self, PyObject* key, PyObject* value) {
  PyRef done(OnTapeTernary<Set>(self, key, value));
  return done ? 0 : -1;
}

}  // namespace paddle::py
