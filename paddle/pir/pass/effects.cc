// SPDX-License-Identifier: Apache-2.0
// What ops do besides computing results, by their traits.
#include "paddle/pir/core/verify.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

bool HasEffect(const OpInfo& info) {
  return info.unregistered || (info.traits & (kSideEffect | kTerminator)) || WritesOperand(info);
}

// Custom ops declare no traits: a seed among their attributes tells.
bool IsRandom(const OpInfo& info) { return info.has(kRandom) || info.attr("seed") || info.attr("fix_seed"); }

}  // namespace

// By PaddlePaddle's naming, a trailing underscore means that an operand is written.
bool WritesOperand(const OpInfo& info) {
  return info.has(kInplace) || (info.dialect() == "pd_op" && info.name.back() == '_');
}

bool IsRemovable(const Operation& op) {
  if (op.isa("cf.has_elements")) return true;
  if (HasEffect(*op.info()) || op.isa("builtin.parameter")) return false;
  for (int i = 0; i < op.num_regions(); ++i)
    for (auto& b : op.region(i).blocks())
      for (Operation& inner : *b)
        // What pops goes with all its pops; what is pushed for them is RemoveUnusedStacks's.
        if (!inner.isa("cf.yield") && !inner.isa("cf.tuple_pop") && !IsRemovable(inner)) return false;
  return true;
}

bool RemoveUnusedStacks(Block& block) {
  bool changed = false;
  for (Operation* op = block.front(); op;) {
    Operation* next = op->next();
    if (op->isa("cf.stack_create") && op->result(0).use_empty() && op->result(2).use_empty()) {
      op->result(1).ForEachUse([](OpOperand& use) { use.owner()->Erase(); });
      op->Erase();
      changed = true;
    } else {
      for (int i = 0; i < op->num_regions(); ++i)
        for (auto& b : op->region(i).blocks()) changed = RemoveUnusedStacks(*b) || changed;
    }
    op = next;
  }
  return changed;
}

bool IsDeterministic(const Operation& op) {
  return op.num_regions() == 0 && !HasEffect(*op.info()) && !IsRandom(*op.info());
}

bool IsMutated(Value v) {
  for (OpOperand* u = v.first_use(); u; u = u->next_use()) {
    const OpInfo& info = *u->owner()->info();
    if (WritesOperand(info)) return true;
    // A view or a vector shares storage with the value: ask for them too.
    if (info.has(kView) || info.name == "builtin.combine" || info.name == "builtin.split" ||
        info.name == "builtin.slice")
      for (int i = 0; i < u->owner()->num_results(); ++i)
        if (IsMutated(u->owner()->result(i))) return true;
  }
  return false;
}

bool Escapes(Value v) {
  for (OpOperand* u = v.first_use(); u; u = u->next_use()) {
    const Operation& op = *u->owner();
    if (op.num_regions() || op.isa(pd::kFetch) || op.isa("cf.yield") || op.info()->has(kSideEffect)) return true;
    const bool shares = op.info()->has(kView) || WritesOperand(*op.info()) || op.isa("builtin.combine") ||
                        op.isa("builtin.split") || op.isa("builtin.slice");
    if (!shares) continue;
    for (int i = 0; i < op.num_results(); ++i)
      if (Escapes(op.result(i))) return true;
  }
  return false;
}

bool HasInplaceOps(const Program& program) {
  return !Walk(program.block(),
               [](Operation& op) { return WritesOperand(*op.info()) ? WalkResult::kStop : WalkResult::kContinue; });
}

}  // namespace pir
