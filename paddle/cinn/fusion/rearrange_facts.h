// SPDX-License-Identifier: Apache-2.0
// Operations that put tensors together, pad them or look rows up, for fusion.
#pragma once

#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

// Whether the operation is of this kind; then its facts, or the reason why there are none.
bool DescribeRearranged(const pir::Operation& op, std::optional<OpFacts>& facts, const char** why);

}  // namespace cinn
