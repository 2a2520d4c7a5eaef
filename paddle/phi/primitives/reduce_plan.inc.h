// SPDX-License-Identifier: Apache-2.0
// What the planner tells the reduction kernels; plain data, the same for every instruction set.
#pragma once

#include <stdint.h>

namespace phi {

struct ReducePlan {
  int op;     // phi::cpu::ReduceOp, or one of the internal ones below
  int in_t;   // DataType of x
  int acc_t;  // DataType of the accumulator, `param` and `out`: FLOAT32 FLOAT64 INT32 INT64 BOOL COMPLEX64 COMPLEX128
  const char* x;
  int nk, nr;                      // kept and reduced dims, outermost first by stride
  int64_t kn[16], ks[16], ko[16];  // extent, stride in x, stride in out
  int64_t rn[16], rs[16];
  double p;
  const void* param;  // per output value: the maximum (kSumExp) or the mean (kSumSqDiff)
  void* out;
  void* partial;  // ReducePartialBytes
  // Asked now and then in a long reduction: true when its result is no longer wanted. Null in a short one.
  int (*ended)(void* watch);
  void* watch;
};

enum : int { kReduceSumExp = 100, kReduceSumSqDiff = 101, kReduceCountValid = 102 };

}  // namespace phi
