// SPDX-License-Identifier: Apache-2.0
// Public functions whose Python form differs from their op's: shapes spelled out as arguments, numbers where the op
// takes tensors, optional bounds. Written by hand because they are called often.
#include <limits>
#include <string_view>

#include "paddle/eager/autograd/inplace.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/promote.h"
#include "paddle/pybind/public_texts.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

Scalar AxisOf(PyObject* o, const char* op) {
  if (IsNone(o)) return Scalar(int64_t{0});
  bool recorded = IsTensor(o) && AsTensor(o).defined() && AsTensor(o).is_symbolic();
  return recorded ? ToScalar(o, op, "axis") : Scalar(ToInt(o, op, "axis"));
}

const Tensor& X(PyObject* const* a, const char* op) { return ToTensor(a[0], op, "x"); }

PyObject* Finish(Tensor&& t, PyObject* out) {
  PyObject* r = ToPy(std::move(t));
  return IsNone(out) ? r : WriteOut(r, out);
}
PyObject* Same(PyObject* o) {
  Py_INCREF(o);
  return o;
}

// --- reshape, expand, transpose

PyObject* Reshape(PyObject* const* a) {
  PD_CHECK(!IsNone(a[1]) && !PyUnicode_Check(a[1]), InvalidArgument,
           "[reshape] expected a list, tuple, int or Tensor as shape, got ", a[1] ? Py_TYPE(a[1])->tp_name : "nothing");
  return ToPy(paddle::reshape(X(a, "reshape"), ToIntArray(a[1], "reshape", "shape")));
}
PyObject* ReshapeInplace(PyObject* const* a) {
  Tensor x = X(a, "reshape_");
  paddle::reshape_(x, ToIntArray(a[1], "reshape_", "shape"));
  return Same(a[0]);
}
PyObject* Expand(PyObject* const* a) {
  const Tensor& x = X(a, "expand");
  return ToPy(egr::Apart(paddle::expand(x, ToIntArray(a[1], "expand", "shape")), x));
}

// transpose(x, [1, 0, 2]) and transpose(x, 1, 0, 2) permute; transpose(x, 0, 1) and dim0=, dim1= exchange two axes.
Ints Permutation(const Tensor& x, PyObject* const* a, const char* op) {
  int64_t rank = x.ndim();
  bool named = !IsNone(a[2]) && !IsNone(a[3]);
  if (named || (SpelledOut() && PyTuple_GET_SIZE(a[1]) == 2)) {
    int64_t d0 = ToInt(named ? a[2] : PyTuple_GET_ITEM(a[1], 0), op, "dim0");
    int64_t d1 = ToInt(named ? a[3] : PyTuple_GET_ITEM(a[1], 1), op, "dim1");
    Ints perm;
    for (int64_t i = 0; i < rank; ++i) perm.push_back(i);
    std::swap(perm[common::NormalizeAxis(op, d0, rank)], perm[common::NormalizeAxis(op, d1, rank)]);
    return perm;
  }
  if (IsNone(a[1])) RaiseTypeError(std::string(op) + "() missing 1 required positional argument: 'perm'");
  return ToInts(a[1], op, "perm");
}
PyObject* Transpose(PyObject* const* a) {
  const Tensor& x = X(a, "transpose");
  return ToPy(paddle::transpose(x, Permutation(x, a, "transpose")));
}
PyObject* TransposeInplace(PyObject* const* a) {
  Tensor x = X(a, "transpose_");
  paddle::transpose_(x, Permutation(x, a, "transpose_"));
  return Same(a[0]);
}

// --- reductions

PyObject* Max(PyObject* const* a) {
  return Finish(paddle::max(X(a, "max"), ToIntArray(a[1], "max", "axis"), a[2] && ToBool(a[2], "max", "keepdim")),
                a[4]);
}
PyObject* Min(PyObject* const* a) {
  return Finish(paddle::min(X(a, "min"), ToIntArray(a[1], "min", "axis"), a[2] && ToBool(a[2], "min", "keepdim")),
                a[4]);
}

// --- where, pow, clip

PyObject* Where(PyObject* const* a) {
  const Tensor& c = ToTensor(a[0], "where", "condition");
  if (IsNone(a[1]) && IsNone(a[2])) {
    PyRef all = Own(CallOp("nonzero", {a[0]}));
    const Tensor index = ToTensor(all.get(), "where", "out");
    if (!IsNone(a[4])) Own(Finish(Tensor(index), a[4]));
    std::vector<Tensor> columns = paddle::unbind(index, 1);
    PyRef list = Own(Wrap(std::move(columns)));
    return PyList_AsTuple(list.get());
  }
  if (IsNone(a[1]) || IsNone(a[2])) RaiseValueError("[where] expected both x and y or none of them, got one");
  PD_CHECK(c.dtype() == DataType::BOOL, InvalidArgument, "[where] expected a condition of dtype bool, got ",
           phi::NameOf(c.dtype()));
  Tensor none;
  Tensor x = ToTensorOrScalar(a[1], IsTensor(a[2]) ? AsTensor(a[2]) : none, "where", "x");
  Tensor y = ToTensorOrScalar(a[2], IsTensor(a[1]) ? AsTensor(a[1]) : none, "where", "y");
  if (x.dtype() != y.dtype()) {  // before they take the condition's shape, where a number would no longer be 0-D
    const DataType t = phi::Promote("where", x.dtype(), x.ndim() == 0, y.dtype(), y.ndim() == 0);
    x = paddle::cast(x, t);
    y = paddle::cast(y, t);
  }
  return Finish(paddle::where(c, x, y), a[4]);
}

PyObject* Pow(PyObject* const* a) {
  Scalar s;
  if (!IsTensor(a[0])) {
    const Tensor& y = ToTensor(a[1], "pow", "y");
    return Finish(paddle::elementwise_pow(ToTensorOrScalar(a[0], y, "pow", "x"), y), a[3]);
  }
  const Tensor& x = X(a, "pow");
  if (IsTensor(a[1])) return Finish(paddle::elementwise_pow(x, ToTensor(a[1], "pow", "y")), a[3]);
  if (!NumberOf(a[1], &s))
    RaiseTypeError(std::string("[pow] expected a number or Tensor as y, got ") + Py_TYPE(a[1])->tp_name);
  CheckFits(a[1], x, "pow", "y");
  CheckReal(s, x, "pow", "y");
  return Finish(paddle::pow(x, s), a[3]);
}

bool BoundOf(PyObject* o, const Tensor& x, const char* arg, Scalar* s) {
  if (IsNone(o)) return false;
  *s = ToScalar(o, "clip", arg);
  CheckReal(*s, x, "clip", arg);
  // Beyond int64, a bound of integers is the nearest int64: no element is beyond that.
  if (PyLong_Check(o) && !s->is_integral() && phi::IsInteger(x.dtype())) *s = Scalar(s->to_int());
  return true;
}
bool IsWide(PyObject* o) { return o && IsTensor(o) && (AsTensor(o).is_symbolic() || AsTensor(o).numel() != 1); }

Tensor Clipped(PyObject* const* a) {
  Tensor x = X(a, "clip");
  if (IsWide(a[1]) || IsWide(a[2])) {
    if (!IsNone(a[1])) x = paddle::maximum(x, ToTensorOrScalar(a[1], x, "clip", "min"));
    if (!IsNone(a[2])) x = paddle::minimum(x, ToTensorOrScalar(a[2], x, "clip", "max"));
    return x;
  }
  Scalar low, high;
  bool has_low = BoundOf(a[1], x, "min", &low), has_high = BoundOf(a[2], x, "max", &high);
  if (has_low && has_high)
    PD_CHECK(
        !(low.is_integral() && high.is_integral() ? low.to_int() > high.to_int() : low.to_double() > high.to_double()),
        InvalidArgument, "[clip] expected min not above max, got min ", low.to_double(), " and max ", high.to_double());
  bool real = phi::IsFloating(x.dtype());
  if (!real && ((has_low && !low.is_integral()) || (has_high && !high.is_integral()))) {
    x = paddle::cast(x, DataType::FLOAT32);
    real = true;
  }
  if (!real) {
    // Bounds of integers stay integers of 64 bits.
    if (has_low) x = paddle::maximum(x, ScalarOperand(low, x));
    if (has_high) x = paddle::minimum(x, ScalarOperand(high, x));
    return has_low || has_high ? x : paddle::assign(x);
  }
  if (!has_low) low = Scalar(-std::numeric_limits<double>::infinity());
  if (!has_high) high = Scalar(std::numeric_limits<double>::infinity());
  return paddle::clip(x, low, high);
}
PyObject* Clip(PyObject* const* a) { return Finish(Clipped(a), a[4]); }

PyObject* Mean(PyObject* const* a) {
  const DataType dtype = IsNone(a[4]) ? DataType::UNDEFINED : ToDataType(a[4], "mean", "dtype");
  const Tensor& x = X(a, "mean");
  const IntArray axis = ToIntArray(a[1], "mean", "axis");
  const bool keepdim = !IsNone(a[2]) && ToBool(a[2], "mean", "keepdim");
  if (dtype == DataType::UNDEFINED) return Finish(paddle::mean(x, axis, keepdim), a[5]);
  Tensor mean = paddle::mean(dtype == x.dtype() ? x : paddle::cast(x, dtype), axis, keepdim);
  return Finish(mean.dtype() == dtype ? std::move(mean) : paddle::cast(mean, dtype), a[5]);
}

// --- scale

struct ScaleArgs {
  Scalar scale{1.0}, bias{0.0};
  bool bias_after = true;
  ScaleArgs(PyObject* const* a, const Tensor& x) {
    if (a[1]) scale = ToScalar(a[1], "scale", "scale");
    if (a[2]) bias = ToScalar(a[2], "scale", "bias");
    CheckFits(a[1], x, "scale", "scale");
    CheckFits(a[2], x, "scale", "bias");
    CheckReal(scale, x, "scale", "scale");
    CheckReal(bias, x, "scale", "bias");
    if (!IsNone(a[3])) bias_after = ToBool(a[3], "scale", "bias_after_scale");
  }
};
// The operation that an argument `act` names, applied to what `scaled` returns. AttributeError, before that is called,
// if there is none of that name.
template <class F>
PyObject* Activated(PyObject* act, const char* suffix, F scaled) {
  if (IsNone(act)) return scaled();
  const std::string name = ToStr(act, "scale", "act");
  PyRef ops = Own(PyImport_ImportModule("paddle._C_ops"));
  PyRef fn(PyObject_GetAttrString(ops.get(), (name + suffix).c_str()));
  if (!fn.get()) {
    PyErr_Format(PyExc_AttributeError, "[scale] expected 'act' to be None or the name of an activation, got %R", act);
    throw PyErrAlreadySet();
  }
  PyRef held = Own(scaled());
  return Own(PyObject_CallOneArg(fn.get(), held.get())).release();
}
PyObject* Scale(PyObject* const* a) {
  const Tensor x = X(a, "scale");
  const ScaleArgs s(a, x);
  return Activated(a[4], "", [&] { return ToPy(paddle::scale(x, s.scale, s.bias, s.bias_after)); });
}
PyObject* ScaleInplace(PyObject* const* a) {
  Tensor x = X(a, "scale_");
  const ScaleArgs s(a, x);
  return Activated(a[4], "_", [&] {
    paddle::scale_(x, s.scale, s.bias, s.bias_after);
    return Same(a[0]);
  });
}

// --- arithmetic with a factor or a rounding

bool IsOne(PyObject* o) {
  int overflow = 0;
  return !o || (PyLong_Check(o) && PyLong_AsLongAndOverflow(o, &overflow) == 1);
}

template <Tensor (*F)(const Tensor&, const Tensor&)>
PyObject* Scaled(PyObject* const* a, const char* op) {
  bool tx = a[0] && IsTensor(a[0]), ty = IsTensor(a[1]);
  if (__builtin_expect(tx && ty && !a[2] && !a[3] && !a[4], 1)) return ToPy(F(AsTensor(a[0]), AsTensor(a[1])));
  Tensor none;
  Tensor x = ToTensorOrScalar(a[0], ty ? AsTensor(a[1]) : none, op, "x"), y = ToTensorOrScalar(a[1], x, op, "y");
  if (!IsOne(a[3])) y = paddle::multiply(y, ScalarOperand(ToScalar(a[3], op, "alpha"), y));
  return Finish(F(x, y), a[4]);
}
PyObject* Add(PyObject* const* a) { return Scaled<paddle::add>(a, "add"); }
PyObject* Subtract(PyObject* const* a) { return Scaled<paddle::subtract>(a, "subtract"); }

template <Tensor& (*F)(Tensor&, const Tensor&)>
PyObject* ScaledInplace(PyObject* const* a, const char* op) {
  Tensor x = ToTensor(a[0], op, "x"), y = ToTensorOrScalar(a[1], x, op, "y");
  if (!IsOne(a[3])) y = paddle::multiply(y, ScalarOperand(ToScalar(a[3], op, "alpha"), y));
  F(x, y);
  return Same(a[0]);
}
PyObject* AddInplace(PyObject* const* a) { return ScaledInplace<paddle::add_>(a, "add_"); }
PyObject* SubtractInplace(PyObject* const* a) { return ScaledInplace<paddle::subtract_>(a, "subtract_"); }

PyObject* Divide(PyObject* const* a) {
  bool ty = IsTensor(a[1]);
  Tensor none;
  Tensor x = ToTensorOrScalar(a[0], ty ? AsTensor(a[1]) : none, "divide", "x", Wide::kFloating),
         y = ToTensorOrScalar(a[1], x, "divide", "y", Wide::kFloating);
  if (IsNone(a[3])) return Finish(paddle::divide(x, y), a[4]);
  std::string mode = ToStr(a[3], "divide", "rounding_mode");
  PD_CHECK(mode == "floor" || mode == "trunc", InvalidArgument,
           "[divide] expected rounding_mode None, 'trunc' or 'floor', got '", mode, "'");
  if (mode == "floor") return Finish(paddle::floor_divide(x, y), a[4]);
  Tensor r = paddle::trunc(paddle::divide(x, y));
  bool whole = phi::IsInteger(x.dtype()) && phi::IsInteger(y.dtype());
  return Finish(whole ? paddle::cast(r, x.dtype()) : r, a[4]);
}
PyObject* DivideInplace(PyObject* const* a) {
  Tensor x = X(a, "divide_"), y = ToTensorOrScalar(a[1], x, "divide_", "y", Wide::kFloating);
  std::string mode = IsNone(a[3]) ? "" : ToStr(a[3], "divide_", "rounding_mode");
  PD_CHECK(mode.empty() || mode == "floor" || mode == "trunc", InvalidArgument,
           "[divide_] expected rounding_mode None, 'trunc' or 'floor', got '", mode, "'");
  if (mode == "floor") {
    paddle::floor_divide_(x, y);
  } else {
    paddle::divide_(x, y);
    if (!mode.empty()) paddle::trunc_(x);
  }
  return Same(a[0]);
}

PyObject* Concat(PyObject* const* a) {
  return Finish(paddle::concat(ToTensors(a[0], "concat", "x"), AxisOf(a[1], "concat")), a[3]);
}

// --- split

PyObject* Split(PyObject* const* a) {
  const Tensor& x = X(a, "split");
  int64_t place = a[2] ? ToInt(a[2], "split", "axis") : 0;
  Scalar axis(place < 0 && place >= -x.ndim() ? place + x.ndim() : place);  // PaddlePaddle's op knows no negative axis
  std::vector<Tensor> parts = PyList_Check(a[1]) || PyTuple_Check(a[1])
                                  ? paddle::split(x, ToIntArray(a[1], "split", "num_or_sections"), axis)
                                  : paddle::split_with_num(x, ToInt(a[1], "split", "num_or_sections"), axis);
  for (Tensor& part : parts) part = egr::Apart(part, x);
  return Wrap(std::move(parts));
}

constexpr ArgSpec Opt(const char* name, const char* alias = nullptr) { return {name, alias, false, false, true}; }
constexpr ArgSpec Kw(const char* name, const char* alias = nullptr) { return {name, alias, true, false, true}; }
constexpr ArgSpec kX = {"x", "input"};

constexpr ArgSpec kShape[] = {kX, {"shape", "size", false, true}, Opt("name")};
constexpr ArgSpec kPerm[] = {
    kX, {"perm", nullptr, false, true, true}, Kw("dim0", "axis0"), Kw("dim1", "axis1"), Opt("name")};
constexpr ArgSpec kReduce[] = {kX, Opt("axis"), Opt("keepdim"), Opt("name"), Kw("out")};
constexpr ArgSpec kMean[] = {kX, Opt("axis", "dim"), Opt("keepdim"), Opt("name"), Kw("dtype"), Kw("out")};
constexpr ArgSpec kScale[] = {{"x"}, Opt("scale"), Opt("bias"), Opt("bias_after_scale"), Opt("act"), Opt("name")};
constexpr ArgSpec kWhere[] = {{"condition"}, Opt("x", "input"), Opt("y", "other"), Opt("name"), Kw("out")};
constexpr ArgSpec kPow[] = {kX, {"y", "exponent"}, Opt("name"), Kw("out")};
constexpr ArgSpec kClip[] = {kX, Opt("min"), Opt("max"), Opt("name"), Kw("out")};
constexpr ArgSpec kAlpha[] = {kX, {"y", "other"}, Opt("name"), Kw("alpha"), Kw("out")};
constexpr ArgSpec kAlphaInplace[] = {kX, {"y", "other"}, Opt("name"), Kw("alpha")};
constexpr ArgSpec kRounding[] = {kX, {"y", "other"}, Opt("name"), Kw("rounding_mode"), Kw("out")};
constexpr ArgSpec kRoundingInplace[] = {kX, {"y", "other"}, Opt("name"), Kw("rounding_mode")};
constexpr ArgSpec kConcat[] = {{"x", "tensors"}, Opt("axis", "dim"), Opt("name"), Kw("out")};
constexpr ArgSpec kSplit[] = {
    {"x", "tensor"}, {"num_or_sections", "split_size_or_sections"}, Opt("axis", "dim"), Opt("name")};

template <int N>
constexpr FnSpec Fn(const char* name, const char* doc, const char* signature, const ArgSpec (&args)[N],
                    PyObject* (*call)(PyObject* const*)) {
  return {name, "paddle", doc, signature, N, args, call};
}
const FnSpec kFns[] = {
    Fn("reshape", kReshapeText, "(x, shape, name=None)", kShape, Reshape),
    Fn("reshape_", kReshapeInplaceText, "(x, shape, name=None)", kShape, ReshapeInplace),
    Fn("expand", kExpandText, "(x, shape, name=None)", kShape, Expand),
    Fn("transpose", kTransposeText, "(x, perm, name=None)", kPerm, Transpose),
    Fn("transpose_", kTransposeInplaceText, "(x, perm, name=None)", kPerm, TransposeInplace),
    Fn("max", kMaxText, "(x, axis=None, keepdim=False, name=None, *, out=None)", kReduce, Max),
    Fn("min", kMinText, "(x, axis=None, keepdim=False, name=None, *, out=None)", kReduce, Min),
    Fn("mean", kMeanText, "(x, axis=None, keepdim=False, name=None, *, dtype=None, out=None)", kMean, Mean),
    Fn("scale", kScaleText, "(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)", kScale, Scale),
    Fn("scale_", kScaleInplaceText, "(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)", kScale,
       ScaleInplace),
    Fn("where", kWhereText, "(condition, x=None, y=None, name=None, *, out=None)", kWhere, Where),
    Fn("pow", kPowText, "(x, y, name=None, *, out=None)", kPow, Pow),
    Fn("clip", kClipText, "(x, min=None, max=None, name=None, *, out=None)", kClip, Clip),
    Fn("add", kAddText, "(x, y, name=None, *, alpha=1, out=None)", kAlpha, Add),
    Fn("subtract", kSubtractText, "(x, y, name=None, *, alpha=1, out=None)", kAlpha, Subtract),
    Fn("add_", kAddInplaceText, "(x, y, name=None, *, alpha=1)", kAlphaInplace, AddInplace),
    Fn("subtract_", kSubtractInplaceText, "(x, y, name=None, *, alpha=1)", kAlphaInplace, SubtractInplace),
    Fn("divide", kDivideText, "(x, y, name=None, *, rounding_mode=None, out=None)", kRounding, Divide),
    Fn("divide_", kDivideInplaceText, "(x, y, name=None, *, rounding_mode=None)", kRoundingInplace, DivideInplace),
    Fn("concat", kConcatText, "(x, axis=0, name=None, *, out=None)", kConcat, Concat),
    Fn("split", kSplitText, "(x, num_or_sections, axis=0, name=None)", kSplit, Split)};

bool RegisterAll() {
  std::vector<Registration> list;
  for (const FnSpec& f : kFns)
    for (const char* where : {"paddle", "paddle.Tensor"}) {
      list.push_back({&f, where});
      for (auto& [name, as] : {std::pair{"clip", "clamp"},
                               {"transpose", "swapaxes"},
                               {"transpose", "swapdims"},
                               {"concat", "cat"},
                               {"subtract", "sub"},
                               {"divide", "div"}})
        if (std::string_view(f.name) == name) list.push_back({&f, where, as});
    }
  RegisterFunctions(list.data(), static_cast<int>(list.size()));
  return true;
}
const bool registered = RegisterAll();

}  // namespace
}  // namespace paddle::py
