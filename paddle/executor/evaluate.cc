// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/evaluate.h"

#include "paddle/executor/plan.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/core/type.h"
#include "paddle/pir/pass/passes.h"

namespace executor {

std::vector<std::shared_ptr<void>> EvaluateOp(const pir::Operation& op,
                                              std::span<const std::shared_ptr<void>> operands) {
  if (op.num_regions() || op.info()->dialect() != "pd_op") return {};
  for (int i = 0; i < op.num_results(); ++i)
    if (!op.result_type(i).is_dense()) return {};
  pir::Program program;
  pir::Builder builder(&program);
  pir::IrMapping mapping;
  size_t next = 0;
  auto parameter = [&](pir::Type type) {
    const std::string name = "operand_" + std::to_string(next);
    program.set_parameter(name, operands[next++]);
    return pir::BuildParameter(builder, name, type, false);
  };
  for (int i = 0; i < op.num_operands(); ++i) {
    const pir::Value v = op.operand(i);
    const size_t count = v && v.type().is_vector() ? v.type().elements().size() : 1;
    if (next + count > operands.size()) return {};
    if (!v || (!v.type().is_vector() && (!operands[next] || mapping.Has(v)))) {
      ++next;
    } else if (v.type().is_vector()) {
      std::vector<pir::Value> members;
      for (pir::Type t : v.type().elements()) {
        if (!t.is_dense() || !operands[next]) return {};
        members.push_back(parameter(t));
      }
      if (!mapping.Has(v)) mapping.Map(v, pir::BuildCombine(builder, members));
    } else if (v.type().is_dense()) {
      mapping.Map(v, parameter(v.type()));
    } else {
      return {};
    }
  }
  pir::Operation* copy = builder.Insert(pir::CloneOp(op, mapping));
  std::vector<pir::Value> results;
  for (int i = 0; i < copy->num_results(); ++i) results.push_back(copy->result(i));
  std::vector<std::shared_ptr<void>> out;
  for (const Tensor& t : Plan::Build(program, {}, results)->Run({})) out.push_back(std::make_shared<Tensor>(t));
  return out;
}

namespace {
std::optional<bool> ReadBool(const std::shared_ptr<void>& held) {
  const Tensor& t = *static_cast<const Tensor*>(held.get());
  if (!t.defined() || t.numel() != 1 || t.dtype() != phi::DataType::BOOL) return {};
  return *t.data<bool>();
}

[[maybe_unused]] const bool registered =
    (pir::SetConstantEvaluator(&EvaluateOp), pir::SetConstantReader(&ReadBool), true);
}  // namespace

}  // namespace executor
