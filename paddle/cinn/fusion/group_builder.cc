// SPDX-License-Identifier: Apache-2.0
// Shapes and expressions of a growing group. Every value of a group has the full iteration shape or its reduced form.
#include "paddle/cinn/fusion/group_builder.h"
#include "paddle/common/op_traits.h"

#include <algorithm>
#include <unordered_set>

namespace cinn {
namespace {

constexpr size_t kMaxOps = 96;

using common::Dims;

// Whether a kept axis lies between reduced ones of which the last are known to have so few elements that most lanes of
// a vector would be idle.
bool HasShortRows(const Dims& shape, AxisSet reduced) {
  int64_t row = 1;
  int a = static_cast<int>(shape.size()) - 1;
  for (; a >= 0 && (reduced.has(a) || common::IsOne(shape[a])); --a) {
    if (!shape[a].known()) return false;
    row *= shape[a].value();
  }
  if (row <= 1 || row >= 8) return false;
  for (; a >= 0; --a)
    if (reduced.has(a) && !common::IsOne(shape[a])) return true;
  return false;
}

// As Convert converts it: an integer with all its digits, a real number towards zero.
Expr Constant(const phi::Scalar& v, DataType type) {
  if (phi::IsFloating(type)) return cast(Expr(v), type);
  if (type == DataType::BOOL) return Expr::Bool(v.to_bool());
  return cast(v.is_integral() ? Expr::Int(v.to_int(), DataType::INT64) : Expr::Float(v.to_double(), DataType::FLOAT64),
              type);
}

}  // namespace

bool GroupBuilder::ReducedAxes(const Dims& dims, std::vector<int>& axes) const {
  axes.clear();
  if (reduced_.empty()) return false;
  if (reduced_.count() == rank() && std::all_of(dims.begin(), dims.end(), common::IsOne)) {  // one number
    axes.assign(static_cast<size_t>(dims.size()), -1);
    return true;
  }
  if (dims.size() == rank()) {  // reduced axes kept as 1
    for (int a = 0; a < rank(); ++a) {
      const bool reduced = reduced_.has(a);
      if (reduced ? !common::IsOne(dims[a]) : !common::SameDim(dims[a], space_[a])) return false;
      axes.push_back(reduced ? -1 : a);
    }
    return true;
  }
  if (dims.size() != rank() - reduced_.count()) return false;
  for (int a = 0; a < rank(); ++a) {
    if (reduced_.has(a)) continue;
    if (!common::SameDim(dims[static_cast<int64_t>(axes.size())], space_[a])) return false;
    axes.push_back(a);
  }
  return true;
}

pir::Value GroupBuilder::Through(pir::Value v, std::vector<ViewDim>& view, int& looked_up) const {
  while (visible_ && !members_.count(v) && v.defining_op() && visible_->count(v.defining_op())) {
    auto f = ViewOf(v);
    if (!f) break;
    std::vector<ViewDim> next;
    int at = -1;
    bool fits = true;
    for (const ViewDim& d : f->dims) {
      if (d.axis < 0) {
        next.push_back(d);
      } else if (d.axis == looked_up) {
        at = static_cast<int>(next.size());
        fits &= !d.part;
        next.push_back(ViewDim(-1, 0, 1));
      } else {
        const ViewDim& c = view[static_cast<size_t>(d.axis)];
        next.push_back(d.part ? ViewDim(c.axis, d.start + d.step * c.start, d.step * c.step) : c);
      }
    }
    if (!fits || (looked_up >= 0 && at < 0)) break;
    view = std::move(next);
    looked_up = at;
    v = f->base;
  }
  return v;
}

bool GroupBuilder::Lookup(const OperandFacts& o, const std::vector<Expr>& before, In& in, const char** why) {
  *why = "looks up at numbers that are made in the group";
  const Expr& number = before[static_cast<size_t>(o.index)];
  if (number->op != Op::kInput || inputs_[static_cast<size_t>(number->index)].mask.defined()) return false;
  in.index = number;
  Expr at = cast(number, DataType::INT64);
  if (o.wraps) {
    *why = "looks up in an extent that is only known at a run";
    const common::Dim n = in.value.dims()[in.looked_up];
    if (!n.known()) return false;
    at = select(at < 0, at + n.value(), at);
  }
  in.offset = at * Expr::Extent(rank() + static_cast<int>(params_.size()));
  params_.push_back({static_cast<int>(inputs_.size()), in.looked_up});
  lookups_.push_back({number->index, static_cast<int>(inputs_.size()), in.looked_up, o.wraps, o.indexes});
  return true;
}

bool GroupBuilder::Locate(const OperandFacts& o, const Dims& shape, const std::vector<int>& axes_of_shape,
                          In& in) const {
  const Dims& dims = o.value.dims();
  const int64_t lead = shape.size() - dims.size();
  if (!o.mapped && lead < 0) return false;
  auto needs = [&](const Expr& e) { in.mask = in.mask.defined() ? in.mask && e : e; };
  for (int64_t k = 0; k < dims.size(); ++k) {
    ViewDim d = o.mapped ? o.dims[static_cast<size_t>(k)] : ViewDim(static_cast<int>(lead + k));
    if (k == o.looked_up) {
      d = ViewDim(-1, 0, 1);
    } else if (d.axis >= 0 && (d.part || common::SameDim(dims[k], shape[d.axis]))) {
      const common::Dim extent = shape[d.axis];
      d.axis = axes_of_shape[static_cast<size_t>(d.axis)];
      if (o.masked && d.part) {
        if (!dims[k].known() || d.step != 1) return false;
        const Expr at = d.axis < 0 ? Expr::Int(0, DataType::INT64) : Expr::Index(d.axis);
        if (d.start < 0) needs(at >= Expr::Int(-d.start, DataType::INT64));
        if (!extent.known() || d.start + extent.value() > dims[k].value())
          needs(at < Expr::Int(dims[k].value() - d.start, DataType::INT64));
      }
    } else if (!(d.axis < 0 && d.part)) {
      if (!common::IsOne(dims[k])) return false;
      d = ViewDim();
    }
    in.view.push_back(d);
  }
  return true;
}

bool GroupBuilder::IsWhole(const In& in, const Member& made) {
  if (in.mask.defined() || in.looked_up >= 0) return false;
  const Dims& own = in.value.dims();
  for (int64_t k = 0; k < own.size(); ++k) {
    const ViewDim& d = in.view[static_cast<size_t>(k)];
    if (d.part || (d.axis != made.axes[static_cast<size_t>(k)] && !common::IsOne(own[k]))) return false;
  }
  return true;
}

bool GroupBuilder::Input(const OperandFacts& o, const std::vector<Expr>& before, In& in, Expr& out, const char** why) {
  auto same = [](const Expr& a, const Expr& b) { return a.defined() == b.defined() && (!a.defined() || Same(a, b)); };
  size_t k = 0;
  for (; k < inputs_.size(); ++k) {
    const In& i = inputs_[k];
    if (i.value == in.value && i.view == in.view && i.looked_up == in.looked_up && same(i.mask, in.mask) &&
        (in.looked_up < 0 || Same(i.index, before[static_cast<size_t>(o.index)])))
      break;
  }
  if (k == inputs_.size()) {
    *why = "too many inputs";
    if (inputs_.size() >= kMaxGroupInputs) return false;
    if (in.looked_up >= 0 && !Lookup(o, before, in, why)) return false;
    inputs_.push_back(in);
  }
  out = Expr::Input(static_cast<int>(k), o.value.dtype());
  return true;
}

bool GroupBuilder::Operand(const OperandFacts& o, const Dims& shape, const std::vector<int>& axes_of_shape,
                           const std::vector<Expr>& before, Expr& out, const char** why) {
  if (o.position >= 0) {
    const int axis = axes_of_shape[static_cast<size_t>(o.position)];
    out = axis >= 0 ? Expr::Index(axis) : Expr::Int(0, DataType::INT64);
    return true;
  }
  In in{o.value, {}, {}, o.looked_up, {}, {}};
  *why = "an operand does not broadcast for certain";
  if (!Locate(o, shape, axes_of_shape, in)) return false;
  in.value = Through(o.value, in.view, in.looked_up);
  auto it = members_.find(in.value);
  if (it != members_.end()) {
    *why = "an operand made in the group is read along other axes, or a part of it";
    if (!IsWhole(in, it->second) || o.below >= 0) return false;
    out = o.stored ? cast(it->second.expr, o.value.dtype()) : it->second.expr;
    return true;
  }
  *why = "an operand is put together from parts in the group";
  for (const Part& p : parts_)
    if (p.result == in.value) return false;
  const DataType type = o.value.dtype();
  auto c = ConstantOf(in.value);
  if (c && in.looked_up < 0)
    out = Constant(*c, type);
  else if (!Input(o, before, in, out, why))
    return false;
  if (o.below >= 0) {
    *why = "checks numbers that are made in the group";
    if (out->op != Op::kInput) return false;
    lookups_.push_back({out->index, -1, 0, false, true, o.below, o.except});
  }
  if (!o.masked || !in.mask.defined()) return true;
  const DataType compute = phi::ComputeType(type);
  const Expr other = o.otherwise >= 0 ? before[static_cast<size_t>(o.otherwise)] : Constant(o.fill, type);
  out = select(in.mask, out, cast(other, compute));
  return true;
}

bool GroupBuilder::AddResult(pir::Operation* op, const ResultFacts& f, std::vector<Expr>& parts, const char** why) {
  if (!started_) space_ = f.shape;
  std::vector<int> axes;
  const bool full = common::SameDims(f.shape, space_);
  if (full) {
    for (int a = 0; a < rank(); ++a) axes.push_back(a);
  } else if (f.reduces || f.assembles || !ReducedAxes(f.shape, axes)) {
    *why = f.assembles ? "its parts have another shape than the group" : "another shape";
    return false;
  }
  if (f.reduces && !reduced_.empty() && !(reduced_ == f.reduced)) {
    *why = "reduces other axes";
    return false;
  }
  if (f.reduces && reduced_.empty() && !short_rows_ && HasShortRows(f.shape, f.reduced)) {
    *why = "other axes and only a few elements of the last ones are reduced: its own kernel is faster";
    return false;
  }
  std::vector<Expr> in;
  for (const OperandFacts& o : f.operands) {
    Expr e;
    if (o.part >= 0)
      e = parts[static_cast<size_t>(o.part)];
    else if (!Operand(o, f.shape, axes, in, e, why))
      return false;
    in.push_back(e);
  }
  const pir::Value result = f.index >= 0 ? op->result(f.index) : pir::Value();
  const DataType own = f.part != DataType::UNDEFINED ? f.part : phi::ComputeType(op->result(0).dtype()),
                 type = result ? result.dtype() : own, compute = phi::ComputeType(type);
  if (!f.integers)
    for (Expr& e : in)
      if (!phi::IsFloating(e.dtype()) && phi::IsFloating(type)) e = cast(e, compute);
  Expr e = f.fn ? f.fn(in.data(), f.attrs.data()) : Substitute(f.expr, [&](const ExprNode& n) {
    return n.op == Op::kInput ? in[static_cast<size_t>(n.index)] : Expr();
  });
  // Half results keep float32 precision between operations unless the conversion was asked for.
  const DataType held = f.is_cast || !phi::IsFloating(type) ? type : compute;
  if (f.assembles) {
    parts_.push_back({result, cast(e, held), f.place, f.fill});
    parts.push_back(parts_.back().expr);
    return true;
  }
  if (!f.reduces) {
    parts.push_back(cast(e, held));
    if (result) members_[result] = {parts.back(), !full, axes};
    return true;
  }
  const AxisSet before = reduced_;
  reduced_ = f.reduced;
  if (result && !ReducedAxes(result.dims(), axes)) {
    reduced_ = before;
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
  const size_t inputs = inputs_.size(), reductions = reductions_.size(), assembled = parts_.size();
  const size_t params = params_.size(), lookups = lookups_.size();
  const AxisSet reduced = reduced_;
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
    parts_.resize(assembled);
    params_.resize(params);
    lookups_.resize(lookups);
    reductions_.resize(reductions);
    reduced_ = reduced;
    started_ = was_started;
    return false;
  }
  ops_.push_back(op);
  AddWork(*op, facts);
  for (auto [k, operand] : facts.inplace) inplace_.push_back({op->result(k), operand});
  return true;
}

void GroupBuilder::AddWork(const pir::Operation& op, const OpFacts& facts) {
  if (facts.trivial) return;
  ++single_.calls;
  for (const ResultFacts& f : facts.results) {
    SingleWork::PerElement& work = common::SameDims(f.shape, space_) ? single_.full : single_.kept;
    std::vector<Expr> operands;
    for (const OperandFacts& o : f.operands) {
      const DataType type = o.value ? o.value.dtype() : DataType::FLOAT32;
      const bool reduced = o.part >= 0 && facts.results[static_cast<size_t>(o.part)].reduces;
      operands.push_back(o.position >= 0 ? Expr::Index(o.position)
                         : reduced       ? Expr::Reduced(o.part, type)
                                         : Expr::Input(static_cast<int>(operands.size()), type));
      if (o.value && (o.mapped || common::SameDims(o.value.dims(), f.shape))) work.bytes += phi::SizeOf(type);
    }
    work.operations += OperationsOf(f.fn ? f.fn(operands.data(), f.attrs.data()) : f.expr);
    work.reductions += f.reduces;
    if (!f.reduces && f.index >= 0) work.bytes += phi::SizeOf(op.result(f.index).dtype());
  }
}

bool GroupBuilder::Reads(pir::Value v) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const In& in) { return in.value == v; });
}

namespace {

// What a kernel must know at compile time of the strides that `view` gives the iteration axes.
struct Layout {
  std::vector<bool> real, cut;
  std::vector<int> order;
  bool unit = true;

  Layout(const std::vector<ViewDim>& view, int rank)
      : real(static_cast<size_t>(rank), false), cut(static_cast<size_t>(rank), false) {
    bool dense = true;  // what lies inside of the current dim is as long as the axis that runs along it
    for (size_t k = view.size(); k-- > 0;) {
      const ViewDim& d = view[k];
      if (d.axis < 0) {
        dense &= !d.part;
        continue;
      }
      const bool follows = dense && d.step == 1;
      if (order.empty())
        unit = follows;
      else
        cut[static_cast<size_t>(d.axis)] = !follows;
      real[static_cast<size_t>(d.axis)] = true;
      order.insert(order.begin(), d.axis);
      dense = !d.part;
    }
    if (std::find(cut.begin(), cut.end(), true) == cut.end()) cut.clear();
  }
};

}  // namespace

void GroupBuilder::FinishInputs(FusedOps& out) const {
  for (const In& in : inputs_) {
    Layout l(in.view, rank());
    GroupInput gi;
    gi.dtype = in.value.dtype();
    gi.real = std::move(l.real);
    if (!std::is_sorted(l.order.begin(), l.order.end())) gi.order = std::move(l.order);
    gi.cut = std::move(l.cut);
    gi.unit = l.unit;
    gi.offset = in.offset;
    gi.mask = in.mask;
    out.inputs.push_back(in.value);
    out.input_views.push_back(in.view);
    out.group.inputs.push_back(std::move(gi));
  }
}

bool GroupBuilder::FinishOutput(FusedOps& out, pir::Value v) const {
  const auto output = [&](const Expr& e, bool reduced, const std::vector<ViewDim>& view) {
    GroupOutput o{e, v.dtype(), reduced, {}, true};
    if (!reduced) {
      Layout l(view, rank());
      o.cut = std::move(l.cut);
      o.unit = l.unit;
    }
    out.output_of.push_back(static_cast<int>(out.outputs.size()) - 1);
    out.output_views.push_back(view);
    out.group.outputs.push_back(std::move(o));
  };
  out.outputs.push_back(v);
  out.assembled.emplace_back();
  if (auto it = members_.find(v); it != members_.end()) {
    output(it->second.expr, it->second.reduced, {it->second.axes.begin(), it->second.axes.end()});
    return true;
  }
  for (const Part& p : parts_) {
    if (!(p.result == v)) continue;
    FusedOps::Assembled& a = out.assembled.back();
    if (p.fill) a.fill = p.fill;
    a.extents.clear();
    for (int64_t d = 0; d < v.dims().size(); ++d) {
      const bool part = p.place[static_cast<size_t>(d)].part;
      if (part && !v.dims()[d].known()) return false;
      a.extents.push_back(part ? v.dims()[d].value() : -1);
    }
    output(p.expr, false, p.place);
  }
  return !out.output_of.empty() && out.output_of.back() + 1 == static_cast<int>(out.outputs.size());
}

bool GroupBuilder::FinishExtents(FusedOps& out) const {
  for (int a = 0; a < rank(); ++a) {
    FusedOps::Extent e;
    if (space_[a].known()) e.known = space_[a].value();
    for (size_t k = 0; k < inputs_.size() && e.known < 0 && e.input < 0; ++k)
      for (size_t d = 0; d < inputs_[k].view.size(); ++d)
        if (inputs_[k].view[d].axis == a && !inputs_[k].view[d].part) {
          e.input = static_cast<int>(k);
          e.dim = static_cast<int>(d);
        }
    if (e.known < 0 && e.input < 0) return false;
    out.extents.push_back(e);
  }
  return true;
}

bool GroupBuilder::Finish(FusedOps& out, const std::vector<pir::Operation*>& gone,
                          const std::function<bool(pir::Value)>& read_elsewhere) const {
  out.ops = ops_;
  for (const pir::Operation* op : ops_) {
    const common::Reduction reduction = common::TraitsOf(op->name()).reduction;
    out.needs_elements |= reduction == common::Reduction::kMax || reduction == common::Reduction::kMin;
  }
  FusionGroup& g = out.group;
  g.rank = rank();
  // Axes of extent 1 are reduced or kept alike, and a row of one element would leave the other lanes idle.
  for (int a = 0; a < rank(); ++a)
    if (reduced_.has(a) && !common::IsOne(space_[a])) g.reduced.add(a);
  if (g.reduced.empty()) g.reduced = reduced_;
  g.reductions = reductions_;
  g.params = static_cast<int>(params_.size());
  out.single = single_;
  out.params = params_;
  out.lookups = lookups_;
  FinishInputs(out);
  std::unordered_set<const pir::Operation*> inside(ops_.begin(), ops_.end());
  inside.insert(gone.begin(), gone.end());
  for (pir::Operation* op : ops_)
    for (int k = 0; k < op->num_results(); ++k) {
      const pir::Value v = op->result(k);
      bool escapes = read_elsewhere(v) ||
                     std::any_of(inplace_.begin(), inplace_.end(), [&](const auto& pair) { return pair.first == v; });
      v.ForEachUse([&](pir::OpOperand& u) { escapes |= !inside.count(u.owner()); });
      if (escapes && !FinishOutput(out, v)) return false;
    }
  if (g.outputs.empty()) return false;
  for (auto [result, operand] : inplace_) {
    const auto o = std::find(out.outputs.begin(), out.outputs.end(), result);
    const auto i = std::find(out.inputs.begin(), out.inputs.end(), operand);
    if (o == out.outputs.end() || i == out.inputs.end()) return false;
    out.inplace.push_back({static_cast<int>(o - out.outputs.begin()), static_cast<int>(i - out.inputs.begin())});
  }
  return FinishExtents(out);
}

}  // namespace cinn
