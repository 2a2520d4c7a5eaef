// SPDX-License-Identifier: Apache-2.0
// Products with weights of 8 and 4 bits. A weight of k rows and n columns is stored column after column: [n, k] bytes,
// or for 4 bits [ceil(n / 2), k] with column 2 j in the low half of a byte and column 2 j + 1 in the high half. A
// column's numbers are multiples of its scale; with groups every `group` of them have a scale of their own.
#pragma once

#include <cstdint>

namespace phi::cpu {

struct QuantizedWeight {
  const int8_t* bytes;
  bool half_bytes;  // 4 bits
  int64_t n, k;
  const float* scales;  // [groups, n]
  int64_t group;        // k where each column has one scale
  int64_t stored_rows() const { return half_bytes ? (n + 1) / 2 : n; }
};

// From w [k, n] of float32. scales [ceil(k / group), n]: the largest magnitude divided by 127, or 7 for 4 bits. What is
// not finite counts as 0.
void QuantizeWeight(const float* w, int64_t n, int64_t k, bool half_bytes, int64_t group, int8_t* bytes, float* scales);
// out [n, k] or, transposed, [k, n].
void DequantizeWeight(const QuantizedWeight& w, bool transposed, float* out);
// out [m, n] = x [m, k] * w.
void MultiplyQuantized(const float* x, int64_t m, const QuantizedWeight& w, float* out);
// The same with x rounded to 8 bits, row by row, but for the columns of x with an element above `threshold`. w has 8
// bits and one scale a column.
void MultiplyInt8(const float* x, int64_t m, const QuantizedWeight& w, double threshold, float* out);

}  // namespace phi::cpu
