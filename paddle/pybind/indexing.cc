// SPDX-License-Identifier: Apache-2.0
// x[key] and x[key] = value. Integers, slices, None, Ellipsis and bool scalars make one strided view through autograd;
// lists, arrays and tensors then index that view (advanced indexing). Integers never count as advanced, as in
// PaddlePaddle.
#include <algorithm>
#include <string_view>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {
namespace {

// One step of the basic part, for tensors whose extents are not known (recording).
struct BasicStep {
  int64_t axis;
  int64_t start, stop, step;
  bool drop;
};

struct Parsed {
  Ints dims, strides;
  int64_t offset = 0;           // in elements, from the first element of x
  bool changed = false;         // whether the basic part is more than x itself
  std::vector<Tensor> indices;  // int64, in the order of their axes
  Ints axes;                    // axes of the view the indices stand for
  std::vector<BasicStep> steps;
  Ints new_axes;  // where None was, counted in the view's axes
};

constexpr const char* kKinds =
    "expected indices that are integers, slices, Ellipsis, None, bools, or lists, arrays and tensors of integers or "
    "bools";

bool IsIntLike(PyObject* o) {
  if (PyLong_Check(o)) return !PyBool_Check(o);
  if (IsTensor(o)) {
    const Tensor& t = AsTensor(o);
    return t.defined() && !t.is_symbolic() && t.ndim() == 0 && phi::IsInteger(t.dtype());
  }
  if (IsNdarray(o) || PyFloat_Check(o)) return false;
  PyNumberMethods* m = Py_TYPE(o)->tp_as_number;
  return m && m->nb_index && !PyBool_Check(o);
}
// 0-d integer arrays act as integers; everything else array-like is an index tensor.
bool IsArrayLike(PyObject* o) {
  return IsTensor(o) || IsNdarray(o) || PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o);
}

Tensor IndexTensor(PyObject* o) {
  Tensor t;
  if (IsTensor(o)) {
    t = ToTensor(o, "index", "index");
  } else if (IsNdarray(o)) {
    t = FromBuffer(o, true);
  } else {
    PyRef list = Own(PySequence_List(o));
    if (PyList_GET_SIZE(list.get()) == 0) return phi::Empty({0}, DataType::INT64);
    t = TensorFromData(list.get(), DataType::UNDEFINED);
    if (t.numel() == 0 && phi::IsFloating(t.dtype())) t = phi::CastTo(t, DataType::INT64);
  }
  if (!phi::IsInteger(t.dtype()) && t.dtype() != DataType::BOOL)
    PD_THROW(InvalidArgument, "[index] ", kKinds, ", got dtype ", phi::NameOf(t.dtype()));
  return t;
}

// Wraps negative values and checks the range.
Tensor Normalized(const Tensor& index, int64_t extent, int64_t axis) {
  if (index.is_symbolic()) return index.dtype() == DataType::INT64 ? index : paddle::cast(index, DataType::INT64);
  Tensor t = phi::Contiguous(phi::CastTo(phi::ToHost(index), DataType::INT64));
  const int64_t* p = t.data<int64_t>();
  int64_t n = t.numel();
  bool negative = false;
  for (int64_t i = 0; i < n; ++i) {
    if (p[i] < -extent || p[i] >= extent)
      PD_THROW(OutOfRange, "[index] expected indices from ", -extent, " to ", extent - 1, " for axis ", axis, ", got ",
               p[i]);
    negative = negative || p[i] < 0;
  }
  if (!negative) return t;
  Tensor r = phi::Empty(t.dims(), DataType::INT64);
  int64_t* q = r.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) q[i] = p[i] < 0 ? p[i] + extent : p[i];
  return r;
}

// The coordinates of the true elements, one int64 vector for each axis of the mask.
std::vector<Tensor> MaskIndices(const Tensor& mask) {
  Tensor m = phi::Contiguous(phi::ToHost(mask));
  const bool* p = m.data<bool>();
  int64_t n = m.numel(), rank = m.ndim(), count = 0;
  for (int64_t i = 0; i < n; ++i) count += p[i];
  std::vector<Tensor> r;
  std::vector<int64_t*> out;
  for (int64_t d = 0; d < rank; ++d) {
    r.push_back(phi::Empty({count}, DataType::INT64));
    out.push_back(r.back().data<int64_t>());
  }
  Ints at(rank, 0);
  int64_t k = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (p[i]) {
      for (int64_t d = 0; d < rank; ++d) out[d][k] = at[d];
      ++k;
    }
    for (int64_t d = rank - 1; d >= 0 && ++at[d] == m.dim(d); --d) at[d] = 0;
  }
  return r;
}

int64_t ExtentOf(const Tensor& x, int64_t axis) {
  if (!x.is_symbolic()) return x.dim(axis);
  common::Dim d = x->symbolic_dims[axis];
  return d.known() ? d.value() : -1;
}

bool Recording(const Tensor& x) { return x.is_symbolic() || egr::State().record != egr::RecordMode::kRun; }

class Parser {
 public:
  Parser(const Tensor& x, Parsed* out) : x_(x), out_(*out), symbolic_(Recording(x)) {}

  void Parse(PyObject* key) {
    Py_ssize_t n = 1;
    PyObject* const* items = &key;
    if (PyTuple_Check(key)) {
      n = PyTuple_GET_SIZE(key);
      items = PySequence_Fast_ITEMS(key);
    }
    int64_t rank = x_.ndim(), used = 0, ellipsis = 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* o = items[i];
      if (o == Py_Ellipsis)
        ++ellipsis;
      else
        used += Consumes(o);
    }
    PD_CHECK(ellipsis <= 1, OutOfRange, "[index] expected at most one ellipsis ('...'), got ", ellipsis);
    PD_CHECK(used <= rank, OutOfRange, "[index] expected at most ", rank,
             " indices for a tensor of that many dimensions, got ", used);
    for (Py_ssize_t i = 0; i < n; ++i) Take(items[i], rank - used);
    while (axis_ < rank) Keep();
  }

 private:
  bool IsMaskScalar(PyObject* o) {
    if (PyBool_Check(o)) return true;
    if (IsTensor(o)) return AsTensor(o).defined() && AsTensor(o).ndim() == 0 && AsTensor(o).dtype() == DataType::BOOL;
    return std::string_view(Py_TYPE(o)->tp_name).substr(0, 10) == "numpy.bool";
  }
  // How many axes of x an item stands for.
  int64_t Consumes(PyObject* o) {
    if (o == Py_None || IsMaskScalar(o)) return 0;
    if (PySlice_Check(o) || IsIntLike(o)) return 1;
    if (IsArrayLike(o)) {
      if (IsTensor(o) || IsNdarray(o)) {
        Tensor t = IsTensor(o) ? AsTensor(o) : FromBuffer(o, true);
        if (t.dtype() == DataType::BOOL) return t.ndim();
        return 1;
      }
      Tensor t = IndexTensor(o);
      return t.dtype() == DataType::BOOL ? t.ndim() : 1;
    }
    PD_THROW(InvalidArgument, "[index] ", kKinds, ", got ", Py_TYPE(o)->tp_name);
  }

  void Emit(int64_t dim, int64_t stride) {
    out_.dims.push_back(dim);
    out_.strides.push_back(stride);
  }
  int64_t Stride() const { return symbolic_ ? 0 : x_.strides()[axis_]; }
  void Keep() {
    Emit(ExtentOf(x_, axis_), Stride());
    ++axis_;
  }
  void Insert() {
    out_.new_axes.push_back(out_.dims.size());
    out_.changed = true;
    Emit(1, 0);
  }

  void Take(PyObject* o, int64_t rest) {
    if (o == Py_Ellipsis) {
      for (int64_t i = 0; i < rest; ++i) Keep();
    } else if (o == Py_None) {
      Insert();
    } else if (IsMaskScalar(o)) {
      int v = PyObject_IsTrue(o);
      if (v < 0) throw PyErrAlreadySet();
      Tensor index = phi::Empty({v}, DataType::INT64);
      if (v) *index.data<int64_t>() = 0;
      out_.axes.push_back(out_.dims.size());
      out_.indices.push_back(index);
      Insert();
    } else if (IsIntLike(o)) {
      TakeInt(ToInt(o, "index", "index"));
    } else if (PySlice_Check(o)) {
      TakeSlice(o);
    } else {
      TakeTensor(IndexTensor(o));
    }
  }

  void TakeInt(int64_t i) {
    int64_t extent = ExtentOf(x_, axis_);
    if (!(symbolic_ && extent < 0))
      PD_CHECK(i >= -extent && i < extent, OutOfRange, "[index] expected an index from ", -extent, " to ", extent - 1,
               " for axis ", axis_, ", got ", i);
    if (symbolic_) {
      out_.steps.push_back({axis_, i, i == -1 ? INT32_MAX : i + 1, 1, true});
    } else {
      out_.offset += (i < 0 ? i + extent : i) * Stride();
    }
    out_.changed = true;
    ++axis_;
  }

  // Bounds that are known only when the program runs.
  bool TakeDeferredSlice(PyObject* o) {
    auto* slice = reinterpret_cast<PySliceObject*>(o);
    bool deferred = false;
    auto bound = [&](PyObject* v, int64_t absent) {
      if (v == Py_None) return absent;
      if (!IsTensor(v) || !AsTensor(v).is_symbolic()) return ToInt(v, "index", "slice");
      Ints number = ToInts(v, "index", "slice");
      PD_CHECK(number.size() == 1, InvalidArgument, "[index] expected bounds of one element, got shape ",
               common::ShapeText(AsTensor(v).shape()));
      deferred = true;
      return number[0];
    };
    if (!symbolic_) return false;
    int64_t step = bound(slice->step, 1);
    PD_CHECK(step != 0, InvalidArgument, "[index] expected a step other than 0");
    bool back = step < 0 && !egr::IsDeferred(step);
    int64_t start = bound(slice->start, back ? INT32_MAX : 0);
    int64_t stop = bound(slice->stop, back ? INT32_MIN : INT32_MAX);
    if (!deferred) return false;
    out_.steps.push_back({axis_, start, stop, step, false});
    out_.changed = true;
    Emit(-1, 0);
    ++axis_;
    return true;
  }

  void TakeSlice(PyObject* o) {
    if (TakeDeferredSlice(o)) return;
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw PyErrAlreadySet();
    int64_t extent = ExtentOf(x_, axis_);
    if (symbolic_ && extent < 0) {
      bool whole = start == 0 && stop >= INT32_MAX && step == 1;
      if (!whole) {
        out_.steps.push_back({axis_, start, std::min<int64_t>(stop, INT32_MAX), step, false});
        out_.changed = true;
      }
      Emit(-1, 0);
      ++axis_;
      return;
    }
    Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
    if (count == extent && step == 1) {
      Keep();
      return;
    }
    out_.changed = true;
    if (symbolic_) {
      out_.steps.push_back({axis_, start, step < 0 && stop < 0 ? -extent - 1 : stop, step, false});
      Emit(count, 0);
    } else {
      if (count > 0) out_.offset += start * Stride();
      Emit(count, Stride() * step);
    }
    ++axis_;
  }

  void TakeTensor(const Tensor& t) {
    if (t.dtype() != DataType::BOOL) {
      out_.axes.push_back(out_.dims.size());
      out_.indices.push_back(Normalized(t, ExtentOf(x_, axis_), axis_));
      Keep();
      return;
    }
    PD_CHECK(!t.is_symbolic(), Unimplemented,
             "[index] expected a bool mask with known values while recording; use masked_select or where");
    for (int64_t d = 0; d < t.ndim(); ++d)
      PD_CHECK(t.dim(d) == ExtentOf(x_, axis_ + d), OutOfRange, "[index] expected a bool mask of extent ",
               ExtentOf(x_, axis_ + d), " along axis ", axis_ + d, ", got ", t.dim(d));
    for (Tensor& index : MaskIndices(t)) {
      out_.axes.push_back(out_.dims.size());
      out_.indices.push_back(std::move(index));
      Keep();
    }
  }

  const Tensor& x_;
  Parsed& out_;
  bool symbolic_;
  int64_t axis_ = 0;
};

// The basic part as ops that programs can hold.
Tensor RecordedView(const Tensor& x, const Parsed& p) {
  Tensor r = x;
  Ints axes, starts, ends, drop, infer;
  bool strided = false;
  for (const BasicStep& s : p.steps) {
    axes.push_back(s.axis);
    starts.push_back(s.start);
    ends.push_back(s.stop);
    infer.push_back(egr::IsDeferred(s.start) || egr::IsDeferred(s.stop) ? -1 : 1);
    strided = strided || s.step != 1;
    if (s.drop) drop.push_back(s.axis);
  }
  if (!axes.empty()) {
    if (strided) {
      PyRef strides = Own(PyList_New(0));
      for (const BasicStep& s : p.steps) {
        PyRef v = Own(PyLong_FromLongLong(s.step));
        PyList_Append(strides.get(), v.get());
      }
      PyRef xs = Own(ToPy(r)), a = Own(IntList(axes)), b = Own(IntList(starts)), e = Own(IntList(ends));
      PyRef out = Own(CallOp("strided_slice", {xs.get(), a.get(), b.get(), e.get(), strides.get()}));
      r = ToTensor(out.get(), "index", "x");
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
Ints BroadcastIndices(std::vector<Tensor>* indices) {
  common::Dims shape;
  for (const Tensor& t : *indices) shape = common::BroadcastDims("index", shape, t.shape());
  if (indices->size() == 1) return common::AllKnown(shape) ? common::ToInts(shape) : Ints();
  Ints dims = common::ToInts(shape);
  for (Tensor& t : *indices)
    if (!(t.dims() == dims)) t = phi::Contiguous(paddle::expand(t, dims));
  return dims;
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
  for (int64_t i = 0; i < mask.ndim(); ++i) common::RequireEq("index", "extent", x.shape()[i], mask.shape()[i]);
  return mask.ndim() == x.ndim() ? paddle::masked_select(x, mask) : GatherNd(x, paddle::nonzero(mask));
}

Tensor GetItem(const Tensor& x, PyObject* key) {
  if (IsRecordedMask(key)) return Masked(x, AsTensor(key));
  // The gradient of a view is written through its strides, which needs a place for each element.
  if (!Recording(x) && !x.is_contiguous() && egr::NeedsGrad(x) && Overlaps(x)) return GetItem(paddle::contiguous(x), key);
  Parsed p;
  Parser(x, &p).Parse(key);
  if (p.indices.empty() && !p.changed && !Recording(x)) return paddle::as_strided(x, p.dims, p.strides, 0);
  Tensor view = BasicView(x, p);
  if (p.indices.empty()) return view.is_same(x) ? paddle::assign(x) : view;
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
    v = ToTensor(value, "__setitem__", "value");
  } else if (NumberOf(value, &s)) {
    if (s.dtype() == DataType::COMPLEX128 && !phi::IsComplex(x.dtype()))
      RaiseTypeError("cannot assign a complex number to a tensor of a real dtype");
    return paddle::full({}, s, x.dtype());
  } else {
    v = TensorFromData(value, DataType::UNDEFINED);
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
  return phi::ViewOf(v, dims, strides, v->offset);
}

Tensor Untangled(const Tensor& value, const Tensor& x) {
  if (value->storage.get() != x->storage.get()) return value;
  Tensor copy = phi::Empty(value.dims(), value.dtype());
  phi::CopyInto(value, copy);
  return copy;
}

PyRef IndexList(const std::vector<Tensor>& indices) { return Own(Wrap(std::vector<Tensor>(indices))); }

void SetAdvanced(const Tensor& x, Parsed& p, Tensor value) {
  Tensor view = BasicView(x, p);
  int64_t rank = view.ndim(), k = static_cast<int64_t>(p.indices.size());
  Ints shape = BroadcastIndices(&p.indices);
  int64_t index_rank = p.indices[0].ndim();
  Ints perm = FrontPerm(p, rank), back = ResultPerm(p, index_rank, rank - k);
  // The value is given in the order of x[key]; index_put wants [index..., rest...].
  if (!IsIdentity(back)) {
    Ints front_dims = shape;
    for (int64_t i = k; i < rank; ++i) front_dims.push_back(view.dim(perm[i]));
    Ints dims;
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
    PD_CHECK(value->numel == 1, Unimplemented,
             "[__setitem__] expected one value under a mask that is being recorded, got shape ",
             common::ShapeText(value.shape()));
    Rebind(x, paddle::where(AsTensor(key), value, x));
    return;
  }
  Parsed p;
  Parser(x, &p).Parse(key);
  Tensor value = ValueFor(x, value_object);
  if (Recording(x)) {
    // Recording has no views: the slice is scattered back and x takes the result.
    if (!p.indices.empty() && !p.changed && IsIdentity(FrontPerm(p, x.ndim()))) {
      PyRef xs = Own(ToPy(x)), v = Own(ToPy(value)), indices = Own(Wrap(std::vector<Tensor>(p.indices)));
      PyRef r = Own(CallOp("index_put", {xs.get(), indices.get(), v.get(), Py_False}));
      Rebind(x, ToTensor(r.get(), "__setitem__", "out"));
      return;
    }
    PD_CHECK(p.indices.empty() && p.new_axes.empty(), Unimplemented,
             "[__setitem__] expected integers and slices, or index tensors for the first axes, for a tensor that is being recorded");
    Ints axes, starts, ends, steps, drop;
    for (const BasicStep& s : p.steps) {
      axes.push_back(s.axis);
      starts.push_back(s.start);
      ends.push_back(s.stop);
      steps.push_back(s.step);
      if (s.drop) drop.push_back(s.axis);
    }
    PyRef xs = Own(ToPy(x)), v = Own(ToPy(value)), a = Own(IntList(axes)), b = Own(IntList(starts)),
          e = Own(IntList(ends)), st = Own(IntList(steps)), d = Own(IntList(drop)), none = Own(PyList_New(0));
    PyRef r = Own(
        CallOp("set_value_with_tensor", {xs.get(), v.get(), b.get(), e.get(), st.get(), a.get(), d.get(), none.get()}));
    Rebind(x, ToTensor(r.get(), "__setitem__", "out"));
    return;
  }
  if (!p.indices.empty()) {
    SetAdvanced(x, p, value);
    return;
  }
  if (Plain(x, value)) {
    Tensor view = phi::ViewOf(x, p.dims, p.strides, x->offset + p.offset);
    Tensor source = BroadcastView(Untangled(value, x), p.dims);
    if (view.numel()) phi::CopyInto(source, view);
    x->storage->BumpVersion();
    return;
  }
  egr::BeforeInplace(x, "__setitem__");
  Ints drop;
  for (int64_t i = 0; i < value.ndim() - p.dims.size(); ++i) drop.push_back(i);
  if (!drop.empty()) value = paddle::squeeze(value, drop);
  if (!value.is_symbolic()) value = value->storage.get() == x->storage.get() ? paddle::assign(value) : value;
  if (!p.changed) {
    Tensor whole = x;
    paddle::set_value_into_(whole, value);
    return;
  }
  Tensor view = paddle::as_strided(x, p.dims, p.strides, p.offset);
  paddle::set_value_into_(view, value);
}

}  // namespace

PyObject* TensorGetItem(PyObject* self, PyObject* key) {
  return Guarded([&] { return ToPy(GetItem(ToTensor(self, "__getitem__", "x"), key)); });
}

int TensorSetItem(PyObject* self, PyObject* key, PyObject* value) {
  return GuardedInt([&] {
    if (!value) RaiseTypeError("'Tensor' object doesn't support item deletion");
    SetItem(ToTensor(self, "__setitem__", "x"), key, value);
  });
}

}  // namespace paddle::py
