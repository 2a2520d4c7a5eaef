// SPDX-License-Identifier: Apache-2.0
// pd_op.print and pd_op.assert, which only exist in programs.
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/pd_op.h"

namespace egr {
namespace {

Recorder& Active(const char* op) {
  PD_CHECK(State().recorder != nullptr, PreconditionNotMet, "[", op, "] expected a program being recorded, got none");
  return *State().recorder;
}

Tensor Print(Recorder& r, const Tensor& x, const PrintOptions& o, bool forward, bool differentiable) {
  using A = pir::Attribute;
  pir::AttributeMap attrs{{"first_n", A::Int32(o.first_n)},           {"message", A::Str(o.message)},
                          {"summarize", A::Int32(o.summarize)},       {"print_tensor_name", A::Bool(o.name)},
                          {"print_tensor_type", A::Bool(o.type)},     {"print_tensor_shape", A::Bool(o.shape)},
                          {"print_tensor_layout", A::Bool(o.layout)}, {"print_tensor_lod", A::Bool(o.lod)},
                          {"print_phase", A::Str(o.phase)},           {"is_forward", A::Bool(forward)}};
  const pir::Builder::SourceGuard at = r.AtUserLine();
  pir::Value in = r.ValueOf(x);
  pir::Type type = in.type();
  pir::Value out = r.builder()
                       .Create(pir::FindOp(pir::pd::kPrint), std::span<const pir::Value>(&in, 1), std::move(attrs),
                               std::span<const pir::Type>(&type, 1))
                       ->result(0);
  out.set_stop_gradient(!differentiable);
  return r.Wrap(out);
}

// Hands the gradient on, printed where it is recorded for a run.
class PrintNode final : public GradNode {
 public:
  PrintNode(const Tensor& x, PrintOptions options) : options_(std::move(options)) {
    SetCounts(1, 1);
    SetInput(0, x);
  }
  const char* name() const override { return "print"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    const bool recorded = !create_graph && State().record == RecordMode::kRecord && options_.phase != "FORWARD";
    in[0] = recorded && grads[0].defined() ? Print(Active("print"), grads[0], options_, false, false) : grads[0];
  }

 private:
  PrintOptions options_;
};

}  // namespace

Tensor PrintAgain(pir::Operation* op, const Tensor& x) {
  Tensor t = Active("print").Wrap(op->result(0));
  if (!State().grad_enabled || !NeedsGrad(x)) return t;
  Active("print").ValueOf(x);  // notes what a region uses
  PrintOptions o;
  o.first_n = static_cast<int>(op->attr("first_n").to_int());
  o.message = op->attr("message").to_str();
  o.summarize = static_cast<int>(op->attr("summarize").to_int());
  o.name = op->attr("print_tensor_name").to_bool();
  o.type = op->attr("print_tensor_type").to_bool();
  o.shape = op->attr("print_tensor_shape").to_bool();
  o.layout = op->attr("print_tensor_layout").to_bool();
  o.lod = op->attr("print_tensor_lod").to_bool();
  o.phase = op->attr("print_phase").to_str();
  Ref<PrintNode>(new PrintNode(x, o))->SetOutput(0, t);
  return t;
}

Tensor RecordPrint(const Tensor& x, const PrintOptions& o) {
  const bool needs = State().grad_enabled && NeedsGrad(x);
  Tensor t = Print(Active("print"), x, o, true, needs);
  if (needs) Ref<PrintNode>(new PrintNode(x, o))->SetOutput(0, t);
  return t;
}

void RecordAssert(const Tensor& condition, const std::vector<Tensor>& data, int64_t summarize) {
  Recorder& r = Active("assert");
  const pir::Builder::SourceGuard at = r.AtUserLine();
  std::vector<pir::Value> values;
  for (const Tensor& t : data) values.push_back(r.ValueOf(t));
  const pir::Value operands[] = {r.ValueOf(condition), pir::BuildCombine(r.builder(), values)};
  r.builder().Create(pir::FindOp(pir::pd::kAssert), operands, {{"summarize", pir::Attribute::Int64(summarize)}}, {});
}

}  // namespace egr
