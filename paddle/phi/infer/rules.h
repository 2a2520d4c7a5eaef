// SPDX-License-Identifier: Apache-2.0
// Shape and dtype rules shared by several ops. Each runs on known and on symbolic extents alike.
#pragma once

#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

using MetaList = std::vector<Meta>;

// The rule of reductions: `axis` empty means all.
Dims ReducedDims(const char* op, const Dims& x, const Ints& axis, bool keepdim);
// Which axes are reduced, as a bit mask.
uint64_t ReduceMask(const char* op, int64_t rank, const Ints& axis);
// Integers sum in int64, bool too; `dtype` overrides.
DataType SumDtype(DataType x, DataType dtype);

// A shape argument with one -1 (inferred) and 0 (copied from x) resolved.
Dims ResolveReshape(const char* op, const Dims& x, const Ints& shape);

void matmul_infer(const Meta& x, const Meta& y, bool transpose_x, bool transpose_y, Meta& out);

}  // namespace phi
