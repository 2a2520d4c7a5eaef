// SPDX-License-Identifier: Apache-2.0
// Records what compositions and composed gradients do, for pir::Expand.
#include "paddle/pir/pass/expansion.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "paddle/common/op_traits.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/core/gradient_check.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/dialect/numbers.h"

namespace egr {
namespace {

// One that takes more operations is no shorter to run as these.
constexpr size_t kMostOperations = 256;

bool IsKnown(pir::Type t) { return t.is_dense() && common::AllKnown(t.dims()); }

class Expander {
 public:
  Expander(const pir::Operation& op, const phi::OpDef& def, pir::Expansion& into)
      : op_(op), def_(def), into_(into), recorder_(&into.program) {}

  bool Run(const std::vector<bool>& wanted) {
    if (!ReadOperands()) return false;
    std::vector<Tensor> results(def_.outs.size());
    std::vector<std::vector<Tensor>> lists(def_.outs.size());
    std::vector<phi::OutSlot> outs(def_.outs.size());
    for (size_t k = 0; k < outs.size(); ++k)
      if (wanted[k] || !(def_.flags & phi::kOpSparing))
        outs[k] = def_.outs[k].variadic ? phi::OutSlot(lists[k]) : phi::OutSlot(results[k]);
    {
      const RecordGuard recording(&recorder_);
      recorder_.builder().set_source(op_.source() ? op_.source() : common::kNoSource);
      State().record = RecordMode::kExpand;
      if (const phi::OpDef* of = phi::GradientOf(def_))
        phi::CheckGradientOperands(def_, *of, slots_.data(), attrs_.data());
      def_.Run(phi::ThreadContext(), slots_.data(), attrs_.data(), outs.data());
    }
    into_.results.resize(outs.size());
    for (size_t k = 0; k < outs.size(); ++k) {
      if (!wanted[k]) continue;
      const bool variadic = def_.outs[k].variadic;
      const pir::Type type = op_.result(static_cast<int>(k)).type();
      const auto types = variadic ? type.elements() : std::vector<pir::Type>{type};
      const std::vector<Tensor>& made = variadic ? lists[k] : std::vector<Tensor>{results[k]};
      if (made.size() != types.size()) return false;
      for (size_t i = 0; i < made.size(); ++i)
        if (!AddResult(made[i], types[i], into_.results[k])) return false;
    }
    return recorder_.captured().empty() && into_.program.block().size() <= kMostOperations && !ComputesExtents();
  }

 private:
  // Whether operations compute attributes, of extents that the composition, run as one, reads from its operands.
  bool ComputesExtents() {
    for (const pir::Operation& one : into_.program.block()) {
      const auto* def = static_cast<const phi::OpDef*>(one.info()->phi_op);
      if (common::TraitsOf(one.name()).calculation == common::Calculation::kShape) return true;
      for (int k = def ? static_cast<int>(def->tensors.size()) : 0; def && k < one.num_operands(); ++k) {
        const pir::Operation* maker = one.operand(k) ? one.operand(k).defining_op() : nullptr;
        if (!maker || !pir::HoldsNumbers(*maker)) return true;
      }
    }
    return false;
  }
  bool AddResult(const Tensor& t, pir::Type type, std::vector<pir::Value>& to) {
    if (!t.defined() || t.dtype() != type.dtype()) return false;
    const bool known = common::AllKnown(t.extents());
    if (IsKnown(type) && (!known || common::ToInts(t.extents()) != common::ToInts(type.dims()))) return false;
    to.push_back(recorder_.ValueOf(t));
    return true;
  }
  bool AddInput(pir::Value v, std::vector<Tensor>& to) {
    // Run as one, some compositions call a kernel that refuses complex numbers; so does the operation then. Gradients
    // are of operations that took them.
    if (!v || !v.type().is_dense() || (phi::IsComplex(v.type().dtype()) && !phi::GradientOf(def_))) return false;
    to.push_back(recorder_.Data("x" + std::to_string(into_.inputs.size()), {v.type().dims(), v.type().dtype()}));
    into_.inputs.push_back(recorder_.ValueOf(to.back()));
    return true;
  }
  bool ReadOperands() {
    int operand = 0;
    const auto next = [&] { return operand < op_.num_operands() ? op_.operand(operand++) : pir::Value(); };
    tensors_.resize(def_.tensors.size());
    for (size_t k = 0; k < tensors_.size(); ++k) {
      const pir::Value v = next();
      if (def_.tensors[k]->kind == phi::ArgDef::kTensorList) {
        const pir::Operation* list = v ? v.defining_op() : nullptr;
        if (!list || !list->isa("builtin.combine")) return false;
        for (int i = 0; i < list->num_operands(); ++i)
          if (!AddInput(list->operand(i), tensors_[k])) return false;
      } else if (v) {
        if (!AddInput(v, tensors_[k])) return false;
      } else {
        if (def_.tensors[k]->kind == phi::ArgDef::kTensor) return false;
        tensors_[k].emplace_back();
      }
    }
    for (const std::vector<Tensor>& t : tensors_) slots_.emplace_back(t);
    for (const phi::ArgDef* a : def_.attrs) {
      if (a->kind == phi::ArgDef::kOperandAttr) {
        const pir::Value v = next();
        std::optional<phi::AttrValue> numbers = v ? pir::NumbersOf(v) : a->def;
        const pir::Operation* full = v ? pir::FullBehind(v) : nullptr;
        if (!numbers || (full && common::Product(full->attr("shape").to_ints()) != 1)) return false;
        attrs_.push_back(std::move(*numbers));
      } else {
        const pir::Attribute given = op_.attr(a->name);
        attrs_.push_back(given ? given.value(static_cast<pir::AttrCode>(a->attr_index)) : a->def);
      }
    }
    if (attrs_.empty()) attrs_.emplace_back();
    return true;
  }

  const pir::Operation& op_;
  const phi::OpDef& def_;
  pir::Expansion& into_;
  Recorder recorder_;
  std::vector<std::vector<Tensor>> tensors_;
  std::vector<phi::InSlot> slots_;
  std::vector<phi::AttrValue> attrs_;
};

bool Expand(const pir::Operation& op, const std::vector<bool>& wanted, pir::Expansion& into) {
  const auto* def = static_cast<const phi::OpDef*>(op.info()->phi_op);
  if (!def || !(def->flags & phi::kOpComposed) || (def->flags & (phi::kOpRandom | phi::kOpSideEffect))) return false;
  try {
    return Expander(op, *def, into).Run(wanted);
  } catch (const std::exception&) {  // it asks for data; run as it is, it says so itself where that is an error
    return false;
  }
}

[[maybe_unused]] const bool registered = (pir::SetExpand(&Expand), true);

}  // namespace
}  // namespace egr
