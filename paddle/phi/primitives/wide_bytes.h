// SPDX-License-Identifier: Apache-2.0
// What primitives take that compute halves in float32.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/core/workspace.h"

namespace phi::cpu {

// What sums and statistics of elements are kept in: f32, or f64 of f64.
constexpr DataType StatType(DataType t) { return t == DataType::FLOAT64 ? DataType::FLOAT64 : DataType::FLOAT32; }
// Bytes of CallMemory of n elements as float32, where they are halves.
inline int64_t WideBytes(DataType t, int64_t n) { return IsHalf(t) ? Workspace::Piece(n * 4) : 0; }

}  // namespace phi::cpu
