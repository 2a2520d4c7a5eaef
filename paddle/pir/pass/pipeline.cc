// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/pipeline.h"

#include <algorithm>

namespace pir {
namespace {

constexpr unsigned kI = 1u << static_cast<int>(PipelineFor::kInference),
                   kF = 1u << static_cast<int>(PipelineFor::kForward),
                   kG = 1u << static_cast<int>(PipelineFor::kGradient),
                   kU = 1u << static_cast<int>(PipelineFor::kUnfused);

struct Listed {
  const char* name;
  int level;  // from which on it runs
  unsigned uses;
};
// The pass to channels-last waits for level 3: on AVX-512 convolutions in blocks of channels are faster, and what it
// takes the blocked pass leaves. A written-out RMS norm compiled as a group is 1.3 times as fast as the kernel, so
// forward parts keep it written out where groups are compiled. Folding comes first for the branches it decides and last
// for what the fusions computed from parameters.
constexpr Listed kPasses[] = {
    {"identity_op_clean_pass", 1, kI | kF | kU | kG},
    {"constant_folding_pass", 1, kI},
    {"constant_branch_pass", 1, kI | kF | kU},
    {"common_subexpression_elimination_pass", 1, kI | kF | kU | kG},
    {"layer_norm_fuse_pass", 2, kI | kF | kU},
    {"rms_norm_fuse_pass", 2, kI | kU},
    {"attention_fuse_pass", 2, kI | kF | kU},
    {"conv2d_bn_fuse_pass", 2, kI},
    {"conv2d_add_act_fuse_pass", 2, kI | kF | kU},
    {"matmul_add_act_fuse_pass", 2, kI | kF | kU},
    {"add_norm_fuse_pass", 2, kI},
    {"transfer_layout_pass", 3, kI | kF | kU},
    {"blocked_layout_pass", 2, kI},
    {"constant_folding_pass", 1, kI},
    {"dead_code_elimination_pass", 1, kI | kF | kU | kG},
};

}  // namespace

std::vector<std::string> Pipeline(PipelineFor use, int level) {
  std::vector<std::string> names;
  for (const Listed& p : kPasses)
    if (p.level <= level && (p.uses >> static_cast<int>(use) & 1)) names.push_back(p.name);
  return names;
}

}  // namespace pir
