// SPDX-License-Identifier: Apache-2.0
// What gradient rules of convolutions ask.
#include "paddle/common/axis_functions.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/ops/nn/conv_paddings.h"

namespace paddle {

bool channels_last(const std::string& format) { return common::ChannelsLast(format); }

Ints window_paddings(const Tensor& x, const Tensor& filter, const Ints& strides, const Ints& paddings,
                     const std::string& algorithm, const Ints& dilations, const std::string& format) {
  return phi::ResolvePaddings("conv_grad", x.extents(), filter.extents(), strides, paddings, algorithm, dilations,
                              channels_last(format));
}

}  // namespace paddle
