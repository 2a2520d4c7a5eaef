// SPDX-License-Identifier: Apache-2.0
// What primitives take that compute halves in float32.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/core/workspace.h"

namespace phi::cpu {

// Bytes of CallMemory of n elements as float32, where they are halves.
inline int64_t WideBytes(DataType t, int64_t n) { return IsHalf(t) ? Workspace::Piece(n * 4) : 0; }

}  // namespace phi::cpu
