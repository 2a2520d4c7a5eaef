// SPDX-License-Identifier: Apache-2.0
// Gamma, Dirichlet and binomial draws from the generator, one element after another. The normal and uniform numbers
// they take, and so their streams, are those of PaddlePaddle's CPU kernels.
#include <cmath>
#include <limits>

#include "paddle/phi/core/generator.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/ops/linalg/matrices.h"

namespace phi {
namespace {

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). At least the smallest normal number,
// so that quotients of draws and logarithms are finite.
template <class T>
T DrawGamma(std::mt19937_64& engine, T alpha) {
  constexpr T kLeast = std::numeric_limits<T>::min();
  if (!(alpha > 0)) return std::isnan(alpha) ? alpha : kLeast;
  if (std::isinf(alpha)) return alpha;
  std::uniform_real_distribution<T> uniform(0, 1);
  T factor = 1;
  if (alpha < 1) {
    factor = std::pow(1 - uniform(engine), 1 / alpha);
    alpha += 1;
  }
  const T d = alpha - static_cast<T>(1.0f / 3), c = 1 / std::sqrt(9 * d);
  for (;;) {
    T x, v;
    do {
      x = std::normal_distribution<T>(0, 1)(engine);
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    const T u = 1 - uniform(engine), x2 = x * x;
    if (u < 1 - static_cast<T>(0.0331f) * x2 * x2 || std::log(u) < x2 / 2 + d * (1 - v + std::log(v)))
      return std::max(factor * d * v, kLeast);
  }
}

// log(k!) less Stirling's approximation (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
double StirlingError(double k) {
  static constexpr double kSmall[] = {
      0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,  0.01664469118982119,
      0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.009255462182712733, 0.008330563433362871};
  if (k <= 9) return kSmall[static_cast<int>(k)];
  const double n = k + 1, n2 = n * n;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / n2) / n2) / n;
}

// The number of successes of probability p <= 1/2 among n, by the numbers of trials between them.
double CountGaps(std::mt19937_64& engine, double n, double p) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double log_q = std::log1p(-p);
  double trials = 0, count = 0;
  for (;; ++count) {
    trials += std::ceil(std::log(uniform(engine)) / log_q);
    if (!(trials <= n)) return count;
  }
}

// The same for n p >= 10, by Hoermann's transformed rejection (BTRS, "The generation of binomial random variates",
// 1993).
double RejectBinomial(std::mt19937_64& engine, double n, double p) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double deviation = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p,
               center = n * p + 0.5, v_r = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation,
               mode = std::floor((n + 1) * p);
  for (;;) {
    const double u = uniform(engine) - 0.5;
    double v = uniform(engine);
    const double us = 0.5 - std::fabs(u), k = std::floor((2 * a / us + b) * u + center);
    if (us >= 0.07 && v <= v_r) return k;
    if (!(k >= 0 && k <= n)) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                         (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + StirlingError(mode) +
                         StirlingError(n - mode) - StirlingError(k) - StirlingError(n - k);
    if (v <= bound) return k;
  }
}

double DrawBinomial(std::mt19937_64& engine, double n, double p) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  const double q = p <= 0.5 ? p : 1 - p;
  const double count = n * q >= 10 ? RejectBinomial(engine, n, q) : CountGaps(engine, n, q);
  return p <= 0.5 ? count : n - count;
}

// Calls f with x's elements, float or double, and memory of that type for those of out.
template <class F>
void InComputeType(const char* op, const Tensor& x, Tensor& out, F f) {
  const DataType t = x.dtype();
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64, InvalidType, "[", op, "] expected a floating tensor, got ",
           NameOf(x.dtype()));
  if (t == DataType::FLOAT64)
    f(x.data<double>(), out.data<double>());
  else
    f(x.data<float>(), out.data<float>());
}

}  // namespace

void standard_gamma_infer(const Meta& x, Meta& out) {
  PD_CHECK(IsFloating(x.dtype), InvalidType, "[standard_gamma] expected a floating tensor, got ", NameOf(x.dtype));
  out = x;
}
void standard_gamma_kernel(const KernelContext& context, const Tensor& x, Tensor& out) {
  EngineFor e(context, 0);
  const int64_t n = x.numel();
  InComputeType("standard_gamma", x, out, [&](const auto* alpha, auto* p) {
    for (int64_t i = 0; i < n; ++i) p[i] = DrawGamma(*e, alpha[i]);
  });
}

void dirichlet_infer(const Meta& alpha, Meta& out) {
  PD_CHECK(IsFloating(alpha.dtype), InvalidType, "[dirichlet] expected a floating tensor, got ", NameOf(alpha.dtype));
  PD_CHECK(alpha.dims.size() >= 1, InvalidArgument, "[dirichlet] expected a tensor of at least 1 axis, got a 0-D one");
  out = alpha;
}
void dirichlet_kernel(const KernelContext& context, const Tensor& alpha, Tensor& out) {
  EngineFor e(context, 0);
  const int64_t n = alpha.numel(), k = alpha.dim(alpha.ndim() - 1);
  InComputeType("dirichlet", alpha, out, [&](const auto* a, auto* p) {
    for (int64_t i = 0; i < n; ++i) p[i] = DrawGamma(*e, a[i]);
    for (int64_t row = 0; row < n; row += k) {
      auto sum = p[row];
      for (int64_t i = 1; i < k; ++i) sum += p[row + i];
      for (int64_t i = 0; i < k; ++i) p[row + i] /= sum;
    }
  });
}

void binomial_infer(const Meta& count, const Meta& prob, Meta& out) {
  PD_CHECK(IsFloating(prob.dtype), InvalidType, "[binomial] expected floating probabilities, got ", NameOf(prob.dtype));
  PD_CHECK(!IsComplex(count.dtype), InvalidType, "[binomial] expected real counts, got ", NameOf(count.dtype));
  out = {BroadcastDims("binomial", count.dims, prob.dims), DataType::INT64};
}
int64_t binomial_workspace(const Meta& count, const Meta& prob) {
  const Dims dims = BroadcastDims("binomial", count.dims, prob.dims);
  return ExpandedBytes(count.dims, dims, DataType::FLOAT64) + ExpandedBytes(prob.dims, dims, DataType::FLOAT64);
}
void binomial_kernel(const KernelContext& context, const Tensor& count, const Tensor& prob, Tensor& out) {
  EngineFor e(context, 0);
  const Expanded n(count, out.dims()), p(prob, out.dims());
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double trials = n.tensor.data<double>()[i], share = p.tensor.data<double>()[i];
    PD_CHECK(trials < 0x1p63 && !std::isnan(share), InvalidArgument,
             "[binomial] expected counts below 2^63 and probabilities, got ", trials, " and ", share);
    out.data<int64_t>()[i] = static_cast<int64_t>(DrawBinomial(*e, trials, share));
  }
}

}  // namespace phi
