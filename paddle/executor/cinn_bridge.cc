// SPDX-License-Identifier: Apache-2.0
// Gives the executor the fusion compiler: groups found in a block become kernels of a plan.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/executor/plan.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_ops.h"

namespace executor {
namespace {

// A kernel for the CPU, and for devices of generated kernels others that are made when an operand is first there. A
// group that has no code for a device runs on the host, and its results go there.
class CinnKernel final : public FusedKernel {
 public:
  CinnKernel(std::shared_ptr<cinn::FusedRunner> runner, const cinn::FusedOps& ops)
      : runner_(std::move(runner)), ops_(ops), inputs_(ops.inputs.size()) {
    ops_.ops.clear();  // the program may be gone when a kernel is made
  }
  void Run(const Tensor* const* inputs, Tensor* const* outputs) override {
    phi::Place place;
    for (size_t k = 0; k < inputs_ && place.is_cpu(); ++k)
      if (inputs[k]->defined()) place = phi::DevicePlace(inputs[k], 1);
    if (place.is_cpu()) return runner_->Run(inputs, outputs);
    if (const cinn::FusedRunner* there = For(phi::KernelTextOf(place))) return there->Run(inputs, outputs, place);
    runner_->Run(inputs, outputs);
    for (size_t k = 0; k < ops_.outputs.size(); ++k)
      if (outputs[k]->defined()) *outputs[k] = phi::ToPlace(*outputs[k], place);
  }
  bool Takes(const Tensor* const* inputs) const override { return runner_->Takes(inputs); }
  std::vector<std::pair<int, int>> Overlays() const override { return runner_->Overlays(); }
  Estimate EstimateCost(const Tensor* const* inputs, bool explain) const override {
    const cinn::CostEstimate e = runner_->Estimate(inputs, explain);
    return {e.fused_ns, e.single_ns};
  }

 private:
  // Null: no code for it.
  const cinn::FusedRunner* For(phi::KernelText text) {
    if (text == phi::KernelText::kNone || !phi::g_run_generated) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    auto [it, fresh] = there_.try_emplace(text);
    if (fresh) {
      try {
        it->second = std::make_unique<cinn::FusedRunner>(ops_, text);
      } catch (const common::Error& e) {
        if (common::ExplainsDevices()) std::fprintf(stderr, "gpu: group: on the host: %s\n", e.what());
      }
    }
    return it->second.get();
  }

  std::shared_ptr<cinn::FusedRunner> runner_;
  cinn::FusedOps ops_;
  const size_t inputs_;
  std::mutex mutex_;
  std::map<phi::KernelText, std::unique_ptr<cinn::FusedRunner>> there_;
};

std::vector<FusedGroup> FuseWithCinn(pir::Block& block) {
  std::vector<FusedGroup> groups;
  for (cinn::CompiledOps& c : cinn::CompileBlock(block))
    groups.push_back(
        {c.ops.ops, c.ops.inputs, c.ops.outputs, std::make_shared<CinnKernel>(c.runner, c.ops), c.ops.inplace});
  return groups;
}

static_assert(cinn::kMaxGroupOutputs <= kMaxFusedOutputs && cinn::kMaxGroupInputs <= kMaxFusedInputs);

[[maybe_unused]] const bool registered = (SetFusionPass(FuseWithCinn), true);

}  // namespace
}  // namespace executor
