// SPDX-License-Identifier: Apache-2.0
// What pool.cc hands to the kernels built per instruction set: plain data, three spatial dims always.
#pragma once

#include <stdint.h>

namespace phi::cpu {

struct PoolArgs {
  int64_t n, c;
  int64_t in[3], k[3], out[3], stride[3], pad[3], pad_hi[3], dilation[3];
  bool last, adaptive, exclusive;
  int64_t divisor;
  bool empty_row_windows;  // some output's window holds no column
  double lowest;           // what an empty window of a maximum gives
  // Per kernel column: the outputs [row_lo, row_hi) whose input column is inside; null for very wide kernels.
  const int64_t *row_lo, *row_hi;
  const double* row_count;  // per output column: its factor in the divisor of an average
};

// Memory of the calling thread, valid until its next call (threads.cc). Throws std::bad_alloc.
void* PoolBuffer(int64_t bytes);

}  // namespace phi::cpu
