// SPDX-License-Identifier: Apache-2.0
// Cross entropy fused with softmax, on contiguous tensors seen as [outer, n, inner] with classes on the middle axis.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/workspace.h"

namespace phi::cpu {

// Bytes of CallMemory that the cross entropy of so many lines takes at most: logarithms of sums, and what these take.
inline int64_t CrossEntropyBytes(int64_t lines, bool x_is_softmax) {
  return x_is_softmax ? 0 : 3 * Workspace::Piece(lines * 8);
}

// Types f32 f64 f16 bf16. labels [outer, inner] of label_t (INT32, INT64, or narrower integers); loss [outer, inner].
// A label equal to ignore_index gives loss 0; others outside [0, n) throw OutOfRange.
// x_is_softmax: x already holds probabilities (loss = -log x[label]). softmax (may be null) receives the probabilities.
void CrossEntropyHard(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, DataType label_t,
                      const void* labels, int64_t ignore_index, bool x_is_softmax, void* softmax, void* loss);
// dx = (softmax - onehot) * dloss, 0 where ignored; x_is_softmax: dx = -dloss / softmax at the label, 0 elsewhere. dx
// may equal softmax.
void CrossEntropyHardGrad(DataType t, const void* softmax, int64_t outer, int64_t n, int64_t inner, DataType label_t,
                          const void* labels, int64_t ignore_index, bool x_is_softmax, const void* dloss, void* dx);
// labels [outer, n, inner] of t; loss [outer, inner] = -sum labels * log softmax(x).
void CrossEntropySoft(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, const void* labels,
                      bool x_is_softmax, void* softmax, void* loss);
// dx = (softmax * sum(labels) - labels) * dloss.
void CrossEntropySoftGrad(DataType t, const void* softmax, int64_t outer, int64_t n, int64_t inner, const void* labels,
                          bool x_is_softmax, const void* dloss, void* dx);

// Negative log likelihood of log-probabilities. weight [n] of t may be null. reduction: 0 none (out [outer, inner]), 1
// mean, 2 sum. total_weight: one element of t (needed for the gradient of mean).
void NllLoss(DataType t, const void* logp, int64_t outer, int64_t n, int64_t inner, DataType label_t,
             const void* labels, const void* weight, int64_t ignore_index, int reduction, void* out,
             void* total_weight);
void NllLossGrad(DataType t, int64_t outer, int64_t n, int64_t inner, DataType label_t, const void* labels,
                 const void* weight, int64_t ignore_index, int reduction, const void* total_weight, const void* dout,
                 void* dlogp);

}  // namespace phi::cpu
