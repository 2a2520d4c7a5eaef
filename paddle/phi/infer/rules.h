// SPDX-License-Identifier: Apache-2.0
// Shape and dtype rules shared by several ops. Each runs on known and on symbolic extents alike.
#pragma once

#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

using MetaList = std::vector<Meta>;

// An extent, given as a number that must not be below zero, or as one that is known only when a program runs.
Dim ExtentArg(const char* op, const IntArray& shape, int64_t i);
// A shape argument.
Dims ShapeArg(const char* op, const IntArray& shape);
// The operands of swiglu: two of one shape, or one whose last axis has two halves.
void CheckSwiglu(const Dims& x, const Dims* y);
// The operands of cvm: rows of shows, clicks and more, and rows of shows and clicks.
void CheckCvm(const Dims& x, const Dims& cvm);
// So many extents that nothing is known of.
Dims UnknownDims(int64_t rank);

// The rule of reductions: `axis` empty means all. Where an axis is not known, the rank is and no extent but 1.
Dims ReducedDims(const char* op, const Dims& x, const Ints& axis, bool keepdim);
Dims ReducedDims(const char* op, const Dims& x, const IntArray& axis, bool keepdim);
// Which axes are reduced, as a bit mask.
uint64_t ReduceMask(const char* op, int64_t rank, const Ints& axis);
// Whether a shape broadcasts to another one, as far as is known.
bool BroadcastsTo(const Dims& from, const Dims& to);
// The axes of a shape that are summed to give one that broadcasts to it.
uint64_t SummedMask(const Ints& from, const Ints& to);
// Integers sum in int64, bool too; `dtype` overrides.
DataType SumDtype(DataType x, DataType dtype);

// A shape argument with one -1 (inferred) and 0 (copied from x) resolved.
Dims ResolveReshape(const char* op, const Dims& x, const Ints& shape);
Dims ResolveReshape(const char* op, const Dims& x, const IntArray& shape);

// The elements start, start + step, ... before `end` of an axis of n, with bounds counted and clamped as in Python.
// Where there are none, start is still in [-1, n].
struct SliceRange {
  int64_t start, length;
};
SliceRange SliceOf(int64_t start, int64_t end, int64_t step, int64_t n);
// The stride of such elements; one that would overflow belongs to a single element, for which any will do.
inline int64_t StepStride(int64_t stride, int64_t step) {
  int64_t r;
  return __builtin_mul_overflow(stride, step, &r) ? stride : r;
}
// Axes in [0, rank), each named once.
Ints DistinctAxes(const char* op, const Ints& axes, int64_t rank);

// Numbers of windows (strides, paddings, dilations, kernel extents): in [lo, 2^31), so that no product of two of them
// and no sum of such products overflows.
void CheckWindow(const char* op, const char* what, const Ints& v, int64_t lo);

// The elements that a pattern over `held` elements names must be among them. False: it names none.
bool CheckPattern(const char* op, const Ints& dims, const Ints& strides, int64_t offset, int64_t held);

void matmul_infer(const Meta& x, const Meta& y, bool transpose_x, bool transpose_y, Meta& out);
// Whether linear_v2 casts a bias to the dtype of its product: where that loses no more than float32 does.
bool JoinsProduct(DataType bias, DataType product);

}  // namespace phi
