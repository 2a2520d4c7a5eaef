// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/decomposition_pass.h"

#include <algorithm>
#include <utility>

#include "paddle/eager/compose/decomposer.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/dialect/numbers.h"

namespace egr {
namespace {

class Decomposition : public pir::Pass {
 public:
  explicit Decomposition(std::vector<std::string> names) : Pass("decomposition_pass"), names_(std::move(names)) {}

  bool Run(pir::Program& program) override {
    Recorder recorder(&program);
    RecordGuard recording(&recorder);
    State().grad_enabled = false;
    State().amp_level = 0;
    return RunOn(program.block(), recorder);
  }

 private:
  bool Asked(const pir::Operation& op) const {
    return names_.empty() || std::any_of(names_.begin(), names_.end(), [&](const std::string& n) {
             return op.name() == n || op.info()->short_name() == n;
           });
  }

  bool RunOn(pir::Block& block, Recorder& recorder) {
    bool changed = false;
    for (pir::Operation* op = block.front(); op;) {
      pir::Operation* next = op->next();
      for (int r = 0; r < op->num_regions(); ++r)
        for (const auto& inner : op->region(r).blocks()) changed |= RunOn(*inner, recorder);
      if (Asked(*op)) changed |= Replace(*op, recorder);
      op = next;
    }
    return changed;
  }

  static bool Replace(pir::Operation& op, Recorder& recorder) {
    const paddle::DecomposeFn build = paddle::FindDecomposition(op.name());
    const auto* def = static_cast<const phi::OpDef*>(op.info()->phi_op);
    if (!build || !def) return false;
    for (const phi::OutDef& o : def->outs)
      if (o.same_as_input) return false;
    recorder.builder().SetBefore(&op);
    const pir::Builder::SourceGuard at(recorder.builder(), op.source() ? op.source() : common::kNoSource);
    int operand = 0;
    auto next = [&] { return operand < op.num_operands() ? op.operand(operand++) : pir::Value(); };
    std::vector<Tensor> tensors(def->tensors.size()), results(def->outs.size());
    std::vector<phi::InSlot> in;
    for (Tensor& t : tensors) {
      if (const pir::Value v = next()) t = recorder.Wrap(v);
      in.emplace_back(t);
    }
    std::vector<phi::AttrValue> attrs;
    for (const phi::ArgDef* a : def->attrs) {
      if (a->kind == phi::ArgDef::kOperandAttr) {
        auto value = pir::NumbersOf(next());
        if (!value) return false;
        attrs.push_back(std::move(*value));
      } else {
        const pir::Attribute given = op.attr(a->name);
        attrs.push_back(given ? given.value(static_cast<pir::AttrCode>(a->attr_index)) : a->def);
      }
    }
    std::vector<phi::OutSlot> outs(results.size());
    for (int k = 0; k < op.num_results(); ++k)
      if (!op.result(k).use_empty()) outs[static_cast<size_t>(k)] = phi::OutSlot(results[static_cast<size_t>(k)]);
    build(in.data(), attrs.data(), outs.data());
    for (int k = 0; k < op.num_results(); ++k) {
      if (op.result(k).use_empty()) continue;
      Tensor& t = results[static_cast<size_t>(k)];
      PD_CHECK(t.defined(), Internal, "[decomposition] expected the result ", def->outs[static_cast<size_t>(k)].name,
               " of ", def->name, ", got none");
      if (t.dtype() != op.result(k).dtype()) t = paddle::cast(t, op.result(k).dtype());
      const pir::Value v = recorder.ValueOf(t);
      v.set_stop_gradient(op.result(k).stop_gradient());
      op.result(k).ReplaceAllUsesWith(v);
    }
    op.Erase();
    return true;
  }

  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<pir::Pass> CreateDecomposition(std::vector<std::string> names) {
  return std::make_unique<Decomposition>(std::move(names));
}

}  // namespace egr
