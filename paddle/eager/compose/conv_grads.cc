// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions as convolutions with resolved paddings.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/ops/nn/conv_util.h"

namespace paddle {
namespace {
bool Last(const std::string& format) { return format.size() > 1 && format.back() == 'C'; }
}  // namespace

#define PD_CONV_ATTRS                                                                                             \
  const Ints &strides, const Ints &paddings, const std::string &algorithm, const Ints &dilations, int64_t groups, \
      const std::string &format

Tensor conv_backward_input(const Tensor& dout, const Tensor& x, const Tensor& w, PD_CONV_ATTRS) {
  Ints pads =
      phi::ResolvePaddings("conv_grad", x.shape(), w.shape(), strides, paddings, algorithm, dilations, Last(format));
  return conv_grad_input(dout, w, shape_of(x), strides, pads, dilations, groups, Last(format));
}
Tensor conv_backward_filter(const Tensor& dout, const Tensor& x, const Tensor& w, PD_CONV_ATTRS) {
  Ints pads =
      phi::ResolvePaddings("conv_grad", x.shape(), w.shape(), strides, paddings, algorithm, dilations, Last(format));
  return conv_grad_filter(x, dout, shape_of(w), strides, pads, dilations, groups, Last(format));
}
Tensor conv_transpose_backward_x(const Tensor& dout, const Tensor& x, const Tensor& w, PD_CONV_ATTRS) {
  Ints pads = phi::ResolvePaddings("conv_transpose_grad", x.shape(), w.shape(), strides, paddings, algorithm, dilations,
                                   Last(format));
  return conv_nd(dout, w, strides, pads, dilations, groups, Last(format));
}
Tensor conv_transpose_backward_filter(const Tensor& dout, const Tensor& x, const Tensor& w, PD_CONV_ATTRS) {
  Ints pads = phi::ResolvePaddings("conv_transpose_grad", x.shape(), w.shape(), strides, paddings, algorithm, dilations,
                                   Last(format));
  return conv_grad_filter(dout, x, shape_of(w), strides, pads, dilations, groups, Last(format));
}

}  // namespace paddle
