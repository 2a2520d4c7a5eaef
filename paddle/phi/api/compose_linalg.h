// SPDX-License-Identifier: Apache-2.0
// What gradient rules of linear algebra share, and those of attention; written on Tensor, so that they have gradients
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

// Attention on [batch, heads, length, dim]. The axes of heads and length swapped; key heads repeated for the heads of
// `query` that share them; of those the sum for each head of `key`, with the axes swapped.
Tensor swapped_heads(const Tensor& x);
Tensor for_heads(const Tensor& key, const Tensor& query);
Tensor of_heads(const Tensor& x, const Tensor& key);
// softmax(scale q k^T + mask); a causal row i sees keys up to i + offset. What dropout keeps of such weights.
Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& mask, double scale, bool causal,
                         int64_t offset);
Tensor kept_weights(const Tensor& weights, const Tensor& keep, double dropout);
// The factor of scores without one of their own: dim ** -0.5.
double attention_scale(const Tensor& query);

}  // namespace paddle
