// SPDX-License-Identifier: Apache-2.0
// Sums of rows over a fixed number of accumulators, so that results do not depend on the vector width in use.
#pragma once

namespace phi::PD_ISA {
namespace {

constexpr int kLanes = 32;

// The sum of the lanes, which it writes over.
template <class T>
T Fold(T* s) {
  for (int w = kLanes / 2; w > 0; w /= 2)
    for (int k = 0; k < w; ++k) s[k] += s[k + w];
  return s[0];
}

}  // namespace
}  // namespace phi::PD_ISA
