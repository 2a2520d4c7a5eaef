// SPDX-License-Identifier: Apache-2.0
// What ops do besides computing results: their traits, and a few names whose declarations cannot say it.
#include <string_view>
#include <unordered_set>

#include "paddle/pir/core/verify.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using NameSet = std::unordered_set<std::string_view>;

bool HasEffect(const OpInfo& info) {
  static const NameSet* names =
      new NameSet{"data",    "feed",        "fetch",         "print",        "assert",
                  "py_func", "save",        "save_combine",  "load_combine", "send_v2",
                  "recv_v2", "p_send",      "p_recv",        "barrier",      "sync_calc_stream",
                  "pylayer", "shadow_feed", "shadow_output", "seed"};
  if (info.unregistered || (info.traits & (kSideEffect | kTerminator)) || WritesOperand(info)) return true;
  return info.dialect() == "pd_op" && names->count(info.short_name());
}

bool IsRandom(const OpInfo& info) {
  static const NameSet* names = new NameSet{"bernoulli",
                                            "binomial",
                                            "multinomial",
                                            "poisson",
                                            "standard_gamma",
                                            "dirichlet",
                                            "randperm",
                                            "randint",
                                            "rrelu",
                                            "gaussian",
                                            "uniform",
                                            "gumbel_softmax",
                                            "top_p_sampling",
                                            "flash_attn",
                                            "flash_attn_unpadded",
                                            "flash_attn_qkvpacked",
                                            "flash_attn_varlen_qkvpacked",
                                            "memory_efficient_attention",
                                            "class_center_sample",
                                            "fused_attention",
                                            "fused_feedforward"};
  return info.has(kRandom) || info.attr("seed") || info.attr("fix_seed") ||
         (info.dialect() == "pd_op" && names->count(info.short_name()));
}

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
    if (op.num_regions() || op.isa("pd_op.fetch") || op.isa("cf.yield") || op.info()->has(kSideEffect)) return true;
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
