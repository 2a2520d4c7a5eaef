// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/evaluate.h"

#include <cstring>
#include <unordered_map>

#include "paddle/executor/plan.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/core/type.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/serialize/program_json.h"

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

void LoadParameters(pir::Program& program, pir::ParamsReader& reader) {
  std::unordered_map<std::string, pir::Type> types;
  for (pir::Operation* op = program.block().front(); op; op = op->next())
    if (op->isa("builtin.parameter")) types[op->attr("parameter_name").to_str()] = op->result_type(0);
  for (const std::string& name : pir::SortedParameterNames(program)) {
    pir::RawTensor raw = reader.Next();
    pir::Type want = types.at(name);
    PD_CHECK(raw.dtype == want.dtype() && common::ToInts(want.dims()) == raw.dims, InvalidArgument,
             "[load] expected parameter ", name, " to be ", pir::TypeText(want), ", got ", phi::NameOf(raw.dtype), " ",
             common::ShapeText(raw.dims));
    Tensor t = phi::Empty(raw.dims, raw.dtype);
    if (raw.size) std::memcpy(t.raw_data(), raw.data, raw.size);
    t->persistable = true;
    program.set_parameter(name, std::make_shared<Tensor>(t));
  }
  reader.ExpectEnd();
}

namespace {
[[maybe_unused]] const bool registered = (pir::SetConstantEvaluator(&EvaluateOp), true);
}  // namespace

}  // namespace executor
