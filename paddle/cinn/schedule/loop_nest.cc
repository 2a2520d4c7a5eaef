// SPDX-License-Identifier: Apache-2.0
// Chooses the loops of a group: merges axes, picks the vector axis, orders reductions into sweeps.
#include "paddle/cinn/schedule/loop_nest.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace cinn {
namespace {

bool IsReal(const GroupInput& in, int axis) { return in.real.empty() || in.real[axis]; }

// Real axes of input from outermost to innermost in memory.
std::vector<int> MemoryOrder(const GroupInput& in, int rank) {
  if (!in.order.empty()) return in.order;
  std::vector<int> r;
  for (int a = 0; a < rank; ++a)
    if (IsReal(in, a)) r.push_back(a);
  return r;
}

struct ExprFacts {
  const FusionGroup& group;
  std::unordered_map<const ExprNode*, bool> seen;                                         // with what Visit gave
  std::vector<bool> indexed = std::vector<bool>(static_cast<size_t>(group.rank), false);  // axes whose position is used
  // Axes of the inner loops: those reduced, or the last.
  AxisSet inner = group.reduced.empty() ? AxisSet::Range(std::max(group.rank - 1, 0), group.rank) : group.reduced;
  int cost = 0;
  int work = 0;  // the operations that inner loops repeat, those on 8 byte values twice
  // Whether the value changes along the inner axes.
  bool Visit(const Expr& e) {
    auto [at, fresh] = seen.try_emplace(e.node(), false);
    if (!fresh) return at->second;
    bool varies = false;
    for (int k = 0; k < e->nargs; ++k) varies |= Visit(e->args[k]);
    if (e->op == Op::kIndex) {
      indexed[e->index] = true;
      varies = inner.has(e->index);
    }
    if (e->op == Op::kInput) {
      varies = e->index >= static_cast<int>(group.inputs.size());
      if (!varies) {
        const GroupInput& in = group.inputs[e->index];
        for (int a = 0; a < group.rank; ++a) varies |= inner.has(a) && IsReal(in, a);
        if (in.offset.defined()) varies |= Visit(in.offset);
        if (in.mask.defined()) varies |= Visit(in.mask);
      }
    }
    if (e->nargs) {
      const int weight = Weight(*e.node());
      cost += weight;
      if (varies) work += phi::SizeOf(e->dtype) == 8 ? 2 * weight : weight;
    }
    return seen[e.node()] = varies;
  }
  static int Weight(const ExprNode& n) {
    switch (n.op) {
      case Op::k_add:
      case Op::k_sub:
      case Op::k_mul:
      case Op::kSelect:
      case Op::k_neg:
      case Op::k_abs:
      case Op::k_maximum:
      case Op::k_minimum:
      case Op::kCast:
      case Op::kLogicalNot:
      case Op::kBitwiseNot:
      case Op::k_square: return 1;
      case Op::k_div:
      case Op::k_sqrt:
      case Op::k_reciprocal: return 4;
      case Op::k_pow:
      case Op::k_sinh:
      case Op::k_cosh:
      case Op::k_asinh:
      case Op::k_acosh:
      case Op::k_atanh:
      case Op::k_tan:
      case Op::k_atan2:
      case Op::k_mod:
      case Op::k_fmod:
      case Op::k_floor_divide: return 40;
      default: break;
    }
    return n.op >= Op::k_exp && n.op <= Op::k_rsqrt ? 20 : 2;
  }
};

// The sweep in which a value can be computed: after the sweeps of the reductions it reads.
int LevelOf(const Expr& e, const std::vector<int>& reduction_level, std::unordered_map<const ExprNode*, int>& memo) {
  auto it = memo.find(e.node());
  if (it != memo.end()) return it->second;
  int level = e->op == Op::kReduced ? reduction_level[e->index] + 1 : 0;
  for (int k = 0; k < e->nargs; ++k) level = std::max(level, LevelOf(e->args[k], reduction_level, memo));
  memo.emplace(e.node(), level);
  return level;
}

bool Contains(const Expr& e, const ExprNode* part, std::unordered_set<const ExprNode*>& seen) {
  if (e.node() == part) return true;
  if (!seen.insert(e.node()).second) return false;
  for (int k = 0; k < e->nargs; ++k)
    if (Contains(e->args[k], part, seen)) return true;
  return false;
}

// Costly values that an earlier sweep reduces and the last one needs again (exp in softmax) are stored once.
void ChooseSpills(LoopNest& n) {
  FusionGroup& g = n.group;
  const int last = static_cast<int>(n.stages.size()) - 1;
  for (int o : last > 0 ? n.stages[last].outputs : std::vector<int>()) {
    GroupOutput& out = g.outputs[o];
    Expr best;
    int best_cost = kCostly - 1, best_stage = 0;
    for (int s = 0; s < last; ++s)
      for (int j : n.stages[s].reductions) {
        const Expr& e = g.reductions[j].value;
        if (e.dtype() != out.dtype || !e->nargs) continue;
        ExprFacts f{g};
        f.Visit(e);
        std::unordered_set<const ExprNode*> seen;
        if (f.cost > best_cost && Contains(out.value, e.node(), seen)) {
          best = e;
          best_cost = f.cost;
          best_stage = s;
        }
      }
    if (!best.defined()) continue;
    n.spills.push_back({best_stage, best, o});
    const Expr read = Expr::Input(static_cast<int>(g.inputs.size()) + o, out.dtype);
    out.value = Replace(out.value, best, read);
  }
}

// Inputs along the row that several sweeps read, and costly values; the first of these takes the place of an input.
int KeptBytes(const LoopNest& n) {
  const FusionGroup& g = n.group;
  std::vector<int> sweeps(g.inputs.size());
  int costly = 0;
  for (const LoopStage& st : n.stages) {
    std::unordered_set<const ExprNode*> seen;
    std::function<void(const Expr&)> visit = [&](const Expr& e) {
      if (!seen.insert(e.node()).second) return;
      const auto k = static_cast<size_t>(e->index);
      if (e->op == Op::kInput && k < sweeps.size() && n.access[k] == LaneAccess::kUnit) ++sweeps[k];
      for (int a = 0; a < e->nargs; ++a) visit(e->args[a]);
    };
    for (int j : st.reductions) visit(g.reductions[static_cast<size_t>(j)].value);
    for (int o : st.outputs) visit(g.outputs[static_cast<size_t>(o)].value);
    for (int j : st.reductions) {
      const Expr& e = g.reductions[static_cast<size_t>(j)].value;
      if (&st != &n.stages.back() && IsFloat(e.dtype()) && OperationsOf(e) >= kCostly)
        costly += static_cast<int>(phi::SizeOf(e.dtype()));
    }
  }
  int bytes = 0, first = 0;
  for (size_t k = 0; k < sweeps.size(); ++k) {
    if (sweeps[k] < 2) continue;
    bytes += static_cast<int>(phi::SizeOf(g.inputs[k].dtype));
    if (!first) first = bytes;
  }
  return std::max(bytes, bytes - first + costly);
}

// What an element costs, and the bytes that go through memory for it.
void Measure(LoopNest& n, const FusionGroup& g, const ExprFacts& facts) {
  n.cost = facts.cost + static_cast<int>(g.inputs.size() + g.outputs.size());
  for (const GroupInput& in : g.inputs) {
    bool full = true;
    for (int a = 0; a < g.rank; ++a) full = full && IsReal(in, a);
    if (full) n.bytes += static_cast<int>(phi::SizeOf(in.dtype));
  }
  for (const GroupOutput& o : g.outputs)
    if (!o.reduced || g.reduced.empty()) n.bytes += static_cast<int>(phi::SizeOf(o.dtype));
  n.unroll = facts.cost <= 8 ? 4 : facts.cost <= 32 ? 2 : 1;
}

// Whether axes a and b, its next, are one for every input and output. `orders`: the axes of inputs as memory has them.
bool AreOne(const FusionGroup& g, const ExprFacts& facts, const std::vector<std::vector<int>>& orders, int a, int b) {
  if (g.reduced.has(a) != g.reduced.has(b) || facts.indexed[a] || facts.indexed[b]) return false;
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    if (IsReal(g.inputs[i], a) != IsReal(g.inputs[i], b)) return false;
    if (!IsReal(g.inputs[i], a)) continue;
    if (!g.inputs[i].cut.empty() && g.inputs[i].cut[a]) return false;
    auto at = std::find(orders[i].begin(), orders[i].end(), a);
    if (at + 1 == orders[i].end() || *(at + 1) != b) return false;
  }
  for (const GroupOutput& o : g.outputs)
    if (!o.cut.empty() && o.cut[a]) return false;
  return true;
}

// Loops over as few axes as there can be; the last is that of lanes.
void MakeAxes(LoopNest& n, const FusionGroup& g, const ExprFacts& facts, const std::vector<std::vector<int>>& orders) {
  std::vector<LoopAxis> axes;
  for (int a = 0; a < g.rank; ++a) {
    if (a > 0 && AreOne(g, facts, orders, a - 1, a))
      axes.back().parts.push_back(a);
    else
      axes.push_back({{a}});
  }
  if (!axes.empty()) {
    n.lane = axes.back();
    axes.pop_back();
  }
  for (LoopAxis& a : axes) (g.reduced.has(a.parts[0]) ? n.reds : n.rows).push_back(a);
}

// How lanes read inputs and write outputs.
void ChooseAccess(LoopNest& n, const FusionGroup& g, const std::vector<std::vector<int>>& orders) {
  const int lane_axis = n.lane.parts.empty() ? -1 : n.lane.parts.back();
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    if (lane_axis < 0 || !IsReal(g.inputs[i], lane_axis))
      n.access.push_back(LaneAccess::kUniform);
    else
      n.access.push_back(orders[i].back() == lane_axis && g.inputs[i].unit ? LaneAccess::kUnit : LaneAccess::kStrided);
  }
  for (const GroupOutput& o : g.outputs)
    n.access.push_back(o.reduced && n.mode == LoopMode::kRowReduce ? LaneAccess::kUniform
                       : o.unit                                    ? LaneAccess::kUnit
                                                                   : LaneAccess::kStrided);
}

// Sweeps over the reduced axes: each reduction in the one after those it reads, outputs behind what they read.
void MakeStages(LoopNest& n, const FusionGroup& g) {
  std::vector<int> level;
  std::unordered_map<const ExprNode*, int> memo;
  for (const GroupReduction& r : g.reductions) level.push_back(LevelOf(r.value, level, memo));
  const auto stage = [&](int k) -> LoopStage& {
    if (static_cast<int>(n.stages.size()) <= k) n.stages.resize(k + 1);
    return n.stages[k];
  };
  for (size_t j = 0; j < g.reductions.size(); ++j) stage(level[j]).reductions.push_back(static_cast<int>(j));
  for (size_t o = 0; o < g.outputs.size(); ++o)
    if (!g.outputs[o].reduced || g.reduced.empty())
      stage(LevelOf(g.outputs[o].value, level, memo)).outputs.push_back(static_cast<int>(o));
}

std::string AxisText(const LoopAxis& a) {
  std::string s;
  for (int p : a.parts) s += (s.empty() ? "d" : "*d") + std::to_string(p);
  return s.empty() ? "1" : s;
}

std::string AxesText(const std::vector<LoopAxis>& axes) {
  std::string s;
  for (const LoopAxis& a : axes) s += (s.empty() ? "" : ", ") + AxisText(a);
  return s.empty() ? "1" : s;
}

}  // namespace

DataType LaneType(const GroupReduction& r) {
  const DataType t = r.value.dtype();
  switch (r.kind) {
    case ReduceKind::kSum:
    case ReduceKind::kProd:
    case ReduceKind::kMean: return IsFloat(t) ? t : DataType::INT64;
    case ReduceKind::kAny:
    case ReduceKind::kAll: return DataType::BOOL;
    default: return t;
  }
}
DataType TopType(const GroupReduction& r) {
  const DataType t = LaneType(r);
  const bool adds = r.kind == ReduceKind::kSum || r.kind == ReduceKind::kProd || r.kind == ReduceKind::kMean;
  return adds && IsFloat(t) ? DataType::FLOAT64 : t;
}

LoopNest Schedule(FusionGroup g) {
  Validate(g);
  SimplifyGroup(g);
  LoopNest n;
  n.mode = g.reduced.empty()           ? LoopMode::kElementwise
           : g.reduced.has(g.rank - 1) ? LoopMode::kRowReduce
                                       : LoopMode::kColReduce;
  ExprFacts facts{g};
  for (const GroupReduction& r : g.reductions) facts.Visit(r.value);
  for (const GroupOutput& o : g.outputs) facts.Visit(o.value);
  Measure(n, g, facts);
  std::vector<std::vector<int>> orders;
  for (const GroupInput& in : g.inputs) orders.push_back(MemoryOrder(in, g.rank));
  MakeAxes(n, g, facts, orders);
  ChooseAccess(n, g, orders);
  MakeStages(n, g);
  n.group = std::move(g);
  ChooseSpills(n);
  n.kept = KeptBytes(n);
  for (const LoopStage& s : n.stages) {
    ExprFacts sweep{n.group};
    for (int j : s.reductions) sweep.Visit(n.group.reductions[j].value);
    for (int o : s.outputs) sweep.Visit(n.group.outputs[o].value);
    n.work += sweep.work;
  }
  return n;
}

int OperationsOf(const Expr& e) {
  const FusionGroup none{kMaxGroupRank};
  ExprFacts facts{none};
  facts.inner = AxisSet::Range(0, kMaxGroupRank);
  facts.Visit(e);
  return facts.work;
}

std::string ToString(const LoopNest& n) {
  std::string s;
  const bool red = n.mode != LoopMode::kElementwise;
  const std::string vec = " vector " + std::to_string(n.width) + " x " + std::to_string(n.unroll);
  auto line = [&](int depth, const std::string& t) { s += std::string(2 * depth, ' ') + t + "\n"; };
  if (n.mode == LoopMode::kElementwise)
    line(0, "parallel i in " + AxesText(n.rows) + ", " + AxisText(n.lane) + vec + " {");
  if (n.mode == LoopMode::kRowReduce) line(0, "parallel row in " + AxesText(n.rows) + " {");
  if (n.mode == LoopMode::kColReduce)
    line(0, "parallel col in " + AxesText(n.rows) + ", " + AxisText(n.lane) + vec + " {");
  for (const LoopStage& st : n.stages) {
    int depth = 1;
    if (n.mode == LoopMode::kRowReduce)
      line(depth++, "for k in " + (n.reds.empty() ? "" : AxesText(n.reds) + ", ") + AxisText(n.lane) + vec + " {");
    if (n.mode == LoopMode::kColReduce) line(depth++, "for k in " + AxesText(n.reds) + " {");
    for (int j : st.reductions)
      line(depth, "$" + std::to_string(j) + " " + ReduceName(n.group.reductions[j].kind) + "= " +
                      ToString(n.group.reductions[j].value));
    for (const LoopSpill& p : n.spills)
      if (p.stage == static_cast<int>(&st - n.stages.data()))
        line(depth, "keep out" + std::to_string(p.output) + "[i] = " + ToString(p.value));
    for (int o : st.outputs)
      line(depth, "out" + std::to_string(o) + "[i] = " + std::string(phi::NameOf(n.group.outputs[o].dtype)) + " " +
                      ToString(n.group.outputs[o].value));
    if (red) line(1, "}");
  }
  for (size_t o = 0; red && o < n.group.outputs.size(); ++o)
    if (n.group.outputs[o].reduced)
      line(1, "out" + std::to_string(o) + "[row] = " + std::string(phi::NameOf(n.group.outputs[o].dtype)) + " " +
                  ToString(n.group.outputs[o].value));
  line(0, "}");
  return s;
}

void FillMeta(const LoopNest& n, const int64_t* dims, KernelMeta& meta, const int64_t* strides) {
  meta.clear();
  const FusionGroup& g = n.group;
  std::vector<const LoopAxis*> axes;
  for (const LoopAxis& a : n.rows) axes.push_back(&a);
  for (const LoopAxis& a : n.reds) axes.push_back(&a);
  axes.push_back(&n.lane);
  for (const LoopAxis* a : axes) {
    int64_t extent = 1;
    for (int p : a->parts) extent *= dims[p];
    meta.push_back(extent);
  }
  int64_t stride[16];
  auto emit = [&] {
    for (const LoopAxis* a : axes) meta.push_back(a->parts.empty() ? 0 : stride[a->parts.back()]);
  };
  for (const GroupInput& in : g.inputs) {
    int64_t at = 1;
    std::fill(stride, stride + 16, 0);
    if (strides) {
      std::copy_n(strides + (&in - g.inputs.data()) * g.rank, g.rank, stride);
      emit();
      continue;
    }
    auto place = [&](int axis) {
      stride[axis] = at;
      at *= dims[axis];
    };
    if (!in.order.empty())
      for (int k = static_cast<int>(in.order.size()) - 1; k >= 0; --k) place(in.order[k]);
    else
      for (int k = g.rank - 1; k >= 0; --k)
        if (IsReal(in, k)) place(k);
    emit();
  }
  for (const GroupOutput& o : g.outputs) {
    int64_t at = 1;
    std::fill(stride, stride + 16, 0);
    if (strides && !o.plain()) {
      std::copy_n(strides + (static_cast<int64_t>(g.inputs.size()) + (&o - g.outputs.data())) * g.rank, g.rank, stride);
      emit();
      continue;
    }
    for (int k = g.rank - 1; k >= 0; --k) {
      if (o.reduced && g.reduced.has(k)) continue;
      stride[k] = at;
      at *= dims[k];
    }
    emit();
  }
  for (int k = 0; k < g.rank + g.params; ++k) meta.push_back(dims[k]);
}

}  // namespace cinn
