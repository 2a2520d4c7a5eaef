// SPDX-License-Identifier: Apache-2.0
// What gradient rules of linear algebra share, and that of attention; written on Tensor, so that they have gradients
// themselves.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

// The last two axes swapped; adjoint_of conjugates too.
Tensor transpose_of(const Tensor& x);
Tensor adjoint_of(const Tensor& x);
// L^-H x for a triangular matrix l, whose diagonal counts as 1 with `unit`; x U^-H for an upper one.
Tensor solve_adjoint(const Tensor& l, const Tensor& x, bool upper, bool unit = false);
Tensor over_adjoint(const Tensor& x, const Tensor& u);
// The Hermitian matrix that has the lower triangle of x.
Tensor mirror_lower(const Tensor& x);
// w_j - w_i, and 1 on the diagonal; x without its diagonal, divided by them.
Tensor gaps(const Tensor& w);
Tensor over_gaps(const Tensor& x, const Tensor& gaps);

// The gradient of attention in differentiable ops; `which`: 0 query, 1 key, 2 value.
Tensor attention_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                          const Tensor& keep, const Tensor& dout, double scale, bool causal, int64_t offset,
                          double dropout, int64_t which);
Tensor flash_attn_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& seed_offset,
                           const Tensor& mask, const Tensor& dout, double dropout, bool causal, bool is_test,
                           int64_t which);

}  // namespace paddle
