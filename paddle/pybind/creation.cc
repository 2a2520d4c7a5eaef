// SPDX-License-Identifier: Apache-2.0
// Tensors from Python data (to_tensor): numbers, nested lists, arrays, tensors; the default dtype.
#include <cstring>
#include <utility>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/dist_tensor.h"
#include "paddle/pybind/creation_texts.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/interchange.h"

namespace paddle::py {
namespace {

enum class Kind { kNone, kBool, kInt, kFloat, kComplex };

// What a nested list holds: its shape, by the first item of each level, and the widest kind of number.
struct Survey {
  Ints dims;
  Kind kind = Kind::kNone;
  bool other = false;  // something that is neither a list nor a number: tensors, arrays
};

[[noreturn]] void Ragged() {
  RaiseValueError("[to_tensor] expected nested lists of equal lengths as data, got lists of other lengths");
}

void Look(PyObject* o, int64_t level, Survey* s) {
  if (PyList_Check(o) || PyTuple_Check(o)) {
    CheckNesting(level, "to_tensor");
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (level == s->dims.size()) {
      if (s->kind != Kind::kNone || s->other) Ragged();
      s->dims.push_back(n);
    } else if (s->dims[level] != n) {
      Ragged();
    }
    for (Py_ssize_t i = 0; i < n; ++i) Look(ItemAt(o, i, "to_tensor").get(), level + 1, s);
    return;
  }
  if (IsTensor(o) || IsNdarray(o)) {
    s->other = true;
    return;
  }
  Kind k;
  Scalar v;
  if (PyFloat_Check(o)) {
    k = Kind::kFloat;
  } else if (PyBool_Check(o)) {
    k = Kind::kBool;
  } else if (PyLong_Check(o)) {
    k = Kind::kInt;
  } else if (PyComplex_Check(o)) {
    k = Kind::kComplex;
  } else if (o != Py_None && NumberOf(o, &v)) {
    k = v.dtype() == DataType::BOOL         ? Kind::kBool
        : v.dtype() == DataType::INT64      ? Kind::kInt
        : v.dtype() == DataType::COMPLEX128 ? Kind::kComplex
                                            : Kind::kFloat;
  } else if (level == 0) {
    PyErr_Format(PyExc_TypeError, "[to_tensor] expected a number, list, tuple, numpy.ndarray or Tensor as data, got %R",
                 reinterpret_cast<PyObject*>(Py_TYPE(o)));
    throw PyErrAlreadySet();
  } else {
    RaiseValueError(std::string("[to_tensor] expected numbers in nested lists as data, got ") + Py_TYPE(o)->tp_name);
  }
  if (level != s->dims.size() && !s->other) Ragged();
  if (k > s->kind) s->kind = k;
}

template <class T>
T Read(PyObject* o);
template <>
double Read<double>(PyObject* o) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  double d = PyFloat_AsDouble(o);
  if (d == -1.0 && PyErr_Occurred()) throw PyErrAlreadySet();
  return d;
}
template <>
int64_t Read<int64_t>(PyObject* o) {
  if (PyLong_Check(o)) {
    int64_t v = PyLong_AsLongLong(o);
    if (v == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      RaiseValueError("[to_tensor] expected integers that fit in int64, got a larger one");
    }
    return v;
  }
  return ToInt(o, "to_tensor", "data");
}
template <>
bool Read<bool>(PyObject* o) {
  return IsTrue(o);
}
template <>
phi::complex128 Read<phi::complex128>(PyObject* o) {
  Py_complex c = PyComplex_AsCComplex(o);
  if (PyErr_Occurred()) throw PyErrAlreadySet();
  return {c.real, c.imag};
}

// Writes the numbers of lists of these extents; reading one may run Python code that changes the lists.
template <class T>
void Fill(PyObject* o, const Ints& dims, int64_t level, T*& to) {
  const bool list = PyList_Check(o) || PyTuple_Check(o);
  if (list != (level < dims.size())) Ragged();
  if (!list) {
    *to++ = Read<T>(o);
    return;
  }
  if (PySequence_Fast_GET_SIZE(o) != dims[level]) Ragged();
  for (int64_t i = 0; i < dims[level]; ++i) Fill(ItemAt(o, i, "to_tensor").get(), dims, level + 1, to);
}
template <class T>
Tensor Filled(PyObject* o, const Ints& dims) {
  Tensor t = phi::Empty(dims, phi::kDataTypeOf<T>);
  T* to = t.data<T>();
  Fill(o, dims, 0, to);
  return t;
}

DataType ComplexDefault() { return DefaultDtype() == DataType::FLOAT64 ? DataType::COMPLEX128 : DataType::COMPLEX64; }

Tensor Converted(Tensor t, DataType dtype) {
  return dtype == DataType::UNDEFINED || dtype == t.dtype() ? t : phi::CastTo(t, dtype);
}

bool Recording() { return egr::State().record == egr::RecordMode::kRecord; }

// The dtype that NumPy gives two numbers of these dtypes.
DataType NumpyPromoted(DataType a, DataType b) {
  if (a == b) return a;
  auto rank = [](DataType d) { return phi::IsComplex(d) ? 3 : phi::IsFloating(d) ? 2 : phi::IsInteger(d) ? 1 : 0; };
  if (rank(a) < rank(b)) std::swap(a, b);
  if (rank(b) == 0) return a;
  const int64_t size_a = phi::SizeOf(a), size_b = phi::SizeOf(b);
  if (rank(a) == 3) {
    const int64_t part = rank(b) == 3 ? size_b / 2 : rank(b) == 1 && size_b == 4 ? 8 : size_b;
    return size_a == 16 || part == 8 ? DataType::COMPLEX128 : DataType::COMPLEX64;
  }
  if (rank(a) == 2) {
    if (rank(b) == 2 && size_a == size_b) return DataType::FLOAT32;  // float16 beside bfloat16
    if (rank(b) == 2) return size_a > size_b ? a : b;
    const int64_t least = size_b >= 4 ? 8 : size_b == 2 ? 4 : size_a;
    return size_a >= least ? a : least == 8 ? DataType::FLOAT64 : DataType::FLOAT32;
  }
  if (size_a == size_b) return DataType::INT16;  // int8 beside uint8
  return size_a > size_b ? a : b;
}

// A number of a list with tensors or arrays, in NumPy's dtype of it, or the tensor or array.
Tensor Item(PyObject* o, DataType dtype) {
  if (dtype == DataType::UNDEFINED && PyFloat_CheckExact(o)) return Filled<double>(o, {});
  if (dtype == DataType::UNDEFINED && PyComplex_CheckExact(o)) return Filled<phi::complex128>(o, {});
  return TensorFromData(o, dtype);
}

// Lists that hold tensors or arrays: stacked level by level, in the dtype that NumPy gives them.
Tensor Stacked(PyObject* o, DataType dtype, int64_t level = 0) {
  CheckNesting(level, "to_tensor");
  if (!PyList_Check(o) && !PyTuple_Check(o)) return Item(o, dtype);
  std::vector<Tensor> items;
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) items.push_back(Stacked(ItemAt(o, i, "to_tensor").get(), dtype, level + 1));
  if (items.empty()) return phi::Empty({0}, dtype == DataType::UNDEFINED ? DefaultDtype() : dtype);
  DataType common = items[0].dtype();
  for (const Tensor& t : items) {
    if (!egr::MayHaveShape(t, items[0].extents())) Ragged();
    common = NumpyPromoted(common, t.dtype());
  }
  for (Tensor& t : items)
    if (t.dtype() != common) t = paddle::cast(t, common);
  return paddle::stack(items, 0);
}

bool HoldsTensor(PyObject* o) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    if (IsTensor(PySequence_Fast_GET_ITEM(o, i))) return true;
  return false;
}

// A list with tensors or arrays somewhere. One that holds tensors itself keeps NumPy's dtype; others count as lists of
// Python numbers.
Tensor FromMixed(PyObject* o, DataType dtype) {
  Tensor t = Stacked(o, dtype);
  if (dtype != DataType::UNDEFINED || HoldsTensor(o) || t.dtype() == DataType::BFLOAT16) return t;
  DataType own = phi::IsComplex(t.dtype())    ? ComplexDefault()
                 : phi::IsFloating(t.dtype()) ? DefaultDtype()
                 : phi::IsInteger(t.dtype())  ? DataType::INT64
                                              : t.dtype();
  return own == t.dtype() ? t : paddle::cast(t, own);
}

// Says once that a tensor has a method of its own for this.
void WarnOfCopy() {
  static bool said = false;
  if (std::exchange(said, true)) return;
  const char* text = "[to_tensor] expected data that is no tensor, got one: x.clone().detach() makes a copy";
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) throw PyErrAlreadySet();
}

PyObject* CallToTensor(PyObject* const* a) {
  DataType dtype = a[1] ? ToDataType(a[1], "to_tensor", "dtype") : DataType::UNDEFINED;
  Place place = ToPlace(a[2] ? a[2] : Py_None, "to_tensor", "place");
  bool stop = IsNone(a[3]) ? true : ToBool(a[3], "to_tensor", "stop_gradient");
  PyObject* data = a[0];
  const egr::GradModeGuard no_history(false);
  Tensor t;
  if (IsTensor(data)) {
    const Tensor& x = ToTensor(data, "to_tensor", "data");
    if (Recording() || x.is_symbolic() || x.is_dist()) {
      t = dtype == DataType::UNDEFINED || dtype == x.dtype() ? paddle::assign(x) : paddle::cast(x, dtype);
    } else {
      WarnOfCopy();
      t = phi::Empty(x.dims(), dtype == DataType::UNDEFINED ? x.dtype() : dtype);
      phi::CopyInto(x, t);
    }
  } else {
    t = TensorFromData(data, dtype);
  }
  if (__builtin_expect(!(t.place() == place) && !t.is_dist(), 0)) t = phi::ToPlace(t, place);
  t->stop_gradient = stop;
  phi::LocalOf(t)->stop_gradient = stop;
  return ToPy(std::move(t));
}

constexpr ArgSpec kToTensorArgs[] = {{"data"},
                                     {"dtype", nullptr, false, false, true},
                                     {"place", "device", false, false, true},
                                     {"stop_gradient", nullptr, false, false, true}};
const FnSpec kToTensorSpec = {
    "to_tensor", "paddle",      kToTensorText, "(data, dtype=None, place=None, stop_gradient=True)",
    4,           kToTensorArgs, CallToTensor};
const Registration kRegistered[] = {{&kToTensorSpec, "paddle"}};
const bool registered = (RegisterFunctions(kRegistered, 1), true);

PyObject* PyDefaultDtype(PyObject*, PyObject*) {
  return PyUnicode_FromString(std::string(phi::NameOf(DefaultDtype())).c_str());
}
PyObject* PySetDefaultDtype(PyObject*, PyObject* o) {
  return Guarded([&]() -> PyObject* {
    DataType t = ToDataType(o, "set_default_dtype", "d");
    if (!phi::IsFloating(t) || phi::IsFloat8(t))
      RaiseTypeError("[set_default_dtype] expected float16, bfloat16, float32 or float64, got " +
                     std::string(phi::NameOf(t)));
    phi::SetDefaultDtype(t);
    Py_RETURN_NONE;
  });
}
PyObject* PyFromDlpack(PyObject*, PyObject* capsule) {
  return Guarded([&] { return ToPy(FromDlpackCapsule(capsule)); });
}
PyObject* PyToDlpack(PyObject*, PyObject* t) {
  return Guarded([&] { return ToDlpackCapsule(ToTensor(t, "to_dlpack", "x"), false); });
}
// Shares the memory of a writable contiguous array.
PyObject* PyFromNumpy(PyObject*, PyObject* array) {
  return Guarded([&] { return ToPy(FromBuffer(array, true)); });
}

PyMethodDef methods[] = {{"get_default_dtype", PyDefaultDtype, METH_NOARGS, "The dtype Python floats take."},
                         {"set_default_dtype", PySetDefaultDtype, METH_O, "Sets the dtype Python floats take."},
                         {"from_dlpack_capsule", PyFromDlpack, METH_O, nullptr},
                         {"to_dlpack", PyToDlpack, METH_O, "A DLPack capsule of a tensor."},
                         {"from_numpy", PyFromNumpy, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

namespace {
// Of numbers, lists and arrays.
Tensor NewTensor(PyObject* data, DataType dtype) {
  if (IsNdarray(data)) return Converted(FromBuffer(data, true), dtype);
  // NumPy scalars keep their dtype; they offer the buffer protocol, Python numbers do not.
  if (PyObject_CheckBuffer(data) && !PyBytes_Check(data) && !PyByteArray_Check(data))
    return Converted(FromBuffer(data, true), dtype);
  Survey s;
  Look(data, 0, &s);
  if (s.other) return FromMixed(data, dtype);
  Tensor t;
  DataType natural;
  switch (s.kind) {
    case Kind::kBool:
      t = Filled<bool>(data, s.dims);
      natural = DataType::BOOL;
      break;
    case Kind::kInt:
      t = Filled<int64_t>(data, s.dims);
      natural = DataType::INT64;
      break;
    case Kind::kComplex:
      t = Filled<phi::complex128>(data, s.dims);
      natural = ComplexDefault();
      break;
    default: t = Filled<double>(data, s.dims); natural = DefaultDtype();
  }
  return Converted(t, dtype == DataType::UNDEFINED ? natural : dtype);
}
}  // namespace

Tensor TensorFromData(PyObject* data, DataType dtype) {
  if (IsTensor(data)) {
    const Tensor& t = ToTensor(data, "to_tensor", "data");
    return dtype == DataType::UNDEFINED || dtype == t.dtype() ? t : paddle::cast(t, dtype);
  }
  Tensor t = NewTensor(data, dtype);
  if (jit::t_capture.records_function && Recording() && !t.is_symbolic()) egr::State().recorder->NoteMade(t);
  return t;
}

int InitCreation(PyObject* module) { return PyModule_AddFunctions(module, methods); }

}  // namespace paddle::py
