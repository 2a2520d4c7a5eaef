// SPDX-License-Identifier: Apache-2.0
// Extents that are not known yet, as numbers in an integer list: what a shape rule gets in arguments named `shape` and
// `sections` when an op is recorded with tensors there. Stateless: the number is the symbol.
#pragma once

#include "paddle/common/dim.h"

namespace common {

inline constexpr int64_t kUnknownExtents = -(int64_t{1} << 61);

inline int64_t ExtentNumber(Dim d) { return d.known() ? d.raw() : kUnknownExtents + d.raw(); }
inline bool IsUnknownExtent(int64_t v) { return v < kUnknownExtents && v > kUnknownExtents * 2; }
inline Dim ExtentOf(int64_t v) { return IsUnknownExtent(v) ? Dim::FromRaw(v - kUnknownExtents) : Dim(v); }
inline Dims ExtentsOf(const Ints& v) {
  Dims r;
  for (int64_t i : v) r.push_back(ExtentOf(i));
  return r;
}

}  // namespace common
