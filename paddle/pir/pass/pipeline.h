// SPDX-License-Identifier: Apache-2.0
// Which passes a program goes through, in one list for everything that runs programs.
#pragma once

#include <string>
#include <vector>

namespace pir {

enum class PipelineFor : uint8_t {
  kInference,  // parameters never change
  kForward,    // parameters change between runs; nothing is differentiated
  kUnfused,    // the same where no groups of operations are compiled
  kGradient,   // a part of a differentiated function: results must stay bit for bit those of the single operations
};

// Names in order. `level` 1: folding and merging; 2: fused operations too.
std::vector<std::string> Pipeline(PipelineFor use, int level = 2);

}  // namespace pir
