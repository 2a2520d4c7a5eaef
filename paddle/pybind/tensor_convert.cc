// SPDX-License-Identifier: Apache-2.0
// paddle.Tensor to Python and NumPy and back: numpy, item, tolist, casts, set_value, copies and pickling.
#include <cstring>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/assigned.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/interchange.h"
#include "paddle/jit/python/tape.h"
#include "paddle/phi/core/tensor_copy.h"
#include "paddle/pybind/tensor_autograd.h"
#include "paddle/pybind/tensor_texts.h"

namespace paddle::py {
namespace {

// numpy(blocking=True, force=False): what was computed is there, so no call waits or returns before it is; a tensor
// that needs gradients gives its array either way.
PyObject* NumpyMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    if (n || kw) {
      const char* names[] = {"blocking", "force"};
      PyObject* given[2];
      ParseArgs("numpy", names, 2, 0, args, n, kw, given);
    }
    return ToNumpy(ToTensor(self, "numpy", "x"), self);
  });
}

PyObject* ArrayMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"dtype", "copy"};
    PyObject* a[2];
    ParseArgs("__array__", names, 2, 0, args, n, kw, a);
    PyRef array = Own(ToNumpy(ToTensor(self, "__array__", "x"), self));
    if (IsNone(a[0])) return array.release();
    return PyObject_CallMethod(array.get(), "astype", "O", a[0]);
  });
}

PyObject* Item(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "item", "x");
    if (n == 0) {
      PD_CHECK(t.is_symbolic() || t.numel() == 1, InvalidArgument,
               "[item] expected a tensor of one element where no index is given, got shape ",
               common::ShapeText(t.dims()));
      return ItemOf(t, 0);
    }
    int64_t flat = 0;
    if (n == 1 && !PyTuple_Check(args[0])) {
      flat = ToInt(args[0], "item", "index");
      if (flat < 0) flat += t.numel();
      PD_CHECK(flat >= 0 && flat < t.numel(), InvalidArgument, "[item] expected an index below ", t.numel(), ", got ",
               ToInt(args[0], "item", "index"));
    } else {
      Ints index;
      if (n == 1)
        index = ToInts(args[0], "item", "index");
      else
        for (Py_ssize_t i = 0; i < n; ++i) index.push_back(ToInt(args[i], "item", "index"));
      PD_CHECK(index.size() == t.ndim(), InvalidArgument, "[item] expected ", t.ndim(), " indices, got ", index.size());
      for (int64_t i = 0; i < index.size(); ++i) {
        int64_t k = index[i] < 0 ? index[i] + t.dim(i) : index[i];
        PD_CHECK(k >= 0 && k < t.dim(i), InvalidArgument, "[item] expected an index below ", t.dim(i), " for axis ", i,
                 ", got ", index[i]);
        flat = flat * t.dim(i) + k;
      }
    }
    return ItemOf(t, flat);
  });
}

PyObject* ToList(PyObject* self, PyObject*) {
  return Guarded([&] { return NestedList(ToTensor(self, "tolist", "x")); });
}

PyObject* AsType(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"dtype"};
    PyObject* a[1];
    ParseArgs("astype", names, 1, 1, args, n, kw, a);
    const Tensor& t = ToTensor(self, "astype", "x");
    DataType d = ToDataType(a[0], "astype", "dtype");
    PD_CHECK(d != DataType::UNDEFINED, InvalidType, "[astype] expected a dtype, got None");
    return ToPy(d == t.dtype() ? t : paddle::cast(t, d));
  });
}
template <DataType T>
PyObject* CastToType(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "cast", "x");
    return ToPy(t.dtype() == T ? t : paddle::cast(t, T));
  });
}
PyObject* TypeAs(PyObject* self, PyObject* other) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "type_as", "x");
    DataType d = ToTensor(other, "type_as", "tensor").dtype();
    return ToPy(d == t.dtype() ? t : paddle::cast(t, d));
  });
}
PyObject* Cpu(PyObject* self, PyObject*) {
  if (!AsTensor(self).place().is_cpu()) return PyObject_CallMethod(self, "_copy_to", "s", "cpu");
  Py_INCREF(self);
  return self;
}

[[noreturn]] void RaiseAssertion(const std::string& message) {
  PyErr_SetString(PyExc_AssertionError, message.c_str());
  throw PyErrAlreadySet();
}

bool RecordsWrites() { return jit::t_capture.records_function && egr::State().record == egr::RecordMode::kRecord; }

// Overwrites the part of `t` here by that of `value`.
void WritePart(const char* op, const Tensor& value, const Tensor& t) {
  const egr::GradModeGuard data_only(false);
  const Tensor part = PartAs(op, value, t), &local = phi::LocalOf(t);
  if (!local.defined()) return;
  phi::CopyInto(part, local);
  phi::NoteAssigned(*local->storage());
}

// Overwrites the data; shape and dtype must agree. No history is recorded.
PyObject* SetValue(PyObject* self, PyObject* value) {
  return Guarded([&]() -> PyObject* {
    const Tensor& whole = ToTensor(self, "set_value", "x");
    const Tensor& t = phi::IsSelectedRows(whole) ? phi::RowsOf(whole).values : whole;
    Tensor v;
    if (IsTensor(value))
      v = ToTensor(value, "set_value", "value");
    else if (IsNdarray(value))
      v = FromBuffer(value, true);
    else
      RaiseAssertion(std::string("[set_value] expected a Tensor or numpy.ndarray as value, got ") +
                     Py_TYPE(value)->tp_name);
    egr::RequireFilled(v, "set_value");
    if (phi::IsSelectedRows(v) && phi::IsSelectedRows(whole)) v = phi::RowsOf(v).values;
    if (!egr::IsUnfilled(t) && (t.is_symbolic() || v.is_symbolic() || RecordsWrites())) {
      for (int64_t i = 0; i < t.ndim() && t.ndim() == v.ndim(); ++i)
        common::RequireEq("set_value", "extent", t.extents()[i], v.extents()[i]);
      PD_CHECK(t.ndim() == v.ndim() && t.dtype() == v.dtype(), InvalidType, "[set_value] expected a value of dtype ",
               phi::NameOf(t.dtype()), " and shape ", common::ShapeText(t.extents()), ", got ", phi::NameOf(v.dtype()),
               " ", common::ShapeText(v.extents()));
      PD_CHECK(egr::State().recorder, PreconditionNotMet,
               "[set_value] expected a tensor with data, got a value of a program");
      Tensor target = t, held = egr::State().recorder->Wrap(egr::State().recorder->ValueOf(v));
      held->stop_gradient = t.stop_gradient();
      const egr::GradModeGuard data_only(false);  // the history stays, as in eager mode
      ReplaceRecorded(target, held);
      Py_RETURN_NONE;
    }
    std::string name = TensorName(t);
    if (!(v.dims() == t.dims()))
      RaiseAssertion("[set_value] expected a value of shape " + common::ShapeText(t.dims()) + " for '" + name +
                     "', got " + common::ShapeText(v.dims()));
    if (v.dtype() != t.dtype())
      RaiseAssertion("[set_value] expected a value of dtype " + std::string(phi::NameOf(t.dtype())) + " for '" + name +
                     "', got " + std::string(phi::NameOf(v.dtype())));
    if (egr::IsUnfilled(t)) {
      egr::FillFrom(t, WholeOf(v), "set_value");
      Py_RETURN_NONE;
    }
    if (t.is_dist()) {
      WritePart("set_value", v, t);
      Py_RETURN_NONE;
    }
    v = WholeOf(v);
    egr::RequireApart(t, "set_value");
    phi::CopyInto(v, t);
    phi::NoteAssigned(*t->storage());
    Py_RETURN_NONE;
  });
}
PyObject* CopyFrom(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"other", "blocking"};
    PyObject* a[2];
    ParseArgs("copy_", names, 2, 1, args, n, kw, a);
    const Tensor& t = ToTensor(self, "copy_", "x");
    const Tensor& o = ToTensor(a[0], "copy_", "other");
    PD_CHECK(t.dtype() == o.dtype(), PreconditionNotMet, "[copy_] expected tensors of one dtype, got ",
             phi::NameOf(t.dtype()), " and ", phi::NameOf(o.dtype()));
    egr::RequireFilled(o, "copy_");
    if (t.is_symbolic() || o.is_symbolic() || RecordsWrites()) {
      PyRef done = Own(SetValue(self, a[0]));
      Py_INCREF(self);
      return self;
    }
    PD_CHECK(!phi::IsSelectedRows(t) && !phi::IsSelectedRows(o), InvalidArgument,
             "[copy_] expected dense tensors, got rows of a table; to_dense() makes a table of them");
    if (t.is_dist()) {
      WritePart("copy_", o, t);
    } else if (t.dims() == o.dims()) {
      egr::RequireApart(t, "copy_");
      phi::CopyInto(WholeOf(o), t);
      phi::NoteAssigned(*t->storage());
    } else {
      PD_CHECK(!t->node(), InvalidArgument, "[copy_] expected a tensor of shape ", common::ShapeText(t.dims()),
               ", that of the one written, which has a history, got ", common::ShapeText(o.dims()));
      Tensor c = phi::Empty(o.dims(), o.dtype(), t.place());
      phi::CopyInto(o, c);
      t->Become(c->state());
    }
    Py_INCREF(self);
    return self;
  });
}

// The same elements in memory of their own, of a dense tensor or of one that holds some rows.
Tensor DeepCopyOf(const Tensor& t) {
  if (!phi::IsSelectedRows(t)) return phi::CopyOf(t);
  const phi::RowsParts& of = phi::RowsOf(t);
  return phi::MakeSelectedRows(of.rows, DeepCopyOf(of.values), of.height);
}

PyObject* DeepCopy(PyObject* self, PyObject* memo) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "deepcopy", "x");
    egr::RequireFilled(t, "deepcopy");
    PD_CHECK(!t.is_symbolic(), InvalidType, "[deepcopy] expected a tensor with data, got a value of a program");
    const Tensor& part = phi::LocalOf(t);
    PD_CHECK(!part->node(), PreconditionNotMet,
             "[deepcopy] expected a leaf tensor, got the result of an operation: its history is not copied");
    Tensor of_part = DeepCopyOf(part), c = of_part;
    if (t.is_dist()) {
      const distributed::DistState& state = distributed::StateOf(t);
      c = distributed::MakeDist(of_part, t.dims(), t.dtype(), state.mesh, state.placements);
    }
    for (const Tensor& made : {of_part, c}) {
      made->stop_gradient = t->stop_gradient;
      made->persistable = t->persistable;
    }
    static int64_t count = 0;
    egr::MetaOf(c).name = TensorName(t) + "_deepcopy_" + std::to_string(count++);
    if (auto* m = egr::MaybeMeta(part); m && m->grad.defined() && !m->grad.is_symbolic()) {
      Tensor g = DeepCopyOf(m->grad);
      egr::MetaOf(of_part).grad = g;
    }
    PyRef r = Own(ToPy(std::move(c)));
    if (PyDict_Check(memo)) {
      PyRef key = Own(PyLong_FromVoidPtr(self));
      if (PyDict_SetItem(memo, key.get(), r.get()) < 0) return nullptr;
    }
    return r.release();
  });
}

PyObject* Reduce(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "pickle", "x");
    PyRef module = Own(PyImport_ImportModule("paddle.base.dygraph.math_op_patch"));
    PyRef rebuild = Own(PyObject_GetAttrString(module.get(), "_rebuild_tensor"));
    PyRef array = Own(ToNumpy(t, self));
    return Py_BuildValue("O(OssO)", rebuild.get(), array.get(), std::string(phi::NameOf(t.dtype())).c_str(), "cpu",
                         t.stop_gradient() ? Py_False : Py_True);
  });
}
PyObject* ReduceEx(PyObject* self, PyObject*) { return Reduce(self, nullptr); }

PyObject* Dlpack(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"stream", "max_version", "dl_device", "copy"};
    PyObject* a[4];
    ParseArgs("__dlpack__", names, 4, 0, args, n, kw, a);
    const Tensor& t = ToTensor(self, "__dlpack__", "x");
    if (!t.stop_gradient()) {
      PyErr_SetString(PyExc_BufferError,
                      "[__dlpack__] expected a tensor with stop_gradient=True, got one that asks for a gradient: "
                      "detach() gives one without");
      return nullptr;
    }
    bool versioned = false;
    if (!IsNone(a[1]) && PyTuple_Check(a[1]) && PyTuple_GET_SIZE(a[1]) > 0)
      versioned = ToInt(PyTuple_GET_ITEM(a[1], 0), "__dlpack__", "max_version") >= 1;
    Tensor source = t;
    if (!IsNone(a[2]) && !t.place().is_cpu()) {
      int type, number;
      if (!PyArg_ParseTuple(a[2], "ii", &type, &number)) return nullptr;
      if (type == 1) {
        if (a[3] == Py_False) {
          PyErr_SetString(PyExc_BufferError,
                          "[__dlpack__] expected a tensor on the CPU for copy=False, got one on a GPU");
          return nullptr;
        }
        return ToDlpackCapsule(phi::ToPlace(t, Place{}), versioned);
      }
    }
    if (a[3] == Py_True) source = phi::CopyOf(t);
    if (source.place().type == phi::AllocationType::GPU) {
      // The consumer's stream, the legacy default one for None, goes on when ours has got here; -1: it cares itself.
      const int64_t stream = IsNone(a[0]) ? 1 : ToInt(a[0], "__dlpack__", "stream");
      if (stream >= 0) phi::WaitInStream(source.place(), reinterpret_cast<void*>(stream));
    }
    return ToDlpackCapsule(source, versioned);
  });
}
PyObject* DlpackDevice(PyObject* self, PyObject*) {
  return Guarded([&] {
    const DlDevice d = DlDeviceOf(ToTensor(self, "__dlpack_device__", "x").place());
    return Py_BuildValue("(ii)", d.type, d.id);
  });
}

PyObject* Complex(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    PyRef item = Own(Item(self, nullptr, 0));
    Py_complex c = PyComplex_AsCComplex(item.get());
    return PyErr_Occurred() ? nullptr : PyComplex_FromCComplex(c);
  });
}
PyObject* Format(PyObject* self, PyObject* spec) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "format", "x");
    if (!t.is_symbolic() && t.ndim() == 0) {
      PyRef item = Own(ItemOf(t, 0));
      return PyObject_Format(item.get(), spec);
    }
    PyRef text = Own(PyObject_Str(self));
    return PyObject_Format(text.get(), spec);
  });
}

}  // namespace

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
#define CAST(name, T, dtype) \
  { name, F(OnTape<CastToType<DataType::T>>), METH_NOARGS, PADDLE_CAST_TEXT(name, dtype) }
PyMethodDef g_tensor_convert_methods[] = {
    {"numpy", F(NumpyMethod), METH_FASTCALL | METH_KEYWORDS, kTensorNumpyText},
    {"__array__", F(ArrayMethod), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"item", F(Item), METH_FASTCALL, kTensorItemText},
    {"tolist", F(ToList), METH_NOARGS, kTensorTolistText},
    {"astype", F(OnTapeFastcall<AsType>), METH_FASTCALL | METH_KEYWORDS, kTensorAstypeText},
    {"type_as", F(OnTape<TypeAs>), METH_O, kTensorTypeAsText},
    {"cpu", F(OnTape<Cpu>), METH_NOARGS, kTensorCpuText},
    {"set_value", F(OnTape<SetValue>), METH_O, kTensorSetValueText},
    {"copy_", F(OnTapeFastcall<CopyFrom>), METH_FASTCALL | METH_KEYWORDS, kTensorCopyInplaceText},
    {"__deepcopy__", F(DeepCopy), METH_O, nullptr},
    {"__reduce__", F(Reduce), METH_NOARGS, nullptr},
    {"__reduce_ex__", F(ReduceEx), METH_O, nullptr},
    {"__dlpack__", F(Dlpack), METH_FASTCALL | METH_KEYWORDS, "A DLPack capsule that shares the data."},
    {"__dlpack_device__", F(DlpackDevice), METH_NOARGS, nullptr},
    {"__complex__", F(Complex), METH_NOARGS, nullptr},
    {"__format__", F(Format), METH_O, nullptr},
    CAST("float", FLOAT32, "float32"),
    CAST("float32", FLOAT32, "float32"),
    CAST("double", FLOAT64, "float64"),
    CAST("float64", FLOAT64, "float64"),
    CAST("half", FLOAT16, "float16"),
    CAST("float16", FLOAT16, "float16"),
    CAST("bfloat16", BFLOAT16, "bfloat16"),
    CAST("int", INT32, "int32"),
    CAST("int32", INT32, "int32"),
    CAST("long", INT64, "int64"),
    CAST("int64", INT64, "int64"),
    CAST("short", INT16, "int16"),
    CAST("int16", INT16, "int16"),
    CAST("char", INT8, "int8"),
    CAST("int8", INT8, "int8"),
    CAST("byte", UINT8, "uint8"),
    CAST("uint8", UINT8, "uint8"),
    CAST("bool", BOOL, "bool"),
    CAST("cfloat", COMPLEX64, "complex64"),
    CAST("complex64", COMPLEX64, "complex64"),
    CAST("cdouble", COMPLEX128, "complex128"),
    CAST("complex128", COMPLEX128, "complex128"),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::py
