// SPDX-License-Identifier: Apache-2.0
// Shape rules and adapters of products, logical reductions, norms and variance.
#include <cmath>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi {
namespace {
void Run(const char* op, cpu::ReduceOp kind, const Tensor& x, const Ints& axis, Tensor& out, double p = 2.0) {
  if (out.numel() == 0) return;
  cpu::Reduce(kind, x.dtype(), x.raw_data(), x.dims(), x.strides(), ReduceMask(op, x.ndim(), axis), out.dtype(),
              out.raw_data(), p);
}
// `List`: of numbers, or an IntArray.
template <class List>
const List& Axes(const List& axis, bool every) {
  static const List none{};
  return every ? none : axis;
}
void CheckFloat(const char* op, DataType t) {
  PD_CHECK_DTYPE(IsDifferentiable(t), "[", op, "] expected a floating or complex dtype, got ", NameOf(t));
}
}  // namespace

namespace {
// Narrow integers widen to int64, int32 does not.
DataType ProductDtype(DataType t) { return t == DataType::INT32 ? t : SumDtype(t, DataType::UNDEFINED); }
}  // namespace
void prod_infer(const Meta& x, const IntArray& axis, bool keepdim, bool all, Meta& out) {
  out = {ReducedDims("prod", x.dims, Axes(axis, all), keepdim), ProductDtype(x.dtype)};
}
int64_t prod_workspace(const Meta& x, const Ints& axis, bool keepdim, bool all) {
  Meta out;
  prod_infer(x, IntArray(axis), keepdim, all, out);
  return cpu::ReduceBytes(cpu::ReduceOp::kProd, x.dtype, out.dtype, CountOf(out));
}
void prod_kernel(const Tensor& x, const Ints& axis, bool, bool all, Tensor& out) {
  Run("prod", cpu::ReduceOp::kProd, x, Axes(axis, all), out);
}

void amax_infer(const Meta& x, const Ints& axis, bool keepdim, Meta& out) {
  PD_CHECK_DTYPE(!IsComplex(x.dtype), "[amax] expected a real dtype, got ", NameOf(x.dtype));
  out = {ReducedDims("amax", x.dims, axis, keepdim), x.dtype};
}
int64_t amax_workspace(const Meta& x, const Ints& axis, bool keepdim) {
  Meta out;
  amax_infer(x, axis, keepdim, out);
  return cpu::ReduceBytes(cpu::ReduceOp::kMax, x.dtype, out.dtype, CountOf(out));
}
void amax_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) {
  Run("amax", cpu::ReduceOp::kMax, x, axis, out);
}
void amin_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) {
  Run("amin", cpu::ReduceOp::kMin, x, axis, out);
}

void all_infer(const Meta& x, const Ints& axis, bool keepdim, Meta& out) {
  out = {ReducedDims("all", x.dims, axis, keepdim), DataType::BOOL};
}
void all_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) { Run("all", cpu::ReduceOp::kAll, x, axis, out); }
void any_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) { Run("any", cpu::ReduceOp::kAny, x, axis, out); }

void logsumexp_infer(const Meta& x, const Ints& axis, bool keepdim, bool all, Meta& out) {
  PD_CHECK_DTYPE(!IsComplex(x.dtype), "[logsumexp] expected a real dtype, got ", NameOf(x.dtype));
  out = {ReducedDims("logsumexp", x.dims, Axes(axis, all), keepdim), IsFloating(x.dtype) ? x.dtype : DataType::FLOAT32};
}
int64_t logsumexp_workspace(const Meta& x, const Ints& axis, bool keepdim, bool all) {
  Meta out;
  logsumexp_infer(x, axis, keepdim, all, out);
  return ConvertedBytes(x, out.dtype) + cpu::ReduceBytes(cpu::ReduceOp::kLogSumExp, out.dtype, out.dtype, CountOf(out));
}
void logsumexp_kernel(const Tensor& x, const Ints& axis, bool, bool all, Tensor& out) {
  if (x.dtype() == out.dtype()) return Run("logsumexp", cpu::ReduceOp::kLogSumExp, x, Axes(axis, all), out);
  Run("logsumexp", cpu::ReduceOp::kLogSumExp, Ordered(x, out.dtype()), Axes(axis, all), out);
}

namespace {
Ints NormAxes(const Dims& x, int64_t axis, bool asvector) {
  if (asvector || x.empty()) return Ints{};
  return Ints{common::NormalizeAxis("p_norm", axis, x.size())};
}
}  // namespace
void p_norm_infer(const Meta& x, double, int64_t axis, double, bool keepdim, bool asvector, Meta& out) {
  CheckFloat("p_norm", x.dtype);
  out = {ReducedDims("p_norm", x.dims, NormAxes(x.dims, axis, asvector), keepdim), RealOf(x.dtype)};
}
void p_norm_kernel(const Tensor& x, double p, int64_t axis, double, bool, bool asvector, Tensor& out) {
  Ints axes = NormAxes(common::ToDims(x.dims()), axis, asvector);
  if (p == 0) return Run("p_norm", cpu::ReduceOp::kCountNonzero, x, axes, out);
  if (cpu::IsExtremeNorm(p))
    return Run("p_norm", p > 0 ? cpu::ReduceOp::kMaxAbs : cpu::ReduceOp::kMinAbs, x, axes, out);
  if (p == 1) return Run("p_norm", cpu::ReduceOp::kSumAbs, x, axes, out);
  if (p == 2) return Run("p_norm", cpu::ReduceOp::kL2Norm, x, axes, out);
  if (p > 0 || FormsHere()) return Run("p_norm", cpu::ReduceOp::kPNorm, x, axes, out, p);
  const Widened wide(out, ComputeType(out.dtype()));
  Tensor& sum = wide;
  Run("p_norm", cpu::ReduceOp::kSumPow, x, axes, sum, p);
  for (int64_t i = 0; i < sum.numel(); ++i) {
    if (sum.dtype() == DataType::FLOAT64)
      sum.data<double>()[i] = std::pow(sum.data<double>()[i], 1.0 / p);
    else
      sum.data<float>()[i] = static_cast<float>(std::pow(static_cast<double>(sum.data<float>()[i]), 1.0 / p));
  }
}
int64_t p_norm_workspace(const Meta& x, double p, int64_t axis, double, bool keepdim, bool asvector) {
  Meta out;
  p_norm_infer(x, p, axis, 0, keepdim, asvector, out);
  const int64_t wide = p < 0 && IsHalf(x.dtype) ? WorkspaceFor(out.dims, DataType::FLOAT32) : 0;
  return wide + cpu::ReduceBytes(p == 0                  ? cpu::ReduceOp::kCountNonzero
                                 : cpu::IsExtremeNorm(p) ? cpu::ReduceOp::kMaxAbs
                                                         : cpu::ReduceOp::kPNorm,
                                 x.dtype, out.dtype, CountOf(out));
}

void frobenius_infer(const Meta& x, const IntArray& axis, bool keepdim, bool all, Meta& out) {
  CheckFloat("frobenius_norm", x.dtype);
  out = {ReducedDims("frobenius_norm", x.dims, Axes(axis, all), keepdim), RealOf(x.dtype)};
}
int64_t frobenius_workspace(const Meta& x, const Ints& axis, bool keepdim, bool all) {
  Meta out;
  frobenius_infer(x, IntArray(axis), keepdim, all, out);
  return cpu::ReduceBytes(cpu::ReduceOp::kL2Norm, x.dtype, out.dtype, CountOf(out));
}
void frobenius_kernel(const Tensor& x, const Ints& axis, bool, bool all, Tensor& out) {
  Run("frobenius_norm", cpu::ReduceOp::kL2Norm, x, Axes(axis, all), out);
}

void squared_l2_infer(const Meta& x, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[squared_l2_norm] expected a floating dtype, got ", NameOf(x.dtype));
  out = {Dims{Dim(1)}, x.dtype};
}
void squared_l2_kernel(const Tensor& x, Tensor& out) {
  Run("squared_l2_norm", cpu::ReduceOp::kSumSquare, x, Ints{}, out);
}

void mean_all_infer(const Meta& x, Meta& out) {
  CheckFloat("mean_all", x.dtype);
  out = {Dims{}, x.dtype};
}
void mean_all_kernel(const Tensor& x, Tensor& out) { Run("mean_all", cpu::ReduceOp::kMean, x, Ints{}, out); }

void var_infer(const Meta& x, const Ints& axis, bool keepdim, bool, double, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[var] expected a floating dtype, got ", NameOf(x.dtype));
  out = {ReducedDims("var", x.dims, axis, keepdim), x.dtype};
}
int64_t var_workspace(const Meta& x, const Ints& axis, bool keepdim, bool, double) {
  Meta out;
  var_infer(x, axis, keepdim, true, 0, out);
  return 2 * WorkspaceFor(out.dims, ComputeType(x.dtype));
}
void var_kernel(const Tensor& x, const Ints& axis, bool, bool unbiased, double correction, Tensor& out) {
  if (out.numel() == 0) return;
  cpu::Variance(x.dtype(), x.raw_data(), x.dims(), x.strides(), ReduceMask("var", x.ndim(), axis),
                unbiased ? correction : 0.0, nullptr, out.raw_data());
}

void trace_infer(const Meta& x, int64_t, int64_t axis1, int64_t axis2, Meta& out) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[trace] expected a tensor of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  int64_t a = common::NormalizeAxis("trace", axis1, x.dims.size()),
          b = common::NormalizeAxis("trace", axis2, x.dims.size());
  PD_CHECK(a != b, InvalidArgument, "[trace] expected two different axes, got ", axis1, " and ", axis2);
  out = {{}, ProductDtype(x.dtype)};
  for (int64_t i = 0; i < x.dims.size(); ++i)
    if (i != a && i != b) out.dims.push_back(x.dims[i]);
}

void allclose_infer(const Meta&, const Meta&, const Scalar&, const Scalar&, bool, Meta& out) {
  out = {Dims{}, DataType::BOOL};
}
void allclose2_infer(const Meta&, const Meta&, Meta& out) { out = {Dims{}, DataType::BOOL}; }
void isclose_infer(const Meta& x, const Meta& y, const Scalar&, const Scalar&, bool, Meta& out) {
  out = {common::BroadcastDims("isclose", x.dims, y.dims), DataType::BOOL};
}
void dist_infer(const Meta& x, const Meta& y, double, Meta& out) { out = {Dims{}, RealOf(Promote("dist", x, y))}; }

}  // namespace phi
