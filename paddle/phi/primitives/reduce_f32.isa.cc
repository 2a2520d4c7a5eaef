// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in float.
#include "paddle/phi/primitives/reduce_ops.inc.h"

namespace phi::PD_ISA {

void ReduceRunF32(const ReducePlan* plan) { RunNumbered<float>(*plan); }

}  // namespace phi::PD_ISA
