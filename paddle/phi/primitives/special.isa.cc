// SPDX-License-Identifier: Apache-2.0
// Loops of special.h.
#include <stdint.h>

#include "paddle/phi/primitives/math.inc.h"

namespace phi::PD_ISA {
namespace {

struct Calc {
  static double exp(double x) { return PD_ISA::exp(x); }
  static double log(double x) { return PD_ISA::log(x); }
  static double log1p(double x) { return PD_ISA::log1p(x); }
  static double sqrt(double x) { return PD_ISA::sqrt(x); }
  static double erfc(double x) { return PD_ISA::erfc(x); }
  static double pow(double x, double y) { return PD_ISA::pow(x, y); }
  static double tan(double x) { return PD_ISA::tan(x); }
  static double floor(double x) { return PD_ISA::floor(x); }
  static double abs(double x) { return PD_ISA::abs(x); }
};
#define PD_SPECIAL inline
#include "paddle/phi/primitives/gamma.inc.h"
#include "paddle/phi/primitives/polygamma.inc.h"

}  // namespace

bool gammas(int kind, const double* a, const double* x, double* out, int64_t n) {
  bool fit = true;
  for (int64_t i = 0; i < n; ++i) {
    const bool fits = !(a[i] < 0) && !(x[i] < 0);
    fit = fit && fits;
    out[i] = fits ? GammaOf(kind, a[i], x[i]) : __builtin_nan("");
  }
  return fit;
}
void polygammas(int order, double factorial, const double* x, double* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = PolygammaOf(order, factorial, x[i]);
}

}  // namespace phi::PD_ISA
