// SPDX-License-Identifier: Apache-2.0
// Keys of floating numbers, of which each translation unit has its own code: instruction sets differ.
#pragma once

#include <stdint.h>

namespace phi {

// An integer in the order of the values: NaN above everything, -0 equal to 0. U has the bits of T.
template <class U, class T>
static inline U FloatKey(T v) {
  constexpr int kSign = sizeof(T) * 8 - 1;
  // Without branches: signs are as good as random.
  const U bits = __builtin_bit_cast(U, v) & (U(0) - U(v != T(0)));
  const U negative = U(0) - (bits >> kSign), nan = U(0) - U(v != v);
  return (bits ^ (negative | U(1) << kSign)) | nan;
}

}  // namespace phi
