// SPDX-License-Identifier: Apache-2.0
// The regularised incomplete gamma functions P(a, x) and Q(a, x) and their derivatives, in double, by the functions of
// `Calc`: exp, log, log1p, sqrt, erfc and abs. What includes it defines that, and PD_SPECIAL, how functions are
// declared.

PD_SPECIAL bool IsInfinite(double x) { return x == __builtin_inf() || x == -__builtin_inf(); }

// A number and its derivative with respect to a.
struct Dual {
  double v, d;
  Dual(double value, double derivative = 0) : v(value), d(derivative) {}  // NOLINT: a constant
};
PD_SPECIAL Dual operator-(Dual x) { return {-x.v, -x.d}; }
PD_SPECIAL Dual operator+(Dual x, Dual y) { return {x.v + y.v, x.d + y.d}; }
PD_SPECIAL Dual operator-(Dual x, Dual y) { return {x.v - y.v, x.d - y.d}; }
PD_SPECIAL Dual operator*(Dual x, Dual y) { return {x.v * y.v, x.d * y.v + x.v * y.d}; }
PD_SPECIAL Dual operator/(Dual x, Dual y) { return {x.v / y.v, (x.d - x.v / y.v * y.d) / y.v}; }
PD_SPECIAL Dual Exp(Dual x) { return {Calc::exp(x.v), Calc::exp(x.v) * x.d}; }
PD_SPECIAL Dual Log(Dual x) { return {Calc::log(x.v), x.d / x.v}; }
PD_SPECIAL Dual Log1p(Dual x) { return {Calc::log1p(x.v), x.d / (1 + x.v)}; }
PD_SPECIAL Dual Sqrt(Dual x) { return {Calc::sqrt(x.v), 0.5 * x.d / Calc::sqrt(x.v)}; }
PD_SPECIAL Dual Erfc(Dual x) { return {Calc::erfc(x.v), -2 / 1.7724538509055159 * Calc::exp(-x.v * x.v) * x.d}; }
PD_SPECIAL double Value(Dual x) { return x.v; }
PD_SPECIAL double Size(Dual x) { return Calc::abs(x.v) + Calc::abs(x.d); }
PD_SPECIAL double Exp(double x) { return Calc::exp(x); }
PD_SPECIAL double Log(double x) { return Calc::log(x); }
PD_SPECIAL double Log1p(double x) { return Calc::log1p(x); }
PD_SPECIAL double Sqrt(double x) { return Calc::sqrt(x); }
PD_SPECIAL double Erfc(double x) { return Calc::erfc(x); }
PD_SPECIAL double Value(double x) { return x; }
PD_SPECIAL double Size(double x) { return Calc::abs(x); }

// Up to kFew the front factor is calculated by its logarithm, above by Stirling's formula; above kMany P and Q by
// Temme's expansion.
constexpr double kFew = 20, kMany = 1e6;

// What Stirling's formula for log Gamma(z) leaves out, z >= kFew.
template <class S>
PD_SPECIAL S Remainder(S z) {
  const S w = 1.0 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188))))) / z;
}
template <class S>
PD_SPECIAL S LogGamma(S z) {
  S shift = 1.0;
  for (; Value(z) < kFew; z = z + 1.0) shift = shift * z;
  return (z - 0.5) * Log(z) - z + 0.5 * 1.8378770664093453 + Remainder(z) - Log(shift);
}
// x^a exp(-x) / Gamma(a + 1).
template <class S>
PD_SPECIAL S Front(S a, double x) {
  if (Value(a) < kFew) return Exp(a * Calc::log(x) - x - LogGamma(a + 1.0));
  const S t = (x - a) / a;
  const S log = Value(t) < -0.5 ? Log(x / a) : Log1p(t);
  return Exp(-(a * (t - log)) - Remainder(a)) / Sqrt(6.283185307179586 * a);
}

template <class S>
struct Parts {
  S p, q;
};

// Temme's uniform expansion, its first term: for large a, and x within some sqrt(a) of it.
template <class S>
PD_SPECIAL Parts<S> Uniform(S a, double x) {
  if (Calc::abs(x - Value(a)) > 60 * Calc::sqrt(Value(a))) {
    const double above = x > Value(a);
    return {S(above), S(1 - above)};
  }
  const S t = (x - a) / a, phi = t - Log1p(t);
  const S eta = Calc::abs(Value(t)) < 1e-4
                    ? t * (1.0 - t * (1.0 / 3 - t * (7.0 / 36 - t * (73.0 / 540 - t * (1331.0 / 12960)))))
                    : (Value(t) < 0 ? -Sqrt(2.0 * phi) : Sqrt(2.0 * phi));
  const S first = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * (1.0 / 864 + eta * (1.0 / 2835))));
  const S rest = Exp(-(a * eta * eta * 0.5)) / Sqrt(6.283185307179586 * a) * first, side = eta * Sqrt(a * 0.5);
  return {0.5 * Erfc(-side) - rest, 0.5 * Erfc(side) + rest};
}

template <class S>
PD_SPECIAL S Apart(S s) {  // from zero
  return Value(s) == 0 ? S(1e-300) : s;
}
// P and Q = 1 - P for a > 0 and x >= 0: the power series below x = a + 1, Lentz's continued fraction above.
template <class S>
PD_SPECIAL Parts<S> Incomplete(S a, double x) {
  if (x == 0) return {S(0.0), S(1.0)};
  if (IsInfinite(x)) return {S(1.0), S(0.0)};
  if (Value(a) > kMany) return Uniform(a, x);
  constexpr double kEnough = 0x1p-54;
  if (x < Value(a) + 1) {
    S term = 1.0, sum = 1.0;
    for (int k = 1; k < 100000 && Size(term) > kEnough * Value(sum); ++k) {
      term = term * x / (a + static_cast<double>(k));
      sum = sum + term;
    }
    const S p = Front(a, x) * sum;
    return {p, 1.0 - p};
  }
  S b = x + 1 - a, c = 1e300, d = 1.0 / b, h = d;
  for (int k = 1; k < 100000; ++k) {
    const S an = (a - static_cast<double>(k)) * static_cast<double>(k);
    b = b + 2.0;
    d = 1.0 / Apart(an * d + b);
    c = Apart(b + an / c);
    const S step = d * c;
    h = h * step;
    if (Size(step - 1.0) < kEnough) break;
  }
  const S q = Front(a, x) * a * h;
  return {1.0 - q, q};
}

// Whether a is 0 or infinite or P has no value; then what P is.
PD_SPECIAL bool Special(double a, double x, double* p) {
  if (a != a || x != x || (a == 0 && x == 0) || (IsInfinite(a) && IsInfinite(x))) {
    *p = __builtin_nan("");
  } else if (a == 0) {
    *p = 1;
  } else if (IsInfinite(a)) {
    *p = 0;
  } else {
    return false;
  }
  return true;
}

// Of one pair that is not negative; kind: of GammaKind.
PD_SPECIAL double GammaOf(int kind, double a, double x) {
  double p;
  const bool special = Special(a, x, &p);
  if (kind == 0) return special ? p : Incomplete(a, x).p;
  if (kind == 1) return special ? 1 - p : Incomplete(a, x).q;
  if (kind == 2) return special ? __builtin_nan("") : Incomplete(Dual(a, 1), x).p.d;
  if (special) return p != p ? p : 0.0;
  if (x == 0) return a < 1 ? __builtin_inf() : static_cast<double>(a == 1);
  return IsInfinite(x) ? 0.0 : Front(a, x) * a / x;
}
