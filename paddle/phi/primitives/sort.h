// SPDX-License-Identifier: Apache-2.0
// Sorting, selection, searching and unique along one axis of a contiguous tensor seen as [outer, n, inner].
// NaN sorts as the largest value. Types: all real ones and bool. Halves take WideBytes of x, and of values.
#pragma once

#include <vector>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/wide_bytes.h"

namespace phi::cpu {

// Always stable. values (of t) and indices (int64) may each be null.
void Sort(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool descending, void* values,
          int64_t* indices);
// k <= n; out [outer, k, inner]. Results are always ordered; equal values keep the smaller index first.
void TopK(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, bool largest, void* values,
          int64_t* indices);
// The k-th smallest (k from 1), out [outer, inner]; the index is that in the stable order.
void KthValue(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, void* values,
              int64_t* indices);
// The most frequent value (smallest among equals) and the last index where it stands.
void Mode(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* values, int64_t* indices);

// out[r, j] = first position in sorted row r (rows == 1: one sequence for all) where values[r, j] would be inserted;
// right: after equals.
void SearchSorted(DataType t, const void* sorted, int64_t rows, int64_t n, const void* values, int64_t value_rows,
                  int64_t value_n, bool right, DataType index_t, void* out);

struct UniqueResult {
  std::vector<int64_t> first;    // position in x of each unique item, in output order
  std::vector<int64_t> inverse;  // [n] index into the unique items
  std::vector<int64_t> counts;   // [unique]
};
// Sorted unique values of x [n]. The values are x[first[i]] (GatherAxis).
UniqueResult Unique(DataType t, const void* x, int64_t n);
// Unique slices of x [n, row] in lexicographic order.
UniqueResult UniqueRows(DataType t, const void* x, int64_t n, int64_t row);
// Runs of equal slices, in place order.
UniqueResult UniqueConsecutive(DataType t, const void* x, int64_t n, int64_t row);

// counts [bins] int64; x integer, values must lie in [0, bins).
void BinCount(DataType t, const void* x, int64_t n, int64_t bins, int64_t* out);
// Same with weights [n] of type weight_t (f32, f64), out of weight_t.
void BinCountWeighted(DataType t, const void* x, int64_t n, int64_t bins, DataType weight_t, const void* w, void* out);
// Equal-width bins over [lo, hi]; values outside and NaN are not counted. w (may be null) has type t; out int64 without
// w, t with.
void Histogram(DataType t, const void* x, int64_t n, int64_t bins, double lo, double hi, const void* w, void* out);

}  // namespace phi::cpu
