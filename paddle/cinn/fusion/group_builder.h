// SPDX-License-Identifier: Apache-2.0
// Grows one fusion group operation by operation.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

class GroupBuilder {
 public:
  // Adds the operation, or leaves the group unchanged and says why not. Operands made by members must have been added before.
  bool Add(pir::Operation* op, const OpFacts& facts, const char** why);
  const std::vector<pir::Operation*>& ops() const { return ops_; }
  bool has_reduction() const { return re_ > rb_; }
  const common::Dims& space() const { return space_; }
  // Results used by other operations become outputs. False when an extent can only be known from an output.
  bool Finish(FusedOps& out) const;

 private:
  struct Member {
    Expr expr;
    bool reduced = false;
    std::vector<int> axes;  // iteration axis of each dim, -1 for extent 1
  };
  struct In {
    pir::Value value;
    std::vector<int> axes;
  };

  bool AddResult(pir::Operation* op, const ResultFacts& f, std::vector<Expr>& parts, const char** why);
  bool Operand(const OperandFacts& o, const common::Dims& shape, const std::vector<int>& axes_of_shape, Expr& out, const char** why);
  // The iteration axis of each dim of a reduced value's shape; false when the shape is not this group's reduced one.
  bool ReducedAxes(const common::Dims& dims, std::vector<int>& axes) const;
  int rank() const { return static_cast<int>(space_.size()); }

  bool started_ = false;
  common::Dims space_;
  int rb_ = 0, re_ = 0;
  std::vector<pir::Operation*> ops_;
  std::unordered_map<pir::Value, Member> members_;
  std::vector<In> inputs_;
  std::vector<GroupReduction> reductions_;
};

}  // namespace cinn
