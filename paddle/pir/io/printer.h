// SPDX-License-Identifier: Apache-2.0
// Programs, operations and types as text, in the form PaddlePaddle prints them.
#pragma once

#include <string>

#include "paddle/pir/core/program.h"

namespace pir {

struct PrintOptions {
  // Numbers with all digits they need to read back equal; otherwise 6 significant digits, as PaddlePaddle prints them.
  bool exact_numbers = false;
  // Behind each line a comment with the symbolic dims of its results: // [S0, 4]
  bool symbolic_dims = false;
};

std::string Print(const Program& program, const PrintOptions& options = {});
// One operation with its regions; operands from outside are numbered first.
std::string Print(const Operation& op, const PrintOptions& options = {});
std::string Print(const Block& block, const PrintOptions& options = {});

}  // namespace pir
