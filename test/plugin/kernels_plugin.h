// SPDX-License-Identifier: Apache-2.0
// What the files of one plugin use of each other.
#pragma once

#include "paddle/phi/capi/all.h"

extern int g_calls;

namespace rows {

// Defined, and made for its types by being registered, in kernels_plugin.cc.
template <typename T>
void Transpose(const phi::Context& ctx, const phi::DenseTensor& x, const std::vector<int>& axes, phi::DenseTensor* out);

}  // namespace rows
