// SPDX-License-Identifier: Apache-2.0
// The helper names that stanza text uses beside the intrinsics, for expressions: with this header, `body` text is C++.
#pragma once

#include "paddle/cinn/ir/expr.h"

namespace cinn {

inline Expr lit(double v, DataType t) {
  return phi::IsFloating(t) ? Expr::Float(v, phi::ComputeType(t)) : cast(Expr(v), t);
}
inline Expr bit_not(const Expr& x) { return bitwise_not(x); }
inline Expr bit_and(const Expr& x, const Expr& y) { return bitwise_and(x, y); }
inline Expr bit_or(const Expr& x, const Expr& y) { return bitwise_or(x, y); }
inline Expr bit_xor(const Expr& x, const Expr& y) { return bitwise_xor(x, y); }
inline Expr shl(const Expr& x, const Expr& y) { return bitwise_left_shift(x, y); }
inline Expr shr(const Expr& x, const Expr& y) { return bitwise_right_shift(x, y); }
inline Expr div_floor(const Expr& x, const Expr& y) { return floor_divide(x, y); }
inline Expr mod_floor(const Expr& x, const Expr& y) { return mod(x, y); }
inline Expr mod_trunc(const Expr& x, const Expr& y) { return fmod(x, y); }
inline Expr div_trunc(const Expr& x, const Expr& y) {
  const Expr q = x / y;
  return phi::IsFloating(q.dtype()) ? trunc(q) : q;
}
// Of real operands: complex ones are pairs (complex_body.h).
inline Expr conj(const Expr& x) { return x; }
inline Expr conj_of(const Expr& x) { return x; }
inline Expr real(const Expr& x) { return x; }
inline Expr sign_of(const Expr& x) { return sign(x); }
inline Expr zeros_like_of(const Expr& x) { return cast(Expr(0), x.dtype()); }
inline Expr false_of(const Expr&) { return Expr::Bool(false); }
inline Expr clip(const Expr& x, const Expr& lo, const Expr& hi) { return minimum(maximum(x, lo), hi); }
// log(1 + exp(x)) without overflow.
inline Expr log1pexp(const Expr& x) { return select(x > 0, x, select(isnan(x), x, 0)) + log1p(exp(-abs(x))); }
inline Expr log_sigmoid(const Expr& x) { return -log1pexp(-x); }
inline Expr softplus(const Expr& x, const Expr& beta, const Expr& threshold) {
  const Expr t = beta * x;
  return select(t > threshold, x, log1pexp(t) / beta);
}
inline Expr logit(const Expr& p) { return log(p / (1 - p)); }
inline Expr logaddexp(const Expr& a, const Expr& b) {
  return select(a == b, a + 0.693147180559945286, maximum(a, b) + log1p(exp(-abs(a - b))));
}
// d(x ** y) / dx; zero where y is zero, also at x = 0 and x = NaN.
inline Expr pow_deriv(const Expr& x, const Expr& y) { return select(y == 0, 0 * y, y * pow(x, y - 1)); }

}  // namespace cinn
