// SPDX-License-Identifier: Apache-2.0
// Adapters of softmax and log_softmax, and the fused gelu gradient.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/ew_run.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/softmax.h"

namespace phi {
namespace {
struct Split {
  int64_t outer = 1, n = 1, inner = 1;
};
Split AxisSplit(const char* op, const Tensor& x, int64_t axis) {
  Split s;
  if (x.ndim() == 0) return s;
  int64_t a = common::NormalizeAxis(op, axis, x.ndim());
  for (int64_t i = 0; i < x.ndim(); ++i) (i < a ? s.outer : i == a ? s.n : s.inner) *= x.dim(i);
  return s;
}
using Kernel = void (*)(DataType, const void*, int64_t, int64_t, int64_t, void*);
void Forward(const char* op, Kernel kernel, const Tensor& x, int64_t axis, Tensor& out) {
  Split s = AxisSplit(op, x, axis);
  if (x.numel()) kernel(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, out.raw_data());
}
using GradKernel = void (*)(DataType, const void*, const void*, int64_t, int64_t, int64_t, void*);
void Backward(const char* op, GradKernel kernel, const Tensor& out, const Tensor& dout, int64_t axis, Tensor* dx) {
  if (!dx) return;
  Split s = AxisSplit(op, out, axis);
  EnsureOut(*dx, out.dims(), out.dtype());
  if (out.numel()) kernel(out.dtype(), out.raw_data(), dout.raw_data(), s.outer, s.n, s.inner, dx->raw_data());
}
}  // namespace

void softmax_infer(const Meta& x, int64_t axis, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[softmax] expected a floating dtype, got ", NameOf(x.dtype));
  common::NormalizeAxis("softmax", axis, x.dims.size());
  out = x;
}
void softmax_kernel(const Tensor& x, int64_t axis, Tensor& out) { Forward("softmax", &cpu::Softmax, x, axis, out); }
void log_softmax_kernel(const Tensor& x, int64_t axis, Tensor& out) {
  Forward("log_softmax", &cpu::LogSoftmax, x, axis, out);
}
void softmax_grad_kernel(const Tensor& out, const Tensor& dout, int64_t axis, Tensor* dx) {
  Backward("softmax_grad", &cpu::SoftmaxGrad, out, dout, axis, dx);
}
void log_softmax_grad_kernel(const Tensor& out, const Tensor& dout, int64_t axis, Tensor* dx) {
  Backward("log_softmax_grad", &cpu::LogSoftmaxGrad, out, dout, axis, dx);
}

}  // namespace phi
