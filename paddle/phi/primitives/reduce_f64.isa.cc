// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in double.
#include "paddle/phi/primitives/reduce_ops.inc.h"

namespace phi::PD_ISA {

void ReduceRunF64(const ReducePlan* plan) { RunNumbered<double>(*plan); }

}  // namespace phi::PD_ISA
