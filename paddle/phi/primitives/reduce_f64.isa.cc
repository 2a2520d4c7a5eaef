// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in double.
#include "paddle/phi/primitives/reduce_kernel.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T>
void RunFloat(const ReducePlan& P) {
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
    case 14:
      return RunOp<T, SumPowOp<T>>(P);
    case 15:
      return RunOp<T, CountOp<T>>(P);
    case 16:
    case 17:
      return RunOp<T, NanSumOp<T>>(P);
    case kReduceSumExp:
      return RunOp<T, SumExpOp<T>>(P);
    case kReduceSumSqDiff:
      return RunOp<T, SqDiffOp<T>>(P);
    case kReduceCountValid:
      return RunOp<T, ValidOp<T>>(P);
    default:
      return;
  }
}

}  // namespace

void ReduceRunF64(const ReducePlan* plan) { RunFloat<double>(*plan); }

}  // namespace phi::PD_ISA
