// SPDX-License-Identifier: Apache-2.0
// Reductions over any set of axes of a strided tensor. Results do not depend on the thread count or the instruction
// set's order.
#pragma once

#include <cmath>
#include <limits>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// Whether the p-norm is the largest or least magnitude in every digit: n^(1/p) is 1.
inline bool IsExtremeNorm(double p) { return std::abs(p) > std::numeric_limits<float>::max(); }

enum class ReduceOp : int8_t {
  kSum,
  kMean,
  kProd,
  kMax,        // also amax: they differ in the gradient only
  kMin,        // also amin
  kAny,        // out BOOL
  kAll,        // out BOOL
  kLogSumExp,  // stable; an all -inf slice gives -inf
  kSumSquare,
  kSumAbs,
  kMaxAbs,
  kMinAbs,
  kL2Norm,  // sqrt(sum |x|^2)
  kPNorm,   // (sum |x|^p)^(1/p), finite p > 0
  kSumPow,  // sum |x|^p
  kCountNonzero,
  kNanSum,   // NaN counts as 0
  kNanMean,  // NaN does not count
};

// Bit i set = axis i is reduced.
using AxisMask = uint64_t;

// out (contiguous, the kept dims in order) = reduction of x, strides in elements.
// Arithmetic runs in the wider of x's and out's compute types: floats in f32/f64 with a fixed block tree, half in f32,
// integers in int64, complex as such. Max/min propagate NaN. An empty reduction gives the op's identity (sum 0, prod 1,
// any false, all true, mean NaN, logsumexp -inf); for max/min it throws InvalidArgument. p: for kPNorm and kSumPow.
void Reduce(ReduceOp op, DataType in_t, const void* x, Ints shape, Ints strides, AxisMask mask, DataType out_t,
            void* out, double p = 2.0);
// Bytes of CallMemory that so many results take.
int64_t ReduceBytes(ReduceOp op, DataType in_t, DataType out_t, int64_t outs);

// Variance with divisor max(0, count - correction); mean may be null. Both outputs have in_t's type (complex: var is
// real).
void Variance(DataType t, const void* x, Ints shape, Ints strides, AxisMask mask, double correction, void* mean,
              void* var);

// Index of the first maximum (or minimum) along `axis`; a NaN wins. index_t INT32 or INT64. axis == kFlatAxis: over all
// elements in logical row-major order. `values` (may be null) receives the extreme values. out has `axis` removed.
// Empty axis throws.
inline constexpr int kFlatAxis = -1000;
void ArgReduce(bool max, DataType t, const void* x, Ints shape, Ints strides, int axis, DataType index_t, void* indices,
               void* values);

}  // namespace phi::cpu
