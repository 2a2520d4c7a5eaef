// SPDX-License-Identifier: Apache-2.0
// Gives the executor the fusion compiler: groups found in a block become kernels of a plan.
#include <utility>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/executor/plan.h"

namespace executor {
namespace {

class CinnKernel final : public FusedKernel {
 public:
  explicit CinnKernel(std::shared_ptr<cinn::FusedRunner> runner) : runner_(std::move(runner)) {}
  void Run(const Tensor* const* inputs, Tensor* const* outputs) override { runner_->Run(inputs, outputs); }
  std::vector<std::pair<int, int>> Overlays() const override { return runner_->Overlays(); }
  Estimate EstimateCost(const Tensor* const* inputs, bool explain) const override {
    const cinn::CostEstimate e = runner_->Estimate(inputs, explain);
    return {e.fused_ns, e.single_ns};
  }

 private:
  std::shared_ptr<cinn::FusedRunner> runner_;
};

std::vector<FusedGroup> FuseWithCinn(pir::Block& block) {
  std::vector<FusedGroup> groups;
  for (cinn::CompiledOps& c : cinn::CompileBlock(block))
    groups.push_back({c.ops.ops, c.ops.inputs, c.ops.outputs, std::make_shared<CinnKernel>(c.runner), c.ops.inplace});
  return groups;
}

static_assert(cinn::kMaxGroupOutputs <= kMaxFusedOutputs && cinn::kMaxGroupInputs <= kMaxFusedInputs);

[[maybe_unused]] const bool registered = (SetFusionPass(FuseWithCinn), true);

}  // namespace
}  // namespace executor
