// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <vector>

#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

// Attributes that say where an op comes from, not what it computes.
bool IsOriginAttr(const std::string& name) {
  return name == "struct_name" || name == "op_callstack" || name == "op_role";
}

size_t Mix(size_t h, size_t v) { return (h ^ v) * 0x9e3779b97f4a7c15ULL + (h >> 7); }

// `rep` gives the value that stands for those equal to an operand.
size_t HashOp(const Operation& op, const auto& rep) {
  size_t h = Mix(reinterpret_cast<size_t>(op.info()), static_cast<size_t>(op.num_operands()));
  for (int i = 0; i < op.num_operands(); ++i) h = Mix(h, std::hash<Value>()(rep(op.operand(i))));
  for (const NamedAttribute& a : op.attrs())
    if (!IsOriginAttr(a.name.str())) h = Mix(h, Mix(std::hash<Name>()(a.name), std::hash<Attribute>()(a.value)));
  return h;
}

bool EqualAttrs(const AttributeMap& a, const AttributeMap& b) {
  auto skip = [](auto& it, auto end) {
    while (it != end && IsOriginAttr(it->name.str())) ++it;
  };
  auto x = a.begin(), y = b.begin();
  for (;; ++x, ++y) {
    skip(x, a.end());
    skip(y, b.end());
    if (x == a.end() || y == b.end()) return x == a.end() && y == b.end();
    if (!(x->name == y->name) || !(x->value == y->value)) return false;
  }
}

bool EqualOps(const Operation& a, const Operation& b, const auto& rep) {
  if (a.info() != b.info() || a.num_operands() != b.num_operands() || a.num_results() != b.num_results()) return false;
  for (int i = 0; i < a.num_operands(); ++i)
    if (!(rep(a.operand(i)) == rep(b.operand(i)))) return false;
  for (int i = 0; i < a.num_results(); ++i)
    if (!SameVisible(a.result_type(i), b.result_type(i)) || a.result(i).stop_gradient() != b.result(i).stop_gradient())
      return false;
  return EqualAttrs(a.attrs(), b.attrs());
}

bool Eligible(const Operation& op, bool inplace) {
  if (!IsDeterministic(op) || op.num_results() == 0 || op.isa("builtin.parameter")) return false;
  for (int i = 0; i < op.num_results(); ++i)
    if (op.result(i).persistable() || (inplace && IsMutated(op.result(i)))) return false;
  if (inplace)
    for (int i = 0; i < op.num_operands(); ++i)
      if (op.operand(i) && IsMutated(op.operand(i))) return false;
  return true;
}

Value Itself(Value v) { return v; }

class CommonSubexpressionElimination : public Pass {
 public:
  explicit CommonSubexpressionElimination(bool separate_results)
      : Pass("common_subexpression_elimination_pass"), separate_(separate_results) {}

  bool Run(Program& program) override {
    inplace_ = HasInplaceOps(program);
    changed_ = false;
    seen_.clear();
    Visit(program.block());
    return changed_;
  }

 private:
  static bool Returned(const Operation& op) {
    for (int i = 0; i < op.num_results(); ++i)
      if (Escapes(op.result(i))) return true;
    return false;
  }

  // `seen_` holds the ops visible here; those of a block leave with it.
  void Visit(Block& block) {
    std::vector<std::pair<size_t, Operation*>> own;
    for (Operation* op = block.front(); op;) {
      Operation* next = op->next();
      for (int i = 0; i < op->num_regions(); ++i)
        for (auto& b : op->region(i).blocks()) Visit(*b);
      if (Eligible(*op, inplace_)) {
        size_t h = HashOp(*op, Itself);
        Operation* same = nullptr;
        auto [b, e] = seen_.equal_range(h);
        for (; b != e && !same; ++b)
          if (EqualOps(*b->second, *op, Itself) && !(separate_ && Returned(*op) && Returned(*b->second)))
            same = b->second;
        if (same) {
          op->ReplaceAllUsesWith(same->results_vec());
          op->Erase();
          changed_ = true;
        } else {
          seen_.emplace(h, op);
          own.emplace_back(h, op);
        }
      }
      op = next;
    }
    for (auto& [h, op] : own) {
      auto [b, e] = seen_.equal_range(h);
      for (; b != e; ++b)
        if (b->second == op) {
          seen_.erase(b);
          break;
        }
    }
  }

  std::unordered_multimap<size_t, Operation*> seen_;
  bool separate_, inplace_ = false, changed_ = false;
};

}  // namespace

std::unordered_map<Value, Value> EqualValues(Program& program) {
  const bool inplace = HasInplaceOps(program);
  std::unordered_map<Value, Value> first;
  const auto rep = [&](Value v) {
    auto it = first.find(v);
    return it == first.end() ? v : it->second;
  };
  std::unordered_multimap<size_t, Operation*> seen;
  for (Operation& op : program.block()) {
    if (!Eligible(op, inplace) || op.num_regions()) continue;
    const size_t h = HashOp(op, rep);
    auto [b, e] = seen.equal_range(h);
    while (b != e && !EqualOps(*b->second, op, rep)) ++b;
    if (b == e) {
      seen.emplace(h, &op);
      continue;
    }
    for (int i = 0; i < op.num_results(); ++i) first.emplace(op.result(i), b->second->result(i));
  }
  return first;
}

std::unique_ptr<Pass> CreateCommonSubexpressionElimination(bool separate_results) {
  return std::make_unique<CommonSubexpressionElimination>(separate_results);
}

}  // namespace pir
