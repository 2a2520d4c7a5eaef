// SPDX-License-Identifier: Apache-2.0
// Long reductions over the first axes with few results: blocks are reduced in parallel, then their results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "paddle/cinn/ir/group.h"

namespace cinn {

struct SplitReduction {
  // Axes: block, element of the block (reduced), the kept ones. Same inputs as the group. Outputs: one for each
  // reduction, then the group's `full` outputs.
  FusionGroup blocks;
  std::vector<int> full;
  // Axes: block (reduced), the kept ones. Inputs: `extra` inputs of the group, the results of the blocks, the number of
  // reduced elements as one float64. Outputs: the group's `reduced` outputs.
  FusionGroup rest;
  std::vector<int> extra;
  std::vector<int> reduced;
  std::vector<int64_t> steps;  // of each input: bytes of one element when it has the reduced axes, else 0
};

// Nothing when a reduction or a full output needs another reduction, or an input's memory is not walked block after
// block.
std::optional<SplitReduction> Split(const FusionGroup& g);

// How many of `n` reduced elements one block has for `kept` results of each; 0: not worth it. Depends on these two
// only.
int64_t SplitBlock(int64_t n, int64_t kept);

}  // namespace cinn
