// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along one axis of a contiguous tensor seen as [outer, n, inner], with gradients.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// Types f32 f64 f16 bf16 (half in f32). out may equal x; dx may equal dout. A slice of all -inf gives NaN.
void Softmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out);
void LogSoftmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out);
// From the forward's output.
void SoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx);
void LogSoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx);

}  // namespace phi::cpu
