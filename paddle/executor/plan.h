// SPDX-License-Identifier: Apache-2.0
// The executor: a program is planned once into a flat list of instructions over numbered values, then run any number of times
// without look-ups. Runs from several threads use separate frames.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/program.h"

namespace executor {

using paddle::Tensor;

// A kernel that replaces several ops: made by a fusion compiler, run like any instruction.
class FusedKernel {
 public:
  virtual ~FusedKernel() = default;
  virtual void Run(const Tensor* const* inputs, Tensor* const* outputs) = 0;
};
// A group with more is left to its single ops.
inline constexpr size_t kMaxFusedInputs = 64, kMaxFusedOutputs = 16;
// Finds groups in a block. Null: no compiler.
struct FusedGroup {
  std::vector<pir::Operation*> ops;  // in order; the last is where the kernel runs
  std::vector<pir::Value> inputs, outputs;
  std::shared_ptr<FusedKernel> kernel;
};
using FusionPass = std::vector<FusedGroup> (*)(pir::Block& block);
void SetFusionPass(FusionPass pass);

class Plan {
 public:
  // `inputs` are the values given at each run, in order; `outputs` the values returned. Parameters are read from the program.
  static std::shared_ptr<Plan> Build(pir::Program& program, const std::vector<pir::Value>& inputs, const std::vector<pir::Value>& outputs,
                                     bool fuse = false);
  // The program's own interface: pd_op.data ops in order (names in `input_names`), and its fetch / shadow_output ops.
  static std::shared_ptr<Plan> Build(pir::Program& program, bool fuse = false);

  std::vector<Tensor> Run(const std::vector<Tensor>& inputs);

  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }
  size_t num_instructions() const { return instructions_.size(); }
  size_t num_fused() const { return fused_; }

 private:
  struct Instruction {
    const phi::OpDef* op = nullptr;
    std::shared_ptr<FusedKernel> fused;
    std::vector<phi::AttrValue> attrs;
    // Per tensor argument: value numbers. A list argument has its own range.
    struct In {
      int first = -1;           // value number; -1: absent
      std::vector<int> list;    // Tensor[] argument
      bool variadic = false;
    };
    std::vector<In> in;
    struct Out {
      int value = -1;           // -1: nobody reads it
      std::vector<int> list;    // filled by builtin.split
      bool variadic = false;
    };
    std::vector<Out> out;
    std::vector<std::pair<int, int>> dynamic_attrs;  // attribute position, value number
    std::vector<std::pair<int, int>> inplace;        // output position, the tensor argument whose memory it is
  };
  struct Frame;

  int NumberOf(pir::Value v);
  void Compile(pir::Block& block, bool fuse);
  void CompileOp(pir::Operation* op);
  std::unique_ptr<Frame> MakeFrame();
  void RunInstruction(const Instruction& ins, Frame& f, size_t index);

  std::vector<Instruction> instructions_;
  std::unordered_map<const void*, int> numbers_;
  int num_values_ = 0;
  std::vector<int> input_values_, output_values_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<std::pair<int, Tensor>> constants_;  // parameters
  size_t fused_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> frames_;

 public:
  Plan();
  ~Plan();
};

}  // namespace executor
