// SPDX-License-Identifier: Apache-2.0
// The regularised incomplete gamma functions P(a, x) and Q(a, x) and their derivatives, in double.
#include <atomic>
#include <cmath>
#include <limits>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

// A number and its derivative with respect to a.
struct Dual {
  double v, d;
  Dual(double value, double derivative = 0) : v(value), d(derivative) {}  // NOLINT: a constant
};
Dual operator-(Dual x) { return {-x.v, -x.d}; }
Dual operator+(Dual x, Dual y) { return {x.v + y.v, x.d + y.d}; }
Dual operator-(Dual x, Dual y) { return {x.v - y.v, x.d - y.d}; }
Dual operator*(Dual x, Dual y) { return {x.v * y.v, x.d * y.v + x.v * y.d}; }
Dual operator/(Dual x, Dual y) { return {x.v / y.v, (x.d - x.v / y.v * y.d) / y.v}; }
Dual Exp(Dual x) { return {std::exp(x.v), std::exp(x.v) * x.d}; }
Dual Log(Dual x) { return {std::log(x.v), x.d / x.v}; }
Dual Log1p(Dual x) { return {std::log1p(x.v), x.d / (1 + x.v)}; }
Dual Sqrt(Dual x) { return {std::sqrt(x.v), 0.5 * x.d / std::sqrt(x.v)}; }
Dual Erfc(Dual x) { return {std::erfc(x.v), -2 / std::sqrt(M_PI) * std::exp(-x.v * x.v) * x.d}; }
double Value(Dual x) { return x.v; }
double Size(Dual x) { return std::abs(x.v) + std::abs(x.d); }
double Exp(double x) { return std::exp(x); }
double Log(double x) { return std::log(x); }
double Log1p(double x) { return std::log1p(x); }
double Sqrt(double x) { return std::sqrt(x); }
double Erfc(double x) { return std::erfc(x); }
double Value(double x) { return x; }
double Size(double x) { return std::abs(x); }

// Up to kFew the front factor is calculated by its logarithm, above by Stirling's formula; above kMany P and Q by
// Temme's expansion.
constexpr double kFew = 20, kMany = 1e6;

// What Stirling's formula for log Gamma(z) leaves out, z >= kFew.
template <class S>
S Remainder(S z) {
  const S w = 1.0 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188))))) / z;
}
template <class S>
S LogGamma(S z) {
  S shift = 1.0;
  for (; Value(z) < kFew; z = z + 1.0) shift = shift * z;
  return (z - 0.5) * Log(z) - z + 0.5 * std::log(2 * M_PI) + Remainder(z) - Log(shift);
}
// x^a exp(-x) / Gamma(a + 1).
template <class S>
S Front(S a, double x) {
  if (Value(a) < kFew) return Exp(a * std::log(x) - x - LogGamma(a + 1.0));
  const S t = (x - a) / a;
  const S log = Value(t) < -0.5 ? Log(x / a) : Log1p(t);
  return Exp(-(a * (t - log)) - Remainder(a)) / Sqrt(2 * M_PI * a);
}

template <class S>
struct Parts {
  S p, q;
};

// Temme's uniform expansion, its first term: for large a, and x within some sqrt(a) of it.
template <class S>
Parts<S> Uniform(S a, double x) {
  if (std::abs(x - Value(a)) > 60 * std::sqrt(Value(a))) {
    const double above = x > Value(a);
    return {S(above), S(1 - above)};
  }
  const S t = (x - a) / a, phi = t - Log1p(t);
  const S eta = std::abs(Value(t)) < 1e-4
                    ? t * (1.0 - t * (1.0 / 3 - t * (7.0 / 36 - t * (73.0 / 540 - t * (1331.0 / 12960)))))
                    : (Value(t) < 0 ? -Sqrt(2.0 * phi) : Sqrt(2.0 * phi));
  const S first = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * (1.0 / 864 + eta * (1.0 / 2835))));
  const S rest = Exp(-(a * eta * eta * 0.5)) / Sqrt(2 * M_PI * a) * first, side = eta * Sqrt(a * 0.5);
  return {0.5 * Erfc(-side) - rest, 0.5 * Erfc(side) + rest};
}

// P and Q = 1 - P for a > 0 and x >= 0: the power series below x = a + 1, Lentz's continued fraction above.
template <class S>
Parts<S> Incomplete(S a, double x) {
  if (x == 0) return {S(0.0), S(1.0)};
  if (std::isinf(x)) return {S(1.0), S(0.0)};
  if (Value(a) > kMany) return Uniform(a, x);
  constexpr double kEnough = std::numeric_limits<double>::epsilon() / 4;
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
    const auto apart = [](S s) { return Value(s) == 0 ? S(1e-300) : s; };  // from zero
    b = b + 2.0;
    d = 1.0 / apart(an * d + b);
    c = apart(b + an / c);
    const S step = d * c;
    h = h * step;
    if (Size(step - 1.0) < kEnough) break;
  }
  const S q = Front(a, x) * a * h;
  return {1.0 - q, q};
}

// Whether a is 0 or infinite or P has no value; then what P is.
bool Special(double a, double x, double* p) {
  if (std::isnan(a) || std::isnan(x) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) {
    *p = NAN;
  } else if (a == 0) {
    *p = 1;
  } else if (std::isinf(a)) {
    *p = 0;
  } else {
    return false;
  }
  return true;
}

// out = f(x, y), broadcast; negative numbers are refused.
template <class F>
void Each(const char* op, const Tensor& x, const Tensor& y, Tensor& out, F f) {
  const ScratchTensor whole_x(out.dims(), DataType::FLOAT64), whole_y(out.dims(), DataType::FLOAT64);
  CopyInto(x, whole_x.tensor);
  CopyInto(y, whole_y.tensor);
  const double *a = whole_x.tensor.data<double>(), *b = whole_y.tensor.data<double>();
  double* to = out.data<double>();
  std::atomic<bool> negative = false;
  cpu::ParallelFor(0, out.numel(), 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (a[i] < 0 || b[i] < 0) negative = true;
      to[i] = a[i] < 0 || b[i] < 0 ? NAN : f(a[i], b[i]);
    }
  });
  PD_CHECK(!negative, InvalidArgument, "[", op, "] expected x and y of at least 0, got a negative number");
}

void InferGamma(const char* op, const Meta& x, const Meta& y, Meta& out) {
  PD_CHECK(IsFloating(x.dtype) && x.dtype == y.dtype, InvalidArgument, "[", op,
           "] expected x and y of one floating dtype, got ", NameOf(x.dtype), " and ", NameOf(y.dtype));
  out = {common::BroadcastDims(op, x.dims, y.dims), x.dtype};
}

}  // namespace

int64_t gammainc_workspace(const Meta& x, const Meta& y) {
  const Dims out = common::BroadcastDims("gammainc", x.dims, y.dims);
  return 2 * WorkspaceFor(out, DataType::FLOAT64);
}

void gammaincc_infer(const Meta& x, const Meta& y, Meta& out) { InferGamma("gammaincc", x, y, out); }
void gammaincc_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammaincc", x, y, out, [](double a, double b) {
    double p;
    return Special(a, b, &p) ? 1 - p : Incomplete(a, b).q;
  });
}

void gammainc_infer(const Meta& x, const Meta& y, Meta& out) { InferGamma("gammainc", x, y, out); }
void gammainc_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammainc", x, y, out, [](double a, double b) {
    double p;
    return Special(a, b, &p) ? p : Incomplete(a, b).p;
  });
}
void gammainc_by_shape_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammainc", x, y, out, [](double a, double b) {
    double p;
    return Special(a, b, &p) ? NAN : Incomplete(Dual(a, 1), b).p.d;
  });
}
void gammainc_by_bound_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammainc", x, y, out, [](double a, double b) {
    double p;
    if (Special(a, b, &p)) return std::isnan(p) ? NAN : 0.0;
    if (b == 0) return a < 1 ? INFINITY : static_cast<double>(a == 1);
    return std::isinf(b) ? 0.0 : Front(a, b) * a / b;
  });
}
void gammainc_by_shape_grad_kernel(const Tensor&, Tensor*, Tensor*) {
  PD_THROW(Unimplemented, "[gammainc] expected first-order gradients where x needs one, got a second: it has no rule");
}

}  // namespace phi
