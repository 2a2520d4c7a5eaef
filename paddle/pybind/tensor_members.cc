// SPDX-License-Identifier: Apache-2.0
// Properties of paddle.Tensor: shape, dtype, layout, identity. History and gradients are in tensor_autograd.cc.
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/eager/dispatch/selected_rows.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/assigned.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/jit/writes.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/tensor_autograd.h"
#include "paddle/pybind/tensor_texts.h"

namespace paddle::py {
namespace {

const Tensor& Of(PyObject* self) {
  const Tensor& t = AsTensor(self);
  if (__builtin_expect(!t.defined(), 0))
    RaiseValueError("[Tensor] expected a tensor that __init__ has filled, got an empty one");
  return t;
}

#define GETTER(Name, expr)                         \
  PyObject* Name(PyObject* self, void*) {          \
    return Guarded([&]() -> PyObject* {            \
      [[maybe_unused]] const Tensor& t = Of(self); \
      return expr;                                 \
    });                                            \
  }

GETTER(Shape, (TapeShape(self), ShapeObject(t)))
GETTER(Ndim, PyLong_FromLongLong(t.ndim()))
GETTER(Dtype, DtypeObject(t.dtype()))
GETTER(PlaceOf, PlaceObject(t.place()))
GETTER(ItemSize, PyLong_FromLongLong(phi::SizeOf(t.dtype())))
GETTER(Nbytes, (TapeShape(self), PyLong_FromLongLong(t.numel() * phi::SizeOf(t.dtype()))))
GETTER(Strides, (TapeShape(self), IntList(t.strides())))
GETTER(Offset, PyLong_FromLongLong(t->offset() * phi::SizeOf(t.dtype())))
GETTER(Persistable, PyBool_FromLong(t->persistable))
GETTER(InplaceVersionOf,
       PyLong_FromLong(static_cast<long>(egr::VersionOf(t) - (t->storage() ? phi::AssignedTo(*t->storage()) : 0))))
GETTER(NumShard, (Py_INCREF(Py_None), Py_None))
GETTER(Layout, PyUnicode_FromString("NCHW"))
GETTER(PlaceStr, PyUnicode_FromString(phi::PlaceText(t.place()).c_str()))

PyObject* Transposed(PyObject* self, void*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    Ints perm;
    for (int64_t i = t.ndim() - 1; i >= 0; --i) perm.push_back(i);
    return ToPy(t.ndim() < 2 ? t : paddle::transpose(t, perm));
  });
}
PyObject* MatrixTransposed(PyObject* self, void*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    int64_t n = t.ndim();
    PD_CHECK(n >= 2, InvalidArgument, "[mT] expected a tensor of two or more dimensions, got ", n);
    Ints perm;
    for (int64_t i = 0; i < n; ++i) perm.push_back(i);
    std::swap(perm[n - 1], perm[n - 2]);
    return ToPy(paddle::transpose(t, perm));
  });
}

int SetPersistable(PyObject* self, PyObject* v, void*) {
  return GuardedInt([&] { Of(self)->persistable = v && ToBool(v, "Tensor", "persistable"); });
}

// Names are made on first use: outputs of ops and tensors made from data count apart, as users see them.
std::string& NameOf(const Tensor& t) {
  std::string& name = egr::MetaOf(t).name;
  if (name.empty()) {
    static int64_t outputs = 0, data = 0;
    name = t->node() ? "eager_tmp_" + std::to_string(outputs++) : "generated_tensor_" + std::to_string(data++);
  }
  return name;
}
// Programs know their values by name: has `paddle.static.value_names` make or note that of a value.
std::string NoteName(PyObject* value, const char* function) {
  const PyRef module = Own(PyImport_ImportModule("paddle.static.value_names"));
  const PyRef name = Own(PyObject_CallMethod(module.get(), function, "O", value));
  return name.get() == Py_None ? "" : ToStr(name.get(), "Tensor", "name");
}
PyObject* Name(PyObject* self, void*) {
  return Guarded([&] {
    const Tensor& t = Of(self);
    if (t.is_symbolic() && egr::MetaOf(t).name.empty()) {
      std::string name = NoteName(self, "made");
      egr::MetaOf(t).name = std::move(name);
    }
    return PyUnicode_FromString(NameOf(t).c_str());
  });
}
int SetName(PyObject* self, PyObject* v, void*) {
  return GuardedInt([&] {
    if (!v) RaiseTypeError("cannot delete the name of a tensor");
    const Tensor& t = Of(self);
    egr::MetaOf(t).name = ToStr(v, "Tensor", "name");
    if (t.is_symbolic()) NoteName(self, "given");
  });
}

// `t.data = other` makes t share other's memory and keeps t's own history flags; elements of another shape or dtype are
// none that its node made.
PyObject* Data(PyObject* self, void*) { return PyObject_CallMethod(self, "detach", nullptr); }
int SetData(PyObject* self, PyObject* v, void*) {
  return GuardedInt([&] {
    const Tensor& t = Of(self);
    const Tensor& o = ToTensor(v, "Tensor", "data");
    PD_CHECK(!t.is_symbolic() && !o.is_symbolic(), InvalidType,
             "[Tensor.data] expected tensors with data, got one that is being recorded");
    if (t->node() && (t.dims() != o.dims() || t.dtype() != o.dtype())) t->DropHistory();
    const uint32_t version = egr::VersionOf(t);
    t->Become(o->state());
    // A gradient that needs the values from before would read the new ones.
    if (t->storage()) egr::MetaOf(t).replaced = version + 1 - t->storage()->version();
  });
}

// --- methods

PyObject* Dim(PyObject* self, PyObject*) { return Ndim(self, nullptr); }
// The memory under the tensor, as old programs write it: `x.get_tensor().set(array, place)`.
PyObject* GetTensor(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const PyRef home = Own(PyImport_ImportModule("paddle.static.scope"));
    return PyObject_CallMethod(home.get(), "memory_of", "O", self);
  });
}
PyObject* ElementSize(PyObject* self, PyObject*) { return ItemSize(self, nullptr); }
PyObject* NumelMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"name"};
    PyObject* a[1];
    ParseArgs("numel", names, 1, 0, args, n, kw, a);
    const Tensor& t = Of(self);
    if (t.is_symbolic() && !egr::IsUnfilled(t)) return CallOp("numel", {self});
    Tensor r = phi::Empty({}, DataType::INT64);
    *r.data<int64_t>() = t.numel();
    return ToPy(std::move(r));
  });
}
PyObject* RawNumel(PyObject* self, PyObject*) {
  TapeShape(self);
  return Guarded([&] { return PyLong_FromLongLong(Of(self).numel()); });
}
PyObject* IsContiguous(PyObject* self, PyObject*) {
  return Guarded([&] { return PyBool_FromLong(Of(self).is_contiguous()); });
}
PyObject* ContiguousMethod(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    return ToPy(t.is_symbolic() || t.is_contiguous() ? t : paddle::assign(t));
  });
}
PyObject* Stride(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"dim"};
    PyObject* a[1];
    ParseArgs("stride", names, 1, 0, args, n, kw, a);
    const Tensor& t = Of(self);
    TapeShape(self);
    if (IsNone(a[0])) return IntList(t.strides());
    int64_t d = ToInt(a[0], "stride", "dim"), rank = t.ndim();
    PD_CHECK(d >= -rank && d < rank, InvalidArgument, "[stride] expected dim in [", -rank, ", ", rank - 1, "], got ",
             d);
    return PyLong_FromLongLong(t.strides()[d < 0 ? d + rank : d]);
  });
}
PyObject* GetStrides(PyObject* self, PyObject*) { return Strides(self, nullptr); }
PyObject* DataPtr(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    return PyLong_FromVoidPtr(t.is_symbolic() || !t->storage() ? nullptr : t.raw_data());
  });
}
PyObject* StorageOffset(PyObject* self, PyObject*) {
  return Guarded([&] { return PyLong_FromLongLong(Of(self)->offset()); });
}
PyObject* InplaceVersionMethod(PyObject* self, PyObject*) { return InplaceVersionOf(self, nullptr); }
PyObject* BumpVersion(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    if (Of(self)->storage()) Of(self)->storage()->BumpVersion();
    Py_RETURN_NONE;
  });
}
template <phi::ImplKind... K>
PyObject* IsKind(PyObject* self, PyObject*) {
  return Guarded([&] {
    auto kind = Of(self)->kind();
    return PyBool_FromLong(((kind == K) || ...));
  });
}
PyObject* IsCuda(PyObject* self, PyObject*) {
  return Guarded([&] { return PyBool_FromLong(Of(self).place().type == phi::AllocationType::GPU); });
}
PyObject* True(PyObject*, PyObject*) { Py_RETURN_TRUE; }
PyObject* IsSameShape(PyObject* self, PyObject* other) {
  TapeShape(self);
  if (IsTensor(other)) TapeShape(other);
  return Guarded([&] { return PyBool_FromLong(Of(self).dims() == ToTensor(other, "is_same_shape", "y").dims()); });
}
PyObject* SharesBuffer(PyObject* self, PyObject* other) {
  return Guarded(
      [&] { return PyBool_FromLong(phi::SameStorage(Of(self), ToTensor(other, "_is_shared_buffer_with", "other"))); });
}
// self's memory becomes other's, too.
PyObject* ShareBufferTo(PyObject* self, PyObject* other) {
  return Guarded([&]() -> PyObject* {
    const Tensor& o = ToTensor(other, "_share_buffer_to", "dst");
    const Tensor& t = Of(self);
    const bool keeps_shape = t.is_contiguous() && o.numel() == t.numel();
    o->Become(keeps_shape ? phi::TensorState::Dense(o.dims(), t.dtype(), t->storage(), t->offset()) : t->state());
    Py_RETURN_NONE;
  });
}
PyObject* ClearData(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    PD_CHECK(!t.is_symbolic(), InvalidType, "[Tensor._clear_data] expected a tensor with data, got a recorded one");
    t->Become(phi::TensorState::Dense(Ints{0}, t.dtype(), phi::Storage::Allocate(0, t.place())));
    Py_RETURN_NONE;
  });
}
PyObject* LeaveUnfilled(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    PD_CHECK(t.is_dense() && !t->node(), InvalidType,
             "[Tensor._leave_unfilled] expected a dense leaf, got another tensor");
    t->SetBase({});
    t->Become(egr::Unfilled(t));
    Py_RETURN_NONE;
  });
}
PyObject* IsInitialized(PyObject* self, PyObject*) {
  const Tensor& t = AsTensor(self);
  return PyBool_FromLong(t.defined() && phi::HasPart(t) && phi::LocalOf(t).defined() &&
                         (phi::LocalOf(t)->storage() || phi::IsSelectedRows(t)));
}
PyObject* RebindMethod(PyObject* self, PyObject* other) {
  return Guarded([&]() -> PyObject* {
    jit::RebindResult(Of(self), ToTensor(other, "_rebind", "other"));
    Py_RETURN_NONE;
  });
}
PyObject* ApartMethod(PyObject* self, PyObject* x) {
  return Guarded([&] { return ToPy(egr::Apart(Of(self), ToTensor(x, "_apart", "x"))); });
}
// The two halves of an in-place form of a Python function (autograd/inplace.h): _before_write(name, saved) and
// _write_over(old, result, name, saved).
PyObject* BeforeWriteMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    const char* names[] = {"name", "saved"};
    PyObject* a[2];
    ParseArgs("_before_write", names, 2, 2, args, n, kw, a);
    Tensor x = ToTensor(self, "_before_write", "x");
    return ToPy(egr::BeforeWrite(x, ToStr(a[0], "_before_write", "name").c_str(), IsTrue(a[1])));
  });
}
PyObject* WriteOverMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    const char* names[] = {"old", "result", "name", "saved"};
    PyObject* a[4];
    ParseArgs("_write_over", names, 4, 4, args, n, kw, a);
    Tensor x = ToTensor(self, "_write_over", "x");
    // A result that only this call sees may give its memory.
    const uint32_t handles = Py_REFCNT(a[1]) <= 1 ? 1 : 0;
    egr::WriteOver(x, ToTensor(a[0], "_write_over", "old"), ToTensor(a[1], "_write_over", "result"),
                   ToStr(a[2], "_write_over", "name").c_str(), IsTrue(a[3]), handles);
    Py_INCREF(self);
    return self;
  });
}
bool HasHistory(PyObject* o) {
  if (IsTensor(o)) return AsTensor(o).defined() && AsTensor(o).requires_grad();
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    if (PyObject* item = PySequence_Fast_GET_ITEM(o, i); IsTensor(item) && HasHistory(item)) return true;
  return false;
}
// plain(first, *args, **kwargs)
PyRef Called(PyObject* plain, PyRef first, PyObject* args, PyObject* kwargs) {
  const Py_ssize_t more = PyTuple_GET_SIZE(args);
  PyRef given = Own(PyTuple_New(more + 1));
  PyTuple_SET_ITEM(given.get(), 0, first.release());
  for (Py_ssize_t i = 0; i < more; ++i) PyTuple_SET_ITEM(given.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  return Own(PyObject_Call(plain, given.get(), PyDict_GET_SIZE(kwargs) ? kwargs : nullptr));
}
// x._written(name, plain, args, kwargs): plain(x, *args, **kwargs) written over x. Its steps go onto a tape one by one.
PyObject* WrittenMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"name", "plain", "args", "kwargs"};
    PyObject* a[4];
    ParseArgs("_written", names, 4, 4, args, n, kw, a);
    if (const Tensor& dist = Of(self); dist.defined() && dist.is_dist()) {
      Tensor x = dist;
      egr::DistWrite(x, ToStr(a[0], "_written", "name").c_str(), [&](const Tensor& was) {
        return ToTensor(Called(a[1], Own(ToPy(was)), a[2], a[3]).get(), "_written", "result");
      });
      Py_INCREF(self);
      return self;
    }
    bool saved = false;
    if (egr::State().grad_enabled) {
      saved = HasHistory(self) || HasHistory(a[2]);
      PyObject *key, *value;
      Py_ssize_t at = 0;
      while (!saved && PyDict_Next(a[3], &at, &key, &value)) saved = HasHistory(value);
    }
    PyObject* before[] = {a[0], saved ? Py_True : Py_False};
    PyRef old = Own(OnTapeFastcall<BeforeWriteMethod>(self, before, 2, nullptr));
    PyRef result = Called(a[1], Own(Py_NewRef(old.get())), a[2], a[3]);
    PyObject* over[] = {old.get(), result.get(), a[0], before[1]};
    return OnTapeFastcall<WriteOverMethod>(self, over, 4, nullptr);
  });
}
// The same bytes as another dtype; the last extent follows the sizes.
PyObject* Bitcast(PyObject* self, PyObject* dtype) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    DataType d = ToDataType(dtype, "view", "dtype");
    const bool dense = t->kind() == phi::ImplKind::kDense || t.is_symbolic();
    PD_CHECK(d != DataType::UNDEFINED && dense, InvalidType, "[view] expected a dtype and a dense tensor, got ",
             d == DataType::UNDEFINED ? "no dtype" : "a sparse tensor or a list");
    if (t.dtype() == d) return ToPy(paddle::reshape(t, t.extents()));
    PD_CHECK(t.is_symbolic() || phi::SizeOf(t.dtype()) == phi::SizeOf(d) || t.is_contiguous(), InvalidArgument,
             "[view] expected a contiguous tensor to view as a dtype of another size, got strides ",
             common::ShapeText(t.strides()));
    return ToPy(paddle::view_dtype(t, d));
  });
}
// A copy at a place; gradients flow through it.
PyObject* CopyToPlace(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"place", "blocking"};
    PyObject* a[2];
    ParseArgs("_copy_to", names, 2, 1, args, n, kw, a);
    const Tensor& t = Of(self);
    Place place = ToPlace(a[0], "_copy_to", "place");
    Tensor r = paddle::assign(t);
    if (t.place() == place || t.is_symbolic()) return ToPy(std::move(r));
    Tensor moved = phi::ToPlace(t, place, IsNone(a[1]) || PyObject_IsTrue(a[1]) != 0);
    if (!r->node()) {
      moved->stop_gradient = t.stop_gradient();
      return ToPy(std::move(moved));
    }
    r->Become(moved->state());
    return ToPy(std::move(r));
  });
}
PyObject* Self(PyObject* self, PyObject*) {
  Py_INCREF(self);
  return self;
}
// Of rows of a table: their numbers, the rows and the table's height. None of another tensor.
PyObject* RowsParts(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    if (!phi::IsSelectedRows(t)) Py_RETURN_NONE;
    const phi::RowsParts& of = phi::RowsOf(t);
    PyRef rows = Own(ToPy(of.rows)), values = Own(ToPy(of.values));
    return Py_BuildValue("(OOL)", rows.get(), values.get(), static_cast<long long>(of.height));
  });
}
// values._as_rows(rows, height): them as rows of a table of `height`, under these numbers.
PyObject* AsRows(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 2) RaiseTypeError("_as_rows() takes rows and height");
    const Tensor &values = Of(self), &rows = ToTensor(args[0], "_as_rows", "rows");
    PD_CHECK(rows.dtype() == DataType::INT64 && rows.ndim() == 1 && values.ndim() >= 1 && rows.dim(0) == values.dim(0),
             InvalidArgument, "[_as_rows] expected an int64 number for each row, got ", phi::NameOf(rows.dtype()),
             " of shape ", common::ShapeText(rows.dims()), " for ", common::ShapeText(values.dims()));
    return ToPy(phi::MakeSelectedRows(rows, values, ToInt(args[1], "_as_rows", "height")));
  });
}
PyObject* MergedRows(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    PD_CHECK(phi::IsSelectedRows(t), InvalidArgument, "[merge_selected_rows] expected rows of a table, got another ",
             "tensor");
    return ToPy(egr::MergedRows(t));
  });
}
PyObject* ToDense(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = Of(self);
    return phi::IsSelectedRows(t) ? ToPy(egr::ToTable(t)) : Self(self, nullptr);
  });
}

}  // namespace

std::string TensorName(const Tensor& t) { return NameOf(t); }

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef g_tensor_methods[] = {
    {"dim", F(Dim), METH_NOARGS, kTensorDimText},
    {"ndimension", F(Dim), METH_NOARGS, kTensorNdimensionText},
    {"element_size", F(ElementSize), METH_NOARGS, kTensorElementSizeText},
    {"numel", F(OnTapeFastcall<NumelMethod>), METH_FASTCALL | METH_KEYWORDS, kTensorNumelText},
    {"_numel", F(RawNumel), METH_NOARGS, "The number of elements, as an int."},
    {"is_contiguous", F(IsContiguous), METH_NOARGS, kTensorIsContiguousText},
    {"contiguous", F(OnTape<ContiguousMethod>), METH_NOARGS, kTensorContiguousText},
    {"stride", F(Stride), METH_FASTCALL | METH_KEYWORDS, kTensorStrideText},
    {"get_strides", F(GetStrides), METH_NOARGS, kTensorGetStridesText},
    {"data_ptr", F(DataPtr), METH_NOARGS, kTensorDataPtrText},
    {"storage_offset", F(StorageOffset), METH_NOARGS,
     "Elements between the start of the memory and the first element."},
    {"_offset", F(StorageOffset), METH_NOARGS, nullptr},
    {"_inplace_version", F(InplaceVersionMethod), METH_NOARGS, nullptr},
    {"_bump_inplace_version", F(BumpVersion), METH_NOARGS, nullptr},
    {"is_dense", F((IsKind<phi::ImplKind::kDense, phi::ImplKind::kSymbolic>)), METH_NOARGS, kTensorIsDenseText},
    {"is_sparse", F((IsKind<phi::ImplKind::kSparseCoo, phi::ImplKind::kSparseCsr>)), METH_NOARGS, kTensorIsSparseText},
    {"is_sparse_coo", F((IsKind<phi::ImplKind::kSparseCoo>)), METH_NOARGS, kTensorIsSparseCooText},
    {"is_sparse_csr", F((IsKind<phi::ImplKind::kSparseCsr>)), METH_NOARGS, kTensorIsSparseCsrText},
    {"is_selected_rows", F((IsKind<phi::ImplKind::kSelectedRows>)), METH_NOARGS, kTensorIsSelectedRowsText},
    {"is_dist", F((IsKind<phi::ImplKind::kDist>)), METH_NOARGS, kTensorIsDistText},
    {"is_cuda", F(IsCuda), METH_NOARGS, kTensorIsCudaText},
    {"is_tensor", F(True), METH_NOARGS, kTensorIsTensorText},
    {"is_same_shape", F(IsSameShape), METH_O, kTensorIsSameShapeText},
    {"_is_shared_buffer_with", F(SharesBuffer), METH_O, "Whether both use the same memory."},
    {"_is_shared_underline_tensor_with", F(SharesBuffer), METH_O, nullptr},
    {"_share_buffer_to", F(ShareBufferTo), METH_O, nullptr},
    {"_unsafe_share_buffer_to", F(ShareBufferTo), METH_O, nullptr},
    {"_share_underline_tensor_to", F(ShareBufferTo), METH_O, nullptr},
    {"_clear_data", F(ClearData), METH_NOARGS, nullptr},
    {"_clear", F(ClearData), METH_NOARGS, nullptr},
    {"_clear_dataptr", F(ClearData), METH_NOARGS, nullptr},
    {"_leave_unfilled", F(LeaveUnfilled), METH_NOARGS,
     "Gives up the values of a parameter that is to get its first ones later."},
    {"_is_initialized", F(IsInitialized), METH_NOARGS, nullptr},
    {"_is_dense_tensor_hold_allocation", F(IsInitialized), METH_NOARGS, nullptr},
    {"_rebind", F(OnTape<RebindMethod>), METH_O, "Makes this object the tensor another one is."},
    {"_copy_to", F(OnTapeFastcall<CopyToPlace>), METH_FASTCALL | METH_KEYWORDS, "A copy at another place."},
    {"_apart", F(OnTape<ApartMethod>), METH_O,
     "This tensor; a copy, with its history, where it shows the memory of x."},
    {"_before_write", F(OnTapeFastcall<BeforeWriteMethod>), METH_FASTCALL | METH_KEYWORDS,
     "This tensor, to compute from what it is to hold next."},
    {"_written", F(WrittenMethod), METH_FASTCALL | METH_KEYWORDS,
     "This tensor after a function's result for it was written over it."},
    {"_write_over", F(OnTapeFastcall<WriteOverMethod>), METH_FASTCALL | METH_KEYWORDS,
     "Gives this tensor the values and the history of a result, in place."},
    {"_bitcast", F(OnTape<Bitcast>), METH_O, "The same bytes as another dtype."},
    {"_rows_parts", F(RowsParts), METH_NOARGS, "Numbers, rows and height of rows of a table, else None."},
    {"_as_rows", F(AsRows), METH_FASTCALL, "Rows of a table under numbers: (rows, height)."},
    {"_merged_rows", F(MergedRows), METH_NOARGS, "Rows of a table, each number once."},
    {"to_dense", F(ToDense), METH_NOARGS, kTensorToDenseText},
    {"value", F(Self), METH_NOARGS, kTensorValueText},
    {"get_tensor", F(GetTensor), METH_NOARGS, kTensorGetTensorText},
    {"_local_value", F(OnTape<LocalValue>), METH_NOARGS, "This process's part of a distributed tensor."},
    {nullptr, nullptr, 0, nullptr}};
#undef F

PyGetSetDef g_tensor_getset[] = {
    {"shape", Shape, nullptr, kTensorShapeText, nullptr},
    {"ndim", Ndim, nullptr, kTensorNdimText, nullptr},
    {"dtype", Dtype, nullptr, kTensorDtypeText, nullptr},
    {"place", PlaceOf, nullptr, kTensorPlaceText, nullptr},
    {"itemsize", ItemSize, nullptr, kTensorItemsizeText, nullptr},
    {"nbytes", Nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"strides", Strides, nullptr, kTensorStridesText, nullptr},
    {"offset", Offset, nullptr, kTensorOffsetText, nullptr},
    {"persistable", Persistable, SetPersistable, kTensorPersistableText, nullptr},
    {"inplace_version", InplaceVersionOf, nullptr, kTensorInplaceVersionText, nullptr},
    {"num_shard", NumShard, nullptr, kTensorNumShardText, nullptr},
    {"placements", GetPlacements, nullptr, kTensorPlacementsText, nullptr},
    {"process_mesh", GetProcessMesh, nullptr, kTensorProcessMeshText, nullptr},
    {"layout", Layout, nullptr, kTensorLayoutText, nullptr},
    {"_place_str", PlaceStr, nullptr, nullptr, nullptr},
    {"name", Name, SetName, kTensorNameText, nullptr},
    {"T", OnTapeGetter<Transposed>, nullptr, kTensorTText, nullptr},
    {"mT", OnTapeGetter<MatrixTransposed>, nullptr, kTensorMTText, nullptr},
    {"data", Data, SetData, kTensorDataText, nullptr},
    {"stop_gradient", GetStopGradient, OnTapeSetter<SetStopGradient>, kTensorStopGradientText, nullptr},
    {"requires_grad", GetRequiresGrad, OnTapeSetter<SetRequiresGrad>, kTensorRequiresGradText, nullptr},
    {"grad", GetGrad, SetGrad, kTensorGradText, nullptr},
    {"grad_", GetGrad, SetGrad, kTensorGradInplaceText, nullptr},
    {"_grad_value", GetGrad, nullptr, nullptr, nullptr},
    {"grad_fn", GetGradFn, nullptr, kTensorGradFnText, nullptr},
    {"is_leaf", GetIsLeaf, nullptr, kTensorIsLeafText, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace paddle::py
