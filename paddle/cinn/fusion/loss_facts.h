// SPDX-License-Identifier: Apache-2.0
// Cross entropy with class numbers as labels, and its gradient, for fusion.
#pragma once

#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

// Whether the operation is of this kind; then its facts, or the reason why there are none.
bool DescribeLoss(const pir::Operation& op, std::optional<OpFacts>& facts, const char** why);

}  // namespace cinn
