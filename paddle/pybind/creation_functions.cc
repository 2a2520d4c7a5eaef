// SPDX-License-Identifier: Apache-2.0
// zeros, ones, empty and full, written by hand because they are called often.
#include "paddle/phi/api/ops.h"
#include "paddle/pybind/creation_texts.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

// `given`: out, device, requires_grad, pin_memory. Where there is one, it is the work of tensor/creation.py.
PyObject* Finish(Tensor&& t, PyObject* const* given) {
  PyObject* r = ToPy(std::move(t));
  if (__builtin_expect(!given[0] && !given[1] && !given[2] && !given[3], 1)) return r;
  PyRef made = Own(r), module = Own(PyImport_ImportModule("paddle.tensor.creation"));
  PyRef finish = Own(PyObject_GetAttrString(module.get(), "_finish"));
  PyObject* args[] = {made.get(), Py_None, Py_None, Py_False, Py_False};
  for (int i = 0; i < 4; ++i)
    if (given[i]) args[i + 1] = given[i];
  return PyObject_Vectorcall(finish.get(), args, 5, nullptr);
}

// shape and dtype of f(shape, dtype, name). f(2, 3) means f([2, 3]); a tensor is a shape of its own.
struct Form {
  IntArray shape;
  DataType dtype;

  Form(PyObject* const* a, const char* op) {
    PyObject *dims = a[0], *type = a[1];
    if (__builtin_expect(SpelledOut(), 0) && IsTensor(PyTuple_GET_ITEM(dims, 0))) {
      if (PyTuple_GET_SIZE(dims) > 3 || type) RaiseTypeError(std::string(op) + "() takes a shape, a dtype and a name");
      type = PyTuple_GET_ITEM(dims, 1);
      dims = PyTuple_GET_ITEM(dims, 0);
    }
    shape = ToIntArray(dims, op, "shape");
    dtype = IsNone(type) ? DefaultDtype() : ToDataType(type, op, "dtype");
  }
};

PyObject* Zeros(PyObject* const* a) {
  const Form f(a, "zeros");
  return Finish(paddle::full(f.shape, Scalar(int64_t{0}), f.dtype, Place{}), a + 3);
}
PyObject* Ones(PyObject* const* a) {
  const Form f(a, "ones");
  return Finish(paddle::full(f.shape, Scalar(int64_t{1}), f.dtype, Place{}), a + 3);
}
PyObject* Empty(PyObject* const* a) {
  const Form f(a, "empty");
  return Finish(paddle::empty(f.shape, f.dtype, Place{}), a + 3);
}

// A number, or text that is one. An integer that int64 does not hold fills only what is not integral.
Scalar FillValue(PyObject* o, DataType dtype) {
  if (PyUnicode_Check(o)) {
    const PyRef number(PyFloat_FromString(o));
    if (!number && PyErr_ExceptionMatches(PyExc_ValueError))
      PyErr_Format(PyExc_ValueError, "[full] expected a number as fill_value, got %R", o);
    if (!number) throw PyErrAlreadySet();
    return Scalar(PyFloat_AS_DOUBLE(number.get()));
  }
  int overflow = 0;
  if (PyLong_Check(o) && phi::IsInteger(dtype)) PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow) {
    PyErr_Format(PyExc_OverflowError, "[full] expected a fill_value that fits in int64, got %R", o);
    throw PyErrAlreadySet();
  }
  return ToScalar(o, "full", "value");
}

PyObject* Full(PyObject* const* a) {
  const IntArray shape = ToIntArray(a[0], "full", "shape");
  PyObject* value = a[1];
  const DataType dtype = !IsNone(a[2])            ? ToDataType(a[2], "full", "dtype")
                         : PyBool_Check(value)    ? DataType::BOOL
                         : PyComplex_Check(value) ? DataType::COMPLEX128
                                                  : DefaultDtype();
  return Finish(paddle::full(shape, FillValue(value, dtype), dtype, Place{}), a + 4);
}

constexpr ArgSpec Keyword(const char* name) { return {name, nullptr, true, false, true}; }
#define FINISH Keyword("out"), Keyword("device"), Keyword("requires_grad"), Keyword("pin_memory")
constexpr ArgSpec kFormArgs[] = {{"shape", "size", false, true},
                                 {"dtype", nullptr, false, false, true},
                                 {"name", nullptr, false, false, true},
                                 FINISH};
constexpr ArgSpec kFullArgs[] = {{"shape", "size"},
                                 {"fill_value"},
                                 {"dtype", nullptr, false, false, true},
                                 {"name", nullptr, false, false, true},
                                 FINISH};
#undef FINISH
constexpr const char* kFormText =
    "(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False)";

const FnSpec kZeros = {"zeros", "paddle", kZerosText, kFormText, 7, kFormArgs, Zeros};
const FnSpec kOnes = {"ones", "paddle", kOnesText, kFormText, 7, kFormArgs, Ones};
const FnSpec kEmpty = {"empty", "paddle", kEmptyText, kFormText, 7, kFormArgs, Empty};
const FnSpec kFull = {
    "full",
    "paddle",
    kFullText,
    "(shape, fill_value, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False)",
    8,
    kFullArgs,
    Full};
const Registration kFunctions[] = {{&kZeros, "paddle"}, {&kOnes, "paddle"}, {&kEmpty, "paddle"}, {&kFull, "paddle"}};
const bool registered = (RegisterFunctions(kFunctions, 4), true);

}  // namespace
}  // namespace paddle::py
