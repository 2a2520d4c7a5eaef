// SPDX-License-Identifier: Apache-2.0
// What generated op bindings are written against: one vectorcall object per function, argument parsing with
// PaddlePaddle's keyword aliases, conversions from Python values to C++ arguments and back, and the mapping of errors
// to exceptions.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle::py {

using common::Ints;
using phi::DataType;
using phi::IntArray;
using phi::Place;
using phi::Scalar;

struct ArgSpec {
  const char* name;
  const char* alias = nullptr;  // a second accepted keyword (the torch-style name)
  bool kwonly = false;
  bool varargs = false;  // f(x, 2, 3) means f(x, [2, 3]): positional ints from here on are collected
  bool has_default = false;
};
inline constexpr int kMaxArgs = 40;

struct FnSpec {
  const char* name;
  const char* module;
  const char* doc;
  const char* signature;  // "(x, axis=None, keepdim=False, name=None)"
  int nargs;
  const ArgSpec* args;
  PyObject* (*call)(PyObject* const* slots);  // borrowed references; nullptr where an argument was not given
};

// A Python error is already set; unwinds C++ frames up to the binding.
struct PyErrAlreadySet {};
// Throws PyErrAlreadySet after setting the exception.
[[noreturn]] void RaiseTypeError(const std::string& message);
[[noreturn]] void RaiseValueError(const std::string& message);

// A callable for `spec` (which must outlive the process): vectorcall, binds as a method, inspectable, pickles by name.
PyObject* MakeFunction(const FnSpec* spec);
// Within `call`, first thing: whether the collecting argument was given as f(x, 2, 3).
bool SpelledOut();

struct Registration {
  const FnSpec* spec;
  const char* where;         // "paddle", "paddle.nn.functional", "paddle._C_ops", "paddle.Tensor", ...
  const char* as = nullptr;  // the name there; null: spec->name
};
void RegisterFunctions(const Registration* list, int n);
// dict name -> callable of one namespace, made on first use; a new reference. Unknown namespaces give an empty dict.
PyObject* FunctionsOf(const std::string& where);
// Sets the functions registered for "paddle.Tensor" as attributes of the Tensor type.
int InstallTensorMethods(PyTypeObject* type);

// Calls the function `name` of the "paddle._C_ops" namespace; a new reference. RuntimeError when there is no such op.
PyObject* CallOp(const char* name, std::initializer_list<PyObject*> args);
// The value of a default written in Python ("False", "-1", "[1, 1]"); borrowed, made once.
PyObject* Default(const char* text);
// Delivers `result` (stolen) into the `out=` argument and returns a new reference to it.
PyObject* WriteOut(PyObject* result, PyObject* out);
// The tuple `result` (stolen; null stays null) as the named tuple `type` of `paddle.tensor.search`: a new reference.
PyObject* Named(PyObject* result, const char* type);

// Conversions. `op` and `arg` are for the message. Each throws PyErrAlreadySet or common::Error on a value that does
// not fit.
const Tensor& ToTensor(PyObject* o, const char* op, const char* arg);
Tensor ToOptionalTensor(PyObject* o, const char* op, const char* arg);  // nullptr and None: undefined
// A tensor, or a Python or NumPy number made 0-d with the dtype that promotes with `other` as PaddlePaddle does.
// What an integer that int64 does not hold is beside a tensor of integers or booleans: an error, an infinity (for
// comparisons, which it decides) or a floating number. Beside other tensors it is a floating number.
enum class Wide : uint8_t { kRefused, kInfinite, kFloating };
Tensor ToTensorOrScalar(PyObject* o, const Tensor& other, const char* op, const char* arg, Wide wide = Wide::kRefused);
std::vector<Tensor> ToTensors(PyObject* o, const char* op, const char* arg);          // list or tuple of tensors
std::vector<Tensor> ToOptionalTensors(PyObject* o, const char* op, const char* arg);  // nullptr and None: empty
int64_t ToInt(PyObject* o, const char* op, const char* arg);
bool ToBool(PyObject* o, const char* op, const char* arg);
double ToDouble(PyObject* o, const char* op, const char* arg);
std::string ToStr(PyObject* o, const char* op, const char* arg);
// None: {}; int: {v}; list or tuple of ints and one-element tensors; integer tensor or array. A bool is no int here:
// TypeError.
Ints ToInts(PyObject* o, const char* op, const char* arg);
// The same where values of the program being recorded and extents (control_flow.cc) are taken, too.
IntArray ToIntArray(PyObject* o, const char* op, const char* arg);
// Whether it is an extent that is known only when the program being recorded runs.
bool IsExtent(PyObject* o, common::Dim* extent);
// The same for attributes of 32 bits: IndexError outside.
int64_t ToInt32(PyObject* o, const char* op, const char* arg);
Ints ToInts32(PyObject* o, const char* op, const char* arg);
Scalar ToScalar(PyObject* o, const char* op, const char* arg);
// OverflowError for an integer that int64 does not hold, as the attribute `arg` of an op on the tensor `x` of integers.
void CheckFits(PyObject* o, const Tensor& x, const char* op, const char* arg);
// TypeError for a complex number where a real `x` decides the dtype of what is computed.
void CheckReal(const Scalar& number, const Tensor& x, const char* op, const char* arg);
DataType ToDataType(PyObject* o, const char* op, const char* arg);  // None: UNDEFINED
Place ToPlace(PyObject* o, const char* op, const char* arg);        // None: the current device
std::vector<double> ToDoubles(PyObject* o, const char* op, const char* arg);
std::vector<std::string> ToStrs(PyObject* o, const char* op, const char* arg);
std::vector<Scalar> ToScalars(PyObject* o, const char* op, const char* arg);

// How deep lists and tuples may nest in what the bindings read: a list that holds itself nests without end.
inline constexpr int64_t kMaxNesting = 64;
// Throws ValueError below that depth. `level` counts from 0.
void CheckNesting(int64_t level, const char* op);

inline bool IsNone(PyObject* o) { return o == nullptr || o == Py_None; }

// 0-d tensor of a C++ number with the dtype that promotes with `other` (FACTS: "tensor * Python").
Tensor ScalarOperand(const Scalar& value, const Tensor& other);
// The same of the number `o`, whose value is `s`.
Tensor NumberOperand(PyObject* o, const Scalar& s, const Tensor& other, const char* op, const char* arg, Wide wide);
// Whether `o` is a Python or NumPy number (bool, int, float, complex); fills `out`.
bool NumberOf(PyObject* o, Scalar* out);

// Results. An undefined tensor is None; a vector is a list; a tuple is a tuple.
PyObject* Wrap(Tensor&& t);
PyObject* Wrap(const Tensor& t);
PyObject* Wrap(std::vector<Tensor>&& v);
inline PyObject* WrapInto(bool v) { return PyBool_FromLong(v); }
inline PyObject* WrapInto(int64_t v) { return PyLong_FromLongLong(v); }
template <class... T>
PyObject* Wrap(std::tuple<T...>&& t) {
  PyObject* r = PyTuple_New(sizeof...(T));
  if (!r) throw PyErrAlreadySet();
  bool ok = true;
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       PyObject* o = ok ? Wrap(std::move(std::get<I>(t))) : nullptr;
       ok = o != nullptr;
       PyTuple_SET_ITEM(r, I, o);
     }()),
     ...);
  }
  (std::index_sequence_for<T...>());
  if (!ok) {
    Py_DECREF(r);
    return nullptr;
  }
  return r;
}

// In a catch block: sets the Python exception for the current C++ one and returns nullptr.
PyObject* RaiseCurrent();

// Runs `f` with C++ exceptions turned into Python ones.
template <class F>
PyObject* Guarded(F&& f) {
  try {
    return f();
  } catch (...) { return RaiseCurrent(); }
}
template <class F>
int GuardedInt(F&& f) {
  try {
    f();
    return 0;
  } catch (...) {
    RaiseCurrent();
    return -1;
  }
}

// A function that Python calls, with C++ exceptions turned into Python ones.
template <auto F>
struct Entry;
template <class... A, PyObject* (*F)(A...)>
struct Entry<F> {
  static PyObject* Call(A... a) {
    return Guarded([&] { return F(a...); });
  }
};

// An owned reference.
class PyRef {
 public:
  PyRef() = default;
  explicit PyRef(PyObject* stolen) : p_(stolen) {}
  static PyRef Borrow(PyObject* o) {
    Py_XINCREF(o);
    return PyRef(o);
  }
  PyRef(const PyRef&) = delete;
  PyRef(PyRef&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  PyRef& operator=(PyRef&& o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(p_); }
  PyObject* get() const { return p_; }
  PyObject* release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }
  // Throws PyErrAlreadySet when empty.
  PyRef&& checked() && {
    if (!p_) throw PyErrAlreadySet();
    return std::move(*this);
  }

 private:
  PyObject* p_ = nullptr;
};
// Takes ownership of a new reference; throws when it is null (an error is set).
inline PyRef Own(PyObject* stolen) {
  if (!stolen) throw PyErrAlreadySet();
  return PyRef(stolen);
}

// Item `i` of a list or tuple, owned: reading it may run Python code that changes the list. Throws ValueError when the
// list no longer has that many.
PyRef ItemAt(PyObject* list_or_tuple, Py_ssize_t i, const char* op);

// Whether the Python object is true; throws what its __bool__ raises.
inline bool IsTrue(PyObject* o) {
  const int v = PyObject_IsTrue(o);
  if (v < 0) throw PyErrAlreadySet();
  return v != 0;
}

// One level of a walk over Python objects: RecursionError where there are too many.
class Deeper {
 public:
  Deeper() {
    if (Py_EnterRecursiveCall(" while reading nested objects")) throw PyErrAlreadySet();
  }
  ~Deeper() { Py_LeaveRecursiveCall(); }
  Deeper(const Deeper&) = delete;
};

// Keeps an error that is set while objects are released.
class ErrorKept {
 public:
  ErrorKept() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~ErrorKept() { PyErr_Restore(type_, value_, trace_); }
  ErrorKept(const ErrorKept&) = delete;

 private:
  PyObject *type_, *value_, *trace_;
};

}  // namespace paddle::py
