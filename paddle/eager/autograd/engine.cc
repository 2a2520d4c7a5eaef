// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/engine.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>

#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/selected_rows.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/op_watch.h"

namespace egr {

void AccumulateInto(Tensor& buffer, Tensor grad, bool create_graph) {
  if (!grad.defined()) return;
  if (!buffer.defined()) {
    buffer = std::move(grad);
    return;
  }
  if (phi::IsSelectedRows(buffer) || phi::IsSelectedRows(grad)) {
    buffer = AddRows(buffer, grad);
    return;
  }
  bool own = !create_graph && !buffer.is_symbolic() && !grad.is_symbolic() && buffer->use_count() == 1 &&
             buffer->storage()->use_count() == 1 && buffer.is_contiguous() && buffer.dtype() == grad.dtype() &&
             State().record == RecordMode::kRun;
  if (own) {
    paddle::add_(buffer, grad);
  } else {
    buffer = paddle::add(buffer, grad);
  }
}

bool MayHaveShape(const Tensor& t, const common::Dims& want) {
  const common::Dims have = t.extents();
  bool same = have.size() == want.size();
  for (int64_t i = 0; same && i < want.size(); ++i) same = !common::CertainlyDiffer(have[i], want[i]);
  return same;
}

namespace {

// The engine runs that have begun and not ended, on any thread: a run claims the scratch of the nodes it visits, and a
// node claimed by another one (a backward inside a hook, or on another thread) gets scratch of this run's own.
class ActiveRuns {
 public:
  uint64_t Begin() {
    std::lock_guard<std::mutex> lock(mutex_);
    runs_.push_back(++last_);
    count_.store(static_cast<int>(runs_.size()), std::memory_order_relaxed);
    return last_;
  }
  void End(uint64_t run) {
    std::lock_guard<std::mutex> lock(mutex_);
    runs_.erase(std::find(runs_.begin(), runs_.end(), run));
    count_.store(static_cast<int>(runs_.size()), std::memory_order_relaxed);
  }
  // Whether `run`, which is not the caller's, is still under way.
  bool Holds(uint64_t run) {
    if (count_.load(std::memory_order_relaxed) == 1) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    return std::find(runs_.begin(), runs_.end(), run) != runs_.end();
  }

 private:
  std::mutex mutex_;
  std::vector<uint64_t> runs_;
  uint64_t last_ = 0;
  std::atomic<int> count_{0};
};
ActiveRuns g_active;

// Makes `run` the one in progress on this thread; hooks see the gradient mode and AMP level of the call that started
// it.
class RunningGuard {
 public:
  explicit RunningGuard(uint64_t run)
      : old_run_(t_state.running), old_grad_(t_state.caller_grad), old_amp_(t_state.caller_amp) {
    t_state.running = run;
    t_state.caller_grad = State().grad_enabled;
    t_state.caller_amp = State().amp_level;
  }
  ~RunningGuard() {
    t_state.running = old_run_;
    t_state.caller_grad = old_grad_;
    t_state.caller_amp = old_amp_;
  }
  RunningGuard(const RunningGuard&) = delete;

 private:
  uint64_t old_run_;
  bool old_grad_;
  uint8_t old_amp_;
};

struct BySequence {
  bool operator()(const GradNode* a, const GradNode* b) const { return a->sequence() < b->sequence(); }
};

// A gradient asked for by Grad(): taken when node's output `slot` is complete.
struct Capture {
  int slot;
  int index;
};

}  // namespace

class Engine {
  using Nodes = common::SmallVector<GradNode*, 16>;

 public:
  Engine(bool retain, bool create, bool accumulate)
      : retain_(retain), create_(create), accumulate_(accumulate), run_(g_active.Begin()) {}
  Engine(const Engine&) = delete;

  // A run that ends early leaves no gradients behind in the nodes it visited.
  ~Engine() {
    if (!finished_)
      for (GradNode* n : visited_) DropBuffers(n);
    g_active.End(run_);
  }

  void AddCapture(const Tensor& input, int index) {
    Edge e = GradEdge(input);
    keep_.push_back(e.node);
    captures_[e.node.get()].push_back({e.slot, index});
  }

  // No gradient arrives at `t` in this run (one given for a root does).
  void Block(const Tensor& t) {
    Edge e = GradEdge(t);
    keep_.push_back(e.node);
    blocked_.insert({e.node.get(), e.slot});
  }

  // The graph ends at this edge; what arrives is result `index`, or nobody's if that is negative.
  void AddEnd(const Edge& e, int index) {
    keep_.push_back(e.node);
    ends_[{e.node.get(), e.slot}] = index;
  }

  void Run(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, std::vector<Tensor>* captured) {
    RunningGuard running(run_);
    GradModeGuard mode(create_);
    const AmpOffGuard plain;
    Nodes start;
    for (size_t i = 0; i < roots.size(); ++i) {
      if (!NeedsGrad(roots[i])) continue;
      Edge e = GradEdge(roots[i]);
      Tensor g = i < grads.size() ? grads[i] : Tensor();
      if (!g.defined()) g = paddle::ones_like_of(roots[i]);
      if (g.dtype() != roots[i].dtype() && !e.node->Takes(g.dtype())) g = paddle::cast(g, roots[i].dtype());
      if (int* end = End(e)) {
        if (*end >= 0) AccumulateInto((*captured)[*end], g, create_);
        continue;
      }
      keep_.push_back(e.node);
      AccumulateInto(Visit(e.node.get()).buffer(e.slot), g, create_);
      start.push_back(e.node.get());
    }
    CountDependencies();
    for (GradNode* n : start) {
      NodeScratch& s = Scratch(n);
      if (s.pruned) {
        DropBuffers(n);
      } else if (s.pending == 0) {
        s.pending = -1;
        Push(n);
      }
    }
    std::vector<Tensor> in;
    while (!ready_.empty()) {
      std::pop_heap(ready_.begin(), ready_.end(), BySequence());
      GradNode* n = ready_.back();
      ready_.pop_back();
      RunNode(n, in, captured);
    }
    finished_ = true;
  }

 private:
  int* End(const Edge& e) {
    if (ends_.empty() || !e.node) return nullptr;
    auto it = ends_.find({e.node.get(), e.slot});
    return it == ends_.end() ? nullptr : &it->second;
  }

  // The scratch of a node this run has visited.
  NodeScratch& Scratch(GradNode* n) {
    if (__builtin_expect(n->run_ == run_, 1)) return n->scratch_;
    return side_.find(n)->second;
  }

  NodeScratch& Visit(GradNode* n) {
    if (n->run_ == run_) return n->scratch_;
    if (__builtin_expect(!g_active.Holds(n->run_), 1)) {
      if (!side_.empty()) {  // visited while another run, since ended, held it
        auto it = side_.find(n);
        if (it != side_.end()) return it->second;
      }
      n->run_ = run_;
      NodeScratch& s = n->scratch_;
      s.pending = 0;
      s.mark = 0;
      s.pruned = false;
      visited_.push_back(n);
      return s;
    }
    auto [it, fresh] = side_.try_emplace(n);
    if (fresh) {
      if (n->num_outputs() > 1) it->second.buffers.resize(n->num_outputs() - 1);
      visited_.push_back(n);
    }
    return it->second;
  }

  void DropBuffers(GradNode* n) {
    NodeScratch& s = Scratch(n);
    for (int k = 0; k < n->num_outputs(); ++k) s.buffer(k).reset();
  }

  void Push(GradNode* n) {
    ready_.push_back(n);
    std::push_heap(ready_.begin(), ready_.end(), BySequence());
  }

  // Counts, for every reachable node, the edges that will deliver to it. When gradients are only captured, nodes from
  // which no captured one can be reached are pruned: their gradients are not even computed.
  void CountDependencies() {
    if (!accumulate_) Prune();
    for (int64_t i = 0; i < visited_.size(); ++i) {
      GradNode* n = visited_[i];
      if (Scratch(n).pruned) continue;
      for (int k = 0; k < n->num_inputs(); ++k)
        if (GradNode* m = End(n->edge(k)) ? nullptr : n->edge(k).node.get()) {
          NodeScratch& s = Visit(m);
          if (!s.pruned) ++s.pending;
        }
    }
  }

  // Depth first without recursion; mark: 1 on the stack, 2 done and useless, 3 done and needed.
  void Prune() {
    std::vector<std::pair<GradNode*, int>> stack;
    const Nodes roots = visited_;
    auto push = [&](GradNode* n, NodeScratch& s) {
      s.mark = 1;
      stack.push_back({n, 0});
    };
    for (GradNode* root : roots) {
      if (Scratch(root).mark != 0) continue;
      push(root, Scratch(root));
      while (!stack.empty()) {
        auto& [n, k] = stack.back();
        if (k < n->num_inputs()) {
          Edge& e = n->edge(k++);
          GradNode* m = e.node.get();
          if (!m || End(e)) continue;
          NodeScratch& s = Visit(m);
          if (s.mark == 0) push(m, s);
          continue;
        }
        bool needed = captures_.count(n) != 0;
        for (int e = 0; e < n->num_inputs() && !needed; ++e) {
          GradNode* m = n->edge(e).node.get();
          const int* end = End(n->edge(e));
          needed = m && (end ? *end >= 0 : Scratch(m).mark == 3);
        }
        NodeScratch& s = Scratch(n);
        s.mark = needed ? 3 : 2;
        s.pruned = !needed;
        stack.pop_back();
      }
    }
  }

  void RunNode(GradNode* n, std::vector<Tensor>& in, std::vector<Tensor>* captured) {
    Tensor grads_inline[1];
    std::vector<Tensor> grads_many;
    Tensor* grads = grads_inline;
    int outs = n->num_outputs();
    if (outs > 1) {
      grads_many.resize(outs);
      grads = grads_many.data();
    }
    bool any = false;
    NodeScratch& scratch = Scratch(n);
    for (int s = 0; s < outs; ++s) {
      grads[s] = std::move(scratch.buffer(s));
      if (phi::IsSelectedRows(grads[s]) && n->num_inputs() > 0) grads[s] = ToTable(grads[s]);
    }
    for (int s = 0; s < outs; ++s) {
      if (n->has_hooks() && grads[s].defined()) RunHooks(n, s, grads[s]);
      any = any || grads[s].defined();
    }
    if (captured && !captures_.empty()) {
      auto it = captures_.find(n);
      if (it != captures_.end())
        for (auto& c : it->second) {
          const bool own = create_ && State().record == RecordMode::kRecord;
          (*captured)[c.index] = own ? WithOwnNode(grads[c.slot]) : grads[c.slot];
        }
    }
    bool leaf = n->num_inputs() == 0;
    in.clear();
    in.resize(n->num_inputs());
    if (any && (!leaf || accumulate_)) {
      if (n->released_)
        PD_THROW(Fatal, "[", n->name(),
                 "] expected saved tensors, got none: backward ran through this graph before "
                 "and freed them; pass retain_graph=True to the first call");
      RecordedGrads* recorded = create_ ? RecordedGradsFor(n) : nullptr;
      if (!recorded || !recorded->Recall(n, grads, in.data())) {
        if (phi::OpsWatched() && !leaf) {
          const std::string name = phi::GradOpName(n->name());
          phi::OpScope scope(name, phi::OpFrom::kBackward);
          n->Run(grads, in.data(), create_);
          for (const Tensor& t : in) scope.Result(t);
        } else {
          n->Run(grads, in.data(), create_);
        }
        if (recorded) recorded->Remember(n, grads, in.data());
      }
      if (!retain_ && !leaf) {
        n->ReleaseSaved();
        n->released_ = true;
        if (State().recorder) State().recorder->grads().Clear();
      }
    }
    for (int k = 0; k < n->num_inputs(); ++k) {
      Edge& e = n->edge(k);
      GradNode* m = e.node.get();
      if (!m) continue;
      if (int* end = End(e)) {
        if (*end >= 0 && in[k].defined()) AccumulateInto((*captured)[*end], std::move(in[k]), create_);
        in[k].reset();
        continue;
      }
      NodeScratch& s = Scratch(m);
      if (s.pruned) continue;
      if (in[k].defined() && !Blocked(m, e.slot)) AccumulateInto(s.buffer(e.slot), std::move(in[k]), create_);
      in[k].reset();
      if (--s.pending == 0) Push(m);
    }
  }

  bool Blocked(GradNode* n, int slot) const { return !blocked_.empty() && blocked_.count({n, slot}) != 0; }

  static void RunHooks(GradNode* n, int slot, Tensor& g) {
    for (const TensorHook& hook : TensorHooks(n->hooks(slot))) {  // a copy: hooks may add others
      Tensor r = hook(g);
      if (!r.defined()) continue;
      // The node's kernels read as many elements as its output has. A leaf's gradient is nobody's operand.
      PD_CHECK(n->num_inputs() == 0 || (MayHaveShape(r, g.extents()) && r.dtype() == g.dtype()), PreconditionNotMet,
               "[hook] expected a gradient of ", phi::NameOf(g.dtype()), " ", common::ShapeText(g.extents()), ", got ",
               phi::NameOf(r.dtype()), " ", common::ShapeText(r.extents()));
      g = r;
    }
  }

  bool retain_, create_, accumulate_;
  bool finished_ = false;
  uint64_t run_;
  Nodes visited_, ready_;
  std::vector<Ref<GradNode>> keep_;
  std::unordered_map<GradNode*, NodeScratch> side_;
  std::unordered_map<GradNode*, std::vector<Capture>> captures_;
  std::set<std::pair<GradNode*, int>> blocked_;
  std::map<std::pair<GradNode*, int>, int> ends_;
};

void Backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, bool retain_graph,
              bool create_graph) {
  bool any = false;
  for (auto& r : roots) any = any || NeedsGrad(r);
  PD_CHECK(any, PreconditionNotMet,
           "[backward] expected a tensor with stop_gradient=False, got one that no gradient flows through");
  const phi::UserSpan span("Gradient Backward", phi::kBackwardEvent);
  Engine(retain_graph, create_graph, true).Run(roots, grads, nullptr);
}

std::vector<Tensor> Grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, bool retain_graph, bool create_graph,
                         bool allow_unused, const std::vector<Tensor>& no_grad_vars) {
  std::vector<Tensor> result(inputs.size());
  Engine engine(retain_graph, create_graph, false);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (NeedsGrad(inputs[i])) engine.AddCapture(inputs[i], static_cast<int>(i));
  for (const Tensor& t : no_grad_vars)
    if (NeedsGrad(t)) engine.Block(t);
  engine.Run(outputs, grad_outputs, &result);
  for (size_t i = 0; i < inputs.size(); ++i) {
    PD_CHECK(allow_unused || result[i].defined(), InvalidArgument,
             "[grad] expected every input to be reached from the outputs, got "
             "input ",
             i, " unreachable; pass allow_unused=True to get None for it");
    if (!result[i].defined() || (create_graph && (result[i].is_symbolic() || !result[i].stop_gradient()))) continue;
    if (create_graph && result[i]->use_count() > 1) result[i] = phi::AliasOf(result[i]);  // a grad_output itself
    result[i]->stop_gradient = !create_graph;
  }
  return result;
}

std::vector<Tensor> GradAt(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grad_outputs,
                           const std::vector<Edge>& edges, const std::vector<bool>& wanted, bool create_graph) {
  std::vector<Tensor> result(edges.size()), roots, grads;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!grad_outputs[i].defined()) continue;
    roots.push_back(outputs[i]);
    grads.push_back(grad_outputs[i]);
  }
  Engine engine(true, create_graph, false);
  for (size_t k = 0; k < edges.size(); ++k)
    if (edges[k].node) engine.AddEnd(edges[k], wanted[k] ? static_cast<int>(k) : -1);
  engine.Run(roots, grads, &result);
  return result;
}

}  // namespace egr
