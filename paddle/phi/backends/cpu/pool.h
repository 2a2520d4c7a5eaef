// SPDX-License-Identifier: Apache-2.0
// Max and average pooling of 1 to 3 spatial dims, also adaptive, with gradients, on raw contiguous pointers.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// x [n, c, in...] or with channels_last [n, in..., c]; y likewise with out... . For a window at output o the input
// range is [o * stride - pad_lo, + k) cut to the input, or with adaptive [floor(o * in / out), ceil((o + 1) * in /
// out)). ceil_mode shows only in the caller's choice of out (PoolOutSize).
struct PoolDesc {
  int nd = 2;
  int64_t n = 1, c = 1;
  int64_t in[3] = {1, 1, 1}, k[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, pad_lo[3] = {0, 0, 0}, pad_hi[3] = {0, 0, 0};
  int64_t dilation[3] = {1, 1, 1};  // max pooling only
  bool channels_last = false;
  bool adaptive = false;
  bool exclusive = true;  // average: padding does not count in the divisor
  int64_t divisor = 0;    // average: > 0 replaces the divisor
};

int64_t PoolOutSize(int64_t in, int64_t k, int64_t stride, int64_t pad_lo, int64_t pad_hi, bool ceil_mode);

// Types: f32 f64 f16 bf16. mask (may be null): flat position in the input's spatial block of the first maximum, of
// index_t (INT32 or INT64), shaped as y. NaN propagates. Empty windows give the lowest value and mask -1.
void MaxPool(DataType t, const PoolDesc& d, const void* x, void* y, DataType index_t, void* mask);
// The first position whose value equals y takes the gradient. dx is written in full (no need to clear it).
void MaxPoolGrad(DataType t, const PoolDesc& d, const void* x, const void* y, const void* dy, void* dx);
void AvgPool(DataType t, const PoolDesc& d, const void* x, void* y);
void AvgPoolGrad(DataType t, const PoolDesc& d, const void* dy, void* dx);

// Bytes of a workspace that a call takes: of MaxPool with an int32 mask or none, MaxPoolGrad, AvgPool,
// AvgPoolGrad.
enum class PoolUse { kMax, kMaxGrad, kAverage, kAverageGrad };
int64_t PoolScratch(PoolUse use, DataType t, const PoolDesc& d);

}  // namespace phi::cpu
