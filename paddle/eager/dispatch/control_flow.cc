// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/control_flow.h"

#include <algorithm>
#include <set>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/dispatch/carry.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pir/dialect/builtin.h"

namespace egr {
namespace {

using pir::Block;
using pir::Operation;
using pir::Value;

const Block* ParentOf(const Block* b) {
  const Operation* op = b->parent_op();
  return op ? op->block() : nullptr;
}

// One result of a region: the tensor as it was at its end.
struct Out {
  Tensor tensor;  // undefined: no result here
  Value value;
};

// What is kept of a recorded region for its gradient.
struct RegionGraph {
  Block* block = nullptr;
  std::vector<Out> outs;
  OuterUses uses;
};

// The start of the graph of a loop body: the gradient of a block argument arrives here.
class ArgumentNode final : public GradNode {
 public:
  ArgumentNode() { SetCounts(0, 1); }
  const char* name() const override { return "BlockArgument"; }
  void Run(Tensor*, Tensor*, bool) override {}
};

Recorder& Active(const char* op) {
  DispatchState& s = State();
  PD_CHECK(s.recorder != nullptr && s.record == RecordMode::kRecord, PreconditionNotMet, "[", op,
           "] expected a program being recorded, got none");
  return *s.recorder;
}

// Opens a frame; at the end of the scope tensors written inside hold what they held before.
class FrameScope {
 public:
  FrameScope(Recorder& r, Block* block, Block* source) : r_(r), guard_(r.builder()), mode_(State()) {
    frame.block = block;
    frame.source = source;
    r.frames().push_back(&frame);
    r.builder().SetToEnd(block);
    r.set_source(block, source);
  }
  ~FrameScope() {
    for (auto& w : frame.written) w.before.Restore(w.tensor);
    r_.frames().pop_back();
    State() = mode_;
  }
  FrameScope(const FrameScope&) = delete;

  RegionFrame frame;

 private:
  Recorder& r_;
  pir::Builder::Guard guard_;
  DispatchState mode_;
};

// Removes an op that was begun unless it is kept.
class OpScope {
 public:
  OpScope(Recorder& r, Operation* op) : r_(r), op_(op), mark_(r.mark()) {}
  ~OpScope() {
    if (!op_) return;
    r_.Forget(mark_);
    op_->Erase();
  }
  OpScope(const OpScope&) = delete;
  void Keep() { op_ = nullptr; }

 private:
  Recorder& r_;
  Operation* op_;
  size_t mark_;
};

Out OutOf(Recorder& r, const Tensor& t) {
  if (!t.defined()) return {};
  Value v = r.ValueOf(t);
  CellState state(t);
  return {state.tensor(), v};
}

// The narrowest type that holds both.
pir::Type Unify(const char* op, const char* what, size_t i, pir::Type a, pir::Type b) {
  if (a == b) return a;
  PD_CHECK(a.dtype() == b.dtype(), InvalidArgument, "[", op, "] expected ", what, " ", i, " to have one dtype, got ",
           phi::NameOf(a.dtype()), " and ", phi::NameOf(b.dtype()));
  PD_CHECK(a.dims().size() == b.dims().size(), InvalidArgument, "[", op, "] expected ", what, " ", i,
           " to have one number of dimensions, got shapes ", common::ShapeText(a.dims()), " and ",
           common::ShapeText(b.dims()));
  common::Dims dims = a.dims();
  bool changed = false;
  for (int64_t k = 0; k < dims.size(); ++k) {
    if (common::SameDim(dims[k], b.dims()[k])) continue;
    dims[k] = common::NewSymbol();
    changed = true;
  }
  return changed ? pir::DenseTensorType::Get(a.dtype(), dims) : a;
}

// `got` with the extents of `held` where those are symbols made for the loop (`held` differs from `init`): they stand
// for whatever a round leaves.
pir::Type WithFreed(pir::Type got, pir::Type held, pir::Type init) {
  common::Dims dims = got.dims();
  if (dims.size() != held.dims().size()) return got;
  for (int64_t k = 0; k < dims.size(); ++k)
    if (!common::SameDim(held.dims()[k], init.dims()[k])) dims[k] = held.dims()[k];
  return pir::DenseTensorType::Get(got.dtype(), dims);
}

// The tensor takes the result `r` of the op that wrote it.
void RebindCell(Recorder& rec, const Tensor& cell, const Tensor& r, bool symbolic) {
  rec.BeforeWrite(cell);
  cell->value = r->value;
  cell->ShareHistory(*r.impl());
  cell->stop_gradient = r->stop_gradient;
  if (symbolic) cell->Become(r->state());
}

void SetFlags(const Tensor& t, Value v, bool needs) {
  t->stop_gradient = !needs;
  v.set_stop_gradient(!needs);
}

// The edges of `uses`, and the arguments' nodes, that gradients of one region result can reach.
class Reach {
 public:
  Reach(const OuterUses& uses, const std::vector<Edge>& args) : uses_(uses) {
    for (size_t i = 0; i < args.size(); ++i)
      if (args[i].node) args_[args[i].node.get()] = i;
  }
  void From(const Tensor& root) {
    if (!NeedsGrad(root)) return;
    Follow(GradEdge(root));
    while (!work_.empty()) {
      GradNode* n = work_.back();
      work_.pop_back();
      for (int k = 0; k < n->num_inputs(); ++k)
        if (n->edge(k).node) Follow(n->edge(k));
    }
  }
  std::set<std::pair<GradNode*, int>> outer;
  std::set<size_t> args;

 private:
  void Follow(const Edge& e) {
    if (auto a = args_.find(e.node.get()); a != args_.end()) {
      args.insert(a->second);
    } else if (uses_.count({e.node.get(), e.slot})) {
      outer.insert({e.node.get(), e.slot});
    } else if (seen_.insert(e.node.get()).second) {
      work_.push_back(e.node.get());
    }
  }
  const OuterUses& uses_;
  std::map<GradNode*, size_t> args_;
  std::set<GradNode*> seen_;
  std::vector<GradNode*> work_;
};

std::vector<Tensor> TensorsOf(const std::vector<Out>& outs) {
  std::vector<Tensor> r;
  for (const Out& o : outs) r.push_back(o.tensor);
  return r;
}

std::vector<Tensor> IfOp(Value condition, const Branch& yes, const Branch& no, const Fill& fill,
                         const RegionGraph* sources);

class IfNode final : public GradNode {
 public:
  IfNode(Value condition, RegionGraph yes, RegionGraph no)
      : condition_(condition), graphs_{std::move(yes), std::move(no)} {
    std::set<std::pair<GradNode*, int>> reached;
    for (RegionGraph& g : graphs_) {
      Reach reach(g.uses, {});
      for (const Out& o : g.outs)
        if (o.tensor.defined()) reach.From(o.tensor);
      reached.insert(reach.outer.begin(), reach.outer.end());
    }
    for (auto& key : reached) {
      auto it = graphs_[0].uses.find(key);
      ends_.push_back(it != graphs_[0].uses.end() ? it->second : graphs_[1].uses.find(key)->second);
    }
    SetCounts(static_cast<int>(ends_.size()), static_cast<int>(graphs_[0].outs.size()));
    for (size_t k = 0; k < ends_.size(); ++k) edge(static_cast<int>(k)) = ends_[k].edge;
  }
  const char* name() const override { return "if"; }
  bool useful() const { return !ends_.empty(); }
  void ReleaseSaved() override {
    for (RegionGraph& g : graphs_) g = {};
  }

  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    Recorder& r = Active("if");
    std::vector<bool> wanted;
    std::vector<Edge> edges;
    for (size_t k = 0; k < ends_.size(); ++k) {
      wanted.push_back(needs(static_cast<int>(k)));
      edges.push_back(ends_[k].edge);
    }
    auto branch = [&](const RegionGraph& g) {
      return [&, graph = &g] {
        std::vector<Tensor> gs(grads, grads + graph->outs.size());
        std::vector<Tensor> got = GradAt(TensorsOf(graph->outs), gs, edges, wanted, create_graph), kept;
        for (size_t k = 0; k < got.size(); ++k)
          if (wanted[k]) kept.push_back(got[k].defined() ? got[k] : paddle::zeros_like_of(r.Wrap(ends_[k].value)));
        return kept;
      };
    };
    std::vector<Tensor> results = IfOp(condition_, branch(graphs_[0]), branch(graphs_[1]), {}, graphs_);
    for (size_t k = 0, at = 0; k < ends_.size(); ++k)
      if (wanted[k]) in[k] = results[at++];
  }

 private:
  Value condition_;
  RegionGraph graphs_[2];
  std::vector<OuterUse> ends_;
};

// Moves a region's ops; their results stay what they are.
void MoveOps(Block& from, Block& to) {
  while (Operation* op = from.front()) {
    op->Detach();
    to.push_back(op);
  }
}

struct RecordedRegion {
  RegionGraph graph;
  std::vector<std::pair<Tensor, Out>> written;
};

RecordedRegion RecordBranch(Recorder& r, Block* block, const Branch& f, Block* source, const OuterUses& uses) {
  RecordedRegion result;
  FrameScope scope(r, block, source);
  scope.frame.uses = uses;
  for (const Tensor& t : f()) result.graph.outs.push_back(OutOf(r, t));
  for (auto& w : scope.frame.written) result.written.push_back({w.tensor, OutOf(r, w.tensor)});
  result.graph.uses = std::move(scope.frame.uses);
  return result;
}

// Adds results to a region that was recorded: those `f` returns, where it has none yet.
void Extend(Recorder& r, Block* block, RegionGraph* graph, const Branch& f) {
  FrameScope scope(r, block, r.source_of(block));
  std::vector<Tensor> more = f();
  for (size_t i = 0; i < more.size(); ++i) {
    if (i == graph->outs.size()) graph->outs.emplace_back();
    if (!graph->outs[i].tensor.defined()) graph->outs[i] = OutOf(r, more[i]);
  }
  graph->uses.merge(scope.frame.uses);
}

// Tensors for the results of an `if` whose regions are recorded: result i is what the regions give at places[i].
std::vector<Tensor> IfResults(Recorder& r, Operation* op, RegionGraph yes, RegionGraph no,
                              const std::vector<int>& places) {
  std::vector<Tensor> results(yes.outs.size());
  std::vector<bool> needs(results.size());
  for (int at : places)
    needs[at] = State().grad_enabled && (NeedsGrad(yes.outs[at].tensor) || NeedsGrad(no.outs[at].tensor));
  Ref<IfNode> node;
  if (std::find(needs.begin(), needs.end(), true) != needs.end())
    node = new IfNode(op->operand(0), std::move(yes), std::move(no));
  for (size_t i = 0; i < places.size(); ++i) {
    Value v = op->result(static_cast<int>(i));
    Tensor& t = results[places[i]] = r.Wrap(v);
    bool flows = needs[places[i]] && node->useful();
    SetFlags(t, v, flows);
    if (flows) node->SetOutput(places[i], t);
  }
  return results;
}

std::vector<Tensor> IfOp(Value condition, const Branch& yes, const Branch& no, const Fill& fill,
                         const RegionGraph* sources) {
  Recorder& r = Active("if");
  // The result types are known once both branches are: they are recorded into a draft without results.
  Operation* draft = pir::BuildIf(r.builder(), condition, {});
  OpScope scope(r, draft);
  RecordedRegion regions[2];
  for (int k = 0; k < 2; ++k)
    regions[k] = RecordBranch(r, &draft->region(k).front(), k == 0 ? yes : no, sources ? sources[k].block : nullptr,
                              sources ? sources[k].uses : OuterUses());
  size_t count = regions[0].graph.outs.size();
  PD_CHECK(count == regions[1].graph.outs.size(), InvalidArgument,
           "[if] expected branches that return equally many values, got ", count, " and ",
           regions[1].graph.outs.size());
  for (int k = 0; k < 2 && fill; ++k) Extend(r, &draft->region(k).front(), &regions[k].graph, [&] { return fill(k); });
  std::vector<Tensor> cells;
  for (RecordedRegion& region : regions)
    for (auto& w : region.written)
      if (std::none_of(cells.begin(), cells.end(), [&](const Tensor& c) { return c.is_same(w.first); }))
        cells.push_back(w.first);
  std::vector<bool> symbolic;
  for (const Tensor& cell : cells) {
    bool any = false;
    for (int k = 0; k < 2; ++k) {
      auto& written = regions[k].written;
      auto it = std::find_if(written.begin(), written.end(), [&](auto& w) { return w.first.is_same(cell); });
      RegionGraph& graph = regions[k].graph;
      if (it != written.end()) {
        graph.outs.push_back(it->second);
      } else {
        // A branch that leaves a tensor alone yields what it holds.
        std::vector<Tensor> more(graph.outs.size());
        more.push_back(cell);
        Extend(r, &draft->region(k).front(), &graph, [&] { return more; });
      }
      any = any || graph.outs.back().tensor.is_symbolic();
    }
    symbolic.push_back(any);
  }
  std::vector<pir::Type> types;
  std::vector<int> places;
  std::vector<Value> yields[2];
  for (size_t i = 0; i < regions[0].graph.outs.size(); ++i) {
    Value a = regions[0].graph.outs[i].value, b = regions[1].graph.outs[i].value;
    PD_CHECK(static_cast<bool>(a) == static_cast<bool>(b), InvalidArgument, "[if] expected result ", i,
             " of both branches to be a tensor, got one None");
    if (!a) continue;
    types.push_back(Unify("if", "result", i, a.type(), b.type()));
    places.push_back(static_cast<int>(i));
    yields[0].push_back(a);
    yields[1].push_back(b);
  }
  Operation* op = pir::BuildIf(r.builder(), condition, types);
  for (int k = 0; k < 2; ++k) {
    Block& from = draft->region(k).front();
    Block& to = op->region(k).front();
    r.set_source(&to, r.source_of(&from));
    MoveOps(from, to);
    regions[k].graph.block = &to;
    pir::Builder b(&to);
    pir::BuildYield(b, yields[k]);
  }
  scope.Keep();
  draft->Erase();
  for (int k = 0; k < 2; ++k)
    if (sources) CarryForward(r, op->region(k).front(), nullptr);

  std::vector<Tensor> results = IfResults(r, op, std::move(regions[0].graph), std::move(regions[1].graph), places);
  for (size_t c = 0; c < cells.size(); ++c) RebindCell(r, cells[c], results[count + c], symbolic[c]);
  results.resize(count);
  return results;
}

struct LoopSource {
  Block* block;
  Operation* stack;
};

std::vector<Tensor> WhileOp(const LoopCondition& condition, const LoopBody& body, const std::vector<Tensor>& values,
                            const LoopSource* source);

class WhileNode final : public GradNode {
 public:
  // `args[i].node` is set and `results[i]` flagged for the values gradients flow through.
  WhileNode(RegionGraph graph, std::vector<Edge> args, const std::vector<Edge>& inits, std::vector<Value> results,
            std::vector<bool> flows)
      : graph_(std::move(graph)), args_(std::move(args)), results_(std::move(results)), flows_(std::move(flows)) {
    std::set<std::pair<GradNode*, int>> reached;
    Reach reach(graph_.uses, args_);
    for (size_t i = 0; i < flows_.size(); ++i)
      if (flows_[i]) reach.From(graph_.outs[i].tensor);
    for (auto& key : reach.outer) ends_.push_back(graph_.uses.find(key)->second);
    int n = static_cast<int>(inits.size());
    SetCounts(n + static_cast<int>(ends_.size()), n);
    for (int i = 0; i < n; ++i) edge(i) = inits[i];
    for (size_t k = 0; k < ends_.size(); ++k) edge(n + static_cast<int>(k)) = ends_[k].edge;
  }
  const char* name() const override { return "while"; }
  void ReleaseSaved() override { graph_ = {}; }

  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    Recorder& r = Active("while");
    PD_CHECK(
        !create_graph, Unimplemented,
        "[while] expected a gradient that is not differentiated again (create_graph=False), got create_graph=True");
    int n = static_cast<int>(flows_.size());
    std::vector<bool> wanted;
    std::vector<Edge> edges;
    std::vector<Tensor> start;
    std::vector<int> flowing, outer;
    for (int i = 0; i < n; ++i) {
      if (!flows_[i]) continue;
      flowing.push_back(i);
      edges.push_back(args_[i]);
      wanted.push_back(true);
      start.push_back(grads[i].defined() ? grads[i] : paddle::zeros_like_of(r.Wrap(results_[i])));
    }
    for (size_t k = 0; k < ends_.size(); ++k) {
      edges.push_back(ends_[k].edge);
      wanted.push_back(needs(n + static_cast<int>(k)));
      if (!wanted.back()) continue;
      outer.push_back(static_cast<int>(k));
      start.push_back(paddle::zeros_like_of(r.Wrap(ends_[k].value)));
    }
    Operation* stack = CreateStackFor(r, graph_.block->parent_op());
    auto more = [&](const std::vector<Tensor>&) { return r.Wrap(HasElements(r, stack)); };
    auto step = [&](const std::vector<Tensor>& state) {
      std::vector<Tensor> roots, gs, next;
      for (size_t k = 0; k < flowing.size(); ++k) {
        const Out& o = graph_.outs[flowing[k]];
        roots.push_back(o.tensor);
        gs.push_back(NeedsGrad(o.tensor) ? state[k] : Tensor());
      }
      std::vector<Tensor> got = GradAt(roots, gs, edges, wanted, false);
      for (size_t k = 0; k < flowing.size(); ++k) {
        Value arg = graph_.block->arg(flowing[k]);
        // A known shape is that of every step, so that the argument need not be carried here for it.
        bool fixed = common::AllKnown(arg.dims());
        if (!got[k].defined()) got[k] = paddle::zeros_like_of(fixed ? state[k] : r.Wrap(arg));
        next.push_back(got[k]);
      }
      for (size_t k = 0; k < outer.size(); ++k) {
        const Tensor& sum = state[flowing.size() + k];
        const Tensor& g = got[flowing.size() + outer[k]];
        next.push_back(g.defined() ? paddle::add(sum, g) : sum);
      }
      return next;
    };
    LoopSource source{graph_.block, stack};
    std::vector<Tensor> results = WhileOp(more, step, start, &source);
    for (size_t k = 0; k < flowing.size(); ++k) in[flowing[k]] = results[k];
    for (size_t k = 0; k < outer.size(); ++k) in[n + outer[k]] = results[flowing.size() + k];
  }

 private:
  RegionGraph graph_;
  std::vector<Edge> args_;
  std::vector<Value> results_;
  std::vector<bool> flows_;
  std::vector<OuterUse> ends_;
};

// What a loop carries: the caller's values, then tensors from outside that the body writes.
struct LoopState {
  size_t count = 0;  // of the caller's values
  std::vector<Tensor> cells;
  std::vector<Out> inits;
  std::vector<pir::Type> types;
  std::vector<bool> symbolic;

  // One more value, which starts as t.
  void Start(Recorder& r, const Tensor& t);
  // The body's arguments: the caller's values are returned, the cells bound.
  std::vector<Tensor> Enter(Recorder& r, Operation* op, std::vector<Edge>& edges) const;
  // Makes each type that of the next step's value, too; whether one changed.
  bool Widen(const std::vector<Out>& next);
  // Adds what a body wrote; whether there was something new.
  bool AddCells(const RegionFrame& frame);
};

// Which results gradients flow to: those whose start needs one, or whose next value depends on something that does.
std::vector<bool> Flows(const RegionGraph& g, const std::vector<Edge>& args, const std::vector<Out>& inits) {
  size_t n = inits.size();
  std::vector<std::set<size_t>> from(n);
  std::vector<bool> flows(n);
  for (size_t i = 0; i < n; ++i) {
    if (!args[i].node) continue;
    Reach reach(g.uses, args);
    reach.From(g.outs[i].tensor);
    from[i] = reach.args;
    flows[i] = NeedsGrad(inits[i].tensor) || !reach.outer.empty();
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < n; ++i) {
      if (flows[i]) continue;
      for (size_t j : from[i])
        if (flows[j]) flows[i] = more = true;
    }
  }
  return flows;
}

// Tensors for the results of a `while` whose body is recorded: `args` are the arguments' edges, `inits` what it starts
// from.
std::vector<Tensor> WhileResults(Recorder& r, Operation* op, RegionGraph graph, const std::vector<Edge>& args,
                                 const std::vector<Out>& inits) {
  const size_t n = inits.size();
  std::vector<bool> flows = State().grad_enabled ? Flows(graph, args, inits) : std::vector<bool>(n);
  std::vector<Tensor> results;
  std::vector<Value> values;
  std::vector<Edge> init_edges(n);
  for (size_t i = 0; i < n; ++i) {
    Value v = op->result(static_cast<int>(i));
    results.push_back(r.Wrap(v));
    values.push_back(v);
    SetFlags(results.back(), v, flows[i]);
    graph.block->arg(static_cast<int>(i)).set_stop_gradient(!flows[i]);
    if (flows[i] && NeedsGrad(inits[i].tensor)) init_edges[i] = GradEdge(inits[i].tensor);
  }
  if (std::find(flows.begin(), flows.end(), true) == flows.end()) return results;
  Ref<GradNode> node(new WhileNode(std::move(graph), args, init_edges, values, flows));
  for (size_t i = 0; i < n; ++i)
    if (flows[i]) node->SetOutput(static_cast<int>(i), results[i]);
  return results;
}

// A tensor for an argument of a loop body; `edge` is set where gradients can arrive at it.
Tensor ArgumentOf(Recorder& r, Value v, Edge* edge) {
  Tensor t = r.Wrap(v);
  if (!State().grad_enabled || !phi::IsDifferentiable(t.dtype())) return t;
  Ref<GradNode> node(new ArgumentNode);
  node->SetOutput(0, t);
  *edge = {node, 0};
  return t;
}

void LoopState::Start(Recorder& r, const Tensor& t) {
  inits.push_back(OutOf(r, t));
  types.push_back(inits.back().value.type());
}

std::vector<Tensor> LoopState::Enter(Recorder& r, Operation* op, std::vector<Edge>& edges) const {
  std::vector<Tensor> args;
  edges.resize(inits.size());
  for (size_t i = 0; i < inits.size(); ++i) {
    const int at = static_cast<int>(i);
    Value v = op->region(0).front().arg(at);
    v.set_type(types[i]);
    op->result(at).set_type(types[i]);
    Tensor t = ArgumentOf(r, v, &edges[i]);
    if (i < count)
      args.push_back(t);
    else
      RebindCell(r, cells[i - count], t, symbolic[i]);
  }
  return args;
}

bool LoopState::Widen(const std::vector<Out>& next) {
  bool wider = false;
  for (size_t i = 0; i < inits.size(); ++i) {
    pir::Type got = WithFreed(next[i].value.type(), types[i], inits[i].value.type());
    pir::Type t = Unify("while", "loop value", i, types[i], got);
    wider = wider || !(t == types[i]);
    types[i] = t;
  }
  return wider;
}

bool LoopState::AddCells(const RegionFrame& frame) {
  const size_t before = cells.size();
  for (const auto& w : frame.written) {
    if (std::any_of(cells.begin(), cells.end(), [&](const Tensor& c) { return c.is_same(w.tensor); })) continue;
    cells.push_back(w.tensor);
    symbolic.push_back(w.tensor.is_symbolic());
  }
  return cells.size() > before;
}

std::vector<Tensor> WhileOp(const LoopCondition& condition, const LoopBody& body, const std::vector<Tensor>& values,
                            const LoopSource* source) {
  Recorder& r = Active("while");
  LoopState s;
  s.count = values.size();
  s.symbolic.assign(s.count, true);
  for (const Tensor& t : values) {
    PD_CHECK(t.defined(), InvalidArgument, "[while] expected tensors as loop values, got None");
    s.Start(r, t);
  }
  Value enter = r.ValueOf(condition(values));
  constexpr int kAttempts = 16;
  for (int attempt = 0;; ++attempt) {
    PD_CHECK(
        attempt < kAttempts, InvalidArgument,
        "[while] expected a body whose values keep their shapes after a few steps, got shapes that change again and "
        "again");
    std::vector<Value> inputs;
    for (const Out& o : s.inits) inputs.push_back(o.value);
    Operation* op = pir::BuildWhile(r.builder(), enter, inputs);
    OpScope scope(r, op);
    Block* block = &op->region(0).front();
    RegionGraph graph;
    graph.block = block;
    std::vector<Edge> arg_edges;
    Value next_condition;
    bool again = false;
    {
      FrameScope frame(r, block, source ? source->block : nullptr);
      std::vector<Tensor> next = body(s.Enter(r, op, arg_edges));
      PD_CHECK(next.size() == s.count, InvalidArgument, "[while] expected a body that returns ", s.count,
               " values, got ", next.size());
      next_condition = r.ValueOf(condition(next));
      for (const Tensor& t : next) {
        PD_CHECK(t.defined(), InvalidArgument, "[while] expected a body that returns tensors, got None");
        graph.outs.push_back(OutOf(r, t));
      }
      for (const Tensor& cell : s.cells) graph.outs.push_back(OutOf(r, cell));
      again = s.Widen(graph.outs);
      again = s.AddCells(frame.frame) || again;
      graph.uses = std::move(frame.frame.uses);
    }
    if (again) {
      for (size_t c = s.inits.size() - s.count; c < s.cells.size(); ++c) s.Start(r, s.cells[c]);
      continue;
    }
    std::vector<Value> yields{next_condition};
    for (const Out& o : graph.outs) yields.push_back(o.value);
    pir::Builder b(block);
    pir::BuildYield(b, yields);
    scope.Keep();
    if (source) CarryForward(r, *block, source->stack);

    std::vector<Tensor> results = WhileResults(r, op, std::move(graph), arg_edges, s.inits);
    for (size_t c = 0; c < s.cells.size(); ++c)
      RebindCell(r, s.cells[c], results[s.count + c], s.symbolic[s.count + c]);
    results.resize(s.count);
    return results;
  }
}

}  // namespace

CellState::CellState(const Tensor& t) : state_(t->state()), leaf_(!t->node()) {
  state_->stop_gradient = t->stop_gradient;
  state_->ShareHistory(*t.impl());
  state_->value = t->value;
  if (leaf_ && NeedsGrad(t)) {
    Edge e = GradEdge(t);
    state_->SetHistory(Ref<phi::RefCounted>(e.node.get()), e.slot);
  }
}

void CellState::Restore(const Tensor& t) const {
  phi::TensorImpl* d = t.impl();
  const phi::TensorImpl* s = state_.impl();
  d->Become(s->state());
  d->stop_gradient = s->stop_gradient;
  if (leaf_)
    d->DropHistory();
  else
    d->ShareHistory(*s);
  d->value = s->value;
}

WriteNotes::~WriteNotes() {
  if (open_) std::erase(recorder_.frames(), &frame_);
}

void WriteNotes::Begin() {
  frame_.block = recorder_.builder().block();
  frame_.all_written = open_ = true;
  recorder_.frames().push_back(&frame_);
}

std::vector<std::pair<Tensor, Tensor>> WriteNotes::End() {
  PD_CHECK(open_ && recorder_.frames().back() == &frame_, PreconditionNotMet,
           "[Program._rollback] expected the innermost block to end, got another one");
  recorder_.frames().pop_back();
  open_ = false;
  std::vector<std::pair<Tensor, Tensor>> written;
  for (auto& w : frame_.written) {
    written.emplace_back(w.tensor, CellState(w.tensor).tensor());
    w.before.Restore(w.tensor);
  }
  frame_ = {};
  return written;
}

bool IsInside(Value v, const Block* block) {
  for (const Block* b = v.block(); b; b = ParentOf(b))
    if (b == block) return true;
  return false;
}

bool IsVisible(Value v, const Block* block) {
  for (const Block* b = block; b; b = ParentOf(b))
    if (b == v.block()) return true;
  return false;
}

std::vector<Tensor> RecordIf(const Tensor& condition, const Branch& yes, const Branch& no, const Fill& fill) {
  return IfOp(Active("if").ValueOf(condition), yes, no, fill, nullptr);
}

std::vector<Tensor> RecordWhile(const LoopCondition& condition, const LoopBody& body,
                                const std::vector<Tensor>& values) {
  return WhileOp(condition, body, values, nullptr);
}

std::vector<Tensor> IfAgain(Operation* op, const Branch& yes, const Branch& no) {
  Recorder& r = Active("if");
  RegionGraph graphs[2];
  std::vector<int> places;
  for (int i = 0; i < op->num_results(); ++i) places.push_back(i);
  for (int k = 0; k < 2; ++k) {
    Block* block = &op->region(k).front();
    graphs[k] = RecordBranch(r, block, k == 0 ? yes : no, r.source_of(block), {}).graph;
    graphs[k].block = block;
    PD_CHECK(graphs[k].outs.size() == places.size(), InvalidArgument, "[if] expected ", places.size(),
             " results of a region, got ", graphs[k].outs.size());
  }
  return IfResults(r, op, std::move(graphs[0]), std::move(graphs[1]), places);
}

std::vector<Tensor> WhileAgain(Operation* op, const LoopBody& body, const std::vector<Tensor>& values) {
  Recorder& r = Active("while");
  Block* block = &op->region(0).front();
  PD_CHECK(static_cast<int>(values.size()) == block->num_args(), InvalidArgument, "[while] expected ",
           block->num_args(), " values, got ", values.size());
  std::vector<Out> inits;
  for (const Tensor& t : values) inits.push_back(OutOf(r, t));
  std::vector<Edge> edges(values.size());
  RegionGraph graph;
  graph.block = block;
  {
    FrameScope frame(r, block, r.source_of(block));
    std::vector<Tensor> args;
    for (size_t i = 0; i < values.size(); ++i)
      args.push_back(ArgumentOf(r, block->arg(static_cast<int>(i)), &edges[i]));
    for (const Tensor& t : body(args)) graph.outs.push_back(OutOf(r, t));
    graph.uses = std::move(frame.frame.uses);
  }
  PD_CHECK(graph.outs.size() == values.size(), InvalidArgument, "[while] expected a body that gives ", values.size(),
           " values, got ", graph.outs.size());
  return WhileResults(r, op, std::move(graph), edges, inits);
}

}  // namespace egr
