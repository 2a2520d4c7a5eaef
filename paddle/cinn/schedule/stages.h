// SPDX-License-Identifier: Apache-2.0
// Long reductions over the first axes that other values of the group wait for (a softmax of one long row): one group
// after another, each of which runs on all threads.
#pragma once

#include <optional>
#include <vector>

#include "paddle/cinn/ir/group.h"

namespace cinn {

struct StagedGroup {
  // Numbers of buffers: the group's inputs, its outputs, then one for each reduction's results (of ReducedType).
  struct Step {
    FusionGroup group;
    std::vector<int> inputs, outputs;
    bool kept_only = false;  // the iteration lacks the reduced axes
  };
  std::vector<Step> steps;
};

// Nothing when no value waits for a reduction, or a reduction among the steps could not be split.
std::optional<StagedGroup> Stages(const FusionGroup& g);

}  // namespace cinn
