// SPDX-License-Identifier: Apache-2.0
// Gradient rules of activations, composed from differentiable ops, and the fused first-order form of gelu's.
#include "paddle/phi/api/ops.h"

namespace paddle {

Tensor gelu_backward(const Tensor& x, const Tensor& dout, bool approximate) {
  if (!approximate) {
    Tensor cdf = (erf(x * 0.7071067811865476) + 1.0) * 0.5;
    return dout * (cdf + x * exp(x * x * -0.5) * 0.3989422804014327);
  }
  Tensor x2 = x * x;
  Tensor t = tanh((x + x * x2 * 0.044715) * 0.7978845608028654);
  return dout * ((t + 1.0) * 0.5 + x * 0.5 * (1.0 - t * t) * ((x2 * 0.134145 + 1.0) * 0.7978845608028654));
}

Tensor mish_backward(const Tensor& x, const Tensor& dout) {
  Tensor t = tanh(softplus(x, 1.0, 20.0));
  return dout * (t + x * (1.0 - t * t) * sigmoid(x));
}

}  // namespace paddle

namespace phi {

void gelu_grad_kernel(const Tensor& x, const Tensor& dout, bool approximate, Tensor* dx) {
  if (dx) *dx = approximate ? paddle::gelu_grad_tanh(x, dout) : paddle::gelu_grad_erf(x, dout);
}

}  // namespace phi
