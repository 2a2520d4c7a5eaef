// SPDX-License-Identifier: Apache-2.0
// The ops of programs.
#pragma once

#include <vector>

#include "paddle/phi/core/custom_op.h"

namespace executor {

// Registers every OpDef as a pd_op with PIR, on the first call. Programs are read, recorded or rewritten after it: an
// op that is not registered may have any effect, so passes leave it alone.
void RegisterOps();
// Registers the operators of users that were declared since the last call, and returns them without their gradients.
// RegisterOps does so too.
std::vector<const phi::CustomOp*> RegisterUserOps();

}  // namespace executor
