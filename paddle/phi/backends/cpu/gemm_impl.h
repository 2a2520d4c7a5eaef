// SPDX-License-Identifier: Apache-2.0
// What the parts of the matrix product share.
#pragma once

#include <cstdint>

namespace phi::cpu {

// C = alpha * op(A) * op(B) + beta * C, the arguments of Gemm.
struct GemmArgs {
  int ta, tb;
  int64_t m, n, k;
  double alpha;
  const void* a;
  int64_t lda;
  const void* b;
  int64_t ldb;
  double beta;
  void* c;
  int64_t ldc;
};

// Computes a bfloat16 product through oneDNN; false where it has no fast implementation.
bool GemmBf16Onednn(const GemmArgs& g);

}  // namespace phi::cpu
