// SPDX-License-Identifier: Apache-2.0
// Values of programs: running one operation at compile time (constant folding), and filling parameters from a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/executor/parameters.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/pir/core/program.h"

namespace executor {

// Results of `op` on operands that hold paddle::Tensor (null: absent); empty when it cannot be computed apart from its
// program.
std::vector<std::shared_ptr<void>> EvaluateOp(const pir::Operation& op, std::span<const std::shared_ptr<void>> operands);

}  // namespace executor
