// SPDX-License-Identifier: Apache-2.0
// Extents that are not known yet, as numbers in an integer list: what compositions pass on in shapes, and what a shape
// rule gets in arguments named `shape` and `sections` when an op is recorded with tensors there. Stateless: the number
// is the symbol. It is not to be calculated with (the low bits tell): calculate with Dim.
#pragma once

#include "paddle/common/attr.h"
#include "paddle/common/dim.h"

namespace common {

inline constexpr int64_t kUnknownExtents = -(int64_t{1} << 61);

inline constexpr int kExtentLowBits = 20;

inline int64_t ExtentNumber(Dim d) {
  return d.known() ? d.raw() : kUnknownExtents + d.raw() * (int64_t{1} << kExtentLowBits);
}
inline bool IsUnknownExtent(int64_t v) { return v < kUnknownExtents && v > kUnknownExtents * 2; }
inline Dim ExtentOf(int64_t v) {
  if (!IsUnknownExtent(v)) return Dim(v);
  PD_CHECK(v % (int64_t{1} << kExtentLowBits) == 0, InvalidType,
           "expected an extent that is known while recording, got a number calculated from one that is not");
  return Dim::FromRaw((v - kUnknownExtents) / (int64_t{1} << kExtentLowBits));
}
// The same as a Scalar argument.
inline phi::Scalar ExtentScalar(int64_t number) {
  return IsUnknownExtent(number) ? phi::Scalar::Symbol(number) : phi::Scalar(number);
}
inline Ints ExtentNumbers(const Dims& dims) {
  Ints r;
  for (Dim d : dims) r.push_back(ExtentNumber(d));
  return r;
}
inline Dims ExtentsOf(const Ints& v) {
  Dims r;
  for (int64_t i : v) r.push_back(ExtentOf(i));
  return r;
}

}  // namespace common
