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

// `axes_of_result` maps the result's dims to iteration axes; the operand broadcasts to the result.
bool GroupBuilder::External(pir::Value v, const std::vector<int>& axes_of_result, const Dims& result, Expr& out) {
  if (auto c = ConstantOf(v)) {
    const DataType t = v.dtype();
    out = phi::IsFloating(t) ? cast(Expr(*c), t) : t == DataType::BOOL ? Expr::Bool(*c != 0) : cast(Expr(static_cast<int64_t>(*c)), t);
    return true;
  }
  const Dims& dims = v.dims();
  const int64_t lead = result.size() - dims.size();
  if (lead < 0) return false;
  In in;
  in.value = v;
  in.real.assign(rank(), false);
  for (int64_t k = 0; k < dims.size(); ++k) {
    const int axis = axes_of_result[lead + k];
    if (common::SameDim(dims[k], result[lead + k])) {
      in.axis_of_dim.push_back(axis);
      if (axis >= 0) in.real[axis] = true;
    } else if (common::IsOne(dims[k])) {
      in.axis_of_dim.push_back(-1);
    } else {
      return false;
    }
  }
  size_t k = 0;
  while (k < inputs_.size() && !(inputs_[k].value == v && inputs_[k].real == in.real)) ++k;
  if (k == inputs_.size()) {
    if (inputs_.size() >= kMaxInputs) return false;
    inputs_.push_back(in);
  }
  out = Expr::Input(static_cast<int>(k), v.dtype());
  return true;
}

bool GroupBuilder::AddElementwise(pir::Operation* op, const OpFacts& f, const char** why) {
  const Dims& result = op->result(0).dims();
  if (!started_) space_ = result;
  std::vector<int> axes;
  const bool full = SameShape(result, space_);
  if (full) {
    for (int a = 0; a < rank(); ++a) axes.push_back(a);
  } else if (!ReducedAxes(result, axes)) {
    *why = "another shape";
    return false;
  }
  std::vector<Expr> in;
  for (pir::Value v : f.tensors) {
    auto it = members_.find(v);
    if (it == members_.end()) {
      Expr e;
      if (!External(v, axes, result, e)) {
        *why = "an operand does not broadcast for certain";
        return false;
      }
      in.push_back(e);
      continue;
    }
    const Dims& dims = v.dims();
    if (!it->second.reduced) {
      if (!full || !SameShape(dims, space_)) {
        *why = "reads a full value in reduced form";
        return false;
      }
    } else if (full) {
      // Aligned from the right, reduced axes must be 1 or absent and the kept ones present.
      const int64_t lead = rank() - dims.size();
      for (int a = 0; a < rank(); ++a) {
        const bool reduced = a >= rb_ && a < re_;
        const bool present = a >= lead;
        const bool fits = reduced ? !present || common::IsOne(dims[a - lead])
                                  : present ? common::SameDim(dims[a - lead], space_[a]) : common::IsOne(space_[a]);
        if (!fits) {
          *why = "a reduced operand broadcasts along other axes";
          return false;
        }
      }
    } else if (!SameShape(dims, result)) {
      *why = "mixes reduced shapes";
      return false;
    }
    in.push_back(it->second.expr);
  }
  const DataType type = op->result(0).dtype();
  const DataType compute = phi::ComputeType(type);
  if (!f.lowering->integers)
    for (Expr& e : in)
      if (!phi::IsFloating(e.dtype()) && phi::IsFloating(type)) e = cast(e, compute);
  Expr e = f.lowering->fn(in.data(), f.attrs.data());
  // Half results keep float32 precision between operations unless the conversion was asked for.
  e = cast(e, f.is_cast || !phi::IsFloating(type) ? type : compute);
  members_[op->result(0)] = {e, !full};
  return true;
}

bool GroupBuilder::AddReduce(pir::Operation* op, const OpFacts& f, const char** why) {
  const pir::Value x = f.tensors[0];
  if (!started_) space_ = x.dims();
  if (!SameShape(x.dims(), space_)) {
    *why = "another shape";
    return false;
  }
  if (re_ > rb_ && (rb_ != f.reduce_begin || re_ != f.reduce_end)) {
    *why = "reduces other axes";
    return false;
  }
  Expr e;
  auto it = members_.find(x);
  if (it != members_.end()) {
    if (it->second.reduced) {
      *why = "reduces a reduced value";
      return false;
    }
    e = it->second.expr;
  } else {
    std::vector<int> axes;
    for (int a = 0; a < rank(); ++a) axes.push_back(a);
    if (!External(x, axes, space_, e)) {
      *why = "too many inputs";
      return false;
    }
  }
  const int rb = rb_, re = re_;
  rb_ = f.reduce_begin;
  re_ = f.reduce_end;
  std::vector<int> axes;
  if (!ReducedAxes(op->result(0).dims(), axes)) {
    rb_ = rb;
    re_ = re;
    *why = "result shape not known for certain";
    return false;
  }
  const DataType type = op->result(0).dtype(), compute = phi::ComputeType(type);
  const bool sums = f.reduce == ReduceKind::kSum || f.reduce == ReduceKind::kMean;
  if (sums && phi::IsFloating(type)) e = cast(e, compute);
  if (f.reduce == ReduceKind::kAny || f.reduce == ReduceKind::kAll) e = cast(e, DataType::BOOL);
  reductions_.push_back({f.reduce, e});
  Expr r = Expr::Reduced(static_cast<int>(reductions_.size()) - 1, ReducedType(reductions_.back()));
  members_[op->result(0)] = {cast(r, phi::IsFloating(type) ? compute : type), true};
  return true;
}

bool GroupBuilder::Add(pir::Operation* op, const OpFacts& facts, const char** why) {
  if (ops_.size() >= kMaxOps) {
    *why = "the group is large";
    return false;
  }
  const size_t inputs = inputs_.size(), reductions = reductions_.size();
  const bool ok = facts.kind == OpFacts::kReduce ? AddReduce(op, facts, why) : AddElementwise(op, facts, why);
  if (!ok) {
    inputs_.resize(inputs);
    reductions_.resize(reductions);
    return false;
  }
  started_ = true;
  ops_.push_back(op);
  return true;
}

bool GroupBuilder::Finish(FusedOps& out) const {
  out.ops = ops_;
  FusionGroup& g = out.group;
  g.rank = rank();
  g.reduce_begin = rb_;
  g.reduce_end = re_;
  g.reductions = reductions_;
  for (const In& in : inputs_) {
    out.inputs.push_back(in.value);
    out.input_axes.push_back(in.axis_of_dim);
    g.inputs.push_back({in.value.dtype(), in.real, {}});
  }
  const std::unordered_set<const pir::Operation*> inside(ops_.begin(), ops_.end());
  for (pir::Operation* op : ops_) {
    const pir::Value v = op->result(0);
    bool escapes = false;
    v.ForEachUse([&](pir::OpOperand& u) { escapes |= !inside.count(u.owner()); });
    if (!escapes) continue;
    const Member& m = members_.at(v);
    std::vector<int> axes;
    if (m.reduced) {
      ReducedAxes(v.dims(), axes);
    } else {
      for (int a = 0; a < rank(); ++a) axes.push_back(a);
    }
    out.outputs.push_back(v);
    out.output_axes.push_back(axes);
    g.outputs.push_back({m.expr, v.dtype(), m.reduced});
  }
  if (g.outputs.empty()) return false;
  for (int a = 0; a < rank(); ++a) {
    FusedOps::Extent e;
    if (space_[a].known()) e.known = space_[a].value();
    for (size_t k = 0; k < inputs_.size() && e.known < 0 && e.input < 0; ++k)
      for (size_t d = 0; d < inputs_[k].axis_of_dim.size(); ++d)
        if (inputs_[k].axis_of_dim[d] == a) {
          e.input = static_cast<int>(k);
          e.dim = static_cast<int>(d);
        }
    if (e.known < 0 && e.input < 0) return false;
    out.extents.push_back(e);
  }
  return true;
}

}  // namespace cinn
