// SPDX-License-Identifier: Apache-2.0
// Shapes and expressions of a growing group. Every value of a group has the full iteration shape or its reduced form.
#include "paddle/cinn/fusion/group_builder.h"

#include <algorithm>
#include <unordered_set>

namespace cinn {
namespace {

constexpr size_t kMaxInputs = 24;
constexpr size_t kMaxOps = 96;

using common::Dims;

bool SameShape(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (int64_t k = 0; k < a.size(); ++k)
    if (!common::SameDim(a[k], b[k])) return false;
  return true;
}

}  // namespace

bool GroupBuilder::ReducedAxes(const Dims& dims, std::vector<int>& axes) const {
  axes.clear();
  if (re_ == rb_) return false;
  if (dims.size() == rank()) {  // reduced axes kept as 1
    for (int a = 0; a < rank(); ++a) {
      const bool reduced = a >= rb_ && a < re_;
      if (reduced ? !common::IsOne(dims[a]) : !common::SameDim(dims[a], space_[a])) return false;
      axes.push_back(reduced ? -1 : a);
    }
    return true;
  }
  if (dims.size() != rank() - (re_ - rb_)) return false;
  for (int a = 0; a < rank(); ++a) {
    if (a >= rb_ && a < re_) continue;
    if (!common::SameDim(dims[static_cast<int64_t>(axes.size())], space_[a])) return false;
    axes.push_back(a);
  }
  return true;
}

// The operand's value at the iteration point; `axes_of_shape` maps dims of the expression's shape to iteration axes.
bool GroupBuilder::Operand(const OperandFacts& o, const Dims& shape, const std::vector<int>& axes_of_shape, Expr& out, const char** why) {
  const Dims& dims = o.value.dims();
  const int64_t lead = shape.size() - dims.size();
  *why = "an operand does not broadcast for certain";
  if (!o.mapped && lead < 0) return false;
  std::vector<int> axes;
  for (int64_t k = 0; k < dims.size(); ++k) {
    const int64_t d = o.mapped ? o.dims[static_cast<size_t>(k)] : lead + k;
    if (d >= 0 && common::SameDim(dims[k], shape[d])) axes.push_back(axes_of_shape[static_cast<size_t>(d)]);
    else if (common::IsOne(dims[k])) axes.push_back(-1);
    else return false;
  }
  auto it = members_.find(o.value);
  if (it != members_.end()) {
    *why = "an operand made in the group is read along other axes";
    for (int64_t k = 0; k < dims.size(); ++k)
      if (axes[static_cast<size_t>(k)] != it->second.axes[static_cast<size_t>(k)] && !common::IsOne(dims[k])) return false;
    out = it->second.expr;
    return true;
  }
  if (auto c = ConstantOf(o.value)) {
    const DataType t = o.value.dtype();
    out = phi::IsFloating(t) ? cast(Expr(*c), t) : t == DataType::BOOL ? Expr::Bool(*c != 0) : cast(Expr(static_cast<int64_t>(*c)), t);
    return true;
  }
  size_t k = 0;
  while (k < inputs_.size() && !(inputs_[k].value == o.value && inputs_[k].axes == axes)) ++k;
  if (k == inputs_.size()) {
    *why = "too many inputs";
    if (inputs_.size() >= kMaxInputs) return false;
    inputs_.push_back({o.value, axes});
  }
  out = Expr::Input(static_cast<int>(k), o.value.dtype());
  return true;
}

bool GroupBuilder::AddResult(pir::Operation* op, const ResultFacts& f, std::vector<Expr>& parts, const char** why) {
  if (!started_) space_ = f.shape;
  std::vector<int> axes;
  const bool full = SameShape(f.shape, space_);
  if (full) {
    for (int a = 0; a < rank(); ++a) axes.push_back(a);
  } else if (f.reduces || !ReducedAxes(f.shape, axes)) {
    *why = "another shape";
    return false;
  }
  if (f.reduces && re_ > rb_ && (rb_ != f.reduce_begin || re_ != f.reduce_end)) {
    *why = "reduces other axes";
    return false;
  }
  std::vector<Expr> in;
  for (const OperandFacts& o : f.operands) {
    Expr e;
    if (o.part >= 0) e = parts[static_cast<size_t>(o.part)];
    else if (!Operand(o, f.shape, axes, e, why)) return false;
    in.push_back(e);
  }
  const pir::Value result = f.index >= 0 ? op->result(f.index) : pir::Value();
  const DataType type = result ? result.dtype() : phi::ComputeType(op->result(0).dtype()), compute = phi::ComputeType(type);
  if (!f.integers)
    for (Expr& e : in)
      if (!phi::IsFloating(e.dtype()) && phi::IsFloating(type)) e = cast(e, compute);
  Expr e = f.fn(in.data(), f.attrs.data());
  // Half results keep float32 precision between operations unless the conversion was asked for.
  const DataType held = f.is_cast || !phi::IsFloating(type) ? type : compute;
  if (!f.reduces) {
    parts.push_back(cast(e, held));
    if (result) members_[result] = {parts.back(), !full, axes};
    return true;
  }
  const int rb = rb_, re = re_;
  rb_ = f.reduce_begin;
  re_ = f.reduce_end;
  if (result && !ReducedAxes(result.dims(), axes)) {
    rb_ = rb;
    re_ = re;
    *why = "result shape not known for certain";
    return false;
  }
  if (f.reduce == ReduceKind::kSum || f.reduce == ReduceKind::kMean) {
    if (phi::IsFloating(type)) e = cast(e, compute);
  } else if (f.reduce == ReduceKind::kAny || f.reduce == ReduceKind::kAll) {
    e = cast(e, DataType::BOOL);
  }
  if (e.is_weak()) e = cast(e, compute);
  reductions_.push_back({f.reduce, e});
  const Expr r = Expr::Reduced(static_cast<int>(reductions_.size()) - 1, ReducedType(reductions_.back()));
  parts.push_back(cast(r, held));
  if (result) members_[result] = {parts.back(), true, axes};
  return true;
}

bool GroupBuilder::Add(pir::Operation* op, const OpFacts& facts, const char** why) {
  if (ops_.size() >= kMaxOps) {
    *why = "the group is large";
    return false;
  }
  const size_t inputs = inputs_.size(), reductions = reductions_.size();
  const int rb = rb_, re = re_;
  const bool was_started = started_;
  std::vector<Expr> parts;
  for (const ResultFacts& f : facts.results) {
    if (AddResult(op, f, parts, why)) {
      started_ = true;
      continue;
    }
    for (const ResultFacts& done : facts.results)
      if (done.index >= 0) members_.erase(op->result(done.index));
    inputs_.resize(inputs);
    reductions_.resize(reductions);
    rb_ = rb;
    re_ = re;
    started_ = was_started;
    return false;
  }
  ops_.push_back(op);
  return true;
}

bool GroupBuilder::Finish(FusedOps& out) const {
  out.ops = ops_;
  for (const pir::Operation* op : ops_)
    for (std::string_view name : {"pd_op.max", "pd_op.min", "pd_op.amax", "pd_op.amin"}) out.needs_elements |= op->isa(name);
  FusionGroup& g = out.group;
  g.rank = rank();
  g.reduce_begin = rb_;
  g.reduce_end = re_;
  g.reductions = reductions_;
  for (const In& in : inputs_) {
    GroupInput gi;
    gi.dtype = in.value.dtype();
    gi.real.assign(static_cast<size_t>(rank()), false);
    std::vector<int> order;
    for (int axis : in.axes) {
      if (axis < 0) continue;
      gi.real[static_cast<size_t>(axis)] = true;
      order.push_back(axis);
    }
    if (!std::is_sorted(order.begin(), order.end())) gi.order = order;
    out.inputs.push_back(in.value);
    out.input_axes.push_back(in.axes);
    g.inputs.push_back(std::move(gi));
  }
  const std::unordered_set<const pir::Operation*> inside(ops_.begin(), ops_.end());
  for (pir::Operation* op : ops_) {
    for (int k = 0; k < op->num_results(); ++k) {
      const pir::Value v = op->result(k);
      bool escapes = false;
      v.ForEachUse([&](pir::OpOperand& u) { escapes |= !inside.count(u.owner()); });
      if (!escapes) continue;
      const Member& m = members_.at(v);
      out.outputs.push_back(v);
      out.output_axes.push_back(m.axes);
      g.outputs.push_back({m.expr, v.dtype(), m.reduced});
    }
  }
  if (g.outputs.empty()) return false;
  for (int a = 0; a < rank(); ++a) {
    FusedOps::Extent e;
    if (space_[a].known()) e.known = space_[a].value();
    for (size_t k = 0; k < inputs_.size() && e.known < 0 && e.input < 0; ++k)
      for (size_t d = 0; d < inputs_[k].axes.size(); ++d)
        if (inputs_[k].axes[d] == a) {
          e.input = static_cast<int>(k);
          e.dim = static_cast<int>(d);
        }
    if (e.known < 0 && e.input < 0) return false;
    out.extents.push_back(e);
  }
  return true;
}

}  // namespace cinn
