// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs of expressions: with this header, `body` text over complex operands is C++. The functions
// are those of phi/primitives/math_cplx.inc.h, without branches: those of complex64 work in float64 and round at the
// end, quotients too.
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
inline Expr Infinity() { return Expr::Float(std::numeric_limits<double>::infinity(), DataType::FLOAT64); }
inline Expr NotANumber() { return Expr::Float(std::numeric_limits<double>::quiet_NaN(), DataType::FLOAT64); }

// The length of (a, b) in float64, by parts that neither overflow nor vanish.
inline Expr Length(const Expr& a, const Expr& b) {
  const Expr p = abs(a), q = abs(b), m = select(p > q, p, q), big = m > 1e150, small = m < 1e-150;
  const Expr much = Expr::Float(0x1p600, DataType::FLOAT64), little = Expr::Float(0x1p-600, DataType::FLOAT64);
  const Expr k = select(big, little, select(small, much, 1.0)), undo = select(big, much, select(small, little, 1.0));
  const Expr x = a * k, y = b * k;
  return select(isinf(a) | isinf(b), Infinity(), sqrt(x * x + y * y) * undo);
}

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
// Scaled, so it overflows only where the quotient does; by zero gives NaN in both parts, by infinity 0.
inline Cx operator/(const Cx& a, const Cx& b) {
  const Cx x = Wide(a), y = Wide(b);
  const Expr p = abs(y.re), q = abs(y.im), m = select(p > q, p, q), c = y.re / m, d = y.im / m, n = c * c + d * d;
  const Expr zero = (m == Infinity()) & isfinite(x.re) & isfinite(x.im);
  const Cx z = {select(zero, 0.0, (x.re * c + x.im * d) / n / m), select(zero, 0.0, (x.im * c - x.re * d) / n / m)};
  return Rounded(z, PartType(a, b));
}
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
inline Cx abs(const Cx& z) {
  const Cx w = Wide(z);
  return cast(Length(w.re, w.im), PartType(z));
}
// z / |z|, 0 at 0.
inline Cx sign(const Cx& z) {
  const Expr r = abs(z).re, zero = r == 0, s = select(zero, 1, r);
  return {select(zero, 0, z.re / s), select(zero, 0, Whole(z).im / s)};
}

// Functions of parts in float64.
namespace wide {
inline Cx exp(const Cx& z) {
  const Expr e = cinn::exp(z.re);
  return {e * cos(z.im), cinn::select(z.im == 0, z.im, e * sin(z.im))};
}
inline Cx expm1(const Cx& z) {
  const Expr s = sin(z.im * 0.5), im = cinn::select(z.im == 0, z.im, cinn::exp(z.re) * sin(z.im));
  return {cinn::expm1(z.re) * cos(z.im) - 2 * s * s, im};
}
inline Cx log(const Cx& z) {
  const Expr a = cinn::abs(z.re), b = cinn::abs(z.im), more = cinn::select(a > b, a, b),
             less = cinn::select(a > b, b, a);
  const Expr near = (more > 0.5) & (more < 2);
  const Expr close = 0.5 * cinn::log1p((more - 1) * (more + 1) + less * less);
  return {cinn::select(near, close, cinn::log(Length(a, b))), atan2(z.im, z.re)};
}
inline Cx log2(const Cx& z) {
  const Cx l = log(z);
  return {l.re * 1.44269504088896339, l.im * 1.44269504088896339};
}
inline Cx log10(const Cx& z) {
  const Cx l = log(z);
  return {l.re * 0.434294481903251817, l.im * 0.434294481903251817};
}
inline Cx log1p(const Cx& z) {
  const Expr far = (cinn::abs(z.re) > 0.5) | (cinn::abs(z.im) > 0.5);
  const Cx near = {0.5 * cinn::log1p(z.re * (z.re + 2) + z.im * z.im), atan2(z.im, z.re + 1)};
  return cinn::select(Cx(far), log({z.re + 1, z.im}), near);
}
inline Cx sqrt(const Cx& z) {
  const Expr a = cinn::abs(z.re), b = cinn::abs(z.im), m = cinn::select(a > b, a, b);
  const Expr big = m > 1e300, small = m < 1e-300;
  const Expr k = cinn::select(big, 0.0625, cinn::select(small, 0x1p120, 1.0));
  const Expr undo = cinn::select(big, 4.0, cinn::select(small, 0x1p-60, 1.0));
  const Expr t = cinn::sqrt(0.5 * (a * k + Length(a * k, b * k))), u = b * k / (2 * t);
  const Expr left = copysign(Expr::Float(1, DataType::FLOAT64), z.re) < 0;
  Cx w = {cinn::select(left, u, t) * undo, copysign(cinn::select(left, t, u) * undo, z.im)};
  const auto where = [&](const Expr& c, const Expr& re, const Expr& im) { w = cinn::select(Cx(c), Cx(re, im), w); };
  const Expr zero = Expr::Float(0, DataType::FLOAT64);
  where((z.re == 0) & (z.im == 0), zero, z.im);
  where(z.re == -Infinity(), cinn::select(cinn::isnan(z.im), z.im, zero), copysign(Infinity(), z.im));
  where(z.re == Infinity(), z.re, cinn::select(cinn::isnan(z.im), z.im, copysign(zero, z.im)));
  where(cinn::isinf(z.im), Infinity(), z.im);
  return w;
}
inline Cx rsqrt(const Cx& z) { return Cx(1) / sqrt(z); }
inline Cx sin(const Cx& z) { return {cinn::sin(z.re) * cinn::cosh(z.im), cinn::cos(z.re) * cinn::sinh(z.im)}; }
inline Cx cos(const Cx& z) { return {cinn::cos(z.re) * cinn::cosh(z.im), -(cinn::sin(z.re) * cinn::sinh(z.im))}; }
inline Cx Turned(const Cx& z) { return {-z.im, z.re}; }  // i z
inline Cx Back(const Cx& z) { return {z.im, -z.re}; }    // -i z
inline Cx sinh(const Cx& z) { return Back(sin(Turned(z))); }
inline Cx cosh(const Cx& z) { return cos(Turned(z)); }
inline Cx tanh(const Cx& z) {
  const Cx far = {copysign(Expr::Float(1, DataType::FLOAT64), z.re),
                  2 * cinn::sin(2 * z.im) * cinn::exp(-2 * cinn::abs(z.re))};
  const Expr t = cinn::tan(z.im), s = cinn::sinh(z.re), b = 1 + t * t, r = cinn::sqrt(1 + s * s), d = 1 + b * s * s;
  return cinn::select(Cx(cinn::abs(z.re) > 20), far, Cx(b * r * s / d, t / d));
}
inline Cx tan(const Cx& z) { return Back(tanh(Turned(z))); }
// After W. Kahan, "Branch cuts for complex elementary functions".
inline Cx asin(const Cx& z) {
  const Cx a = sqrt({1 - z.re, -z.im}), b = sqrt({1 + z.re, z.im});
  return {atan2(z.re, a.re * b.re - a.im * b.im), cinn::asinh(a.re * b.im - a.im * b.re)};
}
inline Cx acos(const Cx& z) {
  const Cx a = sqrt({1 - z.re, -z.im}), b = sqrt({1 + z.re, z.im});
  return {2 * atan2(a.re, b.re), cinn::asinh(b.re * a.im - b.im * a.re)};
}
inline Cx asinh(const Cx& z) { return Back(asin(Turned(z))); }
inline Cx acosh(const Cx& z) {
  const Cx a = sqrt({z.re - 1, z.im}), b = sqrt({z.re + 1, z.im});
  return {cinn::asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re)};
}
inline Cx atanh(const Cx& z) {
  const Expr s = copysign(Expr::Float(1, DataType::FLOAT64), z.re), x = cinn::abs(z.re), y = s * z.im;
  const Expr re = 0.25 * cinn::log1p(4 * x / ((1 - x) * (1 - x) + y * y));
  const Expr im = 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y), h = Length(x, y);
  const Expr far = (x > 1e150) | (cinn::abs(y) > 1e150);
  return {s * cinn::select(far, cinn::select(cinn::isinf(h), 0.0, x / h / h), re),
          s * cinn::select(far, copysign(Expr::Float(1.57079632679489656, DataType::FLOAT64), y), im)};
}
inline Cx atan(const Cx& z) { return Back(atanh(Turned(z))); }
// 0 ** 0 is 1, 0 ** w is 0 for Re w > 0; whole exponents up to 64 by products; otherwise exp(w log z).
inline Cx pow(const Cx& z, const Cx& w) {
  const Expr one = Expr::Float(1, DataType::FLOAT64), zero = Expr::Float(0, DataType::FLOAT64);
  Cx power = {one, zero}, base = z;
  const Expr count = cinn::abs(w.re), whole = (w.im == 0) & (w.re == round(w.re)) & (count <= 64);
  for (int k = 0; k < 7; ++k) {
    const Expr bits = floor(count * (1.0 / (1 << k)));
    power = cinn::select(Cx(bits - 2 * floor(bits * 0.5) == 1), power * base, power);
    base = base * base;
  }
  Cx r = cinn::select(Cx(whole), cinn::select(Cx(w.re < 0), Cx(1) / power, power), exp(w * log(z)));
  const Expr least = cinn::select(w.re < 0, Infinity(), NotANumber());
  const Expr grows = w.re > 0;
  r = cinn::select(Cx((z.re == 0) & (z.im == 0)),
                   Cx(cinn::select(grows, zero, least), cinn::select(grows, zero, NotANumber())), r);
  return cinn::select(Cx((w.re == 0) & (w.im == 0)), Cx(one, zero), r);
}
inline Cx sigmoid(const Cx& z) {
  const Expr left = z.re < 0;
  const Cx e = exp(cinn::select(Cx(left), z, -z)), one = {1 + e.re, e.im};
  return cinn::select(Cx(left), e / one, Cx(1) / one);
}
}  // namespace wide

#define CINN_COMPLEX(name) \
  inline Cx name(const Cx& z) { return Rounded(wide::name(Wide(z)), PartType(z)); }
CINN_COMPLEX(exp)
CINN_COMPLEX(expm1)
CINN_COMPLEX(log)
CINN_COMPLEX(log2)
CINN_COMPLEX(log10)
CINN_COMPLEX(log1p)
CINN_COMPLEX(sqrt)
CINN_COMPLEX(rsqrt)
CINN_COMPLEX(sin)
CINN_COMPLEX(cos)
CINN_COMPLEX(tan)
CINN_COMPLEX(sinh)
CINN_COMPLEX(cosh)
CINN_COMPLEX(tanh)
CINN_COMPLEX(asin)
CINN_COMPLEX(acos)
CINN_COMPLEX(atan)
CINN_COMPLEX(asinh)
CINN_COMPLEX(acosh)
CINN_COMPLEX(atanh)
CINN_COMPLEX(sigmoid)
#undef CINN_COMPLEX
inline Cx pow(const Cx& z, const Cx& w) { return Rounded(wide::pow(Wide(z), Wide(w)), PartType(z, w)); }

}  // namespace cinn
