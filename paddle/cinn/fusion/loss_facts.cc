// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/loss_facts.h"

#include "paddle/cinn/fusion/facts_parts.h"
#include "paddle/pir/dialect/pd_op.h"

namespace cinn {
namespace {

using Facts = std::optional<OpFacts>;

Expr First(const Expr* in, const phi::Scalar*) { return in[0]; }
Expr ExpOfDifference(const Expr* in, const phi::Scalar*) { return exp(in[0] - in[1]); }
Expr Probability(const Expr* in, const phi::Scalar*) { return exp(in[0] - in[1]) * (1 / in[2]); }  // x, max, sum
Expr IsClass(const Expr& label, const Expr& position) { return cast(label, DataType::INT64) == position; }
Expr AtLabel(const Expr* in, const phi::Scalar*) {
  return select(IsClass(in[1], in[2]), in[0], cast(Expr(0.0), in[0].dtype()));
}  // x, label, position
Expr IsIgnored(const Expr& label, const phi::Scalar* attrs) {
  return cast(label, DataType::INT64) == Expr::Int(attrs[0].to_int(), DataType::INT64);
}
Expr Loss(const Expr* in, const phi::Scalar* attrs) {  // label, max, sum, x at the label
  const Expr v = -((in[3] - in[1]) - log(in[2]));      // -0 of a certain class
  return select(IsIgnored(in[0], attrs), cast(Expr(0.0), v.dtype()), v);
}
Expr Gradient(const Expr* in, const phi::Scalar* attrs) {  // label, softmax, loss_grad, position
  const Expr g = select(IsIgnored(in[0], attrs), cast(Expr(0.0), in[2].dtype()), in[2]);
  const Expr y = in[1] * g;
  return select(IsClass(in[0], in[3]), y - g, y);
}

// The class axis, or nothing when the labels are not class numbers of a known count.
std::optional<int> ClassAxis(const pir::Operation& op, pir::Value x, pir::Value label) {
  if (!Usable(x) || !Usable(label) || !phi::IsFloating(x.dtype())) return std::nullopt;
  if (label.dtype() != DataType::INT64 && label.dtype() != DataType::INT32) return std::nullopt;
  if (NumberOf(AttrOf(op, "soft_label")).value_or(0).to_bool() ||
      !NumberOf(AttrOf(op, "use_softmax")).value_or(1).to_bool())
    return std::nullopt;
  const int rank = static_cast<int>(x.dims().size());
  int axis = static_cast<int>(NumberOf(AttrOf(op, "axis")).value_or(-1).to_int());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || !x.dims()[axis].known() || label.dims().size() != rank ||
      !common::IsOne(label.dims()[axis]))
    return std::nullopt;
  return axis;
}

OperandFacts Label(const pir::Operation& op, pir::Value label, int64_t classes) {
  OperandFacts o = Read(label);
  o.below = classes;
  o.except = NumberOf(AttrOf(op, "ignore_index")).value_or(-100).to_int();
  return o;
}

Facts CrossEntropy(const pir::Operation& op, const char** why) {
  const pir::Value x = op.operand(0), label = OperandOf(op, "label");
  const auto axis = ClassAxis(op, x, label);
  *why = "labels that are not class numbers of a known count";
  if (!axis) return std::nullopt;
  OpFacts f;
  auto reduced = [&](ReduceKind kind, LowerFn fn, std::vector<OperandFacts> operands) {
    f.results.push_back(ReducedEntry(-1, x.dims(), fn, std::move(operands), kind, AxisSet::Range(*axis, *axis + 1)));
  };
  const OperandFacts checked = Label(op, label, x.dims()[*axis].value());
  reduced(ReduceKind::kMax, First, {Read(x)});
  reduced(ReduceKind::kSum, ExpOfDifference, {Read(x), Part(0)});
  reduced(ReduceKind::kSum, AtLabel, {Read(x), checked, Position(*axis)});
  if (!op.result(0).use_empty()) f.results.push_back(Entry(0, x.dims(), Probability, {Read(x), Part(0), Part(1)}));
  if (!op.result(1).use_empty()) {
    f.results.push_back(Entry(1, op.result(1).dims(), Loss, {checked, Part(0), Part(1), Part(2)}));
    f.results.back().attrs = {checked.except};
  }
  return f;
}

Facts CrossEntropyGrad(const pir::Operation& op, const char** why) {
  const pir::Value p = OperandOf(op, "softmax"), label = OperandOf(op, "label"), dloss = OperandOf(op, "loss_grad");
  *why = "labels that are not class numbers of a known count";
  if (!p || !label || !Usable(dloss)) return std::nullopt;
  const auto axis = ClassAxis(op, p, label);
  if (!axis) return std::nullopt;
  OpFacts f;
  // Labels outside of the classes have been refused forwards: they match no position here.
  f.results.push_back(Entry(0, p.dims(), Gradient, {Read(label), Read(p), Read(dloss), Position(*axis)}));
  f.results[0].attrs = {NumberOf(AttrOf(op, "ignore_index")).value_or(-100)};
  return f;
}

}  // namespace

bool DescribeLoss(const pir::Operation& op, Facts& facts, const char** why) {
  if (op.isa(pir::pd::kCrossEntropyWithSoftmax))
    facts = CrossEntropy(op, why);
  else if (op.isa(pir::pd::kCrossEntropyWithSoftmaxGrad))
    facts = CrossEntropyGrad(op, why);
  else
    return false;
  return true;
}

}  // namespace cinn
