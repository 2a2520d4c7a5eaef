// SPDX-License-Identifier: Apache-2.0
// The meaning of each operation is that of ir/interp.cc.
#include "paddle/cinn/codegen/cuda_op.h"

#include <charconv>
#include <cmath>

#include "paddle/common/error.h"

namespace cinn {
namespace {

bool IsFloat(DataType t) { return t == DataType::FLOAT32 || t == DataType::FLOAT64; }

std::string FloatLiteral(double v, DataType t) {
  const bool f32 = t == DataType::FLOAT32;
  if (std::isnan(v)) return f32 ? "CINN_NAN_F32" : "CINN_NAN_F64";
  if (std::isinf(v)) return std::string(v < 0 ? "-" : "") + (f32 ? "CINN_INF_F32" : "CINN_INF_F64");
  char buf[40];
  const auto r =
      f32 ? std::to_chars(buf, buf + sizeof(buf), static_cast<float>(v)) : std::to_chars(buf, buf + sizeof(buf), v);
  std::string s(buf, r.ptr);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return f32 ? s + "f" : s;
}

std::string IntLiteral(int64_t v, DataType t) {
  if (t == DataType::INT32) return v == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(v);
  return v == INT64_MIN ? "(-9223372036854775807LL - 1)" : std::to_string(v) + "LL";
}

// CUDA's name of a floating function, without the f of its float32 form; null: not a plain call.
const char* MathName(Op op) {
  switch (op) {
    case Op::k_exp:
    case Op::k_exp2:
    case Op::k_expm1:
    case Op::k_log:
    case Op::k_log1p:
    case Op::k_log2:
    case Op::k_log10:
    case Op::k_sin:
    case Op::k_cos:
    case Op::k_tan:
    case Op::k_asin:
    case Op::k_acos:
    case Op::k_atan:
    case Op::k_sinh:
    case Op::k_cosh:
    case Op::k_tanh:
    case Op::k_asinh:
    case Op::k_acosh:
    case Op::k_atanh:
    case Op::k_erf:
    case Op::k_erfc:
    case Op::k_cbrt:
    case Op::k_lgamma:
    case Op::k_erfinv:
    case Op::k_sqrt:
    case Op::k_rsqrt:
    case Op::k_floor:
    case Op::k_ceil:
    case Op::k_trunc:
    case Op::k_atan2:
    case Op::k_copysign:
    case Op::k_nextafter:
    case Op::k_hypot:
    case Op::k_pow:
    case Op::k_fmod: return OpName(op);
    case Op::k_normal_cdf: return "normcdf";
    case Op::k_i0: return "cyl_bessel_i0";
    case Op::k_i1: return "cyl_bessel_i1";
    case Op::k_abs: return "fabs";
    case Op::k_round: return "rint";  // half to even
    default: return nullptr;
  }
}

// The prelude's name of an operation on integers or, without `int`, on any number; null: not one of these.
const char* PreludeName(Op op, bool flt) {
  switch (op) {
    case Op::k_maximum: return "maximum";
    case Op::k_minimum: return "minimum";
    case Op::k_fmax: return "fmaximum";
    case Op::k_fmin: return "fminimum";
    case Op::k_sign: return "sign";
    case Op::k_mod: return flt ? "mod" : "int_mod";
    case Op::k_floor_divide: return flt ? "floor_divide" : "int_floor_divide";
    case Op::k_sigmoid:
    case Op::k_digamma:
    case Op::k_i0e:
    case Op::k_i1e: return OpName(op);
    case Op::k_neg: return "wrap_neg";
    case Op::k_abs: return "wrap_abs";
    case Op::k_add: return "wrap_add";
    case Op::k_sub: return "wrap_sub";
    case Op::k_mul: return "wrap_mul";
    case Op::k_div: return "int_div";
    case Op::k_fmod: return "int_fmod";
    case Op::k_pow: return "int_pow";
    case Op::k_bitwise_left_shift: return "shift_left";
    case Op::k_bitwise_right_shift: return "shift_right";
    default: return nullptr;
  }
}

const char* Infix(Op op, bool flt) {
  switch (op) {
    case Op::k_add: return flt ? " + " : nullptr;
    case Op::k_sub: return flt ? " - " : nullptr;
    case Op::k_mul: return flt ? " * " : nullptr;
    case Op::k_div: return flt ? " / " : nullptr;
    case Op::k_bitwise_and:
    case Op::k_logical_and: return " & ";
    case Op::k_bitwise_or:
    case Op::k_logical_or: return " | ";
    case Op::k_bitwise_xor: return " ^ ";
    case Op::k_equal: return " == ";
    case Op::k_not_equal:
    case Op::k_logical_xor: return " != ";
    case Op::k_less_than: return " < ";
    case Op::k_less_equal: return " <= ";
    case Op::k_greater_than: return " > ";
    case Op::k_greater_equal: return " >= ";
    default: return nullptr;
  }
}

}  // namespace

const char* CudaType(DataType t) {
  switch (t) {
    case DataType::BOOL: return "bool";
    case DataType::INT32: return "int";
    case DataType::INT64: return "long long";
    case DataType::FLOAT32: return "float";
    case DataType::FLOAT64: return "double";
    default: PD_THROW(Internal, "[cinn] not a compute type: ", phi::NameOf(t));
  }
}

const char* CudaStorage(DataType t) {
  switch (t) {
    case DataType::BOOL:
    case DataType::UINT8: return "unsigned char";
    case DataType::INT8: return "signed char";
    case DataType::INT16: return "short";
    case DataType::FLOAT16:
    case DataType::BFLOAT16: return "cinn::half_bits";
    default: return CudaType(t);
  }
}

std::string CudaLiteral(const ExprNode& n) {
  if (n.dtype == DataType::BOOL) return n.i ? "true" : "false";
  return IsFloat(n.dtype) ? FloatLiteral(n.f, n.dtype) : IntLiteral(n.i, n.dtype);
}

std::string CudaConvert(const std::string& v, DataType from, DataType to) {
  if (from == to) return v;
  if (to == DataType::BOOL) return "(" + v + " != 0)";
  if (IsFloat(from) && !IsFloat(to)) return (to == DataType::INT32 ? "cinn::to_int32(" : "cinn::to_int64(") + v + ")";
  return std::string("(") + CudaType(to) + ")" + v;
}

std::string CudaFromStorage(const std::string& v, DataType storage) {
  switch (storage) {
    case DataType::BOOL: return v + " != 0";
    case DataType::FLOAT16: return "cinn::from_float16(" + v + ")";
    case DataType::BFLOAT16: return "cinn::from_bfloat16(" + v + ")";
    default: return v;
  }
}

std::string CudaToStorage(const std::string& v, DataType storage) {
  switch (storage) {
    case DataType::FLOAT16: return "cinn::to_float16(" + v + ")";
    case DataType::BFLOAT16: return "cinn::to_bfloat16(" + v + ")";
    case DataType::BOOL:
    case DataType::UINT8:
    case DataType::INT8:
    case DataType::INT16: return std::string("(") + CudaStorage(storage) + ")" + v;
    default: return v;
  }
}

std::string CudaOp(const ExprNode& n, const std::string* a) {
  const DataType t = n.args[0].dtype();
  const bool flt = IsFloat(t), f32 = t == DataType::FLOAT32;
  const auto call = [&](const std::string& name) {
    std::string s = name + "(";
    for (int k = 0; k < n.nargs; ++k) s += (k ? ", " : "") + a[k];
    return s + ")";
  };
  switch (n.op) {
    case Op::kCast: {
      const std::string v = CudaConvert(a[0], t, n.dtype);
      return n.dtype == n.storage ? v : CudaFromStorage(CudaToStorage(v, n.storage), n.storage);
    }
    case Op::kSelect: return a[0] + " ? " + a[1] + " : " + a[2];
    case Op::kLogicalNot: return "!" + a[0];
    case Op::kBitwiseNot: return "~" + a[0];
    case Op::k_isnan: return a[0] + " != " + a[0];
    case Op::k_isinf: return call(f32 ? "fabsf" : "fabs") + (f32 ? " == CINN_INF_F32" : " == CINN_INF_F64");
    case Op::k_isfinite: return call(f32 ? "fabsf" : "fabs") + (f32 ? " < CINN_INF_F32" : " < CINN_INF_F64");
    case Op::k_square: return flt ? a[0] + " * " + a[0] : "cinn::wrap_mul(" + a[0] + ", " + a[0] + ")";
    case Op::k_reciprocal: return FloatLiteral(1, t) + " / " + a[0];
    case Op::k_neg:
      if (flt) return "-" + a[0];
      break;
    default: break;
  }
  if (const char* s = Infix(n.op, flt)) return a[0] + s + a[1];
  if (const char* s = flt ? MathName(n.op) : nullptr) return call(std::string(s) + (f32 ? "f" : ""));
  if (const char* s = PreludeName(n.op, flt)) return call(std::string("cinn::") + s);
  PD_THROW(Internal, "[cinn] no CUDA text for ", OpName(n.op), " of ", phi::NameOf(t));
}

const char* CudaKind(ReduceKind k) {
  switch (k) {
    case ReduceKind::kProd: return "Prod";
    case ReduceKind::kMax:
    case ReduceKind::kAny: return "Max";
    case ReduceKind::kMin:
    case ReduceKind::kAll: return "Min";
    default: return "Sum";
  }
}

std::string CudaIdentity(ReduceKind k, DataType t) {
  const bool flt = IsFloat(t), max = k == ReduceKind::kMax;
  switch (k) {
    case ReduceKind::kAny: return "false";
    case ReduceKind::kAll: return "true";
    case ReduceKind::kMax:
    case ReduceKind::kMin:
      if (t == DataType::BOOL) return max ? "false" : "true";
      if (flt) return FloatLiteral(max ? -INFINITY : INFINITY, t);
      if (t == DataType::INT32) return IntLiteral(max ? INT32_MIN : INT32_MAX, t);
      return IntLiteral(max ? INT64_MIN : INT64_MAX, t);
    default: {
      const int one = k == ReduceKind::kProd;
      return flt ? FloatLiteral(one, t) : IntLiteral(one, t);
    }
  }
}

std::string CudaCombine(ReduceKind k, DataType t, const std::string& a, const std::string& b) {
  const bool flt = IsFloat(t), any = k == ReduceKind::kAny || k == ReduceKind::kMax;
  switch (k) {
    case ReduceKind::kSum:
    case ReduceKind::kMean: return flt ? a + " + " + b : "cinn::wrap_add(" + a + ", " + b + ")";
    case ReduceKind::kProd: return flt ? a + " * " + b : "cinn::wrap_mul(" + a + ", " + b + ")";
    default: break;
  }
  if (t == DataType::BOOL) return a + (any ? " | " : " & ") + b;
  return std::string(any ? "cinn::maximum(" : "cinn::minimum(") + a + ", " + b + ")";
}

}  // namespace cinn
