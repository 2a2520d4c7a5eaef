// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/schedule/stages.h"

#include <algorithm>
#include <unordered_map>

#include "paddle/cinn/schedule/split_reduce.h"

namespace cinn {
namespace {

struct Leaves {
  int level = 0;       // how many reductions follow one another up to the value
  bool place = false;  // a position or an extent
  void Visit(const Expr& e, const std::vector<int>& levels, std::unordered_map<const ExprNode*, bool>& seen) {
    if (!seen.emplace(e.node(), true).second) return;
    if (e->op == Op::kReduced) level = std::max(level, levels[static_cast<size_t>(e->index)] + 1);
    place |= e->op == Op::kIndex || e->op == Op::kExtent;
    for (int k = 0; k < e->nargs; ++k) Visit(e->args[k], levels, seen);
  }
};
Leaves LeavesOf(const Expr& e, const std::vector<int>& levels) {
  Leaves l;
  std::unordered_map<const ExprNode*, bool> seen;
  l.Visit(e, levels, seen);
  return l;
}

class StepBuilder {
 public:
  StepBuilder(const FusionGroup& whole, bool reduces, bool kept_only) : whole_(whole) {
    step_.kept_only = kept_only;
    step_.group.rank = kept_only ? whole.rank - whole.reduced.end() : whole.rank;
    if (reduces) step_.group.reduced = whole.reduced;
  }

  void AddReduction(int j) {
    const GroupReduction& r = whole_.reductions[static_cast<size_t>(j)];
    const int own = static_cast<int>(step_.group.reductions.size());
    step_.group.reductions.push_back({r.kind, Moved(r.value)});
    step_.group.outputs.push_back({Expr::Reduced(own, ReducedType(r)), ReducedType(r), true, {}, true});
    step_.outputs.push_back(Temp(j));
  }
  void AddOutput(int o) {
    const GroupOutput& out = whole_.outputs[static_cast<size_t>(o)];
    step_.group.outputs.push_back({Moved(out.value), out.dtype, false, {}, true});
    step_.outputs.push_back(static_cast<int>(whole_.inputs.size()) + o);
  }
  bool empty() const { return step_.outputs.empty(); }
  StagedGroup::Step Take() { return std::move(step_); }

 private:
  int Temp(int j) const { return static_cast<int>(whole_.inputs.size() + whole_.outputs.size()) + j; }

  Expr Moved(const Expr& e) {
    return Substitute(e, [&](const ExprNode& n) {
      if (n.op == Op::kInput) return Expr::Input(Number(n.index), n.storage);
      if (n.op != Op::kReduced) return Expr();
      return Expr::Input(Number(Temp(n.index)), n.dtype);
    });
  }

  int Number(int buffer) {
    auto [it, fresh] = numbers_.emplace(buffer, static_cast<int>(step_.inputs.size()));
    if (!fresh) return it->second;
    const int end = whole_.reduced.end(), skip = step_.kept_only ? end : 0;
    GroupInput in;
    if (buffer < static_cast<int>(whole_.inputs.size())) {
      const GroupInput& from = whole_.inputs[static_cast<size_t>(buffer)];
      in.dtype = from.dtype;
      for (int a = skip; a < whole_.rank; ++a)
        in.real.push_back(from.real.empty() || from.real[static_cast<size_t>(a)]);
      for (int a : from.order)
        if (a >= skip) in.order.push_back(a - skip);
    } else {
      in.dtype = ReducedType(whole_.reductions[static_cast<size_t>(buffer - Temp(0))]);
      for (int a = skip; a < whole_.rank; ++a) in.real.push_back(a >= end);
    }
    step_.inputs.push_back(buffer);
    step_.group.inputs.push_back(std::move(in));
    return it->second;
  }

  const FusionGroup& whole_;
  StagedGroup::Step step_;
  std::unordered_map<int, int> numbers_;
};

}  // namespace

std::optional<StagedGroup> Stages(const FusionGroup& g) {
  if (g.reduced.leading() == 0 || g.reductions.empty()) return std::nullopt;
  for (const GroupInput& in : g.inputs)
    if (!in.plain()) return std::nullopt;
  std::vector<int> levels;
  int last = 0;
  for (const GroupReduction& r : g.reductions) {
    levels.push_back(LeavesOf(r.value, levels).level);
    last = std::max(last, levels.back());
  }
  bool waits = last > 0;
  for (const GroupOutput& o : g.outputs) {
    const Leaves l = LeavesOf(o.value, levels);
    if (!o.plain() || (o.reduced && l.place)) return std::nullopt;
    waits |= !o.reduced && l.level > 0;
  }
  if (!waits) return std::nullopt;
  StagedGroup s;
  for (int level = 0; level <= last; ++level) {
    StepBuilder b(g, true, false);
    for (size_t j = 0; j < g.reductions.size(); ++j)
      if (levels[j] == level) b.AddReduction(static_cast<int>(j));
    s.steps.push_back(b.Take());
    if (!Split(s.steps.back().group)) return std::nullopt;
  }
  StepBuilder full(g, false, false), reduced(g, false, true);
  for (size_t o = 0; o < g.outputs.size(); ++o) (g.outputs[o].reduced ? reduced : full).AddOutput(static_cast<int>(o));
  if (!full.empty()) s.steps.push_back(full.Take());
  if (!reduced.empty()) s.steps.push_back(reduced.Take());
  for (const StagedGroup::Step& step : s.steps) Validate(step.group);
  return s;
}

}  // namespace cinn
