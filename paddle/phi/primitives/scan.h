// SPDX-License-Identifier: Apache-2.0
// Prefix scans along one axis of a contiguous tensor seen as [outer, n, inner].
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/wide_bytes.h"

namespace phi::cpu {

// Bytes of CallMemory that a scan of n elements takes.
inline int64_t ScanBytes(DataType t, int64_t n) { return 2 * WideBytes(t, n); }

// Types: all arithmetic ones; half in f32. exclusive: out[i] leaves out x[i]. reverse: from the end. out may equal x.
void CumSum(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
            void* out);
void CumProd(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
             void* out);
// Stable; floating types.
void LogCumSumExp(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
                  void* out);
// Its gradient for x, of float32 or float64, from the gradient of out.
void LogCumSumExpGrad(DataType t, const void* x, const void* out, const void* dout, int64_t outer, int64_t n,
                      int64_t inner, bool exclusive, bool reverse, void* dx);
// Running extreme and the index of its last occurrence (index_t INT32 or INT64). NaN wins.
void CumExtreme(bool max, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out,
                DataType index_t, void* indices);

}  // namespace phi::cpu
