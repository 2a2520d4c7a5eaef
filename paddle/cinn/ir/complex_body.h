// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs of expressions: with this header, `body` text over complex operands is C++. The functions
// are those of common/complex_functions.inc.h, both sides of whose choices are calculated: those of complex64 work in
// float64 and round at the end, quotients too.
#pragma once

#include <limits>
#include <utility>

#include "paddle/cinn/ir/body.h"

namespace cinn {

// Without `im` a real number, which gets 0 where it meets a complex one.
struct ComplexExpr {
  Expr re, im;

  ComplexExpr() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  ComplexExpr(T v) : re(v) {}                      // NOLINT: literals in body text convert
  ComplexExpr(Expr real) : re(std::move(real)) {}  // NOLINT: so do results that are real
  ComplexExpr(Expr real, Expr imaginary) : re(std::move(real)), im(std::move(imaginary)) {}
  explicit ComplexExpr(const phi::Scalar& v) : re(v) {
    if (phi::IsComplex(v.dtype())) re = v.to_complex().real(), im = v.to_complex().imag();
  }
  bool real() const { return !im.defined(); }
};
using Cx = ComplexExpr;

inline Cx Whole(const Cx& z) { return z.real() ? Cx(z.re, Expr(0)) : z; }
inline Cx Wide(const Cx& z) {
  const Cx w = Whole(z);
  return {cast(w.re, DataType::FLOAT64), cast(w.im, DataType::FLOAT64)};
}
// The type of the parts of what is computed of z and w.
inline DataType PartType(const Cx& z, const Cx& w = 0) {
  const auto is_wide = [](const Cx& x) { return !x.re.is_weak() && x.re.dtype() == DataType::FLOAT64; };
  return is_wide(z) || is_wide(w) ? DataType::FLOAT64 : DataType::FLOAT32;
}
inline Cx Rounded(const Cx& z, DataType part) { return {cast(z.re, part), cast(z.im, part)}; }
inline Cx operator+(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return {x.re + y.re, x.im + y.im};
}
inline Cx operator-(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return {x.re - y.re, x.im - y.im};
}
inline Cx operator-(const Cx& a) { return {-a.re, -Whole(a).im}; }
inline Cx operator*(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
inline Cx operator/(const Cx& a, const Cx& b);
inline Expr operator==(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return (x.re == y.re) & (x.im == y.im);
}
inline Expr operator!=(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return (x.re != y.re) | (x.im != y.im);
}
// By the real parts, then by the imaginary ones.
inline Expr operator<(const Cx& a, const Cx& b) {
  const Cx x = Whole(a), y = Whole(b);
  return (x.re < y.re) | ((x.re == y.re) & (x.im < y.im));
}
inline Expr operator>(const Cx& a, const Cx& b) { return b < a; }
inline Expr operator<=(const Cx& a, const Cx& b) { return (a < b) | (a == b); }
inline Expr operator>=(const Cx& a, const Cx& b) { return b <= a; }

inline Cx select(const Cx& c, const Cx& a, const Cx& b) {
  if (a.real() && b.real()) return select(c.re, a.re, b.re);
  const Cx x = Whole(a), y = Whole(b);
  return {select(c.re, x.re, y.re), select(c.re, x.im, y.im)};
}
inline Cx conj(const Cx& z) { return z.real() ? z : Cx(z.re, -z.im); }
inline Expr isnan(const Cx& z) { return isnan(z.re) | isnan(Whole(z).im); }
inline Expr isinf(const Cx& z) { return isinf(z.re) | isinf(Whole(z).im); }
inline Expr isfinite(const Cx& z) { return isfinite(z.re) & isfinite(Whole(z).im); }

// What the text of the functions stands on.
template <class R>
R Infinity() {
  return Expr::Float(std::numeric_limits<double>::infinity(), DataType::FLOAT64);
}
template <class R>
R NotANumber() {
  return Expr::Float(std::numeric_limits<double>::quiet_NaN(), DataType::FLOAT64);
}
inline Expr Number(double v) { return Expr::Float(v, DataType::FLOAT64); }
inline Expr fma(const Expr& a, const Expr& b, const Expr& c) { return a * b + c; }
inline bool GoesOn(const Expr&) { return true; }
inline Expr Chosen(const Expr& c, const Expr& a, const Expr& b) { return select(c, a, b); }
inline Cx Chosen(const Expr& c, const Cx& a, const Cx& b) { return select(Cx(c), a, b); }
template <class F, class G>
auto Choose(const Expr& c, F f, G g) {
  return Chosen(c, f(), g());
}

// Functions of parts in float64.
namespace wide {
using Real = Expr;
using Complex = Cx;
#define PD_COMPLEX inline
#define PD_COMPLEX_INLINE inline
#include "paddle/common/complex_functions.inc.h"
#undef PD_COMPLEX
#undef PD_COMPLEX_INLINE
}  // namespace wide

inline Cx operator/(const Cx& a, const Cx& b) {
  return Rounded(wide::QuotientOf<Expr>(Wide(a), Wide(b)), PartType(a, b));
}
inline Cx abs(const Cx& z) {
  const Cx w = Wide(z);
  return cast(wide::LengthOf(w.re, w.im), PartType(z));
}
inline Cx sign(const Cx& z) { return wide::SignOf(Whole(z), abs(z).re); }

#define CINN_COMPLEX(name) \
  inline Cx name(const Cx& z) { return Rounded(wide::name(Wide(z)), PartType(z)); }
PD_COMPLEX_FUNCTIONS(CINN_COMPLEX)
#undef CINN_COMPLEX
inline Cx pow(const Cx& z, const Cx& w) { return Rounded(wide::pow(Wide(z), Wide(w)), PartType(z, w)); }

}  // namespace cinn
