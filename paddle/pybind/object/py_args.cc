// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/unsupported_error.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/state.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/object/py_args.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/whole.h"
#include "paddle/pir/dialect/numbers.h"

#include <cxxabi.h>

#include <cmath>
#include <new>

#include "paddle/pybind/object/gil.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/object/user_line.h"

namespace paddle::py {

void RaiseTypeError(const std::string& message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw PyErrAlreadySet();
}
void RaiseValueError(const std::string& message) {
  PyErr_SetString(PyExc_ValueError, message.c_str());
  throw PyErrAlreadySet();
}

void CheckNesting(int64_t level, const char* op) {
  if (level >= kMaxNesting)
    RaiseValueError("[" + std::string(op) + "] expected lists nested less than " + std::to_string(kMaxNesting) +
                    " deep, got deeper ones or a list that holds itself");
}

PyRef ItemAt(PyObject* o, Py_ssize_t i, const char* op) {
  if (i >= PySequence_Fast_GET_SIZE(o))
    RaiseValueError("[" + std::string(op) +
                    "] expected a list that keeps its length while it is read, got a shorter one");
  return PyRef::Borrow(PySequence_Fast_GET_ITEM(o, i));
}

namespace {

std::string TypeName(PyObject* o) { return o ? Py_TYPE(o)->tp_name : "nothing"; }

std::string ItemText(int64_t i, const char* arg) { return "item " + std::to_string(i) + " of " + arg; }
std::string ExpectedText(PyObject* o, const char* op, const char* arg, const char* what) {
  return "[" + std::string(op) + "] expected " + arg + " to be " + what + ", got " + TypeName(o);
}
[[noreturn, gnu::cold, gnu::noinline]] void Expected(PyObject* o, const char* op, const char* arg, const char* what) {
  RaiseTypeError(ExpectedText(o, op, arg, what));
}
// Whether calls are recorded into a static program, and not into a compiled function, which raises what eager calls do.
// As in PaddlePaddle, arguments of another type or dtype are TypeErrors there.
bool RecordsProgram() { return egr::State().record == egr::RecordMode::kRecord && !jit::t_capture.records_function; }

[[noreturn, gnu::cold, gnu::noinline]] void ExpectedTensor(PyObject* o, const char* op, const char* arg,
                                                           const char* what) {
  if (RecordsProgram()) RaiseTypeError(ExpectedText(o, op, arg, what));
  RaiseValueError(ExpectedText(o, op, arg, what));
}

// NumPy scalars answer __index__ or __float__ without being int or float.
bool HasIndex(PyObject* o) {
  PyNumberMethods* m = Py_TYPE(o)->tp_as_number;
  return m && m->nb_index;
}
bool HasFloat(PyObject* o) {
  PyNumberMethods* m = Py_TYPE(o)->tp_as_number;
  return m && m->nb_float;
}
bool IsNumpyBool(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  return std::string_view(name) == "numpy.bool" || std::string_view(name) == "numpy.bool_";
}

bool IsRecorded(PyObject* o) { return IsTensor(o) && AsTensor(o).defined() && AsTensor(o).is_symbolic(); }

// Numbers of one argument that are known only when the program runs; each is compared with those before it.
constexpr int64_t kMostDeferred = 4096;

[[noreturn]] void RaiseRecorded(const char* op, const char* arg) {
  PD_THROW(InvalidType, "[", op, "] expected '", arg,
           "' to be known while recording, got a tensor that is being recorded");
}

// Whether the op has an operand for numbers of this argument that are known only when the program runs.
bool TakesDeferred(const char* op, const char* arg) {
  const phi::OpDef* def = phi::FindOpDef(op);
  if (def && !pir::IsFull(op))  // recorded as full_with_tensor
    for (const phi::ArgDef* a : def->attrs)
      if (std::string_view(a->name) == arg && a->kind != phi::ArgDef::kOperandAttr) return false;
  return true;
}

// A number that is known only when the program runs, where the op has an operand for it.
phi::RecordedElement Deferred(const Tensor& t, int64_t i, const char* op, const char* arg) {
  if (!TakesDeferred(op, arg)) RaiseRecorded(op, arg);
  return egr::Defer(t, i);
}

// Says which argument a number was too large for; other exceptions go on as they are.
[[noreturn, gnu::cold]] void RaiseUnfit(const char* op, const char* arg, const char* what) {
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "[%s] expected '%s' to fit in %s, got a larger number", op, arg, what);
  }
  throw PyErrAlreadySet();
}

int64_t IndexValue(PyObject* o, const char* op, const char* arg) {
  PyRef index;
  if (!PyLong_Check(o)) index = Own(PyNumber_Index(o));
  PyObject* number = index.get() ? index.get() : o;
  const int64_t v = PyLong_AsLongLong(number);
  if (v == -1 && PyErr_Occurred()) RaiseUnfit(op, arg, "int64");
  return v;
}

double FloatValue(PyObject* o, const char* op, const char* arg) {
  const double d = PyFloat_AsDouble(o);
  if (d == -1.0 && PyErr_Occurred()) RaiseUnfit(op, arg, "float64");
  return d;
}

// What a variable of an old program (paddle.static.block.OutputVar) stands for, which it keeps; null for other objects.
const Tensor* VariableOf(PyObject* o) {
  if (!o || !PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "_stands_for_tensor")) return nullptr;
  const PyRef value = Own(PyObject_CallMethod(o, "read", nullptr));
  return IsTensor(value.get()) && AsTensor(value.get()).defined() ? &AsTensor(value.get()) : nullptr;
}

}  // namespace

const Tensor& ToTensor(PyObject* o, const char* op, const char* arg) {
  if (__builtin_expect(o != nullptr && IsTensor(o), 1)) {
    const Tensor& t = AsTensor(o);
    if (__builtin_expect(t.defined(), 1)) return t;
  }
  if (const Tensor* t = VariableOf(o)) return *t;
  ExpectedTensor(o, op, arg, "a Tensor");
}

Tensor ToOptionalTensor(PyObject* o, const char* op, const char* arg) {
  if (IsNone(o)) return Tensor();
  return ToTensor(o, op, arg);
}

std::vector<Tensor> ToTensors(PyObject* o, const char* op, const char* arg) {
  if (!o || !(PyList_Check(o) || PyTuple_Check(o))) ExpectedTensor(o, op, arg, "a list of Tensors");
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  PyObject** items = PySequence_Fast_ITEMS(o);
  std::vector<Tensor> r;
  r.reserve(n);
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Tensor* t = IsTensor(items[i]) ? &AsTensor(items[i]) : VariableOf(items[i]);
    if (!t) ExpectedTensor(items[i], op, ItemText(i, arg).c_str(), "a Tensor");
    r.push_back(*t);
  }
  return r;
}

std::vector<Tensor> ToOptionalTensors(PyObject* o, const char* op, const char* arg) {
  if (IsNone(o)) return {};
  return ToTensors(o, op, arg);
}

int64_t ToInt(PyObject* o, const char* op, const char* arg) {
  if (o && PyLong_CheckExact(o)) return IndexValue(o, op, arg);
  if (o && IsTensor(o) && AsTensor(o).defined() && !AsTensor(o).is_symbolic()) {
    PD_CHECK(AsTensor(o).numel() == 1, InvalidArgument, "[", op, "] expected '", arg,
             "' to hold one element, got shape ", common::ShapeText(AsTensor(o).dims()));
    jit::NoteRead(AsTensor(o));
    return phi::ScalarAsInt(AsTensor(o));
  }
  if (o && HasIndex(o)) return IndexValue(o, op, arg);
  if (o && IsNumpyBool(o)) return IsTrue(o);
  if (o && IsNdarray(o)) {
    PyRef v = Own(PyNumber_Long(o));
    return IndexValue(v.get(), op, arg);
  }
  // A float is taken when it is whole: sizes are often computed with `/`.
  if (o && PyFloat_Check(o)) {
    double d = PyFloat_AS_DOUBLE(o);
    if (d == std::floor(d) && std::fabs(d) < 9e18) return static_cast<int64_t>(d);
  }
  Expected(o, op, arg, "an int");
}

namespace {
void CheckInt32(int64_t v, const char* op, const char* arg) {
  PD_CHECK(v == static_cast<int32_t>(v), OutOfRange, "[", op, "] expected '", arg, "' from ", INT32_MIN, " to ",
           INT32_MAX, ", got ", v);
}
}  // namespace

int64_t ToInt32(PyObject* o, const char* op, const char* arg) {
  const int64_t v = ToInt(o, op, arg);
  CheckInt32(v, op, arg);
  return v;
}

Ints ToInts32(PyObject* o, const char* op, const char* arg) {
  Ints r = ToInts(o, op, arg);
  for (int64_t v : r) CheckInt32(v, op, arg);
  return r;
}

bool ToBool(PyObject* o, const char* op, const char* arg) {
  if (o == Py_True) return true;
  if (o == Py_False || o == Py_None) return false;
  if (o &&
      (PyLong_Check(o) || IsNumpyBool(o) || (IsTensor(o) && AsTensor(o).defined() && !AsTensor(o).is_symbolic()))) {
    return IsTrue(o);
  }
  Expected(o, op, arg, "a bool");
}

double ToDouble(PyObject* o, const char* op, const char* arg) {
  if (o && PyFloat_Check(o)) {
    const double d = PyFloat_AS_DOUBLE(o);
    // Half of the smallest float32 and less would be kept as zero, numbers beyond the largest as infinity.
    const double size = std::abs(d);
    PD_CHECK(d == 0 || (size > 0x1p-150 && size < 0x1.ffffffp127) || !std::isfinite(d) ||
                 egr::State().record == egr::RecordMode::kRun,
             InvalidArgument, "[", op, "] expected ", arg,
             " to be 0 or within the range of float32, which attributes of programs are, got ", d);
    return d;
  }
  if (o && PyLong_Check(o)) return FloatValue(o, op, arg);
  if (o && IsTensor(o) && AsTensor(o).defined() && !AsTensor(o).is_symbolic()) {
    jit::NoteRead(AsTensor(o));
    return phi::ScalarAsDouble(AsTensor(o));
  }
  if (o && !PyUnicode_Check(o) && (HasFloat(o) || HasIndex(o))) return FloatValue(o, op, arg);
  Expected(o, op, arg, "a float");
}

std::string ToStr(PyObject* o, const char* op, const char* arg) {
  if (!o || !PyUnicode_Check(o)) Expected(o, op, arg, "a str");
  Py_ssize_t n;
  const char* s = PyUnicode_AsUTF8AndSize(o, &n);
  if (!s) throw PyErrAlreadySet();
  return std::string(s, n);
}

namespace {

void AddRecorded(Ints&, const Tensor&, int64_t, const char* op, const char* arg) { RaiseRecorded(op, arg); }
void AddRecorded(IntArray& list, const Tensor& t, int64_t i, const char* op, const char* arg) {
  list.push_back(phi::Int(Deferred(t, i, op, arg)));
}
bool AddExtent(Ints&, PyObject*, const char*, const char*) { return false; }
bool AddExtent(IntArray& list, PyObject* o, const char* op, const char* arg) {
  common::Dim extent;
  if (!IsExtent(o, &extent) || !TakesDeferred(op, arg)) return false;
  list.push_back(phi::Int(extent));
  return true;
}

// `List`: Ints or IntArray.
template <class List>
List ReadInts(PyObject* o, const char* op, const char* arg) {
  List r;
  if (IsNone(o)) return r;
  if (IsRecorded(o)) {
    const Tensor& t = AsTensor(o);
    PD_CHECK(phi::IsInteger(t.dtype()) && t.ndim() <= 1 && t->numel() >= 0, InvalidType, "[", op, "] expected '", arg,
             "' to be an integer tensor of known length, got ", phi::NameOf(t.dtype()), " of shape ",
             common::ShapeText(t.extents()));
    PD_CHECK(t->numel() <= kMostDeferred, InvalidType, "[", op, "] expected '", arg, "' to be of at most ",
             kMostDeferred, " numbers that are known only when the program runs, got ", t->numel());
    for (int64_t i = 0; i < t->numel(); ++i) AddRecorded(r, t, i, op, arg);
    return r;
  }
  if (PyList_Check(o) || PyTuple_Check(o)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (i < PySequence_Fast_GET_SIZE(o) &&
          PyLong_CheckExact(PySequence_Fast_GET_ITEM(o, i))) {  // runs no Python code
        r.push_back(IndexValue(PySequence_Fast_GET_ITEM(o, i), op, arg));
        continue;
      }
      const PyRef item = ItemAt(o, i, op);
      PyObject* e = item.get();
      if (PyLong_Check(e) && !PyBool_Check(e)) {
        r.push_back(IndexValue(e, op, arg));
      } else if (IsTensor(e) && AsTensor(e).defined() && !AsTensor(e).is_symbolic()) {
        PD_CHECK(!phi::IsFloating(AsTensor(e).dtype()), InvalidType, "[", op, "] expected integers in '", arg,
                 "', got a ", phi::NameOf(AsTensor(e).dtype()), " tensor at position ", i);
        jit::NoteRead(AsTensor(e));
        r.push_back(phi::ScalarAsInt(AsTensor(e)));
      } else if (IsRecorded(e)) {
        const Tensor& t = AsTensor(e);
        PD_CHECK(phi::IsInteger(t.dtype()) && t->numel() == 1, InvalidType, "[", op, "] expected integers in '", arg,
                 "', got a ", phi::NameOf(t.dtype()), " tensor of shape ", common::ShapeText(t.extents()),
                 " at position ", i);
        AddRecorded(r, t, 0, op, arg);
      } else if (!AddExtent(r, e, op, arg)) {
        if (HasIndex(e) && !PyBool_Check(e)) {
          r.push_back(IndexValue(e, op, arg));
          continue;
        }
        Expected(e, op, ItemText(i, arg).c_str(), "an int");
      }
    }
    return r;
  }
  if (PyBool_Check(o)) Expected(o, op, arg, "a list, a tuple, an int or a Tensor");
  if (PyLong_Check(o)) {
    r.push_back(IndexValue(o, op, arg));
    return r;
  }
  if (IsTensor(o) || IsNdarray(o)) {
    Tensor t = IsTensor(o) ? AsTensor(o) : FromBuffer(o, true);
    PD_CHECK(t.defined() && !t.is_symbolic() && (phi::IsInteger(t.dtype()) || t.dtype() == DataType::BOOL), InvalidType,
             "[", op, "] expected '", arg, "' to be an integer tensor with known values, got ",
             !t.defined()      ? "an empty one"
             : t.is_symbolic() ? "one that is being recorded"
                               : phi::NameOf(t.dtype()));
    jit::NoteRead(t);
    for (int64_t v : phi::ToIntVector(t)) r.push_back(v);
    return r;
  }
  if (AddExtent(r, o, op, arg)) return r;
  if (HasIndex(o)) {
    r.push_back(IndexValue(o, op, arg));
    return r;
  }
  Expected(o, op, arg, "a list, a tuple, an int or a Tensor");
}

}  // namespace

Ints ToInts(PyObject* o, const char* op, const char* arg) { return ReadInts<Ints>(o, op, arg); }
IntArray ToIntArray(PyObject* o, const char* op, const char* arg) { return ReadInts<IntArray>(o, op, arg); }

static bool NumberOf(PyObject* o, Scalar* out, const char* op, const char* arg) {
  if (PyFloat_Check(o)) {
    *out = Scalar(PyFloat_AS_DOUBLE(o));
    return true;
  }
  if (PyBool_Check(o)) {
    *out = Scalar(o == Py_True);
    return true;
  }
  if (PyLong_Check(o)) {
    int overflow = 0;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    *out = overflow ? Scalar(FloatValue(o, op, arg)) : Scalar(v);
    return true;
  }
  if (PyComplex_Check(o)) {
    *out = Scalar(phi::complex128(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
    return true;
  }
  if (IsTensor(o) || PyUnicode_Check(o) || IsNdarray(o)) return false;
  if (IsNumpyBool(o)) {
    *out = Scalar(IsTrue(o));
    return true;
  }
  if (PyList_Check(o) || PyTuple_Check(o)) return false;
  if (HasIndex(o)) {
    *out = Scalar(IndexValue(o, op, arg));
    return true;
  }
  if (PyObject_HasAttrString(o, "__complex__") &&
      std::string_view(Py_TYPE(o)->tp_name).find("complex") != std::string_view::npos) {
    Py_complex c = PyComplex_AsCComplex(o);
    if (PyErr_Occurred()) throw PyErrAlreadySet();
    *out = Scalar(phi::complex128(c.real, c.imag));
    return true;
  }
  if (HasFloat(o)) {
    double d = PyFloat_AsDouble(o);
    if (d == -1.0 && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PyErrAlreadySet();
      PyErr_Clear();
      return false;
    }
    *out = Scalar(d);
    return true;
  }
  return false;
}

bool NumberOf(PyObject* o, Scalar* out) { return NumberOf(o, out, "number", "value"); }

Scalar ToScalar(PyObject* o, const char* op, const char* arg) {
  Scalar s;
  if (!o) Expected(o, op, arg, "an int, a float, a bool or a Tensor");
  if (common::Dim extent; HasIndex(o) && !PyLong_Check(o) && IsExtent(o, &extent) && TakesDeferred(op, arg))
    return Scalar(extent);
  if (NumberOf(o, &s, op, arg)) return s;
  if (IsNdarray(o) || (IsTensor(o) && AsTensor(o).defined() && !AsTensor(o).is_symbolic())) {
    Tensor t = IsTensor(o) ? AsTensor(o) : FromBuffer(o, true);
    PD_CHECK(t.numel() == 1, InvalidArgument, "[", op, "] expected '", arg, "' to hold one element, got shape ",
             common::ShapeText(t.dims()));
    if (IsTensor(o)) jit::NoteRead(t);
    return phi::ScalarOf(t);
  }
  if (IsRecorded(o)) {
    const Tensor& t = AsTensor(o);
    PD_CHECK(t->numel() == 1, InvalidArgument, "[", op, "] expected '", arg, "' to hold one element, got shape ",
             common::ShapeText(t.extents()));
    const bool integral = phi::IsInteger(t.dtype()) || t.dtype() == DataType::BOOL;
    return Scalar(Deferred(t, 0, op, arg), integral ? DataType::INT64 : t.dtype());
  }
  Expected(o, op, arg, "an int, a float, a bool or a Tensor");
}

std::vector<double> ToDoubles(PyObject* o, const char* op, const char* arg) {
  std::vector<double> r;
  if (IsNone(o)) return r;
  if (PyList_Check(o) || PyTuple_Check(o)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; ++i) r.push_back(ToDouble(ItemAt(o, i, op).get(), op, arg));
    return r;
  }
  if (IsTensor(o) || IsNdarray(o)) {
    PD_CHECK(!IsRecorded(o), InvalidType, "[", op, "] expected '", arg,
             "' to be known while recording, got a tensor that is being recorded");
    Tensor t = phi::Contiguous(
        phi::CastTo(IsTensor(o) ? phi::ToHost(phi::WholeOf(AsTensor(o))) : FromBuffer(o, true), DataType::FLOAT64));
    r.assign(t.data<double>(), t.data<double>() + t.numel());
    return r;
  }
  r.push_back(ToDouble(o, op, arg));
  return r;
}

std::vector<std::string> ToStrs(PyObject* o, const char* op, const char* arg) {
  std::vector<std::string> r;
  if (IsNone(o)) return r;
  if (!PyList_Check(o) && !PyTuple_Check(o)) Expected(o, op, arg, "a list of str");
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) r.push_back(ToStr(PySequence_Fast_GET_ITEM(o, i), op, arg));
  return r;
}

std::vector<Scalar> ToScalars(PyObject* o, const char* op, const char* arg) {
  std::vector<Scalar> r;
  if (IsNone(o)) return r;
  if (!PyList_Check(o) && !PyTuple_Check(o)) {
    r.push_back(ToScalar(o, op, arg));
    return r;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) r.push_back(ToScalar(ItemAt(o, i, op).get(), op, arg));
  return r;
}

void CheckFits(PyObject* o, const Tensor& x, const char* op, const char* arg) {
  int overflow = 0;
  if (!o || !PyLong_Check(o) || !x.defined() || phi::IsDifferentiable(x.dtype())) return;
  PyLong_AsLongLongAndOverflow(o, &overflow);
  if (!overflow) return;
  PyErr_Format(PyExc_OverflowError, "[%s] expected '%s' to fit in int64 beside a tensor of %s, got %R", op, arg,
               std::string(phi::NameOf(x.dtype())).c_str(), o);
  throw PyErrAlreadySet();
}

void CheckReal(const Scalar& number, const Tensor& x, const char* op, const char* arg) {
  if (!phi::IsComplex(number.dtype()) || !x.defined() || phi::IsComplex(x.dtype())) return;
  const auto z = number.to_complex();
  if (z.imag() == 0) return;
  PD_THROW(InvalidType, "[", op, "] expected a real number as '", arg, "' beside a tensor of ", phi::NameOf(x.dtype()),
           ", got ", z.real(), z.imag() < 0 ? "" : "+", z.imag(), "j");
}

Tensor NumberOperand(PyObject* o, const Scalar& s, const Tensor& other, const char* op, const char* arg, Wide wide) {
  const bool is_wide = PyLong_Check(o) && s.dtype() == DataType::FLOAT64;
  if (__builtin_expect(is_wide, 0)) {
    if (wide == Wide::kRefused) CheckFits(o, other, op, arg);
    if (wide == Wide::kInfinite && other.defined() && !phi::IsDifferentiable(other.dtype()))
      return ScalarOperand(Scalar(std::copysign(HUGE_VAL, s.to_double())), other);
  }
  return ScalarOperand(s, other);
}

Tensor ToTensorOrScalar(PyObject* o, const Tensor& other, const char* op, const char* arg, Wide wide) {
  if (o && IsTensor(o)) return ToTensor(o, op, arg);
  Scalar s;
  if (o && NumberOf(o, &s, op, arg)) return NumberOperand(o, s, other, op, arg, wide);
  if (o && IsNdarray(o)) return FromBuffer(o, true);
  if (const Tensor* t = VariableOf(o)) return *t;
  ExpectedTensor(o, op, arg, "a Tensor, an int, a float or a bool");
}

PyObject* Wrap(Tensor&& t) { return ToPy(std::move(t)); }
PyObject* Wrap(const Tensor& t) { return ToPy(t); }
PyObject* Wrap(std::vector<Tensor>&& v) {
  PyObject* r = PyList_New(static_cast<Py_ssize_t>(v.size()));
  if (!r) return nullptr;
  for (size_t i = 0; i < v.size(); ++i) {
    PyObject* o = ToPy(std::move(v[i]));
    if (!o) {
      Py_DECREF(r);
      return nullptr;
    }
    PyList_SET_ITEM(r, i, o);
  }
  return r;
}

PyObject* RaiseCurrent() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) { Stay(); } catch (const PyErrAlreadySet&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an error was signalled without an exception");
  } catch (const common::Error& e) {
    if (PyErr_Occurred()) return nullptr;
    PyObject* type = PyExc_RuntimeError;
    switch (e.code()) {
      case common::ErrorCode::kInvalidArgument: type = PyExc_ValueError; break;
      case common::ErrorCode::kInvalidType: type = PyExc_TypeError; break;
      case common::ErrorCode::kOutOfRange: type = PyExc_IndexError; break;
      case common::ErrorCode::kResourceExhausted: type = PyExc_MemoryError; break;
      case common::ErrorCode::kIo: type = PyExc_OSError; break;
      case common::ErrorCode::kFatal:
      case common::ErrorCode::kInternal: type = PyExc_SystemError; break;
      case common::ErrorCode::kAssertion: type = PyExc_AssertionError; break;
      default: break;
    }
    if (dynamic_cast<const common::UnsupportedError*>(&e)) type = PyExc_NotImplementedError;
    if (RecordsProgram() && dynamic_cast<const common::DtypeError*>(&e)) type = PyExc_TypeError;
    PyErr_SetString(type, e.what());
    if (const auto* located = dynamic_cast<const common::LocatedError*>(&e)) AddToTraceback(located->lines());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory");
  } catch (const std::exception& e) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an unknown C++ exception was thrown");
  }
  return nullptr;
}

}  // namespace paddle::py
