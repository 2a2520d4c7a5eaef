// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/verify.h"

#include <unordered_set>

#include "paddle/common/error.h"

namespace pir {
namespace {

// The ancestor of `op` (or itself) that lies directly in `block`; nullptr when there is none.
const Operation* AncestorIn(const Operation* op, const Block* block) {
  for (; op; op = op->parent_op())
    if (op->block() == block) return op;
  return nullptr;
}

void CheckOperand(const Operation& op, int i) {
  Value v = op.operand(i);
  const OpInfo& info = *op.info();
  const OperandInfo* decl =
      !info.has(kVariadicOperands) && i < static_cast<int>(info.inputs.size()) ? &info.inputs[i] : nullptr;
  if (!v) {
    PD_CHECK(!decl || decl->optional, InvalidArgument, "[", op.name(), "] expected operand ", i, " ('", decl->name,
             "'), got none");
    return;
  }
  if (decl && !decl->mutable_attr && v.type().is_tensor_like() && decl->variadic)
    PD_CHECK(v.type().kind() == TypeKind::kTensorArray, InvalidArgument, "[", op.name(),
             "] expected a vector of tensors for operand '", decl->name, "', got ", TypeText(v.type()));
  const Block* home = v.block();
  PD_CHECK(home != nullptr, InvalidArgument, "[", op.name(), "] expected operand ", i,
           " to be defined in the program, got the result of a detached '", v.defining_op()->name(), "'");
  const Operation* at = AncestorIn(&op, home);
  PD_CHECK(at != nullptr, InvalidArgument, "[", op.name(), "] expected operand ", i,
           " to be visible, got a value of an unrelated block");
  if (const Operation* def = v.defining_op())
    PD_CHECK(def != at && def->IsBefore(at), InvalidArgument, "[", op.name(), "] expected operand ", i,
             " to be defined before its use, got the result of a later '", def->name(), "'");
}

void VerifyOne(const Operation& op) {
  const OpInfo& info = *op.info();
  if (!info.has(kVariadicOperands))
    PD_CHECK(op.num_operands() == static_cast<int>(info.inputs.size()), InvalidArgument, "[", op.name(), "] expected ",
             info.inputs.size(), " operands, got ", op.num_operands());
  if (!info.has(kVariadicResults))
    PD_CHECK(op.num_results() == static_cast<int>(info.outputs.size()), InvalidArgument, "[", op.name(), "] expected ",
             info.outputs.size(), " results, got ", op.num_results());
  PD_CHECK(op.num_regions() == 0 || info.has(kHasRegions) || info.unregistered, InvalidArgument, "[", op.name(),
           "] expected no regions, got ", op.num_regions());
  for (int i = 0; i < op.num_operands(); ++i) CheckOperand(op, i);
  for (int i = 0; i < op.num_results(); ++i) {
    Value r = op.result(i);
    PD_CHECK(r.defining_op() == &op && r.index() == i, Internal, "[", op.name(), "] result ", i, " has a broken link");
    r.ForEachUse([&](OpOperand& u) {
      PD_CHECK(u.get() == r, Internal, "[", op.name(), "] a use of result ", i, " has a broken link");
    });
  }
  if (info.has(kTerminator))
    PD_CHECK(op.block() && op.block()->back() == &op, InvalidArgument, "[", op.name(),
             "] expected to end its block, got more ops behind it");
  if (info.verify) info.verify(op);
}

void VerifyRec(const Operation& op) {
  VerifyOne(op);
  for (int i = 0; i < op.num_regions(); ++i)
    for (auto& b : op.region(i).blocks())
      for (Operation& o : *b) VerifyRec(o);
}

}  // namespace

void Verify(const Operation& op) { VerifyRec(op); }
void Verify(const Program& program) { VerifyRec(*program.module()); }

bool Walk(const Block& block, const std::function<WalkResult(Operation&)>& f) {
  for (Operation* op = block.front(); op;) {
    Operation* next = op->next();
    std::vector<Block*> inner;
    for (int i = 0; i < op->num_regions(); ++i)
      for (auto& b : op->region(i).blocks()) inner.push_back(b.get());
    WalkResult r = f(*op);
    if (r == WalkResult::kStop) return false;
    // An op with regions that f erased has to report kSkipRegions.
    if (r == WalkResult::kContinue)
      for (Block* b : inner)
        if (!Walk(*b, f)) return false;
    op = next;
  }
  return true;
}

std::vector<Value> CapturedValues(const Operation& op) {
  std::vector<Value> out;
  std::unordered_set<Value> seen;
  for (int i = 0; i < op.num_regions(); ++i)
    for (auto& b : op.region(i).blocks())
      WalkAll(*b, [&](Operation& inner) {
        for (int k = 0; k < inner.num_operands(); ++k) {
          Value v = inner.operand(k);
          if (!v || !v.block()) continue;
          const Operation* home = v.block()->parent_op();
          if ((!home || !op.Contains(home)) && seen.insert(v).second) out.push_back(v);
        }
      });
  return out;
}

}  // namespace pir
