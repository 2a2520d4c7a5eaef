// SPDX-License-Identifier: Apache-2.0
// Shares the rows of a masked softmax out over threads.
#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/phi/primitives/softmax.h"

PD_ISA_DECL(void, MaskedSoftmaxRows,
            (int t, const void* x, int64_t lo, int64_t hi, int64_t heads, int64_t nq, int64_t nk, double scale,
             const void* mask, int64_t mb, int64_t mh, bool causal, void* out, void* tmp))

namespace phi::cpu {

void MaskedSoftmax(DataType t, const void* x, int64_t batch, int64_t heads, int64_t nq, int64_t nk, double scale,
                   const void* mask, int64_t mask_batch_stride, int64_t mask_head_stride, bool causal, void* out) {
  PD_CHECK(IsFloating(t) && !IsFloat8(t), Unimplemented,
           "[softmax] expected float16, bfloat16, float32 or float64, got ", NameOf(t));
  const int64_t rows = batch * heads * nq;
  if (rows * nk == 0) return;
  const int64_t width = t == DataType::FLOAT64 ? 8 : 4;
  const int64_t grain = std::max<int64_t>(1, 8192 / nk);
  const int64_t parts = std::clamp<int64_t>(rows / grain, 1, MaxThreads());
  Scratch tmp(parts * 2 * nk * width);
  ParallelFor(0, parts, 1, [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) PD_ISA_CALL(MaskedSoftmaxRows)
    (static_cast<int>(t), x, rows * p / parts, rows * (p + 1) / parts, heads, nq, nk, scale, mask, mask_batch_stride,
     mask_head_stride, causal, out, tmp.as<char>() + p * 2 * nk * width);
  });
}

}  // namespace phi::cpu
