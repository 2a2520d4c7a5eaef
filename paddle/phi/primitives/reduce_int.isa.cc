// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in integers, and any and all.
#include "paddle/phi/primitives/reduce_kernel.inc.h"

namespace phi::PD_ISA {
namespace {

void RunI64(const ReducePlan& P) {
  using T = int64_t;
  switch (P.op) {
    case 0:
    case 1:
      return RunOp<T, SumOp<T>>(P);
    case 2:
      return RunOp<T, ProdOp<T>>(P);
    case 3:
      return RunOp<T, MaxOp<T>>(P);
    case 4:
      return RunOp<T, MinOp<T>>(P);
    case 8:
      return RunOp<T, SumSqOp<T>>(P);
    case 9:
      return RunOp<T, SumAbsOp<T>>(P);
    case 10:
      return RunOp<T, MaxAbsOp<T>>(P);
    case 11:
      return RunOp<T, MinAbsOp<T>>(P);
    case 15:
      return RunOp<T, CountOp<T>>(P);
    default:
      return;
  }
}

}  // namespace

void ReduceRunI64(const ReducePlan* plan) { RunI64(*plan); }
void ReduceRunI32(const ReducePlan* plan) {
  if (plan->op == 3)
    RunOp<int32_t, MaxOp<int32_t>>(*plan);
  else
    RunOp<int32_t, MinOp<int32_t>>(*plan);
}
void ReduceRunBool(const ReducePlan* plan) {
  if (plan->op == 5)
    RunOp<Truth, AnyOp>(*plan);
  else
    RunOp<Truth, AllOp>(*plan);
}

}  // namespace phi::PD_ISA
