// SPDX-License-Identifier: Apache-2.0
// Keys of sort.h, of float32, which lines are sorted by.
#include <stdint.h>

namespace phi::PD_ISA {

// out[i] = the key of x[i], with the bits of `flip` turned around, above the index i. NaN above everything, -0 as 0.
void words_f32(const float* x, int64_t n, uint32_t flip, uint64_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i];
    const uint32_t bits = v == 0.0f ? 0u : __builtin_bit_cast(uint32_t, v);
    const uint32_t key = bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u);
    const uint32_t turned = (v != v ? 0xffffffffu : key) ^ flip;
    out[i] = static_cast<uint64_t>(turned) << 32 | static_cast<uint64_t>(i);
  }
}

}  // namespace phi::PD_ISA
