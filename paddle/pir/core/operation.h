// SPDX-License-Identifier: Apache-2.0
// An operation: op info, operands, results, attributes and regions. Results, operands and the object share one
// allocation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/common/source_line.h"
#include "paddle/pir/core/op_info.h"
#include "paddle/pir/core/value.h"

namespace pir {

class Program;
class Region;

class Operation {
 public:
  // A detached operation; insert it into a block, which then owns it, or Destroy() it. Operands may be null Values.
  static Operation* Create(const OpInfo* info, std::span<const Value> operands, AttributeMap attrs,
                           std::span<const Type> result_types, int num_regions = 0);
  // Frees a detached operation. Its results must have no uses.
  void Destroy();

  const OpInfo* info() const { return info_; }
  const std::string& name() const { return info_->name; }
  // Unique in the process, in order of creation.
  uint64_t id() const { return id_; }
  // The line of the user's code that asked for it; no part of what the operation is.
  common::SourceId source() const { return source_; }
  void set_source(common::SourceId source) { source_ = source; }
  bool isa(std::string_view op_name) const { return info_->name == op_name; }

  int num_operands() const { return num_operands_; }
  Value operand(int i) const { return operands_[i].get(); }
  Type operand_type(int i) const { return operand(i).type(); }
  OpOperand& op_operand(int i) { return operands_[i]; }
  void set_operand(int i, Value v) { operands_[i].set(v); }
  std::vector<Value> operands() const;
  // Replaces the whole operand list; its length may change.
  void SetOperands(std::span<const Value> operands);

  int num_results() const { return num_results_; }
  Value result(int i) const { return Value(const_cast<detail::ValueImpl*>(results()) + i); }
  Type result_type(int i) const { return result(i).type(); }
  std::vector<Value> results_vec() const;
  bool use_empty() const;

  const AttributeMap& attrs() const { return attrs_; }
  Attribute attr(Name name) const { return attrs_.Get(name); }
  Attribute attr(std::string_view name) const { return attrs_.Get(name); }
  Attribute attr(const char* name) const { return attrs_.Get(name); }
  Attribute attr(const std::string& name) const { return attrs_.Get(name); }
  // As declared by the op info, its default when absent; throws NotFound when there is neither.
  phi::AttrValue attr_value(std::string_view name) const;
  void set_attr(Name name, Attribute a);

  int num_regions() const { return static_cast<int>(regions_.size()); }
  Region& region(int i) const { return *regions_[i]; }
  Region& AddRegion();

  Block* block() const { return block_; }
  Operation* parent_op() const;
  Program* program() const;  // nullptr when detached
  Operation* prev() const { return prev_; }
  Operation* next() const { return next_; }
  // Whether this comes before `other`, which must be in the same block.
  bool IsBefore(const Operation* other) const;
  // Whether `other` is this or lies in one of this op's regions.
  bool Contains(const Operation* other) const;

  // Takes the op out of its block without freeing it.
  void Detach();
  // Detaches and destroys; throws PreconditionNotMet when a result still has uses.
  void Erase();
  void MoveBefore(Operation* other);
  void MoveAfter(Operation* other);
  void ReplaceAllUsesWith(std::span<const Value> values);

  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  friend class Block;
  friend class OpOperand;
  Operation(const OpInfo* info, int num_results, AttributeMap attrs);
  ~Operation();
  const detail::ValueImpl* results() const { return reinterpret_cast<const detail::ValueImpl*>(this + 1); }
  detail::ValueImpl* results() { return reinterpret_cast<detail::ValueImpl*>(this + 1); }
  void Touch() const;

  const OpInfo* info_;
  Block* block_ = nullptr;
  Operation* prev_ = nullptr;
  Operation* next_ = nullptr;
  OpOperand* operands_ = nullptr;  // behind the results, or an allocation of its own after SetOperands grew it
  int32_t num_results_;
  int32_t num_operands_ = 0;
  int32_t operand_capacity_ = 0;
  bool operands_inline_ = true;
  common::SourceId source_ = 0;
  mutable int64_t order_ = 0;  // position key inside the block
  uint64_t id_;
  AttributeMap attrs_;
  std::vector<std::unique_ptr<Region>> regions_;
};

}  // namespace pir
