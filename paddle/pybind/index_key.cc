// SPDX-License-Identifier: Apache-2.0
// Reads keys. Integers never count as advanced, as in PaddlePaddle.
#include "paddle/pybind/index_key.h"

#include <algorithm>

#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/whole.h"
#include "paddle/phi/infer/rules.h"

namespace paddle::py {

bool Recording(const Tensor& x) { return x.is_symbolic() || egr::State().record != egr::RecordMode::kRun; }

namespace {

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
    t = phi::WholeOf(ToTensor(o, "index", "index"));
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
  if (extent < 0) return t;  // not known: the kernels check
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
  PD_CHECK(axis < x.ndim(), OutOfRange, "[index] expected at most ", x.ndim(),
           " indices for a tensor of that many dimensions, got more");
  if (!x.is_symbolic()) return x.dim(axis);
  common::Dim d = x->symbolic_dims()[axis];
  return d.known() ? d.value() : -1;
}

// An item of a key, read: from here on no Python code runs, so that x and the item stay as they are.
struct Item {
  enum Kind : uint8_t { kEllipsis, kNewAxis, kInt, kSlice, kFlag, kTensor } kind = kEllipsis;
  int64_t number = 0;  // kInt, and kFlag: 0 or 1
  PyRef slice;         // bounds are None, ints of Python or tensors
  Tensor tensor;       // kTensor: integers or bools

  int64_t consumes() const {
    switch (kind) {
      case kInt:
      case kSlice: return 1;
      case kTensor: return tensor.dtype() == DataType::BOOL ? tensor.ndim() : 1;
      default: return 0;
    }
  }
};

// An item that is read without running Python code: an int, or a slice of ints.
bool IsQuick(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (!PySlice_Check(o)) return false;
  const auto quick = [](PyObject* v) { return v == Py_None || PyLong_CheckExact(v); };
  auto* s = reinterpret_cast<PySliceObject*>(o);
  return quick(s->start) && quick(s->stop) && quick(s->step);
}
bool IsPlainBound(PyObject* o) {
  common::Dim extent;
  return o == Py_None || PyLong_CheckExact(o) || IsTensor(o) || IsExtent(o, &extent);
}
PyRef PlainSlice(PyObject* o) {
  auto* s = reinterpret_cast<PySliceObject*>(o);
  if (IsPlainBound(s->start) && IsPlainBound(s->stop) && IsPlainBound(s->step)) return PyRef::Borrow(o);
  const auto bound = [](PyObject* v) {
    if (IsPlainBound(v)) return PyRef::Borrow(v);
    PD_CHECK(PyIndex_Check(v), InvalidArgument,
             "[index] expected bounds of slices that are integers, tensors of one or None, got ", Py_TYPE(v)->tp_name);
    return Own(PyNumber_Index(v));
  };
  return Own(PySlice_New(bound(s->start).get(), bound(s->stop).get(), bound(s->step).get()));
}

bool IsMaskScalar(PyObject* o) {
  if (PyBool_Check(o)) return true;
  if (IsTensor(o)) return AsTensor(o).defined() && AsTensor(o).ndim() == 0 && AsTensor(o).dtype() == DataType::BOOL;
  return std::string_view(Py_TYPE(o)->tp_name).substr(0, 10) == "numpy.bool";
}

Item ReadItem(PyObject* o) {
  if (o == Py_Ellipsis) return {Item::kEllipsis, 0, {}, {}};
  if (o == Py_None) return {Item::kNewAxis, 0, {}, {}};
  if (IsMaskScalar(o)) return {Item::kFlag, IsTrue(o), {}, {}};
  if (IsIntLike(o)) return {Item::kInt, ToInt(o, "index", "index"), {}, {}};
  if (PySlice_Check(o)) return {Item::kSlice, 0, PlainSlice(o), {}};
  if (IsArrayLike(o)) return {Item::kTensor, 0, {}, IndexTensor(o)};
  PD_THROW(InvalidArgument, "[index] ", kKinds, ", got ", Py_TYPE(o)->tp_name);
}

// A bound that is left out beside a step that is known only when the program runs: `back` where that is below zero.
phi::Int AbsentBound(const Tensor& step, int64_t back, int64_t ahead) {
  const egr::GradModeGuard off(false);
  const auto number = [](int64_t v) { return paddle::full({1}, Scalar(v), DataType::INT64); };
  const Tensor below = paddle::less_than(paddle::cast(paddle::reshape(step, {1}), DataType::INT64), number(0));
  return egr::Defer(paddle::where(below, number(back), number(ahead)), 0);
}

class Parser {
 public:
  Parser(const Tensor& x, Parsed* out) : x_(x), out_(*out), symbolic_(Recording(x) || x.is_dist()) {}

  void Parse(PyObject* key) {
    const bool tuple = PyTuple_Check(key);
    const Py_ssize_t n = tuple ? PyTuple_GET_SIZE(key) : 1;
    PyObject* const* keys = tuple ? PySequence_Fast_ITEMS(key) : &key;
    if (n <= x_.ndim() && std::all_of(keys, keys + n, IsQuick)) {
      for (Py_ssize_t i = 0; i < n; ++i)
        if (PyLong_CheckExact(keys[i]))
          TakeInt(ToInt(keys[i], "index", "index"));
        else
          TakeSlice(keys[i]);
      while (axis_ < x_.ndim()) Keep();
      return;
    }
    if (n == 1) {
      const Item item = ReadItem(keys[0]);
      Take(&item, 1);
      return;
    }
    Item few[4];
    std::vector<Item> many;
    Item* items = few;
    if (n > 4) {
      many.resize(static_cast<size_t>(n));
      items = many.data();
    }
    for (Py_ssize_t i = 0; i < n; ++i) items[i] = ReadItem(keys[i]);
    Take(items, n);
  }

 private:
  void Take(const Item* items, int64_t n) {
    const int64_t rank = x_.ndim();
    int64_t used = 0, ellipsis = 0;
    for (int64_t i = 0; i < n; ++i) {
      ellipsis += items[i].kind == Item::kEllipsis;
      used += items[i].consumes();
    }
    PD_CHECK(ellipsis <= 1, InvalidArgument, "[index] expected at most one ellipsis ('...'), got ", ellipsis);
    PD_CHECK(used <= rank, OutOfRange, "[index] expected at most ", rank,
             " indices for a tensor of that many dimensions, got ", used);
    for (int64_t i = 0; i < n; ++i) Take(items[i], rank - used);
    while (axis_ < rank) Keep();
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

  void Take(const Item& item, int64_t rest) {
    switch (item.kind) {
      case Item::kEllipsis:
        for (int64_t i = 0; i < rest; ++i) Keep();
        return;
      case Item::kNewAxis: return Insert();
      case Item::kFlag: {
        Tensor index = phi::Empty({item.number}, DataType::INT64);
        if (item.number) *index.data<int64_t>() = 0;
        out_.axes.push_back(out_.dims.size());
        out_.indices.push_back(index);
        return Insert();
      }
      case Item::kInt: return TakeInt(item.number);
      case Item::kSlice: return TakeSlice(item.slice.get());
      case Item::kTensor: return TakeTensor(item.tensor);
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
    if (!symbolic_) return false;
    auto* slice = reinterpret_cast<PySliceObject*>(o);
    bool deferred = false;
    auto number = [&](PyObject* v) -> phi::Int {
      common::Dim extent;
      if (v != slice->step && !PyLong_CheckExact(v) && IsExtent(v, &extent)) {
        deferred = true;
        return phi::Int(extent);
      }
      if (!IsTensor(v) || !AsTensor(v).is_symbolic()) return ToInt(v, "index", "slice");
      const phi::IntArray list = ToIntArray(v, "index", "slice");
      PD_CHECK(list.size() == 1, InvalidArgument, "[index] expected bounds of one element, got shape ",
               common::ShapeText(AsTensor(v).extents()));
      deferred = true;
      return list[0];
    };
    const phi::Int step = slice->step == Py_None ? phi::Int(1) : number(slice->step);
    PD_CHECK(!step.is(0), InvalidArgument, "[index] expected a step other than 0, got 0");
    auto bound = [&](PyObject* v, int64_t back, int64_t ahead) -> phi::Int {
      if (v != Py_None) return number(v);
      if (!step.known()) return AbsentBound(AsTensor(slice->step), back, ahead);
      return step.value() < 0 ? back : ahead;
    };
    const phi::Int start = bound(slice->start, INT32_MAX, 0), stop = bound(slice->stop, INT32_MIN, INT32_MAX);
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
        out_.steps.push_back({axis_, int64_t{start}, std::min<int64_t>(stop, INT32_MAX), int64_t{step}, false});
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
      out_.steps.push_back({axis_, int64_t{start}, step < 0 && stop < 0 ? -extent - 1 : stop, int64_t{step}, false});
      Emit(count, 0);
    } else {
      if (count > 0) out_.offset += start * Stride();
      Emit(count, phi::StepStride(Stride(), step));
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
    PD_CHECK(
        !t.is_symbolic(), Unimplemented,
        "[index] expected a bool mask with known values, got one that is being recorded; use masked_select or where");
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

}  // namespace

Parsed ParseKey(const Tensor& x, PyObject* key) {
  Parsed p;
  Parser(x, &p).Parse(key);
  return p;
}

}  // namespace paddle::py
