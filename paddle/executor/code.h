// SPDX-License-Identifier: Apache-2.0
// What a program is planned into: flat lists of instructions over numbered values, one list for each block.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "paddle/executor/plan.h"
#include "paddle/phi/core/op_def.h"

namespace executor {

struct Code;

// The type of a dense value as the program declares it. What reads the value was compiled by it.
struct Declared {
  int value;
  phi::DataType dtype;
  common::Dims dims;
};

struct Instruction {
  enum Kind : uint8_t { kOp, kFused, kUpdates, kIf, kWhile, kStackCreate, kPush, kPop, kHasElements, kAssert, kPrint };
  // An argument: one value (-1: absent) or a list of them.
  struct Arg {
    int value = -1;
    bool variadic = false;
    std::vector<int> list;
  };

  Kind kind = kOp;
  int id = 0;  // number among all instructions of the plan, those of regions included
  const phi::OpDef* op = nullptr;
  const phi::OpDef* gradient_of = nullptr;  // kOp: what `op` is the gradient of
  std::shared_ptr<FusedKernel> fused;
  std::string name;
  std::vector<common::SourceId> sources;  // of the operations it stands for, each line once
  std::vector<phi::AttrValue> attrs;      // kAssert, kPrint: as their executor reads them
  // Every out has a value, also one nobody reads, but for what the op need not compute (-1); a variadic out may lack
  // them.
  std::vector<Arg> in, out;
  std::vector<std::pair<int, int>> dynamic_attrs;  // attribute position, value number
  std::vector<std::pair<int, int>> inplace;        // output position, the tensor argument whose memory it is
  std::vector<Declared> declared;                  // of its results
  // kFused: where there are trials, the single ops, whose yields stand for `out`. kUpdates: the updates.
  std::vector<std::unique_ptr<Code>> regions;
  // Values made here, and the numbers under which gradients read their shapes alone.
  std::vector<std::pair<int, int>> shapes;
  std::vector<int> drops;  // values of this code that nothing reads after this instruction
  // kWhile: operands among them that live on as arguments of the body alone.
  std::vector<int> early_drops;
};

// A block. Values are numbered over the whole plan, so a region reads the values around it by their numbers.
struct Code {
  int id = 0;  // number among the codes of the plan
  std::vector<Instruction> instructions;
  std::vector<int> args;                      // of a loop body
  std::vector<Declared> declared;             // of `args`
  std::vector<int> yields;                    // results of the block
  std::vector<char> moves;                    // whether yields[i] is a value of this block that is yielded once
  std::vector<std::pair<int, Tensor>> fixed;  // values made in advance, the same at each run
  std::vector<int> captured;                  // values of enclosing blocks that are read here or in inner regions
  // Of a group's single ops: whether yields[i] is written where its memory is given; values of the group's that they
  // write in place.
  std::vector<char> takes;
  std::vector<int> writes;
};

// What comparing groups with their single ops showed, for all frames of a plan.
class Trials {
 public:
  enum State : uint8_t { kOpen, kRunning, kFused, kSingle };
  struct Verdict {
    State state = kOpen;
    double fused_ns = 0, single_ns = 0;
  };
  explicit Trials(int num_ids) : verdicts_(static_cast<size_t>(num_ids)) {}
  // Whether the caller is to compare the group now: once for each, and one at a time.
  bool Claim(int id);
  // Ends what Claim began.
  void Decide(int id, const Verdict& verdict);
  Verdict Of(int id) const;
  // Counts groups that turned out to be slower.
  uint32_t lost() const { return lost_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::vector<Verdict> verdicts_;  // by instruction id
  bool running_ = false;
  std::atomic<uint32_t> lost_{0};
};

// Plan-wide facts that compiling a program gives.
struct CompiledProgram {
  Code code;  // yields: the program's outputs
  std::vector<int> inputs;
  std::vector<std::pair<int, Tensor>> constants;  // parameters
  std::vector<int> early;  // those that are written before their last reader in the program's order
  int num_values = 0;
  int num_ids = 0, num_codes = 0;
  std::vector<char> spare;         // by id: whether it is a single op of a group
  std::unique_ptr<Trials> trials;  // null: no group has single ops
  std::vector<std::string> names;  // of instructions, by id
  size_t fused = 0;
  bool plain = false;  // operators and groups alone, without branches, loops and code of users
};

// Every value an instruction reads, those of its regions included once FindLastReads ran.
void ForEachRead(const Instruction& ins, const auto& f) {
  for (auto& a : ins.in) {
    if (a.value >= 0) f(a.value);
    for (int v : a.list)
      if (v >= 0) f(v);
  }
  for (auto& [a, v] : ins.dynamic_attrs) f(v);
  for (auto& c : ins.regions)
    for (int v : c->captured) f(v);
}

void ForEachMade(const Instruction& ins, const auto& f) {
  for (auto& a : ins.out) {
    if (a.value >= 0) f(a.value);
    for (int v : a.list)
      if (v >= 0) f(v);
  }
}

// What is read anywhere in the code or its regions.
inline void FindReads(const Code& code, const auto& f) {
  for (const Instruction& ins : code.instructions) {
    ForEachRead(ins, f);
    for (auto& c : ins.regions) FindReads(*c, f);
  }
  for (int v : code.yields)
    if (v >= 0) f(v);
}

// arrange.cc: leaves out results nobody reads, lets gradients read shapes without the memory behind them, and calls
// MoveUpdates. Before FindLastReads.
void Arrange(CompiledProgram& program);
// updates.cc: brings updates in place to where their gradient is ready, small ones together. `read`: values that
// anything reads.
void MoveUpdates(CompiledProgram& program, const std::vector<char>& read);

// The attributes of an op that a kernel of `def` reads. Those that an operand computes at each run have their default
// here and are listed: (position, operand).
std::vector<phi::AttrValue> AttributesOf(const pir::Operation& op, const phi::OpDef& def,
                                         std::vector<std::pair<int, pir::Value>>* at_run);

CompiledProgram CompileProgram(pir::Program& program, const std::vector<pir::Value>& inputs,
                               const std::vector<pir::Value>& outputs, FusionPass fusion);

}  // namespace executor
