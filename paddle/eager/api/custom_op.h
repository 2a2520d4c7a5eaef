// SPDX-License-Identifier: Apache-2.0
// Calls of operators that users defined (phi/core/custom_op.h).
#pragma once

#include <vector>

#include "paddle/phi/core/custom_op.h"

namespace egr {

// The tensors of each input or output, in order: none where it is absent.
using CustomValues = std::vector<std::vector<paddle::Tensor>>;

// Runs or records the operator, with its gradient as history. Attributes are all given, in the types declared. What an
// output is written over is that output.
CustomValues CallCustomOp(const phi::CustomOp& op, const CustomValues& inputs,
                          const std::vector<phi::AttrValue>& attrs);

}  // namespace egr
