// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers: one text for the loops of CPUs (phi/primitives/math_cplx.inc.h) and for expressions of
// the fusion compiler (cinn/ir/complex_body.h), each of which includes it in a namespace of its own. There stand
// PD_COMPLEX and PD_COMPLEX_INLINE, how functions are declared; Real, a number of float64, and Complex, a pair {re, im}
// of them; Number(v), v as a Real; Infinity<R>() and NotANumber<R>(); Choose(c, f, g), what f() or g() returns;
// GoesOn(count), false where the caller knows that count is below 1; and functions of real numbers.

#ifndef PD_COMPLEX_FUNCTIONS
// The functions of one number that complex64 computes in float64 and rounds.
#define PD_COMPLEX_FUNCTIONS(F) \
  F(exp)                        \
  F(expm1)                      \
  F(log)                        \
  F(log2)                       \
  F(log10)                      \
  F(log1p)                      \
  F(sqrt)                       \
  F(rsqrt)                      \
  F(sin)                        \
  F(cos)                        \
  F(tan)                        \
  F(sinh)                       \
  F(cosh)                       \
  F(tanh)                       \
  F(asin)                       \
  F(acos)                       \
  F(atan)                       \
  F(asinh)                      \
  F(acosh)                      \
  F(atanh)                      \
  F(sigmoid)
#endif

template <class R>
PD_COMPLEX_INLINE R LengthOf(R x, R y) {
  const R a = abs(x), b = abs(y), more = select(a > b, a, b), less = select(a > b, b, a), r = less / more;
  const R h = select(more == R(0), R(0), more * sqrt(fma(r, r, R(1))));
  const R length = select(less == more, more * R(1.41421356237309514547), h);
  return select(isinf(a) | isinf(b), Infinity<R>(), select((x != x) | (y != y), x + y, length));
}
// Scaled, so it overflows only where the quotient does; by zero gives NaN in both parts, by infinity 0.
template <class R, class C>
PD_COMPLEX_INLINE C QuotientOf(C x, C y) {
  const R p = abs(y.re), q = abs(y.im), m = select(p > q, p, q);
  const R c = y.re / m, d = y.im / m, n = fma(c, c, d * d);
  const R re = fma(x.re, c, x.im * d) / n / m, im = fma(x.im, c, -(x.re * d)) / n / m;
  const auto zero = (m == Infinity<R>()) & isfinite(x.re) & isfinite(x.im);
  return {select(zero, R(0), re), select(zero, R(0), im)};
}
// z / |z|, 0 at 0.
template <class R, class C>
PD_COMPLEX_INLINE C SignOf(C z, R length) {
  const auto zero = length == R(0);
  const R s = select(zero, R(1), length);
  return {select(zero, R(0), z.re / s), select(zero, R(0), z.im / s)};
}

PD_COMPLEX_INLINE Complex Turned(Complex z) { return {-z.im, z.re}; }      // i z
PD_COMPLEX_INLINE Complex TurnedBack(Complex z) { return {z.im, -z.re}; }  // -i z
PD_COMPLEX Complex exp(Complex z) {
  const Real e = exp(z.re);
  return {e * cos(z.im), Choose(
                             z.im == 0.0, [&] { return z.im; }, [&] { return e * sin(z.im); })};
}
PD_COMPLEX Complex expm1(Complex z) {
  const Real s = sin(z.im * 0.5);
  const Real im = Choose(
      z.im == 0.0, [&] { return z.im; }, [&] { return exp(z.re) * sin(z.im); });
  return {fma(expm1(z.re), cos(z.im), -2.0 * s * s), im};
}
PD_COMPLEX Complex log(Complex z) {
  const Real a = abs(z.re), b = abs(z.im), more = select(a > b, a, b), less = select(a > b, b, a);
  const Real re =
      Choose((more > 0.5) & (more < 2.0), [&] { return 0.5 * log1p(fma(more - 1.0, more + 1.0, less * less)); },
             [&] { return log(LengthOf(a, b)); });
  return {re, atan2(z.im, z.re)};
}
PD_COMPLEX Complex log2(Complex z) {
  const Complex l = log(z);
  return {l.re * 1.44269504088896339, l.im * 1.44269504088896339};
}
PD_COMPLEX Complex log10(Complex z) {
  const Complex l = log(z);
  return {l.re * 0.434294481903251817, l.im * 0.434294481903251817};
}
PD_COMPLEX Complex log1p(Complex z) {
  return Choose((abs(z.re) > 0.5) | (abs(z.im) > 0.5),
                [&] {
                  return log(Complex{z.re + 1.0, z.im});
                },
                [&] {
                  return Complex{0.5 * log1p(fma(z.re, z.re + 2.0, z.im * z.im)), atan2(z.im, z.re + 1.0)};
                });
}
// Of a finite z that is not 0.
PD_COMPLEX Complex FiniteSqrt(Complex z) {
  const Real a = abs(z.re), b = abs(z.im), m = select(a > b, a, b);
  const auto big = m > 1e300, small = m < 1e-300;
  const Real k = select(big, Number(0.0625), select(small, Number(0x1p120), Number(1.0)));
  const Real undo = select(big, Number(4.0), select(small, Number(0x1p-60), Number(1.0)));
  const Real t = sqrt(0.5 * (a * k + LengthOf(a * k, b * k))), u = b * k / (2.0 * t);
  const auto left = copysign(Number(1.0), z.re) < 0.0;
  return {select(left, u, t) * undo, copysign(select(left, t, u) * undo, z.im)};
}
PD_COMPLEX Complex sqrt(Complex z) {
  const Real inf = Infinity<Real>(), zero = Number(0.0);
  const auto finite = [&] {
    return Choose((z.re == 0.0) & (z.im == 0.0), [&] { return Complex{zero, z.im}; }, [&] { return FiniteSqrt(z); });
  };
  const auto left = [&] { return Complex{select(isnan(z.im), z.im, zero), copysign(inf, z.im)}; };
  const auto right = [&] { return Complex{z.re, select(isnan(z.im), z.im, copysign(zero, z.im))}; };
  const auto along = [&] { return Choose(z.re == inf, right, [&] { return Choose(z.re == -inf, left, finite); }); };
  return Choose(
      isinf(z.im),
      [&] {
        return Complex{inf, z.im};
      },
      along);
}
PD_COMPLEX Complex rsqrt(Complex z) { return Complex{Number(1.0), Number(0.0)} / sqrt(z); }
PD_COMPLEX Complex sin(Complex z) { return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)}; }
PD_COMPLEX Complex cos(Complex z) { return {cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im))}; }
PD_COMPLEX Complex sinh(Complex z) { return TurnedBack(sin(Turned(z))); }
PD_COMPLEX Complex cosh(Complex z) { return cos(Turned(z)); }
PD_COMPLEX Complex tanh(Complex z) {
  const auto far = [&] { return Complex{copysign(Number(1.0), z.re), 2.0 * sin(2.0 * z.im) * exp(-2.0 * abs(z.re))}; };
  return Choose(abs(z.re) > 20.0, far, [&] {
    const Real t = tan(z.im), s = sinh(z.re), b = 1.0 + t * t, r = sqrt(1.0 + s * s), d = 1.0 + b * s * s;
    return Complex{b * r * s / d, t / d};
  });
}
PD_COMPLEX Complex tan(Complex z) { return TurnedBack(tanh(Turned(z))); }
// After W. Kahan, "Branch cuts for complex elementary functions".
PD_COMPLEX Complex asin(Complex z) {
  const Complex a = sqrt(Complex{1.0 - z.re, -z.im}), b = sqrt(Complex{1.0 + z.re, z.im});
  return {atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re)};
}
PD_COMPLEX Complex acos(Complex z) {
  const Complex a = sqrt(Complex{1.0 - z.re, -z.im}), b = sqrt(Complex{1.0 + z.re, z.im});
  return {2.0 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}
PD_COMPLEX Complex asinh(Complex z) { return TurnedBack(asin(Turned(z))); }
PD_COMPLEX Complex acosh(Complex z) {
  const Complex a = sqrt(Complex{z.re - 1.0, z.im}), b = sqrt(Complex{z.re + 1.0, z.im});
  return {asinh(a.re * b.re + a.im * b.im), 2.0 * atan2(a.im, b.re)};
}
PD_COMPLEX Complex atanh(Complex z) {
  const Real s = copysign(Number(1.0), z.re), x = abs(z.re), y = s * z.im;
  const auto far = [&] {
    const Real h = LengthOf(x, y);
    return Complex{select(isinf(h), Number(0.0), x / h / h), copysign(Number(1.57079632679489656), y)};
  };
  const Complex w = Choose((x > 1e150) | (abs(y) > 1e150), far, [&] {
    return Complex{0.25 * log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)),
                   0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y)};
  });
  return {s * w.re, s * w.im};
}
PD_COMPLEX Complex atan(Complex z) { return TurnedBack(atanh(Turned(z))); }
// z to a whole power from -64 to 64, by products.
PD_COMPLEX Complex WholePower(Complex z, Real w) {
  Complex power = {Number(1.0), Number(0.0)}, base = z;
  Real count = abs(w);
  for (int k = 0; k < 7 && GoesOn(count); ++k) {
    const Real half = floor(count * 0.5);
    power = Choose(
        count - 2.0 * half == 1.0, [&] { return power * base; }, [&] { return power; });
    base = base * base;
    count = half;
  }
  return Choose(
      w < 0.0,
      [&] {
        return Complex{Number(1.0), Number(0.0)} / power;
      },
      [&] { return power; });
}
PD_COMPLEX Complex OtherPower(Complex z, Complex w) { return exp(w * log(z)); }
// 0 ** 0 is 1, 0 ** w is 0 for Re w > 0; otherwise exp(w log z), but for small whole w.
PD_COMPLEX Complex pow(Complex z, Complex w) {
  const Real one = Number(1.0), zero = Number(0.0), nan = NotANumber<Real>();
  const auto of_zero = [&] {
    const Real least = select(w.re < 0.0, Infinity<Real>(), nan);
    return Complex{select(w.re > 0.0, zero, least), select(w.re > 0.0, zero, nan)};
  };
  const auto whole = (w.im == 0.0) & (w.re == round(w.re)) & (abs(w.re) <= 64.0);
  const auto other = [&] { return OtherPower(z, w); };
  const auto power = [&] {
    return Choose(
        whole, [&] { return WholePower(z, w.re); }, other);
  };
  return Choose((w.re == 0.0) & (w.im == 0.0),
                [&] {
                  return Complex{one, zero};
                },
                [&] { return Choose((z.re == 0.0) & (z.im == 0.0), of_zero, power); });
}
PD_COMPLEX Complex sigmoid(Complex z) {
  const auto left = z.re < 0.0;
  const Complex e = exp(Choose(
                    left, [&] { return z; }, [&] { return -z; })),
                d = {1.0 + e.re, e.im};
  return Choose(
             left, [&] { return e; },
             [&] {
               return Complex{Number(1.0), Number(0.0)};
             }) /
         d;
}
