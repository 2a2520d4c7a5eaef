// SPDX-License-Identifier: Apache-2.0
// Branches whose condition is known: the operations of the region that runs take the place of the `if`, the inputs that
// of a loop that never runs.
#include <mutex>

#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

std::mutex reader_mutex;
ReadBoolFn& Reader() {
  static auto* f = new ReadBoolFn;
  return *f;
}

class ConstantBranch : public Pass {
 public:
  ConstantBranch() : Pass("constant_branch_pass") {}
  bool Run(Program& program) override {
    {
      std::lock_guard lock(reader_mutex);
      read_ = Reader();
    }
    program_ = &program;
    return Visit(program.block());
  }

 private:
  // What the condition is in every run; nothing where it is computed, written to, or not one element.
  std::optional<bool> Known(Value v) const {
    Operation* op = v ? v.defining_op() : nullptr;
    if (!op || IsMutated(v)) return {};
    if (FullBehind(v)) {
      const Attribute value = op->attr("value");
      for (common::Dim d : v.dims())
        if (!d.known() || d.raw() != 1) return {};
      if (!value || value.kind() == AttrKind::kStr || value.kind() == AttrKind::kArray) return {};
      return value.to_double() != 0;
    }
    if (!op->isa("builtin.constant") || !read_) return {};
    auto held = program_->parameter(op->attr("value").to_str());
    return held ? read_(held) : std::nullopt;
  }

  bool Visit(Block& block) const {
    bool changed = false;
    for (Operation* op = block.front(); op;) {
      const bool branches = op->isa(pd::kIf) || op->isa(pd::kWhile);
      const std::optional<bool> known = branches ? Known(op->operand(0)) : std::nullopt;
      Operation* next = op->next();
      if (known && op->isa(pd::kIf)) {
        if (Operation* first = Inline(op, op->region(*known ? 0 : 1))) next = first;
        changed = true;
      } else if (known && !*known) {
        for (int i = 0; i < op->num_results(); ++i) op->result(i).ReplaceAllUsesWith(op->operand(i + 1));
        op->Erase();
        changed = true;
      } else {
        for (int i = 0; i < op->num_regions(); ++i)
          for (auto& b : op->region(i).blocks()) changed = Visit(*b) || changed;
      }
      op = next;
    }
    return changed;
  }

  // The first operation that moved out; null without any.
  static Operation* Inline(Operation* op, Region& region) {
    Operation* first = nullptr;
    for (Operation* inner = region.empty() ? nullptr : region.front().front(); inner;) {
      Operation* next = inner->next();
      if (inner->isa("cf.yield")) {
        for (int i = 0; i < op->num_results(); ++i) op->result(i).ReplaceAllUsesWith(inner->operand(i));
      } else {
        inner->MoveBefore(op);
        if (!first) first = inner;
      }
      inner = next;
    }
    op->Erase();
    return first;
  }

  Program* program_ = nullptr;
  ReadBoolFn read_;
};

}  // namespace

std::unique_ptr<Pass> CreateConstantBranch() { return std::make_unique<ConstantBranch>(); }

void SetConstantReader(ReadBoolFn read) {
  std::lock_guard lock(reader_mutex);
  Reader() = std::move(read);
}

}  // namespace pir
