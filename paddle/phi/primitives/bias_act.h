// SPDX-License-Identifier: Apache-2.0
// A bias and an activation on rows, in place: what follows a matrix product.
#pragma once

#include <string_view>

#include "paddle/common/dtype.h"

namespace phi::cpu {

enum class Activation : int { kNone, kRelu, kGelu, kSilu, kSigmoid, kTanh, kUnknown };
Activation ActivationOf(std::string_view name);

// x[r, j] = act(x[r, j] + bias[j]) for contiguous [rows, n] of float32 or float64; a null bias adds nothing.
void BiasActivate(DataType t, Activation act, const void* bias, int64_t rows, int64_t n, void* x);

}  // namespace phi::cpu
