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

std::vector<std::shared_ptr<void>> EvaluateOp(const pir::Operation& op, std::span<const std::shared_ptr<void>> operands) {
  if (op.num_regions() || op.name().substr(0, 6) != "pd_op.") return {};
  for (int i = 0; i < op.num_results(); ++i)
    if (!op.result_type(i).is_dense()) return {};
  pir::Program program;
  pir::Builder builder(&program);
  pir::IrMapping mapping;
  for (size_t i = 0; i < operands.size(); ++i) {
    const pir::Value v = op.operand(static_cast<int>(i));
    if (!operands[i] || mapping.Has(v)) continue;
    if (!v.type().is_dense()) return {};
    const std::string name = "operand_" + std::to_string(i);
    mapping.Map(v, pir::BuildParameter(builder, name, v.type(), false));
    program.set_parameter(name, operands[i]);
  }
  pir::Operation* copy = builder.Insert(pir::CloneOp(op, mapping));
  std::vector<pir::Value> results;
  for (int i = 0; i < copy->num_results(); ++i) results.push_back(copy->result(i));
  std::vector<std::shared_ptr<void>> out;
  for (const Tensor& t : Plan::Build(program, {}, results)->Run({})) out.push_back(std::make_shared<Tensor>(t));
  return out;
}

namespace {
[[maybe_unused]] const bool registered = (pir::SetConstantEvaluator(&EvaluateOp), true);
}  // namespace

}  // namespace executor
