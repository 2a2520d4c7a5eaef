// SPDX-License-Identifier: Apache-2.0
// Element by element reductions of the ranks' contributions.
#pragma once

#include <cstdint>

#include "paddle/common/dtype.h"

namespace paddle::distributed {

// The numbers of paddle.distributed.ReduceOp.
enum class ReduceOp : uint8_t { kSum, kMax, kMin, kProd, kAvg };
inline constexpr int kNumReduceOps = 5;

const char* NameOf(ReduceOp op);

// Raises where the elements have no such reduction: complex numbers have no order, truth values no mean. `what` is the
// collective.
void CheckReduction(const char* what, phi::DataType dtype, ReduceOp op);

// out[i] = op(sources[0][i], ..., sources[n - 1][i]), in that order, n >= 1. Halves and float8 are calculated in
// float32 and rounded once; integers wrap, their mean is cut off; sums and products of truth values are "or" and "and".
// `out` may be one of the sources.
void Reduce(ReduceOp op, phi::DataType dtype, const void* const* sources, int n, void* out, int64_t count);

}  // namespace paddle::distributed
