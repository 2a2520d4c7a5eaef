// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a program: the inverse of Print.
#pragma once

#include <memory>
#include <string_view>

#include "paddle/pir/core/program.h"

namespace pir {

// Throws InvalidArgument with line and column for text that is no program. Ops nobody registered are accepted.
// Attribute kinds follow the op's declaration; without one an integer is int32 (int64 when large) and other numbers
// double. Each -1 becomes a fresh symbol. The result is not verified.
std::unique_ptr<Program> ParseProgram(std::string_view text);
Type ParseType(std::string_view text);

}  // namespace pir
