// SPDX-License-Identifier: Apache-2.0
// A function recorded into a program, made runnable: one plan for its results, one for each set of wanted gradients,
// and one autograd node that stands for all of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "paddle/executor/plan.h"
#include "paddle/jit/recorded_program.h"
#include "paddle/phi/core/mersenne.h"

namespace paddle::jit {

class Traced : public std::enable_shared_from_this<Traced> {
 public:
  // What a run does afterwards to the tensor `target`, or to input number `input` when it is undefined.
  struct Write {
    enum Kind : uint8_t {
      kValue,        // it takes the value of an output
      kGradient,     // an output becomes its gradient
      kNoGradient,   // it has no gradient any more
      kAddGradient,  // an output is added to the gradient of a leaf
      kReached,      // nothing: a gradient reaches it within the run, which calls no hooks
    };
    Tensor target;
    int input = -1;
    int output = -1;
    Kind kind = kValue;
    size_t hooks = 0;  // of the target, when recorded
  };
  // Where an input of a backward plan comes from.
  struct Source {
    enum Kind : uint8_t { kInput, kSaved, kGrad } kind;
    int index;
    bool read = true;  // its numbers, not only its extents
  };
  struct Backward {
    std::shared_ptr<pir::Program> program;
    std::shared_ptr<executor::Plan> plan;
    std::vector<Source> feeds;
    std::vector<int> wanted;  // positions among the leaves, in the order of the plan's results
    std::vector<int> reads;   // captured tensors it reads
  };
  // What gradients flow to: an input of the call, a captured tensor, or an output that is a leaf made by the call.
  struct Leaf {
    int input = -1;
    int output = -1;
    Tensor tensor;  // in the recording, or the captured one
  };

  // `inputs` and `outputs` are tensors of the program, `feeds` the values a call gives: one for each input, then
  // others. With `grad` the gradients of the outputs are recorded behind it. `replay`: an evaluation without effects.
  Traced(std::shared_ptr<RecordedProgram> program, std::vector<Tensor> inputs, std::vector<pir::Value> feeds,
         std::vector<Tensor> outputs, std::vector<Write> writes, bool grad, bool fuse, bool replay = false);

  // Results for tensors in the order of the feeds.
  std::vector<Tensor> Call(const std::vector<Tensor>& inputs);
  // A call of Call that may fail: Undo tells, behind a failure, whether everything is as it was, so that the function
  // may be run instead. Random numbers that were drawn are given back.
  class Attempt {
   public:
    Attempt(const Traced& traced, const std::vector<Tensor>& inputs);
    bool Undo();

   private:
    // Another number where memory of the inputs or of what is captured was written or replaced.
    uint64_t Versions() const;
    const Traced& traced_;
    const std::vector<Tensor>& inputs_;
    uint64_t versions_ = 0;
    std::optional<phi::Mersenne64> engine_;
    std::vector<uint8_t> device_;  // the state of the current device's generator; empty: there is none
  };
  // The gradients as such a function: its feeds are our inputs, one gradient for each differentiable output, our other
  // feeds and the random values; its outputs the gradients of the leaves `second_leaves`.
  std::shared_ptr<Traced> Second();
  const std::vector<int>& second_leaves() const { return second_leaves_; }

  const Backward& BackwardFor(const std::vector<bool>& wanted);
  // Captured tensors and whether they stopped gradients when recorded: a change asks for a new recording.
  bool CapturedUnchanged() const;
  // Whether what a run writes shares no memory with other inputs and captured tensors, and gradients that it gives
  // reach leaves without other hooks, as in the recording.
  bool KeepsApart(const std::vector<Tensor>& inputs) const;
  std::vector<uint32_t> CapturedVersions() const;
  const Tensor& captured(int i) const { return captured_[i].tensor; }

  const std::vector<Leaf>& leaves() const { return leaves_; }
  const std::vector<int>& differentiable() const { return diff_out_; }
  // Whether gradients of differentiable output `i` reach the leaf.
  bool Reaches(int i, int leaf) const { return reached_[static_cast<size_t>(leaf)][static_cast<size_t>(i)]; }
  // Whether the output is a leaf that needs a gradient and that each call makes anew.
  bool IsLeafOutput(size_t i) const;
  // Whether a run changes tensors or draws random numbers.
  bool HasEffects() const;
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_random() const { return num_random_; }
  const std::shared_ptr<pir::Program>& forward_program() const { return forward_program_; }
  const std::shared_ptr<executor::Plan>& forward_plan() const { return forward_; }
  bool grad() const { return !leaves_.empty(); }
  // Made so far: the forward plan, those of gradients, those of gradients of gradients.
  std::vector<executor::Plan*> Plans() const;
  static std::vector<Tensor> Run(executor::Plan& plan, const std::vector<Tensor>& inputs);

 private:
  struct Extraction;
  class Needs;
  void RecordGradients();
  void PlanForward();
  void NoteEffects();
  // Takes out of `saved` what the gradient program rather computes from the rest (recompute.cc).
  void ChooseRecomputed(std::vector<pir::Value>& saved);
  bool IsWritten(const pir::Operation& parameter) const;
  void PutGradient(const Write& write, const Tensor& to, std::vector<Tensor>& results) const;
  // Whether the output is the new value of a tensor that the function writes.
  bool IsWrite(size_t output) const;
  // Whether it is the new value of an input, which has no history and ends that of the input.
  bool CutsInput(size_t output) const;
  Extraction Extract(const std::vector<pir::Value>& targets, const std::vector<pir::Value>& feeds,
                     const std::vector<pir::Operation*>& roots, bool backward, bool replay) const;
  void Optimize(pir::Program& program) const;

  std::shared_ptr<RecordedProgram> program_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<size_t> leaf_outputs_, spent_outputs_;
  std::vector<bool> apart_;  // outputs that share no memory with what the program was given
  std::vector<Write> writes_;
  bool fuse_, replay_;
  // A run draws random numbers; changes tensors; does nothing else that shows outside, such as to print.
  bool draws_ = false, changes_ = false, repeatable_ = true;
  std::vector<pir::Value> feeds_, out_values_;  // of the forward plan
  std::unordered_set<const pir::Operation*> forward_ops_;
  std::vector<int> diff_out_;  // outputs gradients flow from
  std::vector<Leaf> leaves_;
  std::vector<std::vector<bool>> reached_;                // for each of leaves_, which of diff_out_ lead to it
  std::vector<pir::Value> grad_in_, grad_out_;            // gradients of diff_out_ and of leaves_
  std::vector<pir::Value> saved_;                         // random values first; of equal values one
  std::unordered_set<const pir::Operation*> recomputed_;  // of the forward part, by the gradient program too
  std::unordered_map<pir::Value, pir::Value> equal_;      // values of the program to the first ones that equal them
  int num_random_ = 0;
  std::shared_ptr<pir::Program> forward_program_;
  std::shared_ptr<executor::Plan> forward_;
  std::map<std::vector<bool>, Backward> backward_;
  std::shared_ptr<Traced> second_;
  std::vector<int> second_leaves_;
  struct Held {
    Tensor tensor;
    phi::DataType dtype;
    phi::Ints dims;
    bool stop_gradient;
  };
  std::vector<Held> captured_;
};

}  // namespace paddle::jit
