// SPDX-License-Identifier: Apache-2.0
// Gamma, Dirichlet and binomial draws from the generator, one element after another. The normal and uniform numbers
// they take, and so their streams, are those of PaddlePaddle's CPU kernels.
#include <cmath>
#include <limits>
#include <type_traits>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/random/number_at.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

#define PD_VARIATE inline
#define PD_AFTER(x, y)
#include "paddle/phi/primitives/variates.inc.h"

// The engine's numbers and the C library's functions.
struct Source {
  Mersenne64& engine;

  template <class T>
  T Low() {
    return std::uniform_real_distribution<T>(0, 1)(engine);
  }
  template <class T>
  T High() {
    return 1 - Low<T>();
  }
  template <class T>
  T Normal() {
    return std::normal_distribution<T>(0, 1)(engine);
  }
  template <class T>
  static T Log(T x) {
    return std::log(x);
  }
  template <class T>
  static T Pow(T x, T y) {
    return std::pow(x, y);
  }
  template <class T>
  static T Sqrt(T x) {
    return std::sqrt(x);
  }
  static double Log1p(double x) { return std::log1p(x); }
  static double Ceil(double x) { return std::ceil(x); }
  static double Floor(double x) { return std::floor(x); }
  static double Abs(double x) { return std::fabs(x); }
};

// Calls f with the elements of x, float or double.
template <class F>
void InComputeType(const char* op, const Tensor& x, F f) {
  const DataType t = x.dtype();
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64, InvalidType, "[", op, "] expected a floating tensor, got ",
           NameOf(t));
  if (t == DataType::FLOAT64)
    f(x.data<double>());
  else
    f(x.data<float>());
}

}  // namespace

void standard_gamma_infer(const Meta& x, Meta& out) {
  PD_CHECK(IsFloating(x.dtype), InvalidType, "[standard_gamma] expected a floating tensor, got ", NameOf(x.dtype));
  out = x;
}
// Draws for each element of alpha.
void FillGamma(const char* op, const KernelContext& context, const Tensor& alpha, Tensor& out) {
  const int64_t n = alpha.numel();
  if (const DeviceForms* forms = FormsHere()) {
    forms->Variates(VariateKind::kGamma, alpha.dtype(), n, alpha.raw_data(), nullptr, out.raw_data());
    return;
  }
  EngineFor e(context, 0);
  Source source{*e};
  InComputeType(op, out, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < n; ++i) p[i] = DrawGamma(source, alpha.data<T>()[i], std::numeric_limits<T>::min());
  });
}
void standard_gamma_kernel(const KernelContext& context, const Tensor& x, Tensor& out) {
  FillGamma("standard_gamma", context, x, out);
}

void dirichlet_infer(const Meta& alpha, Meta& out) {
  PD_CHECK(IsFloating(alpha.dtype), InvalidType, "[dirichlet] expected a floating tensor, got ", NameOf(alpha.dtype));
  PD_CHECK(alpha.dims.size() >= 1, InvalidArgument, "[dirichlet] expected a tensor of at least 1 axis, got a 0-D one");
  out = alpha;
}
void dirichlet_kernel(const KernelContext& context, const Tensor& alpha, Tensor& out) {
  const int64_t n = alpha.numel(), k = alpha.dim(alpha.ndim() - 1);
  FillGamma("dirichlet", context, alpha, out);
  if (const DeviceForms* forms = FormsHere()) return forms->Shares(out.dtype(), k ? n / k : 0, k, out.raw_data());
  InComputeType("dirichlet", out, [&](auto* p) {
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
  const Expanded n(count, out.dims()), p(prob, out.dims());
  const auto check = [](double trials, double share) {
    PD_CHECK(trials < 0x1p63 && !std::isnan(share), InvalidArgument,
             "[binomial] expected counts below 2^63 and probabilities, got ", trials, " and ", share);
  };
  if (const DeviceForms* forms = FormsHere()) {
    const int64_t bad = forms->Variates(VariateKind::kBinomial, DataType::FLOAT64, out.numel(), n.tensor.raw_data(),
                                        p.tensor.raw_data(), out.raw_data());
    return bad >= 0 ? check(NumberAt(n.tensor, bad), NumberAt(p.tensor, bad)) : void();
  }
  EngineFor e(context, 0);
  Source source{*e};
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double trials = n.tensor.data<double>()[i], share = p.tensor.data<double>()[i];
    check(trials, share);
    out.data<int64_t>()[i] = static_cast<int64_t>(DrawBinomial(source, trials, share));
  }
}

}  // namespace phi
