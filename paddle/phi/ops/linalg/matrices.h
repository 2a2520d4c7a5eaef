// SPDX-License-Identifier: Apache-2.0
// Shape rules that the factorisations and solvers share: matrices are the last two axes, the others are the batch.
#pragma once

#include <algorithm>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

inline void CheckMatrix(const char* op, const Meta& x) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[", op, "] expected matrices, got shape ", common::ShapeText(x.dims));
}
// `what` names the argument where the op has several.
inline void CheckSquare(const char* op, const Meta& x) {
  CheckMatrix(op, x);
  const Dim m = x.dims[x.dims.size() - 2], n = x.dims.back();
  PD_CHECK(!common::CertainlyDiffer(m, n), InvalidArgument, "[", op, "] expected square matrices, got shape ",
           common::ShapeText(x.dims));
}
inline bool IsInexact(DataType t) { return t == DataType::FLOAT32 || t == DataType::FLOAT64 || IsComplex(t); }
inline void CheckInexact(const char* op, DataType t) {
  PD_CHECK_DTYPE(IsInexact(t), "[", op, "] expected float32, float64, complex64 or complex128, got ", NameOf(t));
}
inline void CheckInexactSquare(const char* op, const Meta& x) {
  CheckInexact(op, x.dtype);
  CheckSquare(op, x);
}
// The extents before the last `drop`.
inline Dims Leading(const Dims& d, int64_t drop = 2) { return Dims(d.begin(), d.end() - drop); }
inline Dims With(Dims lead, const Dims& tail) {
  for (Dim d : tail) lead.push_back(d);
  return lead;
}
inline Dim MinDim(Dim a, Dim b) {
  if (common::SameDim(a, b)) return a;
  return a.known() && b.known() ? Dim(std::min(a.raw(), b.raw())) : common::NewSymbol();
}

inline int64_t Rows(const Tensor& x) { return x.dim(x.ndim() - 2); }
inline int64_t Cols(const Tensor& x) { return x.dim(x.ndim() - 1); }
// How many matrices x holds, also where they are empty.
inline int64_t BatchOf(const Tensor& x, int64_t drop = 2) {
  int64_t n = 1;
  for (int64_t i = 0; i + drop < x.ndim(); ++i) n *= x.dim(i);
  return n;
}
// The extents of x with its batch (all but the last `keep`) broadcast to that of `like`.
inline Ints InBatch(const Tensor& x, const Tensor& like, int64_t keep = 2, int64_t like_keep = 2) {
  Ints dims(like.dims().begin(), like.dims().end() - like_keep);
  for (int64_t i = x.ndim() - keep; i < x.ndim(); ++i) dims.push_back(x.dim(i));
  return dims;
}
// Bytes of a workspace that x takes there; `lead`: the batch.
inline int64_t InBatchBytes(const Meta& x, const Dims& lead, int64_t keep = 2) {
  return ExpandedBytes(x.dims, With(lead, Dims(x.dims.end() - keep, x.dims.end())), x.dtype);
}

// Rules that the compositions run too.
void matrix_power_infer(const Meta& x, int64_t n, Meta& out);
void multi_dot_infer(const MetaList& x, Meta& out);

}  // namespace phi
