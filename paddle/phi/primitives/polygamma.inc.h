// SPDX-License-Identifier: Apache-2.0
// Polygamma functions by the Hurwitz zeta function, in double, by the functions of `Calc`: pow, log, tan, floor and
// abs. What includes it defines that, and PD_SPECIAL, how functions are declared.

// The sum over k of (q + k)^-s for integer s > 1: terms up to q + k > 12 + s, the rest by Euler and Maclaurin.
PD_SPECIAL double Zeta(double s, double q) {
  if (q != q) return q;
  if (q <= 0 && (q == Calc::floor(q) || q < -1e6)) return q == Calc::floor(q) ? __builtin_inf() : __builtin_nan("");
  if (q == __builtin_inf()) return 0;
  double sum = 0, a = q;
  for (; a <= 12 + s; a += 1) sum += Calc::pow(a, -s);
  const double power = Calc::pow(a, -s);
  sum += a * power / (s - 1) + 0.5 * power;
  // Bernoulli numbers over factorials: B(2j) / (2j)!.
  constexpr double kRatio[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000,
                               1.0 / 74724249600,
                               -3617.0 / 10670622842880000,
                               43867.0 / 5109094217170944000};
  double factor = s * power / a;
  for (int j = 0; j < 9; ++j) {
    const double term = kRatio[j] * factor;
    sum += term;
    if (Calc::abs(term) < 1e-17 * Calc::abs(sum)) break;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a);
  }
  return sum;
}

PD_SPECIAL double Digamma(double x) {
  if (x == -__builtin_inf() || (x <= 0 && x == Calc::floor(x))) return __builtin_nan("");
  double sum = 0;
  if (x < 0) {
    sum = -3.141592653589793 / Calc::tan(3.141592653589793 * x);
    x = 1 - x;
  }
  for (; x < 12; x += 1) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + Calc::log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * 691.0 / 32760)))));
}
// The n-th derivative of the logarithm of Gamma's derivative; factorial: of n.
PD_SPECIAL double PolygammaOf(int n, double factorial, double x) {
  return n == 0 ? Digamma(x) : (n % 2 ? factorial : -factorial) * Zeta(n + 1, x);
}
