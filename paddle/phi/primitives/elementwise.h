// SPDX-License-Identifier: Apache-2.0
// Runs a generated elementwise loop over strided operands of any dtype: dims collapsed, converted in L1, split over
// threads.
#pragma once

#include <cstdint>

#include "paddle/common/dtype.h"

namespace phi {

// One generated inner loop (ew_loop.inc.h). `ptrs` holds the outputs, then the inputs: contiguous arrays of n elements
// of the operand's loop dtype. An input may be the same array as an output, but must not overlap it otherwise.
using EwLoop = void (*)(char* const* ptrs, int64_t n, const double* attrs);

inline constexpr int kEwMaxOperands = 12;
inline constexpr int kEwMaxDims = 16;

struct EwOperand {
  void* data;           // the element at index (0, ..., 0)
  DataType dtype;       // as stored
  DataType loop_dtype;  // as the loop reads or writes it; converted when it differs from dtype
  // ndim of them, in elements; 0 (broadcast, inputs only) and negative ones are fine; null: contiguous
  const int64_t* strides;
};

struct EwPlan {
  EwLoop loop;
  int nout, nin;                  // nout + nin <= kEwMaxOperands
  EwOperand ops[kEwMaxOperands];  // outputs, then inputs
  const int64_t* shape;           // of the outputs
  int ndim;                       // <= kEwMaxDims
  const double* attrs;            // handed to the loop as it is
  int cost = 16;                  // rough ns per element x 16 on one core; decides from which size threads are used
};

// Does not allocate. A zero-size shape is a no-op. Outputs must not overlap each other; an output may be exactly an
// input's memory (in place: same address, strides and item size), any other overlap gives unspecified elements.
void RunElementwise(const EwPlan& plan);

// The common case without a plan: every operand contiguous, n elements, stored dtype = loop dtype.
void RunElementwiseContiguous(EwLoop loop, int nptrs, char* const* ptrs, const int8_t* item_sizes, int64_t n,
                              const double* attrs, int cost);

// dst[i] = cast(src[i]) for n elements, strides in elements; on the calling thread. Rules, the same on every machine:
// to bool = nonzero (NaN is true); complex to other = real part (to bool: either part); to integer truncates, out of
// range or NaN gives the smallest int64 (from float to int64) or the smallest int32 (to int32; narrower ones take its
// low bits, so 0); integer to narrower integer wraps; to half rounds to nearest even, NaN stays NaN; to float8 rounds
// to nearest even and saturates, infinities included, NaN stays NaN.
void Convert(DataType from, const void* src, int64_t src_stride, DataType to, void* dst, int64_t dst_stride, int64_t n);

// Convert for contiguous arrays, split over threads when large.
void CastParallel(DataType from, const void* src, DataType to, void* dst, int64_t n);

}  // namespace phi
