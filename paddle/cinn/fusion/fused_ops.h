// SPDX-License-Identifier: Apache-2.0
// The result of fusion on a block: groups of operations with the kernel description and shapes that replace them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/cinn/compiler.h"
#include "paddle/cinn/fusion/cost_model.h"
#include "paddle/cinn/fusion/views.h"
#include "paddle/cinn/gpu_group.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/pir/core/block.h"

namespace cinn {

// A group that more results leave is split.
inline constexpr size_t kMaxGroupInputs = 24, kMaxGroupOutputs = 16;

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
  std::vector<std::vector<ViewDim>> input_views;   // of each input's dims, by iteration axes
  std::vector<std::vector<ViewDim>> output_views;  // of each output of the group
  // Outputs made of parts: several outputs of the group belong to one value. Without parts, output k is value k.
  struct Assembled {
    std::vector<int64_t> extents;  // of the dims that have parts; -1: as the iteration
    std::optional<phi::Scalar> fill;
  };
  std::vector<int> output_of;        // of each output of the group: its value
  std::vector<Assembled> assembled;  // of each value; no extents: whole
  // Stride (in elements) of a dim of an input: the group's params.
  struct Stride {
    int input = 0, dim = 0;
  };
  std::vector<Stride> params;
  // Numbers of input `index` must lie inside dim `dim` of input `table` (-1: in [0, below), `except` aside), if `wraps`
  // also when counted from its end; others are an IndexError if `indexes`.
  struct Lookup {
    int index = 0, table = 0, dim = 0;
    bool wraps = false, indexes = false;
    int64_t below = 0, except = 0;
  };
  std::vector<Lookup> lookups;
  std::vector<std::pair<int, int>> inplace;  // (output, input): written into the memory of that input
  SingleWork single;                         // of `ops` without their kernel
};

// Forms groups of at least two operations, or a reduction with something to fuse, and reorders the block so that the
// members of a group are adjacent; data flow, the order of effects and of random draws stay. FLAGS_cinn_explain=1 in
// the environment prints each decision to stderr.
std::vector<FusedOps> FuseBlock(pir::Block& block);

// A compiled group that runs on tensors.
class FusedRunner {
 public:
  // Compiles (or takes from the cache) for the CPU, or for GPUs when they first run it.
  explicit FusedRunner(const FusedOps& ops, phi::KernelText text = phi::KernelText::kNone);
  // Outputs that are defined and fit are written in place, others are allocated. Throws when an input's shape does not
  // fit. Inputs of any strides and anywhere; thread-safe. `place` is that of the kernel: the CPU, or a GPU.
  void Run(const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs, phi::Place place = {}) const;
  // Whether Run takes inputs of these dtypes and shapes.
  bool Takes(const paddle::Tensor* const* inputs) const;
  // Pairs (output, input) that may be the same memory, if no other argument is.
  std::vector<std::pair<int, int>> Overlays() const;
  // Times of the kernel and of the operations one by one for inputs that Run takes. Prints the
  // counts they are made of where `explain` is set.
  CostEstimate Estimate(const paddle::Tensor* const* inputs, bool explain) const;
  const CompiledGroup& kernel() const { return *kernel_; }

 private:
  class Call;
  // Fills `dims` for CompiledGroup::Run.
  void Extents(const paddle::Tensor* const* inputs, int64_t* dims) const;
  bool TakesInput(size_t k, const paddle::Tensor& x, const int64_t* dims) const;

  FusedOps plan_;
  bool parts_ = false;                     // an input or output is a part of a tensor
  std::shared_ptr<CompiledGroup> kernel_;  // one of these two
  std::shared_ptr<GpuGroup> gpu_;
};

struct CompiledOps {
  FusedOps ops;
  std::shared_ptr<FusedRunner> runner;
};
// FuseBlock, then compiles the groups on the machine's threads. A group that cannot be compiled is left out (its reason
// is printed under FLAGS_cinn_explain=1), so its operations run one by one.
std::vector<CompiledOps> CompileBlock(pir::Block& block);

}  // namespace cinn
