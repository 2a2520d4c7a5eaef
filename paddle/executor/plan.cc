// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/plan.h"

#include "paddle/common/logging.h"
#include "paddle/executor/code.h"
#include "paddle/executor/frame.h"
#include "paddle/pir/core/operation.h"
#include "paddle/pir/core/program.h"

namespace executor {
namespace {

FusionPass g_fusion = nullptr;

}  // namespace

void SetFusionPass(FusionPass pass) { g_fusion = pass; }

Plan::Plan() = default;
Plan::~Plan() = default;

size_t Plan::num_instructions() const { return static_cast<size_t>(program_->num_ids); }
size_t Plan::num_fused() const { return program_->fused; }

std::shared_ptr<Plan> Plan::Build(pir::Program& program, bool fuse) {
  std::vector<pir::Value> inputs, outputs;
  std::vector<std::string> in_names, out_names;
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    if (op->isa("pd_op.data")) {
      inputs.push_back(op->result(0));
      in_names.push_back(op->attr("name").to_str());
    } else if (op->isa("pd_op.fetch")) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("name").to_str());
    } else if (op->isa("builtin.shadow_output")) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("output_name").to_str());
    }
  }
  auto plan = Build(program, inputs, outputs, fuse);
  plan->input_names_ = in_names;
  plan->output_names_ = out_names;
  PD_VLOG(2) << "plan of " << plan->num_instructions() << " instructions, " << plan->num_fused() << " fused";
  return plan;
}

std::shared_ptr<Plan> Plan::Build(pir::Program& program, const std::vector<pir::Value>& inputs,
                                  const std::vector<pir::Value>& outputs, bool fuse) {
  auto plan = std::make_shared<Plan>();
  plan->program_ = std::make_unique<CompiledProgram>(CompileProgram(program, inputs, outputs, fuse ? g_fusion : nullptr));
  PD_VLOG(2) << "plan of " << plan->num_instructions() << " instructions, " << plan->num_fused() << " fused";
  return plan;
}

std::vector<Tensor> Plan::Run(const std::vector<Tensor>& inputs) {
  PD_CHECK(inputs.size() == program_->inputs.size(), InvalidArgument, "[executor] expected ", program_->inputs.size(),
           " inputs, got ", inputs.size());
  std::unique_ptr<Frame> f;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!frames_.empty()) {
      f = std::move(frames_.back());
      frames_.pop_back();
    }
  }
  if (!f) f = std::make_unique<Frame>(*program_);
  std::vector<Tensor> result = f->Run(inputs);  // after an exception the frame is not kept
  std::lock_guard<std::mutex> lock(mutex_);
  frames_.push_back(std::move(f));
  return result;
}

}  // namespace executor
