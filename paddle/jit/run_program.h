// SPDX-License-Identifier: Apache-2.0
// The autograd node of a compiled call.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/jit/traced.h"

namespace paddle::jit {

// The backward half of a call: it keeps what the gradients read, and runs the plan of those that are wanted.
class RunProgramNode final : public egr::GradNode {
 public:
  RunProgramNode(std::shared_ptr<Traced> fn, const std::vector<Tensor>& inputs);
  const char* name() const override { return "run_program"; }
  void ReleaseSaved() override;
  // An input that the call is about to write is kept as it was.
  void CopyInput(int i);
  // Takes what the gradients read, and becomes the history of the outputs they flow from.
  void Keep(std::vector<Tensor> saved, std::vector<Tensor>& outputs);
  void Run(Tensor* grads, Tensor* in, bool create_graph) override;

 private:
  void RunSecond(const std::vector<Tensor>& douts, const std::vector<bool>& wanted, Tensor* in);

  std::shared_ptr<Traced> fn_;
  std::vector<Tensor> inputs_, saved_;
  std::vector<uint32_t> versions_, input_versions_, captured_versions_;
  std::vector<std::pair<phi::Ints, phi::DataType>> metas_;
};

// The history of a result through whose graph the call has run backward itself.
class SpentNode final : public egr::GradNode {
 public:
  SpentNode() { SetCounts(1, 1); }
  const char* name() const override { return "run_program"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override;
};

}  // namespace paddle::jit
