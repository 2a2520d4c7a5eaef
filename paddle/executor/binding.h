// SPDX-License-Identifier: Apache-2.0
// What a frame learns about a piece of code while the shapes it meets repeat: which loops its elementwise ops come down
// to, and memory in which values and scratch that are not alive together share their place.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "paddle/executor/code.h"
#include "paddle/phi/core/ew_watch.h"
#include "paddle/phi/core/tensor.h"

namespace executor {

// What a value was: dtype, extents, layout. A value without data (a stack) or an absent one fits only its like.
struct Shape {
  phi::DataType dtype = phi::DataType::UNDEFINED;
  bool contiguous = false;
  common::Ints dims;

  static Shape Of(const Tensor& t);
  // The tensor without its memory; itself where there is none.
  static Tensor Without(const Tensor& t);
  bool Fits(const Tensor& t) const;
};

// Whether its results' memory may be given in advance.
bool TakesMemory(const Instruction& ins);

// What an instruction must leave for the steps after it to hold.
struct Expected {
  int value = -1;
  Shape shape;
  const void* lies_in = nullptr;  // the tensor that it must be; null: any
};

struct Step {
  static constexpr int kMaxOperands = 6;
  const Instruction* ins = nullptr;
  phi::EwLoop loop = nullptr;  // null: run the instruction
  int64_t n = 0;
  int8_t operands = 0, moving = 0;
  bool large = false;   // worth more than one thread
  bool shapes = false;  // whether Instruction::shapes are to be made at each run
  int16_t cost = 0;
  int8_t sizes[kMaxOperands] = {};
  char* address[kMaxOperands] = {};  // outputs, then inputs
  // Operands whose memory is found at each run.
  int8_t moves[kMaxOperands] = {};
  int move_values[kMaxOperands] = {};
  // Results that leave, and are made anew at each run: positions among the addresses, and what they are.
  std::vector<std::pair<int8_t, Expected>> fresh;
  std::vector<int> drops;
  std::vector<Expected> results;
  char* workspace = nullptr;  // lent to its kernel; null: none
  int64_t workspace_bytes = 0;
};

class Binding {
 public:
  enum State : uint8_t { kNew, kTraced, kBound, kOff };
  State state = kNew;
  std::vector<std::pair<int, Shape>> entry;  // arguments and outer values
  std::vector<Step> steps;
  bool installed = false;
  bool outdated = false;  // an instruction runs another way from now on: begin anew

  bool Fits(const std::vector<Tensor>& values) const;
  // Forgets everything but the number of attempts; after too many the code runs unbound for good.
  void Restart();
  // Forgets the same for a good reason, which is no attempt.
  void Again();
  // Instructions from `i` on give other shapes from run to run: they stay unbound.
  void Unstable(size_t i);

  // First run: before, after each instruction, and at the end.
  void BeginTrace(const Code& code, const std::vector<Tensor>& values);
  void Trace(size_t i, const Instruction& ins, const phi::EwSeen& seen, const std::vector<Tensor>& values);
  void EndTrace(const Code& code);
  // Second run: gives results their memory; those that do not lie there get none of the shared one.
  void Offer(size_t i, std::vector<Tensor>& values);
  // Notes how much scratch the instruction took; more than it declares is not planned.
  void Took(size_t i, int64_t bytes) { traced_[i].taken = bytes; }
  // False when the shapes differ from those of the first run.
  bool Check(size_t i, const std::vector<Tensor>& values);
  // The group's results lie apart from its operands.
  void KeepApart(size_t i) { traced_[i].apart = true; }
  void Bind(const Code& code);
  // Puts the shared memory's tensors into the frame.
  void Install(std::vector<Tensor>& values);

  size_t stable() const { return stable_; }
  size_t bytes() const { return arena_ ? arena_->bytes() : 0; }
  // The most that is alive in the shared memory at one time.
  size_t least_bytes() const { return least_; }
  // Instructions with results that could lie in the shared memory, or scratch, and have it from the allocator instead.
  const std::vector<const Instruction*>& unplanned() const { return unplanned_; }

 private:
  struct Result {
    int value = -1;
    int alias = -1;       // the value whose memory this is a view of
    bool whole = false;   // the view covers that memory
    bool inside = false;  // has memory of its own that is never seen outside of the code
    bool own = false;     // takes the memory it is offered
    bool leaves = false;  // has memory of its own that may be seen outside
    Shape shape;
    const void* offered = nullptr;
    Tensor kept;  // of a frozen instruction
    size_t bytes() const { return static_cast<size_t>(common::Product(shape.dims) * phi::SizeOf(shape.dtype)); }
  };
  struct Traced {
    std::vector<Result> results;
    std::vector<std::pair<int, Tensor>> shapes;  // stay as they are; none: made anew at each run
    phi::EwSeen seen;
    std::vector<int> operand_values;  // of seen.operands; none: no loop to call
    std::vector<int> overwrites;      // operands that the only result may take the place of
    int64_t workspace = 0;            // bytes that its kernel declares
    int64_t taken = 0;                // bytes that it took
    bool apart = false;
    bool frozen = false;  // its results depend on shapes alone, and stay
    int8_t operand_sizes[Step::kMaxOperands] = {};
    bool whole[Step::kMaxOperands] = {};  // operands with as many elements as the result
  };

  struct Layout;
  class Planner;
  Layout PlanMemory(const Code& code);
  struct Kept;
  // Tensors that stay from run to run, in the shared memory and beside it.
  Kept MakeBuffers(const Code& code, const Layout& layout);
  // Makes the step a call of the loop that the instruction came down to; false: it does not come down to one.
  bool MakeLoop(const Traced& t, const Kept& kept, Step& s);
  // Marks the instructions whose results are the same at each run of these shapes. `outside`: memory that is seen
  // elsewhere, `root_of`: whose memory a value lies in.
  template <class F>
  void Freeze(const Code& code, const std::unordered_set<int>& outside, const F& root_of);

  size_t stable_ = SIZE_MAX, least_ = 0;
  int attempts_ = 0;
  std::vector<Traced> traced_;
  std::vector<std::pair<int, Tensor>> buffers_;
  std::vector<Tensor> spread_;  // numbers as loops read them
  std::vector<const Instruction*> unplanned_;
  phi::Ref<phi::Storage> arena_;
};

// Offsets for blocks that are alive over [from, to] (both included), so that blocks alive together do not overlap.
struct Block {
  size_t bytes = 0;
  size_t from = 0, to = 0;
  size_t offset = 0;
};
// Sets the offsets (multiples of 64) and returns the bytes needed.
size_t PlaceBlocks(std::vector<Block>& blocks);
// The most bytes alive at one time: no placement needs fewer.
size_t LiveBytes(const std::vector<Block>& blocks);

}  // namespace executor
