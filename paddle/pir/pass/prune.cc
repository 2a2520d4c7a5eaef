// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/prune.h"

#include <unordered_set>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

class Pruner {
 public:
  Pruner(const Program& p, std::span<const Value> feeds) : program_(p), feeds_(feeds.begin(), feeds.end()) {}

  void Need(Value v) {
    if (!v || feeds_.count(v)) return;
    Operation* op = v.defining_op();
    // An argument or inner value belongs to an op that is copied as a whole.
    if (!op || op->block() != &program_.block()) return;
    NeedOp(op);
    // Who pops from a stack needs all who push on it.
    if (!op->isa("cf.stack_create") || v.index() == 1) return;
    for (OpOperand* u = op->result(1).first_use(); u; u = u->next_use()) {
      Operation* user = u->owner();
      while (user && user->block() != &program_.block()) user = user->parent_op();
      if (user) NeedOp(user);
    }
  }

  // Writers of needed values come along until nothing changes.
  void Close() {
    Drain();
    for (bool more = true; more;) {
      more = false;
      for (Operation& op : program_.block()) {
        if (needed_.count(&op) || !WritesOperand(*op.info())) continue;
        if (!WritesBeforeUse(op)) continue;
        NeedOp(&op);
        Drain();
        more = true;
      }
    }
  }

  bool needed(const Operation* op) const { return needed_.count(op) != 0; }

 private:
  void NeedOp(Operation* op) {
    if (needed_.insert(op).second) work_.push_back(op);
  }

  void Drain() {
    while (!work_.empty()) {
      Operation* op = work_.back();
      work_.pop_back();
      for (int i = 0; i < op->num_operands(); ++i) Need(op->operand(i));
      if (op->num_regions())
        for (Value v : CapturedValues(*op)) Need(v);
    }
  }

  bool WritesBeforeUse(const Operation& writer) const {
    for (int i = 0; i < writer.num_operands(); ++i) {
      Value v = writer.operand(i);
      if (!v) continue;
      for (OpOperand* u = v.first_use(); u; u = u->next_use()) {
        const Operation* user = u->owner();
        while (user && user->block() != &program_.block()) user = user->parent_op();
        if (user && user != &writer && needed_.count(user) && writer.IsBefore(user)) return true;
      }
    }
    return false;
  }

  const Program& program_;
  std::unordered_set<Value> feeds_;
  std::unordered_set<const Operation*> needed_;
  std::vector<Operation*> work_;
};

}  // namespace

std::unique_ptr<Program> Prune(const Program& program, std::span<const Value> feeds, std::span<const Value> fetches,
                               const PruneOptions& options, IrMapping* mapping) {
  auto check = [&](Value v, const char* what) {
    PD_CHECK(v && v.block() == &program.block(), InvalidArgument, "[prune] expected ", what,
             " to be a value of the program's top block, got ", v ? "another value" : "none");
  };
  Pruner pruner(program, feeds);
  for (Value v : feeds) check(v, "a feed");
  for (Value v : fetches) {
    check(v, "a fetch");
    pruner.Need(v);
  }
  pruner.Close();

  auto result = std::make_unique<Program>();
  IrMapping local;
  IrMapping& map = mapping ? *mapping : local;
  Builder b(result.get());
  auto feed_at = [&](const Operation& op) {
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (feeds[i].defining_op() != &op || map.Has(feeds[i])) continue;
      Value v;
      if (op.isa(pd::kData)) {
        b.Insert(CloneOp(op, map));
      } else {
        std::string name = i < options.feed_names.size() ? options.feed_names[i] : "feed_" + std::to_string(i);
        v = BuildData(b, name, feeds[i].type());
        map.Map(feeds[i], v);
      }
    }
  };
  for (Operation& op : program.block()) {
    feed_at(op);
    if (pruner.needed(&op) && !map.Lookup(&op)) b.Insert(CloneOp(op, map));
    if ((op.isa("builtin.parameter") || op.isa("builtin.constant")) && pruner.needed(&op)) {
      const std::string& name = op.attr(op.isa("builtin.constant") ? "value" : "parameter_name").to_str();
      if (auto p = program.parameter(name)) result->set_parameter(name, p);
    }
  }
  if (options.add_fetch)
    for (size_t i = 0; i < fetches.size(); ++i)
      BuildFetch(b, map.Lookup(fetches[i]), "fetch_name_" + std::to_string(i), static_cast<int>(i));
  while (RemoveUnusedStacks(result->block())) {}
  Verify(*result);
  return result;
}

}  // namespace pir
