// SPDX-License-Identifier: Apache-2.0
// Higher-order gradients of pooling and linear layers, in differentiable ops.
#include "paddle/phi/api/ops.h"

namespace paddle {

Tensor linear_backward_weight(const Tensor& x, const Tensor& w, const Tensor& dout, bool transpose_weight) {
  Ints two_x{-1, number_at(x, -1)}, two_g{-1, number_at(dout, -1)};
  Tensor a = reshape(x, two_x), g = reshape(dout, two_g);
  return reshape_like(transpose_weight ? matmul(g, a, true, false) : matmul(a, g, true, false), w);
}

Tensor pool_double_backward(const Tensor& ddx, const Tensor& x, const Tensor&, const Ints& kernel, const Ints& strides,
                            const Ints& paddings, bool ceil_mode, bool exclusive, const std::string& format,
                            const std::string& type, bool global, bool adaptive, const std::string& algorithm) {
  bool three = x.ndim() == 5;
  if (type == "avg")
    return three
               ? pool3d(ddx, kernel, strides, paddings, ceil_mode, exclusive, format, type, global, adaptive, algorithm)
               : pool2d(ddx, kernel, strides, paddings, ceil_mode, exclusive, format, type, global, adaptive,
                        algorithm);
  PD_CHECK(format.size() > 1 && format[1] == 'C' && algorithm == "EXPLICIT" && paddings.size() == kernel.size(),
           Unimplemented, "[pool] expected channels-first data and explicit paddings for a second-order gradient, got ",
           format, " and ", algorithm);
  auto [out, mask] = three ? max_pool3d_with_index(x, kernel, strides, paddings, global, adaptive, ceil_mode)
                           : max_pool2d_with_index(x, kernel, strides, paddings, global, adaptive, ceil_mode);
  return max_pool_gather(ddx, mask);
}

}  // namespace paddle
