// SPDX-License-Identifier: Apache-2.0
// Reductions over axes: shape rules and the calls into the shared reduction kernels.
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi {
namespace {
void Run(const char* op, cpu::ReduceOp kind, const Tensor& x, const Ints& axis, Tensor& out) {
  cpu::Reduce(kind, x.dtype(), x.raw_data(), x.dims(), x.strides(), ReduceMask(op, x.ndim(), axis), out.dtype(),
              out.raw_data());
}
// The same of the elements in another dtype.
void RunAs(DataType dtype, const char* op, cpu::ReduceOp kind, const Tensor& x, const Ints& axis, Tensor& out) {
  if (x.dtype() == dtype)
    Run(op, kind, x, axis, out);
  else
    Run(op, kind, Ordered(x, dtype), axis, out);
}
}  // namespace

void sum_infer(const Meta& x, const IntArray& axis, DataType dtype, bool keepdim, Meta& out) {
  out = {ReducedDims("sum", x.dims, axis, keepdim), SumDtype(x.dtype, dtype)};
}
int64_t sum_workspace(const Meta& x, const Ints& axis, DataType dtype, bool keepdim) {
  Meta out;
  sum_infer(x, IntArray(axis), dtype, keepdim, out);
  const bool integers = IsInteger(out.dtype) && (IsInteger(x.dtype) || x.dtype == DataType::BOOL);
  return (integers ? 0 : ConvertedBytes(x, out.dtype)) +
         cpu::ReduceBytes(cpu::ReduceOp::kSum, integers ? x.dtype : out.dtype, out.dtype, CountOf(out));
}
void sum_kernel(const Tensor& x, const Ints& axis, DataType, bool, Tensor& out) {
  // The sum is that of the elements as numbers of its dtype: fractions are cut before they are added. Integers need no
  // cast, as cutting their sum to fewer bits gives the sum of the cut ones.
  const bool integers = IsInteger(out.dtype()) && (IsInteger(x.dtype()) || x.dtype() == DataType::BOOL);
  RunAs(integers ? x.dtype() : out.dtype(), "sum", cpu::ReduceOp::kSum, x, axis, out);
}

void reduce_as_infer(const Meta& x, const Meta& target, Meta& out) {
  PD_CHECK(BroadcastsTo(target.dims, x.dims), InvalidArgument,
           "[reduce_as] expected the shape of target to broadcast to that of x, got ", common::ShapeText(target.dims),
           " and ", common::ShapeText(x.dims));
  out = {target.dims, SumDtype(x.dtype, DataType::UNDEFINED)};
}
int64_t reduce_as_workspace(const Meta& x, const Meta& target) {
  Meta out;
  reduce_as_infer(x, target, out);
  return cpu::ReduceBytes(cpu::ReduceOp::kSum, x.dtype, out.dtype, CountOf(out));
}
void reduce_as_kernel(const Tensor& x, const Tensor& target, Tensor& out) {
  if (x.dims() == target.dims()) return CopyInto(x, out);
  cpu::Reduce(cpu::ReduceOp::kSum, x.dtype(), x.raw_data(), x.dims(), x.strides(), SummedMask(x.dims(), target.dims()),
              out.dtype(), out.raw_data());
}

void mean_infer(const Meta& x, const IntArray& axis, bool keepdim, Meta& out) {
  out = {ReducedDims("mean", x.dims, axis, keepdim), x.dtype == DataType::BOOL ? DataType::FLOAT32 : x.dtype};
}
int64_t mean_workspace(const Meta& x, const Ints& axis, bool keepdim) {
  if (IsInteger(x.dtype))
    return WorkspaceFor(x.dims, DataType::FLOAT64) +
           WorkspaceFor(ReducedDims("mean", x.dims, IntArray(axis), keepdim), DataType::FLOAT64);
  Meta out;
  mean_infer(x, IntArray(axis), keepdim, out);
  return ConvertedBytes(x, out.dtype) + cpu::ReduceBytes(cpu::ReduceOp::kMean, out.dtype, out.dtype, CountOf(out));
}
void mean_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) {
  if (IsInteger(x.dtype())) {  // the mean of integers is cut to their type
    if (FormsHere()) throw NoDeviceForm{"a mean of integers"};
    const Widened wide(out, DataType::FLOAT64);
    return RunAs(DataType::FLOAT64, "mean", cpu::ReduceOp::kMean, x, axis, wide);
  }
  RunAs(out.dtype(), "mean", cpu::ReduceOp::kMean, x, axis, out);
}

void minmax_infer(const Meta& x, const IntArray& axis, bool keepdim, Meta& out) {
  out = {ReducedDims("max", x.dims, axis, keepdim), x.dtype};
}
int64_t minmax_workspace(const Meta& x, const Ints& axis, bool keepdim) {
  Meta out;
  minmax_infer(x, IntArray(axis), keepdim, out);
  return cpu::ReduceBytes(cpu::ReduceOp::kMax, x.dtype, out.dtype, CountOf(out));
}
void max_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) {
  PD_CHECK(x.numel() > 0 || out.numel() == 0, InvalidArgument, "[max] expected at least one element, got shape ",
           common::ShapeText(x.dims()));
  Run("max", cpu::ReduceOp::kMax, x, axis, out);
}
void min_kernel(const Tensor& x, const Ints& axis, bool, Tensor& out) {
  PD_CHECK(x.numel() > 0 || out.numel() == 0, InvalidArgument, "[min] expected at least one element, got shape ",
           common::ShapeText(x.dims()));
  Run("min", cpu::ReduceOp::kMin, x, axis, out);
}

}  // namespace phi
