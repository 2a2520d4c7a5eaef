// SPDX-License-Identifier: Apache-2.0
// Creates operations at an insertion point.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "paddle/pir/core/program.h"

namespace pir {

class Builder {
 public:
  Builder() = default;
  explicit Builder(Block* block) : block_(block) {}
  explicit Builder(Program* program) : block_(&program->block()) {}

  Block* block() const { return block_; }
  // The op new ops go before; nullptr: the end of the block.
  Operation* before() const { return before_; }
  void SetToEnd(Block* block) {
    block_ = block;
    before_ = nullptr;
  }
  void SetToStart(Block* block) {
    block_ = block;
    before_ = block->front();
  }
  void SetBefore(Operation* op) {
    block_ = op->block();
    before_ = op;
  }
  void SetAfter(Operation* op) {
    block_ = op->block();
    before_ = op->next();
  }

  Operation* Insert(Operation* op) {
    block_->Insert(before_, op);
    if (!op->source()) op->set_source(source_);
    return op;
  }
  Operation* Create(const OpInfo* info, std::span<const Value> operands, AttributeMap attrs,
                    std::span<const Type> result_types, int num_regions = 0) {
    return Insert(Operation::Create(info, operands, std::move(attrs), result_types, num_regions));
  }
  // By name; throws NotFound for an unknown op.
  Operation* Create(std::string_view op, std::initializer_list<Value> operands, AttributeMap attrs,
                    std::initializer_list<Type> result_types, int num_regions = 0);

  // The source of operations that are inserted without one.
  common::SourceId source() const { return source_; }
  void set_source(common::SourceId source) { source_ = source; }
  class SourceGuard {
   public:
    SourceGuard(Builder& b, common::SourceId source) : b_(b), old_(b.source_) { b.source_ = source; }
    ~SourceGuard() { b_.source_ = old_; }
    SourceGuard(const SourceGuard&) = delete;
    SourceGuard& operator=(const SourceGuard&) = delete;

   private:
    Builder& b_;
    common::SourceId old_;
  };

  // Puts the insertion point back at the end of the scope.
  class Guard {
   public:
    explicit Guard(Builder& b) : b_(b), block_(b.block_), before_(b.before_) {}
    ~Guard() {
      b_.block_ = block_;
      b_.before_ = before_;
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Builder& b_;
    Block* block_;
    Operation* before_;
  };

 private:
  Block* block_ = nullptr;
  Operation* before_ = nullptr;
  common::SourceId source_ = 0;
};

}  // namespace pir
