// SPDX-License-Identifier: Apache-2.0
// Keys of sort.h, of float32, which lines are sorted by.
#include "paddle/phi/primitives/sort_key.inc.h"

namespace phi::PD_ISA {

// out[i] = the key of x[i], with the bits of `flip` turned around, above the index i.
void words_f32(const float* x, int64_t n, uint32_t flip, uint64_t* out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<uint64_t>(FloatKey<uint32_t>(x[i]) ^ flip) << 32 | static_cast<uint64_t>(i);
}

}  // namespace phi::PD_ISA
