// SPDX-License-Identifier: Apache-2.0
// What a training program keeps besides its parameters (moments, learning rates): a parameter in memory, a persistable
// input in the files that programs are exchanged by.
#pragma once

#include <string>
#include <unordered_set>

#include "paddle/pir/core/program.h"

namespace pir {

// Turns the parameters of these names into persistable inputs.
void StateToInputs(Program& program, const std::unordered_set<std::string>& names);
// The inverse, for every persistable input; the parameters have no values yet.
void InputsToState(Program& program);

}  // namespace pir
