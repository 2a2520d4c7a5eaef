// SPDX-License-Identifier: Apache-2.0
// Lines of the user's Python code that operations of programs were called at, each known by a number, so that an error
// of a running program can tell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/common/error.h"

namespace common {

// 0: nobody has said yet.
using SourceId = uint32_t;
// No line of the user's stands for it.
inline constexpr SourceId kNoSource = 1;

struct SourceLine {
  std::string file;
  int line = 0;
};

// The same number for the same line, as long as the process lives; kNoSource for more than 16,384 lines.
SourceId NoteSource(std::string_view file, int line);
// Null for numbers that stand for none.
const SourceLine* FindSource(SourceId id);

// An error of an operation whose lines are known: `what` ends with them.
class LocatedError : public Error {
 public:
  LocatedError(const Error& error, std::vector<SourceLine> lines);
  const std::vector<SourceLine>& lines() const { return lines_; }

 private:
  std::vector<SourceLine> lines_;
};

// Throws the error that is being handled again, with the lines of `sources` where it is an Error without lines and any
// of them is known.
[[noreturn]] void RethrowAt(const SourceId* sources, size_t n);

}  // namespace common
