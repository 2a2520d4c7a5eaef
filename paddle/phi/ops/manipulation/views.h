// SPDX-License-Identifier: Apache-2.0
// What views make where they cannot share memory.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// EnsureOut at the place of x, which an op without forms for a device serves too.
void EnsureCopy(const Tensor& x, const Ints& dims, DataType dtype, Tensor& out);

}  // namespace phi
