// SPDX-License-Identifier: Apache-2.0
// A contiguous tensor seen as [outer, n, inner] around one axis, and what is asked of index operands.
#pragma once

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

inline int64_t CountOf(const Meta& x) { return common::Product(common::ToInts(x.dims)); }

struct AxisSplit {
  int64_t axis = 0, outer = 1, n = 1, inner = 1;
};

// A 0-d tensor counts as one element along axis 0.
inline AxisSplit SplitAt(const char* op, const Ints& dims, int64_t axis) {
  AxisSplit s;
  s.axis = common::NormalizeAxis(op, axis, dims.size());
  for (int64_t i = 0; i < dims.size(); ++i) (i < s.axis ? s.outer : i == s.axis ? s.n : s.inner) *= dims[i];
  return s;
}

inline void CheckIndexType(const char* op, const Meta& index) {
  if (index.dtype != DataType::INT32 && index.dtype != DataType::INT64)
    throw common::DtypeError(
        common::ErrorCode::kInvalidArgument,
        "[" + std::string(op) + "] expected an index of dtype int32 or int64, got " + std::string(NameOf(index.dtype)));
}

}  // namespace phi
