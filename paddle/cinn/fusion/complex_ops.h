// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of complex numbers on a device that compiles kernels: a group over their real and imaginary parts.
#pragma once

#include <memory>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/phi/core/op_def.h"

namespace cinn {

class ComplexKernel {
 public:
  // Null where the op has no tensor of complex numbers, or no such rule for what is given: `why` then.
  static std::shared_ptr<ComplexKernel> Make(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                             phi::KernelText text, std::string* why);
  void Run(const phi::InSlot* in, phi::OutSlot* outs, phi::Place place) const;

 private:
  std::shared_ptr<FusedRunner> runner_;
  bool flat_ = false;  // all operands have the result's shape: one axis
  phi::Meta result_;
  std::vector<int> inputs_;  // of the runner: the op's tensors
};

}  // namespace cinn
