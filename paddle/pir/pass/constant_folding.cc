// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "paddle/pir/core/verify.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

std::mutex evaluator_mutex;
EvaluateFn& DefaultEvaluator() {
  static auto* f = new EvaluateFn;
  return *f;
}

// Results whose every use is itself constant need not be kept: only the roots of constant trees become constants.
class ConstantFolding : public Pass {
 public:
  explicit ConstantFolding(ConstantFoldingOptions o) : Pass("constant_folding_pass"), o_(std::move(o)) {}

  bool Run(Program& program) override {
    if (!o_.evaluate) {
      std::lock_guard lock(evaluator_mutex);
      o_.evaluate = DefaultEvaluator();
    }
    if (!o_.evaluate) return false;
    program_ = &program;
    inplace_ = HasInplaceOps(program);
    constant_.clear();
    values_.clear();
    bool changed = false;
    std::vector<Operation*> candidates;
    WalkAll(program.block(), [&](Operation& op) {
      if (Classify(op) && op.num_operands() > 0 && !op.isa("builtin.combine")) candidates.push_back(&op);
    });
    for (Operation* op : candidates)
      if (IsRoot(*op)) changed = Fold(*op) || changed;
    // What is left of the trees goes with dead code elimination.
    values_.clear();
    return changed;
  }

 private:
  bool Classify(const Operation& op) {
    bool c;
    if (op.isa("builtin.parameter")) {
      c = o_.fold_parameters;
    } else if (op.isa("builtin.constant")) {
      c = true;
    } else if (op.isa("builtin.combine")) {
      c = true;
      for (int i = 0; c && i < op.num_operands(); ++i) c = IsConstant(op.operand(i));
    } else {
      // Without operands only ops like pd_op.full are constant; data and parameters are not.
      c = IsDeterministic(op) && op.num_results() > 0 && !op.isa("builtin.split");
      c = c && (op.num_operands() > 0 || op.info()->has(kConstantLike) || HoldsNumbers(op));
      for (int i = 0; c && i < op.num_operands(); ++i) c = !op.operand(i) || IsConstant(op.operand(i));
      for (int i = 0; c && i < op.num_results(); ++i) c = op.result_type(i).is_dense() && Small(op.result_type(i));
    }
    for (int i = 0; c && inplace_ && i < op.num_results(); ++i) c = !IsMutated(op.result(i));
    if (c) constant_.insert(&op);
    return c;
  }
  bool IsConstant(Value v) const { return v.defining_op() && constant_.count(v.defining_op()); }

  bool Small(Type t) const {
    int64_t n = 1;
    for (common::Dim d : t.dims())
      if (!d.known() || __builtin_mul_overflow(n, d.raw(), &n) || n > o_.max_elements) return false;
    return true;
  }

  // A list is folded by its members when one of its users is not constant.
  bool IsRoot(const Operation& op) const {
    for (int i = 0; i < op.num_results(); ++i)
      for (OpOperand* u = op.result(i).first_use(); u; u = u->next_use())
        if (!constant_.count(u->owner()) || (u->owner()->isa("builtin.combine") && IsRoot(*u->owner()))) return true;
    return false;
  }

  // Values of all results (of a list: of its members); nullptr when an op of the tree cannot be computed.
  const std::vector<std::shared_ptr<void>>* Evaluate(const Operation& op) {
    auto it = values_.find(&op);
    if (it != values_.end()) return it->second.empty() ? nullptr : &it->second;
    std::vector<std::shared_ptr<void>> out;
    if (op.isa("builtin.parameter") || op.isa("builtin.constant")) {
      auto p = program_->parameter(op.attr(op.isa("builtin.constant") ? "value" : "parameter_name").to_str());
      if (p) out.push_back(p);
    } else {
      std::vector<std::shared_ptr<void>> in;
      bool ok = true;
      for (int i = 0; ok && i < op.num_operands(); ++i) {
        Value v = op.operand(i);
        if (!v) {
          in.push_back(nullptr);
          continue;
        }
        const auto* r = Evaluate(*v.defining_op());
        ok = r && static_cast<size_t>(v.index()) < r->size();
        if (ok && v.type().is_vector())
          in.insert(in.end(), r->begin(), r->end());
        else if (ok)
          in.push_back((*r)[v.index()]);
      }
      const bool list = op.isa("builtin.combine");
      if (ok && list)
        out = std::move(in);
      else if (ok)
        out = o_.evaluate(op, in);
      if (!list && out.size() != static_cast<size_t>(op.num_results())) out.clear();
    }
    auto& stored = values_[&op] = std::move(out);
    return stored.empty() ? nullptr : &stored;
  }

  bool Fold(Operation& op) {
    const auto* r = Evaluate(op);
    if (!r) return false;
    static std::atomic<uint64_t> counter{0};
    bool changed = false;
    for (int i = 0; i < op.num_results(); ++i) {
      Value old = op.result(i);
      if (old.use_empty() || !(*r)[i]) continue;
      std::string name = "constant_folding@_" + std::to_string(counter.fetch_add(1));
      // Constants stand outside of branches and loops, where parameters do.
      Operation* before = &op;
      while (before->block() != &program_->block()) before = before->parent_op();
      Builder b;
      b.SetBefore(before);
      Value c = BuildConstantTensor(b, name, old.type());
      c.set_stop_gradient(old.stop_gradient());
      if (old.has_persistable()) c.set_persistable(old.persistable());
      program_->set_parameter(name, (*r)[i]);
      constant_.insert(c.defining_op());
      old.ReplaceAllUsesWith(c);
      changed = true;
    }
    return changed;
  }

  ConstantFoldingOptions o_;
  Program* program_ = nullptr;
  bool inplace_ = false;
  std::unordered_set<const Operation*> constant_;
  std::unordered_map<const Operation*, std::vector<std::shared_ptr<void>>> values_;
};

}  // namespace

std::unique_ptr<Pass> CreateConstantFolding(ConstantFoldingOptions options) {
  return std::make_unique<ConstantFolding>(std::move(options));
}

void SetConstantEvaluator(EvaluateFn evaluate) {
  std::lock_guard lock(evaluator_mutex);
  DefaultEvaluator() = std::move(evaluate);
}

}  // namespace pir
