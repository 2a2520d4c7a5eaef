// SPDX-License-Identifier: Apache-2.0
// Views that other families build on.
#pragma once

#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {

// `x` with another shape of as many elements: a view where the strides allow, else over a copy.
Tensor ReshapeTo(const Tensor& x, const Ints& dims);

}  // namespace phi
