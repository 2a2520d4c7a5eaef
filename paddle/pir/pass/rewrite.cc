// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/rewrite.h"

#include <algorithm>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/pass/passes.h"

namespace pir {

void PatternRewriter::ReplaceOp(Operation* op, std::span<const Value> values) {
  PD_CHECK(static_cast<int>(values.size()) == op->num_results(), InvalidArgument, "[pattern] expected ",
           op->num_results(), " values to replace '", op->name(), "', got ", values.size());
  for (int i = 0; i < op->num_results(); ++i) {
    Value old = op->result(i);
    if (!values[i]) {
      PD_CHECK(old.use_empty(), InvalidArgument, "[pattern] expected a value for the used result ", i, " of '",
               op->name(), "', got none");
      continue;
    }
    if (values[i].name().empty() && !old.name().empty()) values[i].set_name(old.name());
    if (!values[i].has_stop_gradient() && old.has_stop_gradient()) values[i].set_stop_gradient(old.stop_gradient());
    old.ForEachUse([&](OpOperand& u) {
      if (on_change_) on_change_(u.owner());
    });
    old.ReplaceAllUsesWith(values[i]);
  }
  EraseOp(op);
}

void PatternRewriter::EraseOp(Operation* op) {
  PD_CHECK(op->use_empty(), PreconditionNotMet, "[pattern] expected no uses of '", op->name(),
           "' when erasing it, got some");
  if (on_erase_) on_erase_(op);
  if (before() == op) SetBefore(op->next() ? op->next() : op);
  Block* b = op->block();
  bool at_end = before() == op;
  op->Erase();
  if (at_end) SetToEnd(b);
}

void PatternRewriter::Changed(Operation* op) {
  if (on_change_) on_change_(op);
}

Operation* PatternRewriter::CreateOp(std::string_view op, std::initializer_list<Value> operands, AttributeMap attrs,
                                     std::initializer_list<Type> result_types) {
  Operation* r = Create(op, operands, std::move(attrs), result_types);
  Changed(r);
  return r;
}

GraphPattern::Node GraphPattern::Any(std::string name) {
  Node n;
  n.name = std::move(name);
  return n;
}
GraphPattern::Node GraphPattern::None() {
  Node n;
  n.op = "<none>";
  return n;
}
GraphPattern::Node GraphPattern::Op(std::string op, std::vector<Node> operands) {
  Node n;
  n.op = std::move(op);
  n.operands = std::move(operands);
  return n;
}

GraphPattern::GraphPattern(std::string name, Node root, int benefit)
    : RewritePattern(root.op, benefit, std::move(name)), node_(std::move(root)) {}

GraphPattern& GraphPattern::Where(std::function<bool(const Match&)> f) {
  where_.push_back(std::move(f));
  return *this;
}
GraphPattern& GraphPattern::Replace(std::function<std::vector<Value>(const Match&, PatternRewriter&)> f) {
  replace_ = std::move(f);
  return *this;
}

bool GraphPattern::MatchNode(const Node& n, Value v, Match* m) const {
  if (n.op == "<none>") return !v;
  if (!v) return false;
  if (n.op.empty()) {
    auto [it, fresh] = m->values_.emplace(n.name, v);
    return fresh || it->second == v;
  }
  Operation* op = v.defining_op();
  if (!op || v.index() != n.result || op->block() != m->root_->block()) return false;
  if (n.one_use && !v.has_one_use()) return false;
  return MatchOpNode(n, op, m);
}

bool GraphPattern::MatchOperands(const Node& n, Operation* op, bool swapped, Match* m) const {
  for (size_t i = 0; i < n.operands.size(); ++i) {
    size_t k = swapped && i < 2 ? 1 - i : i;
    if (!MatchNode(n.operands[i], op->operand(static_cast<int>(k)), m)) return false;
  }
  return true;
}

bool GraphPattern::MatchOpNode(const Node& n, Operation* op, Match* m) const {
  if (op->name() != n.op || op->num_operands() != static_cast<int>(n.operands.size())) return false;
  for (auto& [name, want] : n.attrs)
    if (!(op->attr(name) == want)) return false;
  if (!n.name.empty()) {
    auto [it, fresh] = m->ops_.emplace(n.name, op);
    if (!fresh && it->second != op) return false;
  }
  Match saved = *m;
  if (MatchOperands(n, op, false, m)) return true;
  if (!n.commutative || n.operands.size() < 2) return false;
  *m = std::move(saved);
  return MatchOperands(n, op, true, m);
}

bool GraphPattern::MatchOp(Operation* op, Match* m) const {
  *m = Match();
  m->root_ = op;
  if (!MatchOpNode(node_, op, m)) return false;
  for (auto& f : where_)
    if (!f(*m)) return false;
  return true;
}

bool GraphPattern::MatchAndRewrite(Operation* op, PatternRewriter& rewriter) const {
  Match m;
  if (!MatchOp(op, &m)) return false;
  PD_ASSERT(replace_ != nullptr);
  std::vector<Value> values = replace_(m, rewriter);
  if (values.empty()) return false;
  rewriter.ReplaceOp(op, values);
  return true;
}

class GreedyDriver {
 public:
  GreedyDriver(const PatternSet& set, const RewriteOptions& o) : o_(o) {
    for (auto& p : set.patterns()) (p->root().empty() ? any_ : by_root_[p->root()]).push_back(p.get());
    auto by_benefit = [](const RewritePattern* a, const RewritePattern* b) { return a->benefit() > b->benefit(); };
    for (auto& [root, list] : by_root_) {
      list.insert(list.end(), any_.begin(), any_.end());
      std::stable_sort(list.begin(), list.end(), by_benefit);
    }
    std::stable_sort(any_.begin(), any_.end(), by_benefit);
    rewriter_.on_change_ = [this](Operation* op) { PushWithUsers(op); };
    rewriter_.on_erase_ = [this](Operation* op) { Forget(*op); };
  }

  int64_t Run(Block& block) {
    std::vector<Operation*> ops;
    WalkAll(block, [&](Operation& op) { ops.push_back(&op); });
    for (auto it = ops.rbegin(); it != ops.rend(); ++it) Push(*it);  // taken from the back: program order
    int64_t n = 0;
    while (!work_.empty()) {
      Operation* op = work_.back();
      work_.pop_back();
      if (!op || !in_work_.erase(op)) continue;
      if (o_.erase_dead && op->num_results() > 0 && op->use_empty() && IsRemovable(*op)) {
        rewriter_.EraseOp(op);
        continue;
      }
      if (!Apply(op)) continue;
      PD_CHECK(++n <= o_.max_rewrites, Internal, "[pattern] expected the rewriting to end, got more than ",
               o_.max_rewrites, " rewrites");
    }
    return n;
  }

 private:
  bool Apply(Operation* op) {
    auto it = by_root_.find(op->name());
    for (const RewritePattern* p : it == by_root_.end() ? any_ : it->second) {
      rewriter_.SetBefore(op);
      rewriter_.set_source(op->source());
      if (p->MatchAndRewrite(op, rewriter_)) return true;
    }
    return false;
  }
  void Push(Operation* op) {
    if (in_work_.insert(op).second) work_.push_back(op);
  }
  void PushWithUsers(Operation* op) {
    for (int i = 0; i < op->num_results(); ++i) op->result(i).ForEachUse([&](OpOperand& u) { Push(u.owner()); });
    Push(op);
  }
  // The op goes: what it used may be dead now. Its inner ops go with it.
  void Forget(const Operation& op) {
    for (int i = 0; i < op.num_operands(); ++i)
      if (Value v = op.operand(i); v && v.defining_op()) Push(v.defining_op());
    Drop(op);
  }
  void Drop(const Operation& op) {
    in_work_.erase(const_cast<Operation*>(&op));
    for (int i = 0; i < op.num_regions(); ++i)
      for (auto& b : op.region(i).blocks())
        for (Operation& inner : *b) Drop(inner);
  }

  const RewriteOptions& o_;
  std::unordered_map<std::string, std::vector<const RewritePattern*>> by_root_;
  std::vector<const RewritePattern*> any_;
  PatternRewriter rewriter_;
  std::vector<Operation*> work_;
  std::unordered_set<Operation*> in_work_;
};

int64_t ApplyPatterns(Block& block, const PatternSet& patterns, const RewriteOptions& options) {
  return GreedyDriver(patterns, options).Run(block);
}

}  // namespace pir
