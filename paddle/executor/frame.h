// SPDX-License-Identifier: Apache-2.0
// The state of one run: values, the slots that point at them, and what is kept from run to run.
#pragma once

#include <memory>
#include <vector>

#include "paddle/executor/binding.h"
#include "paddle/executor/code.h"

namespace executor {

class Frame {
 public:
  explicit Frame(const CompiledProgram& program);
  // Gives the run its inputs. `held`: these and the parameters as they are now, whatever becomes of the tensors.
  void Begin(const std::vector<Tensor>& inputs, bool held);
  // Throws what a kernel throws; the frame must be discarded then.
  std::vector<Tensor> Run();
  // Ends what Begin began.
  void End();
  // Looks whether later runs on these shapes may go by RunSteps: the code is bound, and nothing but kernels
  // runs.
  void LookForSteps();
  bool by_steps() const { return by_steps_; }
  // Whether that holds now, of inputs that fit.
  bool MayRunSteps() const;
  // Begin, Run and End, as short as they can be. `unlocked`: without the host's lock, where that is worth it; the
  // caller holds it otherwise, and no kernel lets others change what it reads.
  std::vector<Tensor> RunSteps(const std::vector<Tensor>& inputs, bool unlocked);
  // Whether the inputs have the shapes of the frame's first run, so that what it learnt holds.
  bool Fits(const std::vector<Tensor>& inputs) const;
  // Before the first run: the frame learns nothing, for inputs of whatever shapes.
  void LearnNothing();
  bool learns() const { return learns_; }
  size_t workspace_bytes() const;
  size_t least_bytes() const;
  // Names of the instructions whose results have no place in the shared memory and could have one.
  std::vector<std::string> Unplanned() const;
  // Where times go while profiling, by instruction id; null: not measured.
  void set_profile(std::vector<ProfileEntry>* profile) { profile_ = profile; }

 private:
  struct Slots {
    std::vector<phi::InSlot> in;
    std::vector<phi::OutSlot> out;
    std::vector<std::vector<Tensor>> lists_in, lists_out;
    std::vector<phi::AttrValue> attrs;  // only of instructions with dynamic attributes
    int64_t printed = 0;
    bool separate = false;  // kFused: whether the single ops run
    bool unknown = false;   // the next run may meet other operands than those that were checked
  };

  // A tensor that only this frame sees and that stands for another one while a run lasts.
  class Stand {
   public:
    const Tensor& For(const Tensor& t);
    void Release();

   private:
    Tensor own_;
  };

  void MakeSlots(const Code& code);
  // Code runs three ways: first watched, then with memory offered, then by bound steps (binding.h). What differs from
  // before goes on as plain instructions.
  void RunCode(const Code& code);
  void RunTraced(const Code& code, Binding& b);
  void RunOffered(const Code& code, Binding& b);
  template <bool kProfiled>
  void RunBound(const Code& code, Binding& b);
  void RunPlain(const Code& code, size_t from);
  void Forget(const Code& code, size_t from);
  void Execute(const Instruction& ins);
  void Measured(const Instruction& ins, const auto& f);
  void RunInstruction(const Instruction& ins);
  // A copy of an input that is memory which an update moved forward writes, else the input.
  Tensor Apart(const Tensor& input) const;
  // Raises where an operand is a result that its operation left out. Asked until the code is bound: bound runs are
  // alike.
  void CheckOperands(const Instruction& ins) const;
  // Raises where values are not what the program declares: a file may declare anything. Asked as CheckOperands is.
  void CheckDeclared(const std::vector<Declared>& declared, const std::string& by) const;
  void CheckResults(const Instruction& ins) const;
  // Gives the shapes of what the instruction made to those who read them alone.
  void KeepShapes(const Instruction& ins);
  void RunKernel(const Instruction& ins);
  void RunFused(const Instruction& ins);
  void RunUpdates(const Instruction& ins);
  void RunSeparate(const Instruction& ins);
  // Elements of a group's largest argument.
  int64_t LargestArgument(const Instruction& ins) const;
  // Whether the single ops run, by the cost model. Before the group's first run on the present shapes.
  void Choose(const Instruction& ins);
  // Compares a group with its single ops if that is due; its results are memory to write. True when it lost.
  bool Compare(const Instruction& ins);
  // Takes over what other frames found: groups that lost run as single ops.
  void LearnLost(const Code& code);
  void RunIf(const Instruction& ins);
  void RunWhile(const Instruction& ins);
  // Moves or copies a value that the code yields.
  Tensor Take(const Code& code, size_t yield);
  void RunStack(const Instruction& ins);
  void Assert(const Instruction& ins);
  void Print(const Instruction& ins);

  const CompiledProgram& program_;
  std::vector<Tensor> values_;
  std::vector<Stand> stands_;  // for the inputs, then for the parameters
  bool held_ = false;
  std::vector<Slots> slots_;       // by instruction id
  std::vector<Binding> bindings_;  // by code id
  std::vector<Shape> signature_;
  bool learns_ = true;
  bool by_steps_ = false;
  bool apart_ = false;                        // by steps: tensors are large enough for kernels to release the lock
  std::vector<std::pair<int, Shape>> outer_;  // by steps: parameters
  uint32_t lost_ = 0;                         // Trials::lost when LearnLost ran
  std::vector<ProfileEntry>* profile_ = nullptr;
};

}  // namespace executor
