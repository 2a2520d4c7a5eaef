// SPDX-License-Identifier: Apache-2.0
// Numbers in [0, 1) of 64 random bits: the nearest one, or the last below 1.
#include <stdint.h>

#include "paddle/phi/primitives/isa.h"

namespace phi::PD_ISA {
namespace {

// Without AVX-512 processors convert signed numbers only: half of it, with the lost bit for the rounding, if it is a
// large one.
template <class T>
T Nearest(uint64_t word) {
#ifdef __AVX512DQ__
  return static_cast<T>(word);
#else
  const uint64_t large = word >> 63;
  return static_cast<T>(static_cast<int64_t>((word >> large) | (word & large))) * static_cast<T>(1 + large);
#endif
}

template <class T>
void Unit(const uint64_t* words, int64_t n, T last, T* out) {
  for (int64_t i = 0; i < n; ++i) {
    const T u = Nearest<T>(words[i]) * static_cast<T>(0x1p-64);
    out[i] = u < last ? u : last;
  }
}

}  // namespace

void unit_f32(const uint64_t* words, int64_t n, float* out) { Unit(words, n, 0x1.fffffep-1f, out); }
void unit_f64(const uint64_t* words, int64_t n, double* out) { Unit(words, n, 0x1.fffffffffffffp-1, out); }

}  // namespace phi::PD_ISA
