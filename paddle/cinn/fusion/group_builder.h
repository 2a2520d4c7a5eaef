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
  };
  struct In {
    pir::Value value;
    std::vector<bool> real;
    std::vector<int> axis_of_dim;  // iteration axis of each of the tensor's dims, -1 for extent 1
  };

  bool AddElementwise(pir::Operation* op, const OpFacts& f, const char** why);
  bool AddReduce(pir::Operation* op, const OpFacts& f, const char** why);
  // The iteration axis of each dim of a reduced value's shape; false when the shape is not this group's reduced one.
  bool ReducedAxes(const common::Dims& dims, std::vector<int>& axes) const;
  bool External(pir::Value v, const std::vector<int>& axes_of_result, const common::Dims& result, Expr& out);
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
