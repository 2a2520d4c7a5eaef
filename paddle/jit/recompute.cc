// SPDX-License-Identifier: Apache-2.0
// Values that a recorded function's gradient computes again from other saved values: elementwise ones that cost less
// than to write them in the forward program and read them here, where only fused groups read them.
#include <string_view>

#include "paddle/common/op_traits.h"
#include "paddle/pir/core/op_info.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/jit/traced.h"

namespace paddle::jit {
namespace {

constexpr int kDepth = 3;  // operations, one after another, that may be repeated for a value

bool IsCheap(const pir::Operation& op) { return common::TraitsOf(op.name()).cheap; }

// What a fusion compiler joins with elementwise ops: these and their gradients.
bool JoinsElementwise(const pir::Operation& op) {
  if (op.info()->has(pir::kElementwise)) return true;
  std::string_view name = op.name();
  if (!name.ends_with("_grad")) return false;
  name.remove_suffix(5);
  const pir::OpInfo* base = pir::FindOp(std::string(name));
  return base && base->has(pir::kElementwise);
}

}  // namespace

void Traced::ChooseRecomputed(std::vector<pir::Value>& saved) {
  const std::unordered_set<pir::Value> known(saved.begin(), saved.end());
  const std::unordered_set<pir::Value> returned(out_values_.begin(), out_values_.end());
  std::unordered_set<pir::Value> dropped;
  // Whether v can be had from what is saved; `ops`: those that takes.
  auto reach = [&](auto& self, pir::Value v, std::vector<const pir::Operation*>& ops, int depth) -> bool {
    if (known.count(v) && !dropped.count(v)) return true;
    const pir::Operation* def = v.defining_op();
    if (!def || !forward_ops_.count(def)) return false;
    if (pir::FullBehind(v)) return true;
    if (depth == 0 || !IsCheap(*def)) return false;
    ops.push_back(def);
    for (int i = 0; i < def->num_operands(); ++i)
      if (!self(self, def->operand(i), ops, depth - 1)) return false;
    return true;
  };
  for (pir::Value v : saved) {
    const pir::Operation* def = v.defining_op();
    if (!def || !IsCheap(*def) || returned.count(v) || !forward_ops_.count(def)) continue;
    bool drop = true;
    for (pir::OpOperand* u = v.first_use(); u && drop; u = u->next_use())
      drop = forward_ops_.count(u->owner()) || JoinsElementwise(*u->owner());
    std::vector<const pir::Operation*> ops{def};
    for (int i = 0; drop && i < def->num_operands(); ++i) drop = reach(reach, def->operand(i), ops, kDepth - 1);
    if (!drop) continue;
    dropped.insert(v);
    recomputed_.insert(ops.begin(), ops.end());
  }
  std::erase_if(saved, [&](pir::Value v) { return dropped.count(v) != 0; });
}

}  // namespace paddle::jit
