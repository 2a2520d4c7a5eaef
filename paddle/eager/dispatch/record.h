// SPDX-License-Identifier: Apache-2.0
// Recording: the dispatcher's second half. An op called while a Recorder is active becomes a pd_op in its program.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/eager/autograd/recorded_grads.h"
#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/program.h"

namespace egr {

using paddle::Tensor;

struct RegionFrame;

// Records ops into one program. Tensors know their place in it by a token (recorder id and index), so a tensor that
// outlives the recorder, or belongs to another one, is recognised and never followed.
class Recorder {
 public:
  explicit Recorder(pir::Program* program);
  ~Recorder();

  pir::Program* program() const { return program_; }
  pir::Builder& builder() { return builder_; }
  // The value of a tensor: recorded, or an eager tensor captured as a builtin.parameter (by its name, trainable when it
  // needs a gradient) that shares the tensor's memory. Throws PreconditionNotMet for a symbolic tensor of another
  // recorder, and for a value of a branch or loop body that has ended.
  pir::Value ValueOf(const Tensor& t);
  // Eager tensors that were captured, in order, with their values.
  struct Captured {
    Tensor tensor;
    pir::Value value;
    std::string name;
  };
  const std::vector<Captured>& captured() const { return captured_; }
  // Notes that the function being recorded made `t`, of data: each of its runs makes it anew.
  void NoteMade(const Tensor& t) { made_.emplace(t.impl(), t); }
  bool IsMade(const Tensor& t) const { return made_.count(t.impl()) != 0; }
  // Declares a program input.
  Tensor Data(const std::string& name, const phi::Meta& meta);
  // A symbolic tensor for a value of the program.
  Tensor Wrap(pir::Value v);
  // Whether the tensor has a place in this program.
  bool Knows(const Tensor& t) const;
  // The value of such a tensor, wherever in the program it is.
  pir::Value Known(const Tensor& t) const { return values_[IndexOf(t)]; }
  // Called before a tensor is made to hold another value: a tensor from outside the region being recorded becomes one
  // of the region's results (control_flow.h).
  void BeforeWrite(const Tensor& t);
  // The regions being recorded, outermost first.
  std::vector<RegionFrame*>& frames() { return frames_; }
  // The block whose gradient `block` computes, or nullptr.
  pir::Block* source_of(pir::Block* block) const;
  void set_source(pir::Block* block, pir::Block* source) { sources_[block] = source; }
  // Tokens made since `mark` no longer stand for a value: their region was thrown away.
  size_t mark() const { return values_.size(); }
  void Forget(size_t mark);
  // The values that tensors stand for, by token; who changes the program keeps them true.
  std::vector<pir::Value>& values() { return values_; }
  // Carries stop_gradient, which users may set after making an input, over to the values of inputs and parameters.
  void SyncFlags();

  // Operations made while it lives get the line that asks for them, unless the builder has a source.
  pir::Builder::SourceGuard AtUserLine();
  void Record(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);
  // The next call of this operation gets the results of the one that the program has, so that they have a history.
  // Null: calls make operations.
  void SetAgain(pir::Operation* op) { again_ = op; }

  // Gradients recorded with create_graph, to be found again.
  RecordedGrads& grads() { return grads_; }

  // Numbers known at run time: elements of recorded tensors, and the extents that they are.
  struct Deferred {
    Tensor tensor;
    int64_t element;
    common::Dim extent;
  };
  phi::RecordedElement Defer(const Tensor& t, int64_t i);
  // A tensor whose element the integer is; an extent's tensor is made (ExtentTensor).
  Deferred deferred(phi::Int v);
  common::Dim ExtentFor(phi::Int v) const;
  // A 0-d int64 tensor that holds the extent when the program runs: read off a value that has it, or calculated.
  Tensor ExtentTensor(common::Dim d);

 private:
  const Deferred& At(phi::RecordedElement e) const;
  // An attribute as shape rules get it: integers that are elements of tensors are extents.
  phi::AttrValue ForRule(const phi::AttrValue& v) const;
  static size_t IndexOf(const Tensor& t);
  // Whether ops recorded now can use the value.
  bool Reaches(pir::Value v) const;
  pir::Value DeferredOperand(const phi::AttrValue& v);
  pir::Value AttrOperand(const phi::AttrValue& v);
  // `v` broadcast to `dims`, for ops that PaddlePaddle does not broadcast; `same` is an operand of that shape, where
  // there is one.
  pir::Value Expand(pir::Value v, const common::Dims& dims, pir::Value same, bool differentiable);
  pir::Value MakeData(const std::string& name, const phi::Meta& meta);
  // The parts of Record: the operands of a call, the metas of its results by the op's rule, operands of `where` in its
  // result's shape, the attributes (those that are operands are added there), and the tensors of the results.
  struct Operands;
  Operands OperandsOf(const phi::OpDef& op, const phi::InSlot* in);
  std::vector<std::vector<phi::Meta>> ResultsOf(const phi::OpDef& op, const Operands& in, const phi::AttrValue* attrs,
                                                const phi::OutSlot* outs) const;
  void BroadcastOperands(Operands& in, const common::Dims& dims);
  pir::AttributeMap AttributesOf(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                 const std::vector<std::vector<phi::Meta>>& made, Operands& operands);
  void GiveResults(pir::Operation* made, const std::vector<std::vector<phi::Meta>>& metas, bool differentiable,
                   phi::OutSlot* outs);
  pir::Value Capture(const Tensor& t);
  void RecordAgain(const phi::OpDef& op, const phi::InSlot* in, phi::OutSlot* outs);
  // Checks that `v` can be used where ops are being recorded, and notes its use for the gradients of open regions.
  void Use(const Tensor& t, pir::Value v);
  // Creates an op whose results stop gradients unless `differentiable` and their dtype allows one.
  pir::Operation* Create(const pir::OpInfo* info, const std::vector<pir::Value>& operands, pir::AttributeMap attrs,
                         const std::vector<pir::Type>& types, bool differentiable);

  pir::Program* program_;
  pir::Builder builder_;
  pir::Operation* again_ = nullptr;
  uint64_t id_;
  std::vector<pir::Value> values_;
  std::vector<std::pair<Tensor, pir::Value>> inputs_;
  std::vector<Captured> captured_;
  std::unordered_map<phi::TensorImpl*, size_t> captured_index_;
  std::vector<RegionFrame*> frames_;
  std::unordered_map<pir::Block*, pir::Block*> sources_;
  std::vector<Deferred> deferred_;
  // For a symbol: places of values that have it as an extent, and of tensors made by ExtentTensor.
  struct Bearers {
    std::vector<size_t> values, extents;
  };
  std::unordered_map<int64_t, Bearers> bearers_;
  RecordedGrads grads_;
  std::unordered_map<phi::TensorImpl*, Tensor> made_;
};

// What tells the line of the user's code that runs on this thread, or kNoSource; null where nothing can.
void SetUserSource(common::SourceId (*find)());

// Records one op with the thread's recorder. Outs with a null destination are results nobody wants.
void RecordOp(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);

// Records with `recorder` on this thread while it lives.
class RecordGuard {
 public:
  explicit RecordGuard(Recorder* recorder) : old_(State()) {
    State().recorder = recorder;
    State().record = RecordMode::kRecord;
  }
  ~RecordGuard() { State() = old_; }
  RecordGuard(const RecordGuard&) = delete;

 private:
  DispatchState old_;
};

}  // namespace egr
