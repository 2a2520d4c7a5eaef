// SPDX-License-Identifier: Apache-2.0
// Softmax, layer, RMS and batch norms and gradients of them as reductions and expressions, for fusion.
#pragma once

#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

// Whether the operation is of this kind; then its facts, or the reason why there are none.
bool DescribeNorm(const pir::Operation& op, std::optional<OpFacts>& facts, const char** why);

// Of a batch norm: see KeepsOwnState.
bool KeepsOwnStatistics(const pir::Operation& op);

}  // namespace cinn
