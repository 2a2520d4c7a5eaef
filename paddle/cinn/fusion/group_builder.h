// SPDX-License-Identifier: Apache-2.0
// Grows one fusion group operation by operation.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

using OpNumbers = std::unordered_map<const pir::Operation*, int>;

class GroupBuilder {
 public:
  // Views made by the operations in `visible` are read through; null: none. `short_rows`: few elements of the last axes
  // may be reduced with others, which leaves most lanes of a CPU's vectors idle.
  explicit GroupBuilder(const OpNumbers* visible = nullptr, bool short_rows = false)
      : visible_(visible), short_rows_(short_rows) {}
  // Adds the operation, or leaves the group unchanged and says why not. Operands made by members must have been added
  // before.
  bool Add(pir::Operation* op, const OpFacts& facts, const char** why);
  const std::vector<pir::Operation*>& ops() const { return ops_; }
  const common::Dims& space() const { return space_; }
  // Whether the group reads v from memory.
  bool Reads(pir::Value v) const;
  // Results used by operations that are neither members nor `gone` become outputs. False when an extent can only be
  // known from an output. So do those that `read_elsewhere` names: another group may read through a view that is a
  // member here.
  bool Finish(FusedOps& out, const std::vector<pir::Operation*>& gone,
              const std::function<bool(pir::Value)>& read_elsewhere) const;

 private:
  struct Member {
    Expr expr;
    bool reduced = false;
    std::vector<int> axes;  // iteration axis of each dim, -1 for extent 1
  };
  struct In {
    pir::Value value;
    std::vector<ViewDim> view;
    Expr mask;
    // With a lookup: dim `looked_up` is read at the number `index`.
    int looked_up = -1;
    Expr index;
    Expr offset;
  };
  struct Part {
    pir::Value result;
    Expr expr;
    std::vector<ViewDim> place;
    std::optional<phi::Scalar> fill;
  };

  // Counts what the operation does on its own.
  void AddWork(const pir::Operation& op, const OpFacts& facts);
  bool AddResult(pir::Operation* op, const ResultFacts& f, std::vector<Expr>& parts, const char** why);
  // The operand's value at the iteration point; `axes_of_shape` maps dims of the expression's shape to iteration axes,
  // `before` are the operands before it.
  bool Operand(const OperandFacts& o, const common::Dims& shape, const std::vector<int>& axes_of_shape,
               const std::vector<Expr>& before, Expr& out, const char** why);
  // Parts of Operand: where the value is read, and where not (in.view, in.mask), false when that is not certain;
  // whether what a member made is read whole; and a new input or one that is there.
  bool Locate(const OperandFacts& o, const common::Dims& shape, const std::vector<int>& axes_of_shape, In& in) const;
  static bool IsWhole(const In& in, const Member& made);
  bool Input(const OperandFacts& o, const std::vector<Expr>& before, In& in, Expr& out, const char** why);
  // Follows views from v to what they are views of; `view` and `looked_up` change along.
  pir::Value Through(pir::Value v, std::vector<ViewDim>& view, int& looked_up) const;
  bool Lookup(const OperandFacts& o, const std::vector<Expr>& before, In& in, const char** why);
  // The iteration axis of each dim of a reduced value's shape; false when the shape is not this group's reduced one.
  bool ReducedAxes(const common::Dims& dims, std::vector<int>& axes) const;
  // Parts of Finish: the inputs, a result that becomes an output, and where extents are known from.
  void FinishInputs(FusedOps& out) const;
  bool FinishOutput(FusedOps& out, pir::Value v) const;
  bool FinishExtents(FusedOps& out) const;
  int rank() const { return static_cast<int>(space_.size()); }

  bool started_ = false;
  common::Dims space_;
  AxisSet reduced_;
  std::vector<pir::Operation*> ops_;
  std::unordered_map<pir::Value, Member> members_;
  std::vector<In> inputs_;
  std::vector<Part> parts_;
  std::vector<FusedOps::Stride> params_;
  std::vector<FusedOps::Lookup> lookups_;
  std::vector<GroupReduction> reductions_;
  std::vector<std::pair<pir::Value, pir::Value>> inplace_;  // (result, operand)
  SingleWork single_;
  const OpNumbers* visible_;
  bool short_rows_;
};

}  // namespace cinn
