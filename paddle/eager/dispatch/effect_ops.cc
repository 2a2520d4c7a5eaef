// SPDX-License-Identifier: Apache-2.0
// pd_op.print and pd_op.assert, which only exist in programs.
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/dialect/builtin.h"

namespace egr {
namespace {

Recorder& Active(const char* op) {
  PD_CHECK(State().recorder != nullptr, PreconditionNotMet, "[", op, "] expected a program being recorded, got none");
  return *State().recorder;
}

}  // namespace

Tensor RecordPrint(const Tensor& x, const PrintOptions& o) {
  Recorder& r = Active("print");
  using A = pir::Attribute;
  pir::AttributeMap attrs{{"first_n", A::Int32(o.first_n)},        {"message", A::Str(o.message)},
                          {"summarize", A::Int32(o.summarize)},    {"print_tensor_name", A::Bool(o.name)},
                          {"print_tensor_type", A::Bool(o.type)},  {"print_tensor_shape", A::Bool(o.shape)},
                          {"print_tensor_layout", A::Bool(o.layout)}, {"print_tensor_lod", A::Bool(o.lod)},
                          {"print_phase", A::Str(o.phase)},        {"is_forward", A::Bool(true)}};
  pir::Value in = r.ValueOf(x);
  pir::Type type = in.type();
  pir::Value out = r.builder()
                       .Create(pir::FindOp("pd_op.print"), std::span<const pir::Value>(&in, 1), std::move(attrs),
                               std::span<const pir::Type>(&type, 1))
                       ->result(0);
  Tensor t = r.Wrap(out);
  // The gradient passes through: the result stands where x does in the graph.
  bool needs = State().grad_enabled && NeedsGrad(x);
  out.set_stop_gradient(!needs);
  if (needs) {
    Edge e = GradEdge(x);
    t->stop_gradient = false;
    t->node = Ref<phi::RefCounted>(e.node.get());
    t->slot = e.slot;
  }
  return t;
}

void RecordAssert(const Tensor& condition, const std::vector<Tensor>& data, int64_t summarize) {
  Recorder& r = Active("assert");
  std::vector<pir::Value> values;
  for (const Tensor& t : data) values.push_back(r.ValueOf(t));
  const pir::Value operands[] = {r.ValueOf(condition), pir::BuildCombine(r.builder(), values)};
  r.builder().Create(pir::FindOp("pd_op.assert"), operands, {{"summarize", pir::Attribute::Int64(summarize)}}, {});
}

}  // namespace egr
