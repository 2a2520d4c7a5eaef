// SPDX-License-Identifier: Apache-2.0
// What an operation that is a composition of others does, as these others.
#pragma once

#include <vector>

#include "paddle/pir/core/program.h"

namespace pir {

struct Expansion {
  Program program;
  std::vector<Value> inputs;                // for the tensors among the operands, members of lists one by one
  std::vector<std::vector<Value>> results;  // one each; of a list its members; none: not asked for
};

// Records into `into` what `op` does; `wanted` says which results are to be. False where it is no composition, where an
// attribute is known at a run only or an extent would have to be computed then, and where data is read.
using ExpandFn = bool (*)(const Operation& op, const std::vector<bool>& wanted, Expansion& into);
void SetExpand(ExpandFn expand);
bool Expand(const Operation& op, const std::vector<bool>& wanted, Expansion& into);

}  // namespace pir
