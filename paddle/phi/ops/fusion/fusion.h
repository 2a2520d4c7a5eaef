// SPDX-License-Identifier: Apache-2.0
// What fused kernels take from the families they join.
#pragma once

#include <string>

#include "paddle/phi/core/product_extras.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

// Channels in blocks of 16 that lie side by side: [n, ceil(c / 16), h, w, 16], the data_format of fused_conv that is
// not in the public interface.
inline constexpr const char* kBlockedFormat = "NCHW16C";
inline constexpr int64_t kChannelBlock = 16;
Dims BlockedDims(const Dims& plain);
// The shape [n, channels, h, w] behind blocked channels; a plain shape as it is.
Dims UnblockedDims(const Dims& x, Dim channels);

void conv_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings, const std::string& algorithm,
                const Ints& dilations, int64_t groups, const std::string& format, Meta& out);
void conv_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& paddings,
                 const std::string& algorithm, const Ints& dilations, int64_t groups, const std::string& format,
                 Tensor& out);
// By one call of a library on the device of the op that runs; false, with nothing done, where there is none.
bool ProductWith(const ProductExtras& with, const Tensor& x, const Tensor& y, bool tx, bool ty, Tensor& out);

void matmul_kernel(const Tensor& x, const Tensor& y, bool tx, bool ty, Tensor& out);

// One library call for the whole; false, with nothing done, where there is none.
bool FusedConvolution(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& residual, const Ints& strides,
                      const Ints& paddings, const std::string& algorithm, const Ints& dilations, int64_t groups,
                      const std::string& format, const std::string& activation, Tensor& out);

}  // namespace phi
