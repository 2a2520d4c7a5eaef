// SPDX-License-Identifier: Apache-2.0
// Operators of paddle.Tensor: number slots and comparisons straight onto the C++ API, Python and NumPy numbers as 0-d
// operands.
#include "paddle/common/half.h"
#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/promote.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/unknown_value.h"
#include "paddle/pybind/watched.h"

namespace paddle::py {
namespace {

Tensor MakeScalar(const Scalar& v, DataType dtype) {
  Tensor t = phi::Empty({}, dtype);
  void* p = t.raw_data();
  switch (dtype) {
    case DataType::BOOL: *static_cast<bool*>(p) = v.to_bool(); break;
    case DataType::UINT8: *static_cast<uint8_t*>(p) = static_cast<uint8_t>(v.to_int()); break;
    case DataType::INT8: *static_cast<int8_t*>(p) = static_cast<int8_t>(v.to_int()); break;
    case DataType::INT16: *static_cast<int16_t*>(p) = static_cast<int16_t>(v.to_int()); break;
    case DataType::INT32: *static_cast<int32_t*>(p) = static_cast<int32_t>(v.to_int()); break;
    case DataType::INT64: *static_cast<int64_t*>(p) = v.to_int(); break;
    case DataType::FLOAT16: *static_cast<phi::float16*>(p) = phi::ToFloat16(static_cast<float>(v.to_double())); break;
    case DataType::BFLOAT16:
      *static_cast<phi::bfloat16*>(p) = phi::ToBfloat16(static_cast<float>(v.to_double()));
      break;
    case DataType::FLOAT32: *static_cast<float*>(p) = static_cast<float>(v.to_double()); break;
    case DataType::FLOAT64: *static_cast<double*>(p) = v.to_double(); break;
    case DataType::COMPLEX64: *static_cast<phi::complex64*>(p) = phi::complex64(v.to_complex()); break;
    case DataType::COMPLEX128: *static_cast<phi::complex128*>(p) = v.to_complex(); break;
    default: return phi::CastTo(MakeScalar(v, DataType::FLOAT32), dtype);
  }
  return t;
}

// The dtype a number takes beside a tensor of dtype `t`.
DataType OperandDtype(DataType number, DataType t) {
  switch (number) {
    case DataType::BOOL: return t;
    case DataType::INT64: return t == DataType::BOOL ? DataType::INT64 : t;
    case DataType::COMPLEX128:
      return phi::IsComplex(t) ? t : t == DataType::FLOAT64 ? DataType::COMPLEX128 : DataType::COMPLEX64;
    default: return phi::IsDifferentiable(t) ? t : DataType::FLOAT32;
  }
}

using Binary = Tensor (*)(const Tensor&, const Tensor&);

[[noreturn, gnu::cold]] void BadOperand(PyObject* o, const char* op) {
  RaiseTypeError("[" + std::string(op) + "] expected an int, a float, a bool or a Tensor, got " + Py_TYPE(o)->tp_name);
}

// The other operand of `t`. False: it is of a class of its own that may know what to do (NotImplemented).
bool Operand(PyObject* o, const Tensor& t, const char* op, Wide wide, Tensor* out) {
  Scalar s;
  if (NumberOf(o, &s)) {
    *out = NumberOperand(o, s, t, op, "y", wide);
    return true;
  }
  if (IsNdarray(o)) {
    *out = FromBuffer(o, true);
    return true;
  }
  if (o == Py_None || PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o) || PyUnicode_Check(o)) BadOperand(o, op);
  return false;
}

template <Binary F, Wide kWide>
PyObject* ApplyUnwatched(PyObject* a, PyObject* b, const char* op) {
  try {
    bool ta = IsTensor(a), tb = IsTensor(b);
    if (__builtin_expect(ta && tb, 1)) return ToPy(F(ToTensor(a, op, "x"), ToTensor(b, op, "y")));
    Tensor other;
    if (ta) {
      if (!Operand(b, ToTensor(a, op, "x"), op, kWide, &other)) Py_RETURN_NOTIMPLEMENTED;
      return ToPy(F(AsTensor(a), other));
    }
    if (!Operand(a, ToTensor(b, op, "y"), op, kWide, &other)) Py_RETURN_NOTIMPLEMENTED;
    return ToPy(F(other, AsTensor(b)));
  } catch (...) { return RaiseCurrent(); }
}

template <Binary F, Wide kWide>
[[gnu::cold, gnu::noinline]] PyObject* ApplyWatched(PyObject* a, PyObject* b, const char* op) {
  const auto run = [op](PyObject* const* v) {
    return WatchedCall(op, [&] { return ApplyUnwatched<F, kWide>(v[0], v[1], op); });
  };
  PyObject* args[] = {a, b};
  if (Tape* tape = TakingTape())
    return tape->Call(args, 2, run, [op](PyObject* const* v) { return ApplyUnwatched<F, kWide>(v[0], v[1], op); });
  return run(args);
}

template <Binary F, Wide kWide = Wide::kRefused>
PyObject* Apply(PyObject* a, PyObject* b, const char* op) {
  if (phi::OpsWatched()) return ApplyWatched<F, kWide>(a, b, op);
  return ApplyUnwatched<F, kWide>(a, b, op);
}

Tensor Power(const Tensor& x, const Tensor& y) { return paddle::elementwise_pow(x, y); }

#define BINARY(Name, fn) \
  PyObject* Name(PyObject* a, PyObject* b) { return Apply<fn>(a, b, #fn + 8); }  // the name without its namespace
BINARY(Add, paddle::add)
BINARY(Subtract, paddle::subtract)
BINARY(Multiply, paddle::multiply)
BINARY(FloorDivide, paddle::floor_divide)
BINARY(Remainder, paddle::remainder)
BINARY(And, paddle::bitwise_and)
BINARY(Or, paddle::bitwise_or)
BINARY(Xor, paddle::bitwise_xor)
#undef BINARY
PyObject* TrueDivide(PyObject* a, PyObject* b) { return Apply<paddle::divide, Wide::kFloating>(a, b, "divide"); }

// Shifts go by name: they are rare.
PyObject* Shift(PyObject* a, PyObject* b, const char* op) {
  return Guarded([&]() -> PyObject* {
    bool ta = IsTensor(a), tb = IsTensor(b);
    Tensor other;
    if (ta && tb) return CallOp(op, {a, b});
    if (!Operand(ta ? b : a, AsTensor(ta ? a : b), op, Wide::kRefused, &other)) Py_RETURN_NOTIMPLEMENTED;
    PyRef o = Own(ToPy(other));
    return ta ? CallOp(op, {a, o.get()}) : CallOp(op, {o.get(), b});
  });
}
PyObject* LeftShift(PyObject* a, PyObject* b) { return Shift(a, b, "bitwise_left_shift"); }
PyObject* RightShift(PyObject* a, PyObject* b) { return Shift(a, b, "bitwise_right_shift"); }

PyObject* Pow(PyObject* a, PyObject* b, PyObject*) {
  return Guarded([&]() -> PyObject* {
    Scalar s;
    // A floating tensor to a real number keeps the number, so that squares and roots are recognised.
    if (IsTensor(a) && !IsTensor(b) && AsTensor(a).defined() && phi::IsFloating(AsTensor(a).dtype()) &&
        NumberOf(b, &s) && s.dtype() != DataType::COMPLEX128)
      return ToPy(paddle::pow(AsTensor(a), s));
    return Apply<Power>(a, b, "pow");
  });
}

// x @ y: complex operands meet in their common dtype; otherwise y takes x's.
Tensor Product(const Tensor& x, const Tensor& y) {
  if (x.dtype() == y.dtype()) return paddle::matmul(x, y);
  if (!phi::IsComplex(x.dtype()) && !phi::IsComplex(y.dtype())) return paddle::matmul(x, paddle::cast(y, x.dtype()));
  const DataType to = phi::Promote("matmul", x.dtype(), false, y.dtype(), false);
  return paddle::matmul(paddle::cast(x, to), paddle::cast(y, to));
}

PyObject* MatMul(PyObject* a, PyObject* b) {
  return Guarded([&]() -> PyObject* {
    if (!IsTensor(a) || !IsTensor(b)) {
      Tensor x = IsTensor(a) ? AsTensor(a) : IsNdarray(a) ? FromBuffer(a, true) : Tensor();
      Tensor y = IsTensor(b) ? AsTensor(b) : IsNdarray(b) ? FromBuffer(b, true) : Tensor();
      if (!x.defined() || !y.defined()) Py_RETURN_NOTIMPLEMENTED;
      return ToPy(Product(x, y));
    }
    return ToPy(Product(ToTensor(a, "matmul", "x"), ToTensor(b, "matmul", "y")));
  });
}

PyObject* Negative(PyObject* a) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(a, "neg", "x");
    if (t.dtype() == DataType::BOOL) return ToPy(paddle::assign(t));
    return ToPy(paddle::scale(t, Scalar(static_cast<int64_t>(-1))));
  });
}
PyObject* Positive(PyObject* a) {
  Py_INCREF(a);
  return a;
}
PyObject* Absolute(PyObject* a) {
  return Guarded([&] { return ToPy(paddle::abs(ToTensor(a, "abs", "x"))); });
}
PyObject* Invert(PyObject* a) {
  return Guarded([&] { return ToPy(paddle::bitwise_not(ToTensor(a, "bitwise_not", "x"))); });
}

// Conversions to Python numbers take one-element tensors of any rank.
const Tensor& OneElement(PyObject* o, const char* what) {
  const Tensor& t = ToTensor(o, what, "x");
  if (t.is_symbolic()) {
    RaiseUnknownValue(what, what[0] == 'i'   ? "keep it a tensor, with paddle.cast(x, 'int64') for whole numbers"
                            : what[0] == 'f' ? "keep it a tensor, with paddle.cast(x, 'float32')"
                                             : "pass the tensor itself to the operation");
    throw PyErrAlreadySet();
  }
  if (t.numel() != 1) {
    PyErr_Format(PyExc_AssertionError, "[%s] expected a tensor of one element, got shape %s", what,
                 common::ShapeText(t.dims()).c_str());
    throw PyErrAlreadySet();
  }
  return t;
}
int Truth(PyObject* o) {
  try {
    const Tensor& t = ToTensor(o, "bool", "x");
    if (t.is_symbolic()) {
      RaiseUnknownValue("bool",
                        "use paddle.static.nn.cond, while_loop or paddle.where, or convert the function with "
                        "paddle.jit.to_static(full_graph=True)");
      return -1;
    }
    if (t.numel() != 1) {
      PyErr_Format(PyExc_AssertionError,
                   "[bool] expected a tensor of one element, got shape %s; x.all() and x.any() decide for many",
                   common::ShapeText(t.dims()).c_str());
      return -1;
    }
    PyRef item(ItemOf(t, 0));
    return item ? PyObject_IsTrue(item.get()) : -1;
  } catch (...) {
    RaiseCurrent();
    return -1;
  }
}
PyObject* Int(PyObject* o) {
  return Guarded([&]() -> PyObject* {
    PyRef item = Own(ItemOf(OneElement(o, "int"), 0));
    return PyNumber_Long(item.get());
  });
}
PyObject* Float(PyObject* o) {
  return Guarded([&]() -> PyObject* {
    PyRef item = Own(ItemOf(OneElement(o, "float"), 0));
    return PyNumber_Float(item.get());
  });
}
PyObject* Index(PyObject* o) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = OneElement(o, "index");
    if (!phi::IsInteger(t.dtype()) && t.dtype() != DataType::BOOL)
      RaiseTypeError("[index] expected a tensor of integers, got dtype " + std::string(phi::NameOf(t.dtype())));
    PyRef item = Own(ItemOf(t, 0));
    return PyNumber_Index(item.get());
  });
}

}  // namespace

Tensor ScalarOperand(const Scalar& value, const Tensor& other) {
  DataType dtype = other.defined()                      ? OperandDtype(value.dtype(), other.dtype())
                   : value.dtype() == DataType::FLOAT64 ? DefaultDtype()
                                                        : value.dtype();
  if (__builtin_expect(egr::State().record != egr::RecordMode::kRun, 0)) return paddle::full({}, value, dtype);
  return MakeScalar(value, dtype);
}

PyObject* TensorRichCompare(PyObject* a, PyObject* b, int op) {
  bool equality = op == Py_EQ || op == Py_NE;
  if (!IsTensor(b) && equality) {
    if (b == Py_None || PyList_Check(b) || PyTuple_Check(b) || PyDict_Check(b) || PyType_Check(b))
      Py_RETURN_NOTIMPLEMENTED;
  }
  switch (op) {
    case Py_EQ:
    case Py_NE:
      if (PyUnicode_Check(b))
        return Guarded(
            [&] { return ToPy(paddle::full(ToTensor(a, "equal", "x").dims(), Scalar(op == Py_NE), DataType::BOOL)); });
      return op == Py_EQ ? Apply<paddle::equal, Wide::kInfinite>(a, b, "equal")
                         : Apply<paddle::not_equal, Wide::kInfinite>(a, b, "not_equal");
    case Py_LT: return Apply<paddle::less_than, Wide::kInfinite>(a, b, "less_than");
    case Py_LE: return Apply<paddle::less_equal, Wide::kInfinite>(a, b, "less_equal");
    case Py_GT: return Apply<paddle::greater_than, Wide::kInfinite>(a, b, "greater_than");
    default: return Apply<paddle::greater_equal, Wide::kInfinite>(a, b, "greater_equal");
  }
}

void FillNumberSlots(std::vector<PyType_Slot>* slots) {
  auto put = [&](int slot, auto* fn) { slots->push_back({slot, reinterpret_cast<void*>(fn)}); };
  put(Py_nb_add, Add);
  put(Py_nb_subtract, Subtract);
  put(Py_nb_multiply, Multiply);
  put(Py_nb_true_divide, TrueDivide);
  put(Py_nb_floor_divide, FloorDivide);
  put(Py_nb_remainder, Remainder);
  put(Py_nb_power, OnTapeTernary<Pow>);
  put(Py_nb_matrix_multiply, OnTape<MatMul>);
  put(Py_nb_and, And);
  put(Py_nb_or, Or);
  put(Py_nb_xor, Xor);
  put(Py_nb_lshift, OnTape<LeftShift>);
  put(Py_nb_rshift, OnTape<RightShift>);
  put(Py_nb_negative, OnTapeUnary<Negative>);
  put(Py_nb_positive, Positive);
  put(Py_nb_absolute, OnTapeUnary<Absolute>);
  put(Py_nb_invert, OnTapeUnary<Invert>);
  put(Py_nb_bool, Truth);
  put(Py_nb_int, Int);
  put(Py_nb_float, Float);
  put(Py_nb_index, Index);
}

}  // namespace paddle::py
