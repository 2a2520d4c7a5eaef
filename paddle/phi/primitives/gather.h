// SPDX-License-Identifier: Apache-2.0
// Indexed reads and writes. All tensors contiguous unless strides are passed. Index type INT32 or INT64 (index_t).
// Indices in [-n, n) are accepted, negative ones count from the end; others throw OutOfRange "[op] ...". Adding writes
// run in a fixed order, so results do not depend on the thread count.
#pragma once

#include <algorithm>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/wide_bytes.h"

namespace phi::cpu {

// Bytes of CallMemory that reads, and writes that put elements, take at `count` indices; of PutAlongAxis twice that.
inline int64_t PlacesBytes(int64_t count) { return Workspace::Piece(count * 8); }
// Those that writes of src_n elements to out_n take beside, where they compute.
inline int64_t WideWriteBytes(DataType t, int64_t out_n, int64_t src_n) {
  return WideBytes(t, out_n) + WideBytes(t, std::max<int64_t>(1, src_n));
}
// ScatterRows, with as many rows as indices.
inline int64_t ScatterRowsBytes(DataType t, int64_t out_n, int64_t src_n, int64_t count, bool overwrite) {
  return PlacesBytes(count) + (overwrite ? 0 : PlacesBytes(2) + WideWriteBytes(t, out_n, src_n));
}

// x [outer, n, inner] -> out [outer, count, inner] with out[o, i] = x[o, index[i]]. gather(axis), index_select,
// embedding tables.
void GatherAxis(const char* op, int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner,
                DataType index_t, const void* index, int64_t count, void* out);
// out [outer, n, inner] += src [outer, count, inner] at index. Gradient of GatherAxis, index_add. All arithmetic types
// and bool.
void ScatterAddAxis(const char* op, DataType t, void* out, int64_t outer, int64_t n, int64_t inner, DataType index_t,
                    const void* index, int64_t count, const void* src);

// paddle.scatter on out (already a copy of x) [n, inner]: overwrite, or else clear the touched rows first and add.
void ScatterRows(DataType t, void* out, int64_t n, int64_t inner, DataType index_t, const void* index, int64_t count,
                 const void* updates, bool overwrite);

// index [count, depth] into x_shape; slice = product of x_shape[depth:]. out [count, slice].
void GatherNd(const char* op, int64_t elem_size, const void* x, Ints x_shape, DataType index_t, const void* index,
              int64_t count, int64_t depth, void* out);
void ScatterNdAdd(const char* op, DataType t, void* out, Ints out_shape, DataType index_t, const void* index,
                  int64_t count, int64_t depth, const void* updates);

// Advanced indexing: x dims [before..., indexed..., after...]; every index array is contiguous, already broadcast to
// `count` entries. x [outer, dims[0], ..., dims[k-1], inner] -> out [outer, count, inner]. Bool masks are turned into
// NonZero's columns first.
void IndexGet(const char* op, int64_t elem_size, const void* x, int64_t outer, Ints dims, int64_t inner,
              DataType index_t, std::span<const void* const> index, int64_t count, void* out);
// out[...] = value or += value. value [outer, count, inner], or a single element when value_scalar.
void IndexPut(const char* op, DataType t, void* out, int64_t outer, Ints dims, int64_t inner, DataType index_t,
              std::span<const void* const> index, int64_t count, const void* value, bool value_scalar, bool accumulate);

// out[i...] = x[i... with i[axis] = index[i...]]; index has index_shape, x x_shape; off-axis index dims <= x dims.
void TakeAlongAxis(const char* op, int64_t elem_size, const void* x, Ints x_shape, int axis, DataType index_t,
                   const void* index, Ints index_shape, void* out);
enum class PutMode : int8_t { kAssign, kAdd, kMul, kMean, kMax, kMin };
// out (already a copy of x) [x_shape]; values has index_shape (strides given, 0 = broadcast). include_self false: the
// old value of a touched position takes no part.
void PutAlongAxis(const char* op, DataType t, void* out, Ints out_shape, int axis, DataType index_t, const void* index,
                  Ints index_shape, const void* values, Ints value_strides, PutMode mode, bool include_self);

// out [count, dim] = table [rows, dim] at ids; rows of padding_idx (if >= 0) are zero. Negative ids throw.
void Embedding(DataType t, const void* table, int64_t rows, int64_t dim, DataType index_t, const void* ids,
               int64_t count, int64_t padding_idx, void* out);
// dtable [rows, dim] is written in full; of no rows indices are not read. Deterministic.
void EmbeddingGrad(DataType t, const void* dout, int64_t rows, int64_t dim, DataType index_t, const void* ids,
                   int64_t count, int64_t padding_idx, void* dtable);

// Masks: contiguous bool of n entries.
int64_t CountTrue(const void* mask, int64_t n);
void MaskedSelect(int64_t elem_size, const void* x, const void* mask, int64_t n, void* out);  // out [CountTrue]
// dx = dout at true positions in order, 0 elsewhere.
void MaskedSelectGrad(int64_t elem_size, const void* dout, const void* mask, int64_t n, void* dx);
// Positions of non-zero (NaN counts as non-zero) elements in row-major order: count first, then out int64 [count,
// ndim].
int64_t CountNonzero(DataType t, const void* x, int64_t n);
void NonZero(DataType t, const void* x, Ints shape, int64_t* out);

// out [count, classes] of type t, cleared and set to 1. Throws for an id outside [0, classes).
void OneHot(DataType t, DataType index_t, const void* ids, int64_t count, int64_t classes, void* out);

}  // namespace phi::cpu
