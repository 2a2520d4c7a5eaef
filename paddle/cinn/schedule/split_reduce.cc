// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/schedule/split_reduce.h"

#include <algorithm>
#include <unordered_set>

namespace cinn {
namespace {

bool IsReal(const GroupInput& in, int axis) { return in.real.empty() || in.real[static_cast<size_t>(axis)]; }

bool Has(const Expr& e, std::initializer_list<Op> ops, std::unordered_set<const ExprNode*>& seen) {
  if (!seen.insert(e.node()).second) return false;
  if (std::find(ops.begin(), ops.end(), e->op) != ops.end()) return true;
  for (int k = 0; k < e->nargs; ++k)
    if (Has(e->args[k], ops, seen)) return true;
  return false;
}

// The input for iteration axes `lead` axes (all real or none) followed by the kept ones.
GroupInput Reshaped(const GroupInput& in, int rank, int reduce_end, int lead, bool lead_real) {
  GroupInput out;
  out.dtype = in.dtype;
  out.real.assign(static_cast<size_t>(lead), lead_real);
  for (int a = reduce_end; a < rank; ++a) out.real.push_back(IsReal(in, a));
  if (in.order.empty()) return out;
  for (int k = 0; k < lead && lead_real; ++k) out.order.push_back(k);
  for (int a : in.order)
    if (a >= reduce_end) out.order.push_back(a - reduce_end + lead);
  return out;
}

DataType PartialType(const GroupReduction& r) {
  const DataType t = ReducedType(r);
  const bool sum = r.kind == ReduceKind::kSum || r.kind == ReduceKind::kMean;
  return sum && phi::IsFloating(t) ? DataType::FLOAT64 : t;
}

// Whether the group reads memory as it lies, and its values tell no places: those of a block are others.
bool Divides(const FusionGroup& g) {
  for (const GroupInput& in : g.inputs)
    if (!in.plain()) return false;
  for (const GroupOutput& o : g.outputs)
    if (!o.plain()) return false;
  std::unordered_set<const ExprNode*> seen;
  for (const GroupReduction& r : g.reductions)
    if (Has(r.value, {Op::kReduced, Op::kIndex, Op::kExtent}, seen)) return false;
  for (const GroupOutput& o : g.outputs)
    if (!o.reduced && Has(o.value, {Op::kReduced, Op::kIndex, Op::kExtent}, seen)) return false;
  seen.clear();
  for (const GroupOutput& o : g.outputs)
    if (o.reduced && Has(o.value, {Op::kIndex, Op::kExtent}, seen)) return false;
  return true;
}

// Whether the reduced axes of the input are the first in memory, in order, or none of them is real.
bool LeadsInOrder(const GroupInput& in, int end) {
  const bool real = IsReal(in, 0);
  for (int a = 1; a < end; ++a)
    if (IsReal(in, a) != real) return false;
  for (int a = 0; real && !in.order.empty() && a < end; ++a)
    if (in.order[static_cast<size_t>(a)] != a) return false;
  return true;
}

// The group over blocks: a partial result of each reduction, and the outputs that are none. False where an input does
// not lie so.
bool MakeBlocks(const FusionGroup& g, int end, SplitReduction& s) {
  s.blocks.rank = g.rank - end + 2;
  s.blocks.reduced.add(1);
  for (const GroupInput& in : g.inputs) {
    if (!LeadsInOrder(in, end)) return false;
    const bool real = IsReal(in, 0);
    s.blocks.inputs.push_back(Reshaped(in, g.rank, end, 2, real));
    s.steps.push_back(real ? phi::SizeOf(in.dtype) : 0);
  }
  s.blocks.reductions = g.reductions;
  for (size_t j = 0; j < g.reductions.size(); ++j) {
    GroupReduction& r = s.blocks.reductions[j];
    if (r.kind == ReduceKind::kMean) r.kind = ReduceKind::kSum;
    const DataType t = PartialType(g.reductions[j]);
    s.blocks.outputs.push_back({cast(Expr::Reduced(static_cast<int>(j), ReducedType(r)), t), t, true});
  }
  for (size_t o = 0; o < g.outputs.size(); ++o) {
    if (g.outputs[o].reduced) continue;
    s.full.push_back(static_cast<int>(o));
    s.blocks.outputs.push_back(g.outputs[o]);
  }
  return true;
}

// The group over the partial results. False where a reduced output reads an input that has reduced axes.
bool MakeRest(const FusionGroup& g, int end, SplitReduction& s) {
  s.rest.rank = g.rank - end + 1;
  s.rest.reduced.add(0);
  std::vector<int> number(g.inputs.size(), -1);
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    if (s.steps[i]) continue;
    number[i] = static_cast<int>(s.extra.size());
    s.extra.push_back(static_cast<int>(i));
    s.rest.inputs.push_back(Reshaped(g.inputs[i], g.rank, end, 1, false));
  }
  const int first = static_cast<int>(s.extra.size()), count = first + static_cast<int>(g.reductions.size());
  const auto add = [&](DataType type, bool real) {
    GroupInput in;
    in.dtype = type;
    in.real.assign(static_cast<size_t>(s.rest.rank), real);
    s.rest.inputs.push_back(in);
  };
  for (size_t j = 0; j < g.reductions.size(); ++j) {
    const DataType t = PartialType(g.reductions[j]);
    add(t, true);
    s.rest.reductions.push_back({s.blocks.reductions[j].kind, Expr::Input(first + static_cast<int>(j), t)});
  }
  add(DataType::FLOAT64, false);  // how many elements a mean is of
  bool known = true;
  const auto change = [&](const ExprNode& e) {
    if (e.op == Op::kInput) {
      const int i = number[static_cast<size_t>(e.index)];
      known &= i >= 0;
      return i >= 0 ? Expr::Input(i, e.storage) : Expr();
    }
    if (e.op != Op::kReduced) return Expr();
    const GroupReduction& r = g.reductions[static_cast<size_t>(e.index)];
    Expr v = Expr::Reduced(e.index, ReducedType(s.rest.reductions[static_cast<size_t>(e.index)]));
    if (r.kind == ReduceKind::kMean) v = v / Expr::Input(count, DataType::FLOAT64);
    return cast(v, ReducedType(r));
  };
  for (size_t o = 0; o < g.outputs.size(); ++o) {
    if (!g.outputs[o].reduced) continue;
    s.reduced.push_back(static_cast<int>(o));
    s.rest.outputs.push_back({Substitute(g.outputs[o].value, change), g.outputs[o].dtype, true});
  }
  return known && !s.reduced.empty();
}

}  // namespace

std::optional<SplitReduction> Split(const FusionGroup& g) {
  const int end = g.reduced.leading();
  SplitReduction s;
  if (end == 0 || !Divides(g) || !MakeBlocks(g, end, s) || !MakeRest(g, end, s)) return std::nullopt;
  Validate(s.blocks);
  Validate(s.rest);
  return s;
}

int64_t SplitBlock(int64_t n, int64_t kept) {
  if (kept <= 0 || kept > 512) return 0;
  const int64_t block = kept == 1 ? 8192 : std::max<int64_t>(16384 / kept, 64);
  return n >= 4 * block ? block : 0;
}

}  // namespace cinn
