// SPDX-License-Identifier: Apache-2.0
// softmax(q k^T * scale + mask) v without the matrix of scores, and its gradient.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/attention_args.inc.h"

namespace phi::cpu {

// out [batch, nq, heads, vdim] contiguous. lse [batch, heads, nq] (may be null): the logarithm of each row's sum of
// exponentials, in double since masks of -1e9 leave a float no digits. A row without a visible key is NaN; without any
// key, 0. The result does not depend on the number of threads.
void Attention(const AttentionArgs& a, void* out, double* lse);

// Any of dq, dk, dv may be null. The probabilities are computed again from lse.
void AttentionGrad(const AttentionGradArgs& g);

}  // namespace phi::cpu
