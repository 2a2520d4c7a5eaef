// SPDX-License-Identifier: Apache-2.0
// The result of fusion on a block: groups of operations with the kernel description and shapes that replace them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/cinn/compiler.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/pir/core/block.h"

namespace cinn {

struct FusedOps {
  std::vector<pir::Operation*> ops;  // in the order of the block; adjacent after FuseBlock
  std::vector<pir::Value> inputs, outputs;
  FusionGroup group;
  // Iteration extents: known, or read from a dim of an input.
  struct Extent {
    int64_t known = -1;
    int input = -1, dim = -1;
  };
  std::vector<Extent> extents;
  bool needs_elements = false;  // a member is a largest or smallest element, which an empty range does not have
  std::vector<std::vector<int>> input_axes;   // of each input's dims: iteration axis, -1 for extent 1
  std::vector<std::vector<int>> output_axes;  // of each output's dims
};

// Forms groups of at least two operations, or a reduction with something to fuse, and reorders the block so that the members
// of a group are adjacent; data flow, the order of effects and of random draws stay. FLAGS_cinn_explain=1 in the environment
// prints each decision to stderr.
std::vector<FusedOps> FuseBlock(pir::Block& block);

// A compiled group that runs on tensors.
class FusedRunner {
 public:
  // Compiles (or takes from the cache).
  explicit FusedRunner(const FusedOps& ops);
  // Outputs that are defined and fit are written in place, others are allocated. Throws when an input's shape does not fit.
  // Inputs of any strides; thread-safe.
  void Run(const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs) const;
  const CompiledGroup& kernel() const { return *kernel_; }

 private:
  FusedOps plan_;
  std::shared_ptr<CompiledGroup> kernel_;
};

struct CompiledOps {
  FusedOps ops;
  std::shared_ptr<FusedRunner> runner;
};
// FuseBlock, then compiles the groups on the machine's threads. A group that cannot be compiled is left out (its reason is
// printed under FLAGS_cinn_explain=1), so its operations run one by one.
std::vector<CompiledOps> CompileBlock(pir::Block& block);

}  // namespace cinn
