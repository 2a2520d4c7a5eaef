// SPDX-License-Identifier: Apache-2.0
// Checks of a program's structure, and walks over its operations.
#pragma once

#include <functional>
#include <vector>

#include "paddle/pir/core/program.h"

namespace pir {

// Throws common::Error (InvalidArgument, naming the op) on: an operand not defined before its use or not visible from
// it, wrong operand/result counts or kinds against the OpInfo, a missing or misplaced terminator, broken links, or
// whatever the op's own verify function rejects.
void Verify(const Operation& op);
void Verify(const Program& program);

enum class WalkResult { kContinue, kSkipRegions, kStop };
// Pre-order over the block and all nested regions; erasing the visited op inside f is allowed. Returns false if
// stopped.
bool Walk(const Block& block, const std::function<WalkResult(Operation&)>& f);
inline void WalkAll(const Block& block, const std::function<void(Operation&)>& f) {
  Walk(block, [&](Operation& op) {
    f(op);
    return WalkResult::kContinue;
  });
}
// Values used inside the op's regions (or by the ops of `block`) but defined outside, in order of first use.
std::vector<Value> CapturedValues(const Operation& op);

}  // namespace pir
