// SPDX-License-Identifier: Apache-2.0
// What gradient rules share that make rows of a table (phi/core/selected_rows.h).
#pragma once

#include "paddle/phi/core/tensor.h"

namespace paddle {

// The gradient of a lookup at x in a table of `rows`, as rows; the table where it is recorded or differentiated.
Tensor lookup_rows(const Tensor& x, const Tensor& dout, int64_t rows, int64_t padding_idx);

}  // namespace paddle
