// SPDX-License-Identifier: Apache-2.0
// Which columns of a matrix a start and a length mean.
#pragma once

#include "paddle/common/error.h"

namespace phi {

struct ColumnRange {
  int64_t begin, end;
};

// A start below 0 counts from the end; a length below 0 is up to the end.
inline ColumnRange ColumnsOf(const char* op, int64_t width, int64_t start, int64_t length) {
  const int64_t begin = start < 0 ? start + width : start;
  PD_CHECK(begin >= 0 && begin < width, InvalidArgument, "[", op, "] expected a start_index of ", -width, " to ",
           width - 1, ", got ", start);
  PD_CHECK(length < 0 || begin + length <= width, OutOfRange, "[", op, "] expected columns up to ", width, ", got ",
           length, " from ", begin);
  return {begin, length < 0 ? width : begin + length};
}

}  // namespace phi
