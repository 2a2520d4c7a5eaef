// SPDX-License-Identifier: Apache-2.0
// Meaning of every operation on single values.
#include "paddle/cinn/ir/interp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/common/half.h"

namespace cinn {
namespace {

Number F(DataType t, double v) {
  return {t, t == DataType::FLOAT32 ? static_cast<double>(static_cast<float>(v)) : v, 0};
}
Number I(DataType t, int64_t v) { return {t, 0, t == DataType::INT32 ? static_cast<int32_t>(v) : v}; }
Number B(bool v) { return {DataType::BOOL, 0, v}; }

int64_t ToInt(double v, DataType t) {
  if (t == DataType::INT32) return v > -2147483649.0 && v < 2147483648.0 ? static_cast<int32_t>(v) : INT32_MIN;
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? static_cast<int64_t>(v) : INT64_MIN;
}

int64_t Wrap(uint64_t v, DataType t) {
  return t == DataType::INT32 ? static_cast<int32_t>(v) : static_cast<int64_t>(v);
}

double UnaryMath(Op op, double x, DataType t) {
  switch (op) {
    case Op::k_exp: return std::exp(x);
    case Op::k_expm1: return std::expm1(x);
    case Op::k_log: return std::log(x);
    case Op::k_log1p: return std::log1p(x);
    case Op::k_log2: return std::log2(x);
    case Op::k_log10: return std::log10(x);
    case Op::k_sin: return std::sin(x);
    case Op::k_cos: return std::cos(x);
    case Op::k_tan: return std::tan(x);
    case Op::k_asin: return std::asin(x);
    case Op::k_acos: return std::acos(x);
    case Op::k_atan: return std::atan(x);
    case Op::k_sinh: return std::sinh(x);
    case Op::k_cosh: return std::cosh(x);
    case Op::k_tanh: return std::tanh(x);
    case Op::k_asinh: return std::asinh(x);
    case Op::k_acosh: return std::acosh(x);
    case Op::k_atanh: return std::atanh(x);
    case Op::k_erf: return std::erf(x);
    case Op::k_normal_cdf: return 0.5 * std::erfc(x * -0.70710678118654752440);
    case Op::k_lgamma: return std::lgamma(x);
    case Op::k_sigmoid: return 1 / (1 + std::exp(-x));
    case Op::k_sqrt: return t == DataType::FLOAT32 ? std::sqrt(static_cast<float>(x)) : std::sqrt(x);
    case Op::k_rsqrt: return 1 / std::sqrt(x);
    case Op::k_reciprocal: return t == DataType::FLOAT32 ? 1.0f / static_cast<float>(x) : 1 / x;
    case Op::k_neg: return -x;
    case Op::k_abs: return std::fabs(x);
    case Op::k_sign: return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
    case Op::k_square: return t == DataType::FLOAT32 ? static_cast<float>(x) * static_cast<float>(x) : x * x;
    case Op::k_floor: return std::floor(x);
    case Op::k_ceil: return std::ceil(x);
    case Op::k_round: return std::nearbyint(x);  // half to even
    case Op::k_trunc: return std::trunc(x);
    default: PD_THROW(Internal, "[cinn] no meaning for ", OpName(op));
  }
}

template <class T>
T FloorMod(T a, T b) {
  const T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <class T>  // floor(a / b) that agrees with FloorMod
T FloorDivide(T a, T b) {
  const T m = std::fmod(a, b);
  T d = (a - m) / b;
  if (m != 0 && (m < 0) != (b < 0)) d -= 1;
  T f = std::floor(d);
  if (d - f > T(0.5)) f += 1;
  return b == 0 ? a / b : d == 0 ? std::copysign(T(0), a / b) : f;
}

template <class T>  // float or double: + - * / are rounded in the type itself
T BinaryFloat(Op op, T a, T b) {
  switch (op) {
    case Op::k_add: return a + b;
    case Op::k_sub: return a - b;
    case Op::k_mul: return a * b;
    case Op::k_div: return a / b;
    case Op::k_pow: return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    case Op::k_atan2: return static_cast<T>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
    case Op::k_copysign: return std::copysign(a, b);
    case Op::k_fmod: return std::fmod(a, b);
    case Op::k_mod: return FloorMod(a, b);
    case Op::k_floor_divide: return FloorDivide(a, b);
    case Op::k_maximum: return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b;
    case Op::k_minimum: return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b;
    case Op::k_fmax: return std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b;
    case Op::k_fmin: return std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b;
    default: PD_THROW(Internal, "[cinn] no meaning for ", OpName(op));
  }
}

int64_t IntPow(int64_t a, int64_t b, DataType t) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  uint64_t r = 1, x = static_cast<uint64_t>(a);
  for (; b; b >>= 1, x *= x)
    if (b & 1) r *= x;
  return Wrap(r, t);
}

int64_t BinaryInt(Op op, int64_t a, int64_t b, DataType t) {
  const int bits = t == DataType::INT32 ? 32 : 64;
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case Op::k_add: return Wrap(ua + ub, t);
    case Op::k_sub: return Wrap(ua - ub, t);
    case Op::k_mul: return Wrap(ua * ub, t);
    case Op::k_pow: return IntPow(a, b, t);
    case Op::k_div: return b == 0 ? 0 : b == -1 ? Wrap(0 - ua, t) : a / b;
    case Op::k_fmod: return b == 0 || b == -1 ? 0 : a % b;
    case Op::k_floor_divide: {
      if (b == 0) return 0;
      if (b == -1) return Wrap(0 - ua, t);
      const int64_t q = a / b;
      return q - ((a % b != 0) && ((a < 0) != (b < 0)));
    }
    case Op::k_mod: {
      if (b == 0 || b == -1) return 0;
      const int64_t r = a % b;
      return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
    }
    case Op::k_maximum:
    case Op::k_fmax: return std::max(a, b);
    case Op::k_minimum:
    case Op::k_fmin: return std::min(a, b);
    case Op::k_bitwise_and: return a & b;
    case Op::k_bitwise_or: return a | b;
    case Op::k_bitwise_xor: return a ^ b;
    case Op::k_bitwise_left_shift: return b < 0 || b >= bits ? 0 : Wrap(ua << b, t);
    case Op::k_bitwise_right_shift: return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b;
    default: PD_THROW(Internal, "[cinn] no meaning for ", OpName(op));
  }
}

template <class T>
bool Compare(Op op, T a, T b) {
  switch (op) {
    case Op::k_equal: return a == b;
    case Op::k_not_equal: return a != b;
    case Op::k_less_than: return a < b;
    case Op::k_less_equal: return a <= b;
    case Op::k_greater_than: return a > b;
    default: return a >= b;
  }
}

}  // namespace

Number ConvertTo(Number v, DataType storage) {
  const DataType t = phi::ComputeType(storage);
  if (IsFloat(t)) {
    const double f = IsFloat(v.dtype)         ? v.f
                     : t == DataType::FLOAT32 ? static_cast<float>(v.i)
                                              : static_cast<double>(v.i);
    Number r = F(t, f);
    if (storage == DataType::BFLOAT16) r.f = phi::ToFloat(phi::ToBfloat16(static_cast<float>(r.f)));
    if (storage == DataType::FLOAT16) r.f = phi::ToFloat(phi::ToFloat16(static_cast<float>(r.f)));
    return r;
  }
  if (t == DataType::BOOL) return B(IsFloat(v.dtype) ? v.f != 0 : v.i != 0);
  int64_t i = IsFloat(v.dtype) ? ToInt(v.f, t) : v.i;
  switch (storage) {
    case DataType::UINT8: i = static_cast<uint8_t>(i); break;
    case DataType::INT8: i = static_cast<int8_t>(i); break;
    case DataType::INT16: i = static_cast<int16_t>(i); break;
    default: break;
  }
  return I(t, i);
}

Number LoadElement(const void* data, int64_t i, DataType storage) {
  auto at = [&](auto tag) {
    decltype(tag) v;
    std::memcpy(&v, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(v)), sizeof(v));
    return v;
  };
  switch (storage) {
    case DataType::BOOL: return B(at(uint8_t{}) != 0);
    case DataType::UINT8: return I(DataType::INT32, at(uint8_t{}));
    case DataType::INT8: return I(DataType::INT32, at(int8_t{}));
    case DataType::INT16: return I(DataType::INT32, at(int16_t{}));
    case DataType::INT32: return I(DataType::INT32, at(int32_t{}));
    case DataType::INT64: return I(DataType::INT64, at(int64_t{}));
    case DataType::FLOAT16: return F(DataType::FLOAT32, phi::ToFloat(at(phi::float16{})));
    case DataType::BFLOAT16: return F(DataType::FLOAT32, phi::ToFloat(at(phi::bfloat16{})));
    case DataType::FLOAT32: return F(DataType::FLOAT32, at(float{}));
    case DataType::FLOAT64: return F(DataType::FLOAT64, at(double{}));
    default: PD_THROW(Unimplemented, "[cinn] no elements of type ", phi::NameOf(storage));
  }
}

void StoreElement(void* data, int64_t i, DataType storage, Number v) {
  v = ConvertTo(v, storage);
  auto put = [&](auto x) {
    std::memcpy(static_cast<char*>(data) + i * static_cast<int64_t>(sizeof(x)), &x, sizeof(x));
  };
  switch (storage) {
    case DataType::BOOL:
    case DataType::UINT8:
    case DataType::INT8: put(static_cast<uint8_t>(v.i)); break;
    case DataType::INT16: put(static_cast<int16_t>(v.i)); break;
    case DataType::INT32: put(static_cast<int32_t>(v.i)); break;
    case DataType::INT64: put(v.i); break;
    case DataType::FLOAT16: put(phi::ToFloat16(static_cast<float>(v.f))); break;
    case DataType::BFLOAT16: put(phi::ToBfloat16(static_cast<float>(v.f))); break;
    case DataType::FLOAT32: put(static_cast<float>(v.f)); break;
    case DataType::FLOAT64: put(v.f); break;
    default: PD_THROW(Unimplemented, "[cinn] no elements of type ", phi::NameOf(storage));
  }
}

Number ValueOf(const ExprNode& c) { return {c.dtype, c.f, c.i}; }

Number Apply(const ExprNode& n, const Number* a) {
  const DataType t = n.nargs ? a[0].dtype : n.dtype;
  switch (n.op) {
    case Op::kCast: return ConvertTo(a[0], n.storage);
    case Op::kSelect: return a[0].i ? a[1] : a[2];
    case Op::kLogicalNot: return B(!a[0].i);
    case Op::kBitwiseNot: return I(t, ~a[0].i);
    case Op::k_isnan: return B(std::isnan(a[0].f));
    case Op::k_isinf: return B(std::isinf(a[0].f));
    case Op::k_isfinite: return B(std::isfinite(a[0].f));
    case Op::k_logical_and: return B(a[0].i && a[1].i);
    case Op::k_logical_or: return B(a[0].i || a[1].i);
    case Op::k_logical_xor: return B(a[0].i != a[1].i);
    case Op::k_equal:
    case Op::k_not_equal:
    case Op::k_less_than:
    case Op::k_less_equal:
    case Op::k_greater_than:
    case Op::k_greater_equal: return B(IsFloat(t) ? Compare(n.op, a[0].f, a[1].f) : Compare(n.op, a[0].i, a[1].i));
    default: break;
  }
  if (n.nargs == 2) {
    if (t == DataType::FLOAT32) return F(t, BinaryFloat(n.op, static_cast<float>(a[0].f), static_cast<float>(a[1].f)));
    if (t == DataType::FLOAT64) return F(t, BinaryFloat(n.op, a[0].f, a[1].f));
    return I(t, BinaryInt(n.op, a[0].i, a[1].i, t));
  }
  if (IsFloat(t)) return F(t, UnaryMath(n.op, a[0].f, t));
  const uint64_t u = static_cast<uint64_t>(a[0].i);
  switch (n.op) {
    case Op::k_neg: return I(t, Wrap(0 - u, t));
    case Op::k_abs: return I(t, a[0].i < 0 ? Wrap(0 - u, t) : a[0].i);
    case Op::k_sign: return I(t, (a[0].i > 0) - (a[0].i < 0));
    case Op::k_square: return I(t, Wrap(u * u, t));
    default: PD_THROW(Internal, "[cinn] no meaning for integer ", OpName(n.op));
  }
}

Expr FoldConstant(const Expr& e) {
  Number args[3];
  for (int k = 0; k < e->nargs; ++k) args[k] = ValueOf(*e->args[k].node());
  const Number r = Apply(*e.node(), args);
  if (r.dtype == DataType::BOOL) return Expr::Bool(r.i != 0);
  return IsFloat(r.dtype) ? Expr::Float(r.f, r.dtype) : Expr::Int(r.i, r.dtype);
}

Number Evaluate(const Expr& e, const std::function<Number(const ExprNode&)>& leaf) {
  std::unordered_map<const ExprNode*, Number> done;
  std::function<Number(const Expr&)> walk = [&](const Expr& x) -> Number {
    auto it = done.find(x.node());
    if (it != done.end()) return it->second;
    Number r;
    if (x->op == Op::kConst)
      r = ValueOf(*x.node());
    else if (x->nargs == 0)
      r = leaf(*x.node());
    else {
      Number args[3];
      for (int k = 0; k < x->nargs; ++k) args[k] = walk(x->args[k]);
      r = Apply(*x.node(), args);
    }
    done.emplace(x.node(), r);
    return r;
  };
  return walk(e);
}

}  // namespace cinn
