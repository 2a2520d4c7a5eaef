// SPDX-License-Identifier: Apache-2.0
// Polygamma functions by the Hurwitz zeta function, in double.
#include <cmath>
#include <limits>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

// The sum over k of (q + k)^-s for integer s > 1: terms up to q + k > 12 + s, the rest by Euler and Maclaurin.
double Zeta(double s, double q) {
  if (std::isnan(q)) return q;
  if (q <= 0 && (q == std::floor(q) || q < -1e6)) return q == std::floor(q) ? INFINITY : NAN;
  if (q == INFINITY) return 0;
  double sum = 0, a = q;
  for (; a <= 12 + s; a += 1) sum += std::pow(a, -s);
  const double power = std::pow(a, -s);
  sum += a * power / (s - 1) + 0.5 * power;
  // Bernoulli numbers over factorials: B(2j) / (2j)!.
  static constexpr double kRatio[] = {1.0 / 12,
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
    if (std::abs(term) < 1e-17 * std::abs(sum)) break;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a);
  }
  return sum;
}

double Digamma(double x) {
  if (x == -INFINITY || (x <= 0 && x == std::floor(x))) return NAN;
  double sum = 0;
  if (x < 0) {
    sum = -M_PI / std::tan(M_PI * x);
    x = 1 - x;
  }
  for (; x < 12; x += 1) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * 691.0 / 32760)))));
}

}  // namespace

void polygamma_infer(const Meta& x, int64_t n, Meta& out) {
  PD_CHECK(n >= 0 && n < 150, InvalidArgument, "[polygamma] expected n from 0 to 149, got ", n);
  PD_CHECK(IsFloating(x.dtype) || (IsInteger(x.dtype) && x.dtype != DataType::BOOL), Unimplemented,
           "[polygamma] expected a floating or integer dtype, got ", NameOf(x.dtype));
  out = x;
  if (!IsFloating(x.dtype)) out.dtype = DataType::FLOAT32;
}

void polygamma_kernel(const Tensor& x, int64_t n, Tensor& out) {
  const double *from = x.data<double>(), sign = n % 2 ? 1 : -1, factorial = std::tgamma(static_cast<double>(n + 1));
  double* to = out.data<double>();
  cpu::ParallelFor(0, x.numel(), 512, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = n == 0 ? Digamma(from[i]) : sign * factorial * Zeta(static_cast<double>(n + 1), from[i]);
  });
}

}  // namespace phi
