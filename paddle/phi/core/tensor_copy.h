// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// The same elements in memory of their own, contiguous (no autograd).
Tensor CopyOf(const Tensor& x);

}  // namespace phi
