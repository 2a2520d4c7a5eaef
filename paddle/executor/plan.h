// SPDX-License-Identifier: Apache-2.0
// The executor: a program is planned once into a flat list of instructions over numbered values, then run any number of
// times without look-ups. Runs from several threads use separate frames.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/executor/extent_tests.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/program.h"

namespace executor {

// A kernel that replaces several ops: made by a fusion compiler, run like any instruction.
class FusedKernel {
 public:
  virtual ~FusedKernel() = default;
  virtual void Run(const Tensor* const* inputs, Tensor* const* outputs) = 0;
  // Whether Run takes inputs of these dtypes and shapes: extents that the program took for equal may differ by
  // broadcasting.
  virtual bool Takes(const Tensor* const*) const { return true; }
  // Pairs (output, input) that may be the same memory, if no other argument is.
  virtual std::vector<std::pair<int, int>> Overlays() const { return {}; }
  // Times of the kernel and of the ops it stands for, by a model that knows the inputs' shapes alone; prints what they
  // are made of where `explain` is set.
  struct Estimate {
    double fused_ns = 0, single_ns = 0;
  };
  virtual Estimate EstimateCost(const Tensor* const*, bool /*explain*/) const { return {}; }
};
// A group with more is left to its single ops.
inline constexpr size_t kMaxFusedInputs = 64, kMaxFusedOutputs = 16;
// Finds groups in a block. Null: no compiler.
struct FusedGroup {
  std::vector<pir::Operation*> ops;  // in order; the last is where the kernel runs
  std::vector<pir::Value> inputs, outputs;
  std::shared_ptr<FusedKernel> kernel;
  std::vector<std::pair<int, int>> inplace;  // (output, input): the kernel writes it there
};
using FusionPass = std::vector<FusedGroup> (*)(pir::Block& block);
// Returns the one before.
FusionPass SetFusionPass(FusionPass pass);
bool HasFusionPass();
// Whether plans time their groups against the single ops, and use these where they are faster, instead of asking the
// cost model. FLAGS_cinn_trial, read from the environment at first and false unless set.
void SetFusionTrials(bool on);
bool FusionTrials();

class Frame;
struct CompiledProgram;

struct ProfileEntry {
  std::string name;
  int64_t calls = 0, ns = 0;
};

class Plan {
 public:
  // `inputs` are the values given at each run, in order; `outputs` the values returned. Parameters are read from the
  // program. Operations change places, and values get the types that they have where extents that broadcast are equal;
  // runs in which they are not have a plan of their own, made of a copy of the program.
  static std::shared_ptr<Plan> Build(pir::Program& program, const std::vector<pir::Value>& inputs,
                                     const std::vector<pir::Value>& outputs, bool fuse = false);
  // The program's own interface: pd_op.data ops in order (names in `input_names`), and its fetch / shadow_output ops.
  static std::shared_ptr<Plan> Build(pir::Program& program, bool fuse = false);

  // Any number of threads may run one plan. Nobody else may give inputs or parameters other memory meanwhile.
  std::vector<Tensor> Run(const std::vector<Tensor>& inputs);
  // The same where other threads may do so as soon as the host's lock is released, by a kernel or, with `unlocked`, for
  // the whole run: it has the inputs and parameters that there are at the call.
  std::vector<Tensor> RunHeld(const std::vector<Tensor>& inputs, bool unlocked);

  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }
  // All of them, those of regions included; a group counts as one.
  size_t num_instructions() const { return num_instructions_; }
  size_t num_fused() const;
  // Names of the instructions outside of regions as they run, which need not be the program's order.
  std::vector<std::string> Order() const;

  // Memory that idle frames keep for values between the program's inputs and outputs.
  size_t workspace_bytes() const;
  // The most of it that is alive at one time.
  size_t least_workspace_bytes() const;
  // Names of the instructions of the frame used last that have memory of the allocator: see binding.h.
  std::vector<std::string> Unplanned() const;

  // Starts (from zero) or stops to measure instructions.
  void SetProfiling(bool on);
  // What was measured, by instruction; the time of a branch or loop contains that of the instructions in it.
  std::vector<ProfileEntry> Profile() const;
  // The same summed by name, longest first, as text.
  std::string ProfileTable() const;

 private:
  // The program as it is where extents that `equal_` says do differ, and its plan once it is needed.
  struct Otherwise;

  std::unique_ptr<CompiledProgram> program_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<ExtentTest> equal_;
  std::unique_ptr<Otherwise> otherwise_;
  Plan& Other();
  // The same, where it is there.
  Plan* MadeOther() const;
  void Compile(pir::Program& program, const std::vector<pir::Value>& inputs, const std::vector<pir::Value>& outputs,
               bool fuse);
  std::unique_ptr<Frame> TakeFrame(const std::vector<Tensor>& inputs);
  std::vector<Tensor> RunFrame(const std::vector<Tensor>& inputs, bool held, bool unlocked);
  void GiveFrame(std::unique_ptr<Frame> frame, const std::vector<ProfileEntry>& times);
  // Adds an idle frame; the caller holds the mutex. Returns what has to go for it.
  std::unique_ptr<Frame> Keep(std::unique_ptr<Frame> frame) const;
  // An idle frame that fits the inputs, for one that does not; without one it is an idle one, and the result null.
  std::unique_ptr<Frame> Exchange(std::unique_ptr<Frame> frame, const std::vector<Tensor>& inputs);
  // The frame, which runs by steps, or none, stands ready; the one that did is an idle one.
  void MakeReady(std::unique_ptr<Frame> frame) const;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> frames_;  // idle ones, the last used at the end
  // The one used last, where it runs by steps: taken and given without the mutex.
  mutable std::atomic<Frame*> ready_{nullptr};
  std::unique_ptr<Frame> any_;  // an idle one that learns nothing
  size_t num_instructions_ = 0, most_idle_ = 0, unlearnt_ = 0;
  mutable bool dropped_ = false;  // whether a frame had to go for another one
  std::atomic<bool> profiling_{false};
  std::vector<ProfileEntry> profile_;

 public:
  Plan();
  ~Plan();
};

}  // namespace executor
