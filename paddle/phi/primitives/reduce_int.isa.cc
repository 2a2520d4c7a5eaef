// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in integers, and any and all.
#include "paddle/phi/primitives/reduce_ops.inc.h"

namespace phi::PD_ISA {

void ReduceRunI64(const ReducePlan* plan) { RunNumbered<int64_t>(*plan); }
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
