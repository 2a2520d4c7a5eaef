// SPDX-License-Identifier: Apache-2.0
// Running one operation while a program is optimised: what constant folding evaluates with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "paddle/phi/core/tensor.h"
#include "paddle/pir/core/program.h"

namespace executor {

// Results of `op` on operands that hold paddle::Tensor (null: absent); empty when it cannot be computed apart from its
// program.
std::vector<std::shared_ptr<void>> EvaluateOp(const pir::Operation& op,
                                              std::span<const std::shared_ptr<void>> operands);

}  // namespace executor
