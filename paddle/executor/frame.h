// SPDX-License-Identifier: Apache-2.0
// The state of one run: values, the slots that point at them, and what is kept from run to run.
#pragma once

#include <memory>
#include <vector>

#include "paddle/executor/code.h"

namespace executor {

class Frame {
 public:
  explicit Frame(const CompiledProgram& program);
  // Throws what a kernel throws; the frame must be discarded then.
  std::vector<Tensor> Run(const std::vector<Tensor>& inputs);

 private:
  struct Slots {
    std::vector<phi::InSlot> in;
    std::vector<phi::OutSlot> out;
    std::vector<std::vector<Tensor>> lists_in, lists_out;
    std::vector<phi::AttrValue> attrs;  // only of instructions with dynamic attributes
    int64_t printed = 0;
  };

  void MakeSlots(const Code& code);
  void RunCode(const Code& code);
  void RunInstruction(const Instruction& ins);
  void RunKernel(const Instruction& ins);
  void RunFused(const Instruction& ins);
  void RunIf(const Instruction& ins);
  void RunWhile(const Instruction& ins);
  // Moves or copies what the code hands on.
  Tensor Take(const Code& code, size_t yield);
  void RunStack(const Instruction& ins);
  void Assert(const Instruction& ins);
  void Print(const Instruction& ins);

  const CompiledProgram& program_;
  std::vector<Tensor> values_;
  std::vector<Slots> slots_;  // by instruction id
};

}  // namespace executor
