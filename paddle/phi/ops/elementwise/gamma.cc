// SPDX-License-Identifier: Apache-2.0
// The regularised incomplete gamma functions P(a, x) and Q(a, x) and their derivatives, in double.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/special.h"

namespace phi {
namespace {

using cpu::GammaKind;

// out = f(x, y), broadcast; negative numbers are refused.
void Each(const char* op, GammaKind kind, const Tensor& x, const Tensor& y, Tensor& out) {
  const ScratchTensor whole_x(out.dims(), DataType::FLOAT64), whole_y(out.dims(), DataType::FLOAT64);
  CopyInto(x, whole_x.tensor);
  CopyInto(y, whole_y.tensor);
  const bool fit = cpu::IncompleteGamma(kind, out.numel(), whole_x.tensor.data<double>(), whole_y.tensor.data<double>(),
                                        out.data<double>());
  PD_CHECK(fit, InvalidArgument, "[", op, "] expected x and y of at least 0, got a negative number");
}

void InferGamma(const char* op, const Meta& x, const Meta& y, Meta& out) {
  PD_CHECK(x.dtype == y.dtype, InvalidArgument, "[", op, "] expected x and y of one floating dtype, got ",
           NameOf(x.dtype), " and ", NameOf(y.dtype));
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[", op, "] expected x and y of a floating dtype, got ", NameOf(x.dtype));
  out = {common::BroadcastDims(op, x.dims, y.dims), x.dtype};
}

}  // namespace

int64_t gammainc_workspace(const Meta& x, const Meta& y) {
  const Dims out = common::BroadcastDims("gammainc", x.dims, y.dims);
  return 2 * WorkspaceFor(out, DataType::FLOAT64);
}

void gammaincc_infer(const Meta& x, const Meta& y, Meta& out) { InferGamma("gammaincc", x, y, out); }
void gammaincc_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammaincc", GammaKind::kUpper, x, y, out);
}

void gammainc_infer(const Meta& x, const Meta& y, Meta& out) { InferGamma("gammainc", x, y, out); }
void gammainc_kernel(const Tensor& x, const Tensor& y, Tensor& out) { Each("gammainc", GammaKind::kLower, x, y, out); }
void gammainc_by_shape_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammainc", GammaKind::kByShape, x, y, out);
}
void gammainc_by_bound_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  Each("gammainc", GammaKind::kByBound, x, y, out);
}
void gammainc_by_shape_grad_kernel(const Tensor&, Tensor*, Tensor*) {
  PD_THROW(Unimplemented, "[gammainc] expected first-order gradients where x needs one, got a second: it has no rule");
}

}  // namespace phi
