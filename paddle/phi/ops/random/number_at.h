// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// Element i of a tensor in order, wherever that is.
inline double NumberAt(const Tensor& x, int64_t i) { return ScalarAsDouble(ViewOf(x, {}, {}, x->offset() + i)); }

}  // namespace phi
