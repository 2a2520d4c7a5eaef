// SPDX-License-Identifier: Apache-2.0
// Loops of gather.h that are worth vectors: checks of indices, and rows that are added up.
#include <stdint.h>

namespace phi::PD_ISA {
namespace {

// Whether all of them are in [-n, n): the sign of each distance to the ends says it, also where a sum wraps.
template <class I>
bool Inside(const I* at, int64_t count, int64_t n) {
  uint64_t outside = 0;
  const uint64_t extent = static_cast<uint64_t>(n);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t v = static_cast<uint64_t>(static_cast<int64_t>(at[i]));
    outside |= (v + extent) | (extent - 1 - v);
  }
  return outside >> 63 == 0;
}

template <class T>
void Add(T* __restrict to, const T* __restrict from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

bool inside_i32(const int32_t* at, int64_t count, int64_t n) { return Inside(at, count, n); }
bool inside_i64(const int64_t* at, int64_t count, int64_t n) { return Inside(at, count, n); }
void add_row_f32(float* to, const float* from, int64_t n) { Add(to, from, n); }
void add_row_f64(double* to, const double* from, int64_t n) { Add(to, from, n); }

}  // namespace phi::PD_ISA
