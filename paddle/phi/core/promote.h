// SPDX-License-Identifier: Apache-2.0
// Which dtype two operands meet in: PaddlePaddle's rules, which differ from NumPy's (integers do not mix with floats
// unless one is 0-d).
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/common/error.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

// UNDEFINED when the pair does not mix.
inline DataType PromoteOrUndefined(DataType a, bool a_0d, DataType b, bool b_0d) {
  if (a == b) return a;
  auto complex_of = [](DataType x, DataType y) {
    bool wide =
        x == DataType::COMPLEX128 || y == DataType::COMPLEX128 || x == DataType::FLOAT64 || y == DataType::FLOAT64;
    return wide ? DataType::COMPLEX128 : DataType::COMPLEX64;
  };
  auto category = [](DataType t) { return t == DataType::BOOL ? 0 : IsInteger(t) ? 1 : IsFloating(t) ? 2 : 3; };
  if (a_0d != b_0d) {
    DataType big = a_0d ? b : a, small = a_0d ? a : b;  // `small` is the 0-d one
    int cb = category(big), cs = category(small);
    if (cs < cb && cb != 3) return big;
    if (cs == cb) return big;
    if (cs == 3 || cb == 3) return complex_of(big, small);
    return small;
  }
  if (IsComplex(a) || IsComplex(b)) return complex_of(a, b);
  if (IsFloating(a) && IsFloating(b)) {
    if (a == DataType::FLOAT64 || b == DataType::FLOAT64) return DataType::FLOAT64;
    return DataType::FLOAT32;  // two different types of 32 bits or fewer
  }
  if (a_0d) {  // both 0-d: the higher category, then the wider type
    int ca = category(a), cb = category(b);
    if (ca != cb) return ca > cb ? a : b;
    return SizeOf(a) >= SizeOf(b) ? a : b;
  }
  return DataType::UNDEFINED;
}

inline DataType Promote(const char* op, DataType a, bool a_0d, DataType b, bool b_0d) {
  DataType t = PromoteOrUndefined(a, a_0d, b, b_0d);
  PD_CHECK(t != DataType::UNDEFINED, InvalidType, "[", op, "] expected dtypes that promote, got ", NameOf(a), " and ",
           NameOf(b), ": cast one of them with astype()");
  return t;
}

inline DataType Promote(const char* op, const Meta& a, const Meta& b) {
  return Promote(op, a.dtype, a.dims.empty(), b.dtype, b.dims.empty());
}

}  // namespace phi
