// SPDX-License-Identifier: Apache-2.0
// The loops of a kernel as CUDA C++: a thread an element, a block a row, or a thread a column.
#include "paddle/cinn/codegen/cuda_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "paddle/cinn/codegen/cuda_op.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using Strings = std::vector<std::string>;
std::string Str(int64_t v) { return std::to_string(v); }

// Lines of text with places where declarations found to be needed later are inserted.
class Lines {
 public:
  void Add(const std::string& text) { lines_.push_back(std::string(2 * static_cast<size_t>(depth_), ' ') + text); }
  void Open(const std::string& text) {
    Add(text + " {");
    ++depth_;
  }
  void Close() {
    --depth_;
    Add("}");
  }
  struct Place {
    size_t at;
    int depth;
  };
  Place Here() const { return {lines_.size(), depth_}; }
  void Insert(Place p, const Strings& texts) {
    Strings in;
    for (const std::string& t : texts) in.push_back(std::string(2 * static_cast<size_t>(p.depth), ' ') + t);
    lines_.insert(lines_.begin() + static_cast<long>(p.at), in.begin(), in.end());
  }
  std::string Text() const {
    std::string s;
    for (const std::string& l : lines_) s += l + "\n";
    return s;
  }

 private:
  Strings lines_;
  int depth_ = 0;
};

class Printer {
 public:
  Printer(const LoopNest& nest, const std::string& symbol) : nest_(nest), g_(nest.group), symbol_(symbol) {
    axes_ = nest.rows;
    axes_.insert(axes_.end(), nest.reds.begin(), nest.reds.end());
    axes_.push_back(nest.lane);
    nbuf_ = static_cast<int>(g_.inputs.size() + g_.outputs.size());
    const int rows = static_cast<int>(nest.rows.size()), reds = rows + static_cast<int>(nest.reds.size());
    for (int a = 0; a < Naxes(); ++a) {
      const bool reduced = a == reds ? nest.mode == LoopMode::kRowReduce : a >= rows;
      (reduced && nest.mode != LoopMode::kElementwise ? inner_ : outer_).push_back(a);
    }
  }

  std::string Run() {
    const bool reduces = nest_.mode != LoopMode::kElementwise;
    Strings parameters;
    for (size_t i = 0; i < g_.inputs.size(); ++i)  // an output of a group without reductions may be an input's memory
      parameters.push_back("const " + std::string(CudaStorage(g_.inputs[i].dtype)) + "* " +
                           (reduces ? "__restrict__ " : "") + "in" + Str(i));
    for (size_t o = 0; o < g_.outputs.size(); ++o)
      parameters.push_back(std::string(CudaStorage(g_.outputs[o].dtype)) + "* out" + Str(o));
    const int numbers = Naxes() * (1 + nbuf_) + g_.rank + g_.params;
    parameters.push_back("const cinn::Meta<" + Str(numbers) + "> meta");
    std::string head = "extern \"C\" __global__ void __launch_bounds__(" + Str(kCudaThreads) + ") " + symbol_ + "(";
    for (size_t k = 0; k < parameters.size(); ++k) head += (k ? ", " : "") + parameters[k];
    to_.Open(head + ")");
    const Lines::Place top = to_.Here();
    scopes_.emplace_back();
    if (reduces)
      Reducing();
    else
      Elementwise();
    to_.Close();
    Strings numbers_used;
    for (const auto& [at, name] : meta_used_)
      numbers_used.push_back("const long long " + name + " = meta.v[" + Str(at) + "];");
    to_.Insert(top, numbers_used);
    return to_.Text();
  }

 private:
  int Naxes() const { return static_cast<int>(axes_.size()); }

  // ---- numbers of the runtime description, declared when used ----
  std::string Number(int at, const std::string& name) {
    meta_used_.emplace(at, name);
    return name;
  }
  std::string Extent(int axis) { return Number(axis, "e" + Str(axis)); }
  std::string Stride(int buf, int axis) { return Number(Naxes() * (1 + buf) + axis, "s" + Str(buf) + "_" + Str(axis)); }
  std::string Dim(int a) { return Number(Naxes() * (1 + nbuf_) + a, "d" + Str(a)); }
  std::string Product(const std::vector<int>& axes, size_t first = 0) {
    std::string s;
    for (size_t k = first; k < axes.size(); ++k) s += (s.empty() ? "" : " * ") + Extent(axes[k]);
    return s.empty() ? "1" : s;
  }

  // ---- positions ----
  // A loop variable that walks the product of axes; the index of each is derived when something reads it.
  struct Walk {
    std::string name;
    std::vector<int> axes;
    std::set<int> used;
  };
  std::string IndexOf(int axis) {
    for (auto w = walks_.rbegin(); w != walks_.rend(); ++w) {
      if (std::find(w->axes.begin(), w->axes.end(), axis) == w->axes.end()) continue;
      if (w->axes.size() == 1) return w->name;
      w->used.insert(axis);
      return "i" + Str(axis);
    }
    PD_THROW(Internal, "[cinn] no loop over axis ", axis);
  }
  Strings Derived(const Walk& w) {
    Strings out;
    for (size_t k = 0; k < w.axes.size(); ++k) {
      if (!w.used.count(w.axes[k])) continue;
      std::string text = w.name;
      const size_t inner = w.axes.size() - 1 - k;
      if (inner) text += " / " + (inner > 1 ? "(" + Product(w.axes, k + 1) + ")" : Product(w.axes, k + 1));
      if (k) text += " % " + Extent(w.axes[k]);
      out.push_back("const long long i" + Str(w.axes[k]) + " = " + text + ";");
    }
    return out;
  }
  template <class F>
  void Walking(const std::string& loop, const std::string& name, const std::vector<int>& axes, const F& body) {
    to_.Open(loop);
    walks_.push_back({name, axes, {}});
    scopes_.emplace_back();
    const Lines::Place at = to_.Here();
    body();
    to_.Insert(at, Derived(walks_.back()));
    scopes_.pop_back();
    walks_.pop_back();
    to_.Close();
  }

  bool IsReal(int buf, const LoopAxis& axis) const {
    if (axis.parts.empty()) return false;
    const int a = axis.parts.back(), nin = static_cast<int>(g_.inputs.size());
    if (buf < nin)
      return g_.inputs[static_cast<size_t>(buf)].real.empty() ||
             g_.inputs[static_cast<size_t>(buf)].real[static_cast<size_t>(a)];
    return !(g_.outputs[static_cast<size_t>(buf - nin)].reduced && g_.reduced.has(a));
  }
  // All axes, in their order, without gaps: the position in the iteration space is the position in memory.
  bool IsWhole(int buf) const {
    const int nin = static_cast<int>(g_.inputs.size());
    if (buf >= nin) {
      const GroupOutput& out = g_.outputs[static_cast<size_t>(buf - nin)];
      return out.plain() && (!out.reduced || g_.reduced.empty());
    }
    const GroupInput& in = g_.inputs[static_cast<size_t>(buf)];
    return in.plain() && std::find(in.real.begin(), in.real.end(), false) == in.real.end() &&
           std::is_sorted(in.order.begin(), in.order.end());
  }
  // The reduced axes are the last ones.
  bool Trailing() const {
    return !g_.reduced.empty() && g_.reduced == AxisSet::Range(g_.rank - g_.reduced.count(), g_.rank);
  }
  std::string Offset(int buf) {
    const int o = buf - static_cast<int>(g_.inputs.size());
    if (o >= 0 && nest_.mode != LoopMode::kElementwise && g_.outputs[static_cast<size_t>(o)].reduced)
      return walks_[0].name;
    if (g_.rank == 0 && (o >= 0 || !g_.inputs[static_cast<size_t>(buf)].offset.defined())) return "0";
    if (IsWhole(buf) && nest_.mode == LoopMode::kElementwise) return walks_[0].name;
    if (IsWhole(buf) && Trailing()) return "row * n + k";
    std::string s;
    for (int a = 0; a < Naxes(); ++a) {
      if (!IsReal(buf, axes_[static_cast<size_t>(a)])) continue;
      const bool unit = a == Naxes() - 1 && nest_.access[static_cast<size_t>(buf)] == LaneAccess::kUnit;
      s += (s.empty() ? "" : " + ") + IndexOf(a) + (unit ? "" : " * " + Stride(buf, a));
    }
    if (o < 0 && g_.inputs[static_cast<size_t>(buf)].offset.defined())
      s += (s.empty() ? "" : " + ") + Value(g_.inputs[static_cast<size_t>(buf)].offset);
    return s.empty() ? "0" : s;
  }

  // ---- values ----
  // Same for all steps of the innermost loop: made before it.
  bool Invariant(const Expr& e) {
    auto it = invariant_.find(e.node());
    if (it != invariant_.end()) return it->second;
    bool same = true;
    const AxisSet inner = g_.reduced.empty() ? AxisSet::Range(0, g_.rank) : g_.reduced;
    if (e->op == Op::kInput) {
      same = e->index < static_cast<int>(g_.inputs.size());
      for (int a = 0; a < g_.rank && same; ++a) {
        const GroupInput& in = g_.inputs[static_cast<size_t>(e->index)];
        same = !inner.has(a) || (!in.real.empty() && !in.real[static_cast<size_t>(a)]);
      }
      if (same && g_.inputs[static_cast<size_t>(e->index)].offset.defined())
        same = Invariant(g_.inputs[static_cast<size_t>(e->index)].offset);
      if (same && g_.inputs[static_cast<size_t>(e->index)].mask.defined())
        same = Invariant(g_.inputs[static_cast<size_t>(e->index)].mask);
    } else if (e->op == Op::kIndex) {
      same = !inner.has(e->index);
    }
    for (int k = 0; k < e->nargs; ++k) same = Invariant(e->args[k]) && same;
    invariant_.emplace(e.node(), same);
    return same;
  }
  void Hoist(const Expr& e) {
    if (!hoisted_.insert(e.node()).second) return;
    if (Invariant(e)) {
      Value(e);
      return;
    }
    for (int k = 0; k < e->nargs; ++k) Hoist(e->args[k]);
  }
  void Hoist(const LoopStage& st) {
    hoisted_.clear();
    for (int j : st.reductions) Hoist(g_.reductions[static_cast<size_t>(j)].value);
    for (const LoopSpill& p : nest_.spills)
      if (&nest_.stages[static_cast<size_t>(p.stage)] == &st) Hoist(p.value);
    for (int o : st.outputs) Hoist(g_.outputs[static_cast<size_t>(o)].value);
  }

  std::string Load(const ExprNode& n) {
    const int nin = static_cast<int>(g_.inputs.size());
    const std::string name = n.index < nin ? "in" + Str(n.index) : "out" + Str(n.index - nin);
    std::string element = name + "[" + Offset(n.index) + "]";
    if (n.index < nin && g_.inputs[static_cast<size_t>(n.index)].mask.defined())
      element = "(" + Value(g_.inputs[static_cast<size_t>(n.index)].mask) + " ? " + element + " : 0)";
    return CudaFromStorage(element, n.storage);
  }

  // The name of a value, computed where this is first called; literals and names cost no line.
  std::string Value(const Expr& e) {
    if (e->op == Op::kConst) return CudaLiteral(*e.node());
    if (e->op == Op::kReduced) return "r" + Str(e->index);
    if (e->op == Op::kExtent) return Dim(e->index);
    if (e->op == Op::kIndex) {
      for (int a = 0; a < Naxes(); ++a)
        if (axes_[static_cast<size_t>(a)].parts == std::vector<int>{e->index}) return IndexOf(a);
      PD_THROW(Internal, "[cinn] the position along a merged axis ", e->index);
    }
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (auto it = s->find(e.node()); it != s->end()) return it->second;
    std::string text;
    if (e->op == Op::kInput) {
      text = Load(*e.node());
    } else {
      std::string args[3];
      for (int k = 0; k < e->nargs; ++k) args[k] = Value(e->args[k]);
      text = CudaOp(*e.node(), args);
    }
    const std::string name = "v" + Str(values_++);
    to_.Add(std::string("const ") + CudaType(e.dtype()) + " " + name + " = " + text + ";");
    scopes_.back().emplace(e.node(), name);
    return name;
  }

  void Store(int o, const Expr& value) {
    const GroupOutput& out = g_.outputs[static_cast<size_t>(o)];
    const int buf = static_cast<int>(g_.inputs.size()) + o;
    const std::string v =
        CudaToStorage(CudaConvert(Value(value), value.dtype(), phi::ComputeType(out.dtype)), out.dtype);
    to_.Add("out" + Str(o) + "[" + Offset(buf) + "] = " + v + ";");
  }

  // ---- reductions ----
  const GroupReduction& Red(int j) const { return g_.reductions[static_cast<size_t>(j)]; }
  bool TwoLevels(const LoopStage& st) const {
    return std::any_of(st.reductions.begin(), st.reductions.end(),
                       [&](int j) { return LaneType(Red(j)) != TopType(Red(j)); });
  }
  void Accumulators(const LoopStage& st, const char* letter, DataType (*type)(const GroupReduction&)) {
    for (int j : st.reductions) {
      const DataType t = type(Red(j));
      to_.Add(std::string(CudaType(t)) + " " + letter + Str(j) + " = " + CudaIdentity(Red(j).kind, t) + ";");
    }
  }
  void Step(const LoopStage& st, const char* letter) {
    for (const LoopSpill& p : nest_.spills)
      if (&nest_.stages[static_cast<size_t>(p.stage)] == &st) Store(p.output, p.value);
    for (int j : st.reductions) {
      const std::string a = letter + Str(j),
                        v = CudaConvert(Value(Red(j).value), Red(j).value.dtype(), LaneType(Red(j)));
      to_.Add(a + " = " + CudaCombine(Red(j).kind, LaneType(Red(j)), a, v) + ";");
    }
    // An output may be the memory of an input: everything is read before anything is written.
    for (int o : st.outputs) Value(g_.outputs[static_cast<size_t>(o)].value);
    for (int o : st.outputs) Store(o, g_.outputs[static_cast<size_t>(o)].value);
  }
  // A sweep of one thread over its share of the n reduced positions; leaves t<j>.
  void Sweep(const LoopStage& st) {
    const bool rows = nest_.mode == LoopMode::kRowReduce;
    const std::string block = Str(rows ? kRowBlock : kColBlock);
    const auto loop = [&](const std::string& from, const std::string& to, const char* letter) {
      const std::string begin = !rows ? from : from == "0" ? "threadIdx.x" : from + " + threadIdx.x";
      const std::string step = rows ? "k += " + Str(kCudaThreads) : "++k";
      Walking("for (long long k = " + begin + "; k < " + to + "; " + step + ")", "k", inner_,
              [&] { Step(st, letter); });
    };
    Hoist(st);
    Accumulators(st, "t", TopType);
    if (!TwoLevels(st)) {
      loop("0", "n", "t");
      return;
    }
    to_.Open("for (long long base = 0; base < n; base += " + block + ")");
    Accumulators(st, "a", LaneType);
    to_.Add("const long long end = base + " + block + " < n ? base + " + block + " : n;");
    loop("base", "end", "a");
    for (int j : st.reductions) {
      const std::string a = CudaConvert("a" + Str(j), LaneType(Red(j)), TopType(Red(j)));
      to_.Add("t" + Str(j) + " = " + CudaCombine(Red(j).kind, TopType(Red(j)), "t" + Str(j), a) + ";");
    }
    to_.Close();
  }
  void Results(const LoopStage& st) {
    for (int j : st.reductions) {
      DataType t = TopType(Red(j));
      std::string v = "t" + Str(j);
      if (nest_.mode == LoopMode::kRowReduce)
        v = std::string("cinn::block_reduce<cinn::") + CudaKind(Red(j).kind) + ">(" + v + ")";
      if (Red(j).kind == ReduceKind::kMean) {
        v = CudaConvert(v, t, DataType::FLOAT64) + " / (double)n";
        if (ReducedType(Red(j)) != DataType::FLOAT64) v = "(" + v + ")";
        t = DataType::FLOAT64;
      }
      to_.Add(std::string("const ") + CudaType(ReducedType(Red(j))) + " r" + Str(j) + " = " +
              CudaConvert(v, t, ReducedType(Red(j))) + ";");
    }
  }

  // ---- the three kinds of nests ----
  static std::string Grid(const std::string& name, const std::string& n) {
    const std::string threads = Str(kCudaThreads);
    return "for (long long " + name + " = " + threads + "LL * blockIdx.x + threadIdx.x; " + name + " < " + n + "; " +
           name + " += " + threads + "LL * gridDim.x)";
  }

  void Elementwise() {
    to_.Add("const long long size = " + Product(outer_) + ";");
    for (const LoopStage& st : nest_.stages) {
      Hoist(st);
      Walking(Grid("p", "size"), "p", outer_, [&] { Step(st, ""); });
    }
  }

  void Reducing() {
    const bool rows = nest_.mode == LoopMode::kRowReduce;
    const std::string name = rows ? "row" : "p", size = rows ? "rows" : "size";
    to_.Add("const long long " + size + " = " + Product(outer_) + ";");
    to_.Add("const long long n = " + Product(inner_) + ";");
    Walking(rows ? "for (long long row = blockIdx.x; row < rows; row += gridDim.x)" : Grid(name, size), name, outer_,
            [&] {
              for (const LoopStage& st : nest_.stages) {
                Sweep(st);
                Results(st);
              }
              if (std::none_of(g_.outputs.begin(), g_.outputs.end(), [](const GroupOutput& o) { return o.reduced; }))
                return;
              if (rows) to_.Open("if (threadIdx.x == 0)");
              scopes_.emplace_back();
              for (size_t o = 0; o < g_.outputs.size(); ++o)
                if (g_.outputs[o].reduced) Store(static_cast<int>(o), g_.outputs[o].value);
              scopes_.pop_back();
              if (rows) to_.Close();
            });
  }

  const LoopNest& nest_;
  const FusionGroup& g_;
  std::string symbol_;
  std::vector<LoopAxis> axes_;      // rows, reds, lane: the numbering of the runtime description
  std::vector<int> outer_, inner_;  // of them: walked by the grid, and within a thread or block
  int nbuf_ = 0, values_ = 0;
  Lines to_;
  std::vector<Walk> walks_;
  std::vector<std::unordered_map<const ExprNode*, std::string>> scopes_;
  std::unordered_map<const ExprNode*, bool> invariant_;
  std::set<const ExprNode*> hoisted_;
  std::map<int, std::string> meta_used_;
};

}  // namespace

std::string CudaKernel(const LoopNest& nest, const std::string& symbol) { return Printer(nest, symbol).Run(); }

int64_t CudaBlocks(const LoopNest& nest, const KernelMeta& meta) {
  const size_t rows = nest.rows.size(), lane = rows + nest.reds.size();
  int64_t n = nest.mode == LoopMode::kRowReduce ? 1 : meta[lane];
  for (size_t k = 0; k < rows; ++k) n *= meta[k];
  if (nest.mode != LoopMode::kRowReduce) n = (n + kCudaThreads - 1) / kCudaThreads;
  return std::clamp<int64_t>(n, 1, 1 << 20);  // further ones are walked in turns
}

}  // namespace cinn
