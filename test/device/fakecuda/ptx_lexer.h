// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/fakecuda/ptx.h"

namespace fakecuda {

struct Token {
  enum Kind : uint8_t { kWord, kNumber, kString, kMark, kEnd };
  Kind kind = kEnd;
  char number = 'i';  // i, f or d, as in Operand
  std::string text;
  uint64_t bits = 0;
  int line = 0;
};

std::vector<Token> LexPtx(const std::string& text);

}  // namespace fakecuda
