// SPDX-License-Identifier: Apache-2.0
// Padding rules shared by convolutions and their gradients.
#pragma once

#include <string>

#include "paddle/phi/core/tensor.h"

namespace phi {

// Low and high padding of each spatial axis, from nd or 2 * nd numbers or the algorithms SAME and VALID.
Ints ResolvePaddings(const char* op, const Dims& x, const Dims& w, const Ints& strides, const Ints& paddings,
                     const std::string& algorithm, const Ints& dilations, bool channels_last);

}  // namespace phi
