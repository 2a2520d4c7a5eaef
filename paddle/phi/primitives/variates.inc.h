// SPDX-License-Identifier: Apache-2.0
// Gamma and binomial draws, once for the host and for GPUs. A source S gives numbers in [0, 1) (`Low`) or (0, 1]
// (`High`), normal ones, and the functions that are computed with; PD_VARIATE says how functions are declared.
#pragma once

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). At least the smallest normal number,
// so that quotients of draws and logarithms are finite.
template <class T, class S>
PD_VARIATE T DrawGamma(S& s, T alpha, T least) {
  if (!(alpha > 0)) return alpha != alpha ? alpha : least;
  if (alpha - alpha != 0) return alpha;  // infinite
  T factor = 1;
  if (alpha < 1) {
    factor = S::Pow(s.template High<T>(), 1 / alpha);
    alpha += 1;
  }
  const T d = alpha - static_cast<T>(1.0f / 3), c = 1 / S::Sqrt(9 * d);
  for (;;) {
    T x, v;
    do {
      x = s.template Normal<T>();
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    const T u = s.template High<T>(), x2 = x * x;
    if (u < 1 - static_cast<T>(0.0331f) * x2 * x2 || S::Log(u) < x2 / 2 + d * (1 - v + S::Log(v))) {
      const T drawn = factor * d * v;
      return drawn < least ? least : drawn;
    }
  }
}

// log(k!) less Stirling's approximation (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
PD_VARIATE double StirlingError(double k) {
  if (k <= 9) {
    constexpr double kSmall[] = {0.08106146679532726,  0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
                                 0.01664469118982119,  0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
                                 0.009255462182712733, 0.008330563433362871};
    return kSmall[static_cast<int>(k)];
  }
  const double n = k + 1, n2 = n * n;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / n2) / n2) / n;
}

// The number of successes of probability p <= 1/2 among n, by the numbers of trials between them.
template <class S>
PD_VARIATE double CountGaps(S& s, double n, double p) {
  const double log_q = S::Log1p(-p);
  double trials = 0, count = 0;
  for (;; ++count) {
    trials += S::Ceil(S::Log(s.template Low<double>()) / log_q);
    if (!(trials <= n)) return count;
  }
}

// The same for n p >= 10, by Hoermann's transformed rejection (BTRS, "The generation of binomial random variates",
// 1993).
template <class S>
PD_VARIATE double RejectBinomial(S& s, double n, double p) {
  for (;;) {
    PD_AFTER(n, p);
    const double deviation = S::Sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p,
                 center = n * p + 0.5, v_r = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation,
                 mode = S::Floor((n + 1) * p);
    const double u = s.template Low<double>() - 0.5;
    double v = s.template Low<double>();
    const double us = 0.5 - S::Abs(u), k = S::Floor((2 * a / us + b) * u + center);
    if (us >= 0.07 && v <= v_r) return k;
    if (!(k >= 0 && k <= n)) continue;
    v = S::Log(v * alpha / (a / (us * us) + b));
    PD_AFTER(v, n);
    double bound = (mode + 0.5) * S::Log((mode + 1) / (odds * (n - mode + 1)));
    PD_AFTER(bound, n);
    bound += (n + 1) * S::Log((n - mode + 1) / (n - k + 1));
    PD_AFTER(bound, n);
    bound += (k + 0.5) * S::Log(odds * (n - k + 1) / (k + 1));
    PD_AFTER(bound, n);
    bound = bound + StirlingError(mode) + StirlingError(n - mode) - StirlingError(k) - StirlingError(n - k);
    if (v <= bound) return k;
  }
}

template <class S>
PD_VARIATE double DrawBinomial(S& s, double n, double p) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  const double q = p <= 0.5 ? p : 1 - p;
  const double count = n * q >= 10 ? RejectBinomial(s, n, q) : CountGaps(s, n, q);
  return p <= 0.5 ? count : n - count;
}
