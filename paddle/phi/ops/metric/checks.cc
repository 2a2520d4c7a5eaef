// SPDX-License-Identifier: Apache-2.0
// Checks of numbers, which are errors where they fail.
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

void check_numerics_infer(const Meta& x, const std::string&, const std::string&, int64_t, int64_t,
                          const std::string& folder, Meta& stats, Meta& values) {
  PD_CHECK(!IsComplex(x.dtype), InvalidType, "[check_numerics] expected real numbers, got ", NameOf(x.dtype));
  PD_CHECK(folder.empty(), InvalidArgument, "[check_numerics] expected output_dir '', as numbers are in the results, ",
           "got '", folder, "'");
  stats = {Dims{Dim(3)}, DataType::INT64};
  values = {Dims{Dim(3)}, DataType::FLOAT32};
}
void check_numerics_kernel(const Tensor& x, const std::string& op, const std::string& name, int64_t level, int64_t,
                           const std::string&, Tensor& stats, Tensor& values) {
  int64_t counts[3] = {0, 0, 0};
  double most = std::numeric_limits<double>::quiet_NaN(), least = most, sum = 0;
  for (int64_t k = 0; k < x.numel(); ++k) {
    const double v = x.data<double>()[k];
    counts[0] += std::isnan(v);
    counts[1] += std::isinf(v);
    counts[2] += v == 0;
    most = std::fmax(most, v);
    least = std::fmin(least, v);
    sum += v;
  }
  std::copy(counts, counts + 3, stats.data<int64_t>());
  const double listed[3] = {most, least, sum / static_cast<double>(x.numel())};
  for (int k = 0; k < 3; ++k) values.data<float>()[k] = x.numel() ? static_cast<float>(listed[k]) : 0.0F;
  PD_CHECK(level != 0 || counts[0] + counts[1] == 0, PreconditionNotMet, "[check_numerics] expected finite numbers in ",
           name.empty() ? "the tensor" : name, " of ", op.empty() ? "the operation" : op, ", got ", counts[0],
           " NaNs and ", counts[1], " infinities");
}

void accuracy_check_infer(const Meta& x, const Meta& y, const std::string& name, double, double, bool, Meta& out) {
  bool same = x.dims.size() == y.dims.size();
  for (int64_t k = 0; same && k < static_cast<int64_t>(x.dims.size()); ++k)
    same = !common::CertainlyDiffer(x.dims[k], y.dims[k]);
  PD_CHECK(same, PreconditionNotMet, "[accuracy_check] expected results of ", name, " of one shape, got ",
           common::ShapeText(x.dims), " and ", common::ShapeText(y.dims));
  out = {x.dims, DataType::BOOL};
}
int64_t accuracy_check_workspace(const Meta& x, const Meta& y, const std::string&, double, double, bool) {
  return ConvertedBytes(x, DataType::COMPLEX128) + ConvertedBytes(y, DataType::COMPLEX128);
}
void accuracy_check_kernel(const Tensor& given, const Tensor& wanted, const std::string& name, double rtol, double atol,
                           bool equal_nan, Tensor& out) {
  using Number = std::complex<double>;
  const Ordered first(given, DataType::COMPLEX128), second(wanted, DataType::COMPLEX128);
  const Tensor &a = first, &b = second;
  const auto* x = reinterpret_cast<const Number*>(a.raw_data());
  const auto* y = reinterpret_cast<const Number*>(b.raw_data());
  auto none = [](const Number& v) { return std::isnan(v.real()) || std::isnan(v.imag()); };
  double worst = 0;
  bool all = true;
  for (int64_t k = 0; k < a.numel(); ++k) {
    const bool close = x[k] == y[k] || (none(x[k]) && none(y[k]) && equal_nan) ||
                       (std::isfinite(std::abs(y[k])) && std::abs(x[k] - y[k]) <= atol + rtol * std::abs(y[k]));
    all = all && close;
    worst = std::fmax(worst, std::abs(x[k] - y[k]));
    out.data<bool>()[k] = close;
  }
  PD_CHECK(all, PreconditionNotMet, "[accuracy_check] expected equal results of ", name, ", got some that differ by ",
           worst);
}

}  // namespace phi
