// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/engine.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "paddle/phi/api/ops.h"

namespace egr {

void AccumulateInto(Tensor& buffer, Tensor grad, bool create_graph) {
  if (!grad.defined()) return;
  if (!buffer.defined()) {
    buffer = std::move(grad);
    return;
  }
  bool own = !create_graph && !buffer.is_symbolic() && !grad.is_symbolic() && buffer->use_count() == 1 &&
             buffer->storage->use_count() == 1 && buffer.is_contiguous() && buffer.dtype() == grad.dtype() &&
             State().record == RecordMode::kRun;
  if (own) {
    paddle::add_(buffer, grad);
  } else {
    buffer = paddle::add(buffer, grad);
  }
}

namespace {

uint64_t g_runs = 0;

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
 public:
  Engine(bool retain, bool create, bool accumulate)
      : retain_(retain), create_(create), accumulate_(accumulate), run_(++g_runs) {}

  // A run that ends early leaves no gradients behind in the nodes it visited.
  ~Engine() {
    for (GradNode* n : marked_) {
      n->mark_ = 0;
      n->pruned_ = false;
    }
    if (finished_) return;
    for (GradNode* n : visited_)
      for (int s = 0; s < n->num_outputs(); ++s) n->buffer(s).reset();
  }

  void AddCapture(const Tensor& input, int index) {
    Edge e = GradEdge(input);
    keep_.push_back(e.node);
    captures_[e.node.get()].push_back({e.slot, index});
  }

  void Run(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, std::vector<Tensor>* captured) {
    GradModeGuard mode(create_);
    std::vector<GradNode*> start;
    for (size_t i = 0; i < roots.size(); ++i) {
      if (!NeedsGrad(roots[i])) continue;
      Edge e = GradEdge(roots[i]);
      keep_.push_back(e.node);
      Visit(e.node.get());
      Tensor g = i < grads.size() ? grads[i] : Tensor();
      if (!g.defined()) g = paddle::ones_like_of(roots[i]);
      AccumulateInto(e.node->buffer(e.slot), g, create_);
      start.push_back(e.node.get());
    }
    CountDependencies();
    for (GradNode* n : start) {
      if (n->pruned_) {
        for (int s = 0; s < n->num_outputs(); ++s) n->buffer(s).reset();
      } else if (n->pending_ == 0) {
        n->pending_ = -1;  // queued
        ready_.push_back(n);
        std::push_heap(ready_.begin(), ready_.end(), BySequence());
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
  void Visit(GradNode* n) {
    if (n->run_ == run_) return;
    n->run_ = run_;
    n->pending_ = 0;
    visited_.push_back(n);
  }

  // Counts, for every reachable node, the edges that will deliver to it. When gradients are only captured, nodes from
  // which no captured one can be reached are pruned: their gradients are not even computed.
  void CountDependencies() {
    if (!accumulate_) Prune();
    for (size_t i = 0; i < visited_.size(); ++i) {
      GradNode* n = visited_[i];
      for (int k = 0; k < n->num_inputs(); ++k)
        if (n->needs(k)) {
          GradNode* m = n->edge(k).node.get();
          Visit(m);
          ++m->pending_;
        }
    }
  }

  // Depth first without recursion; mark_: 1 on the stack, 2 done and useless, 3 done and needed.
  void Prune() {
    std::vector<std::pair<GradNode*, int>> stack;
    auto push = [&](GradNode* n) {
      n->mark_ = 1;
      marked_.push_back(n);
      stack.push_back({n, 0});
    };
    for (size_t i = 0; i < visited_.size(); ++i) {
      if (visited_[i]->mark_ != 0) continue;
      push(visited_[i]);
      while (!stack.empty()) {
        auto& [n, k] = stack.back();
        if (k < n->num_inputs()) {
          GradNode* m = n->edge(k++).node.get();
          if (m && m->mark_ == 0) push(m);
          continue;
        }
        bool needed = captures_.count(n) != 0;
        for (int e = 0; e < n->num_inputs() && !needed; ++e) {
          GradNode* m = n->edge(e).node.get();
          needed = m && m->mark_ == 3;
        }
        n->mark_ = needed ? 3 : 2;
        n->pruned_ = !needed;
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
    for (int s = 0; s < outs; ++s) {
      grads[s] = std::move(n->buffer(s));
      n->buffer(s).reset();
      if (n->has_hooks() && grads[s].defined()) RunHooks(n, s, grads[s]);
      any = any || grads[s].defined();
    }
    if (captured && !captures_.empty()) {
      auto it = captures_.find(n);
      if (it != captures_.end())
        for (auto& c : it->second) (*captured)[c.index] = grads[c.slot];
    }
    bool leaf = n->num_inputs() == 0;
    in.clear();
    in.resize(n->num_inputs());
    if (any && (!leaf || accumulate_)) {
      if (n->released_)
        PD_THROW(PreconditionNotMet, "[", n->name(),
                 "] expected saved tensors, got none: backward ran through this graph before "
                 "and freed them; pass retain_graph=True to the first call");
      n->Run(grads, in.data(), create_);
      if (!retain_ && !leaf) {
        n->ReleaseSaved();
        n->released_ = true;
      }
    }
    for (int k = 0; k < n->num_inputs(); ++k) {
      Edge& e = n->edge(k);
      GradNode* m = e.node.get();
      if (!m || m->pruned_) continue;
      if (in[k].defined()) AccumulateInto(m->buffer(e.slot), std::move(in[k]), create_);
      in[k].reset();
      if (--m->pending_ == 0) {
        ready_.push_back(m);
        std::push_heap(ready_.begin(), ready_.end(), BySequence());
      }
    }
  }

  static void RunHooks(GradNode* n, int slot, Tensor& g) {
    auto hooks = n->hooks(slot);  // a copy: hooks may remove themselves
    for (auto& [id, hook] : hooks) {
      Tensor r = hook(g);
      if (r.defined()) g = r;
    }
  }

  bool retain_, create_, accumulate_;
  bool finished_ = false;
  uint64_t run_;
  std::vector<GradNode*> visited_, ready_, marked_;
  std::vector<Ref<GradNode>> keep_;
  std::unordered_map<GradNode*, std::vector<Capture>> captures_;
};

void Backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, bool retain_graph,
              bool create_graph) {
  bool any = false;
  for (auto& r : roots) any = any || NeedsGrad(r);
  PD_CHECK(any, PreconditionNotMet,
           "[backward] expected a tensor with stop_gradient=False, got one that no gradient flows through");
  Engine(retain_graph, create_graph, true).Run(roots, grads, nullptr);
}

std::vector<Tensor> Grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, bool retain_graph, bool create_graph,
                         bool allow_unused, const std::vector<Tensor>& no_grad_vars) {
  std::vector<Tensor> result(inputs.size());
  Engine engine(retain_graph, create_graph, false);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (NeedsGrad(inputs[i])) engine.AddCapture(inputs[i], static_cast<int>(i));
  engine.Run(outputs, grad_outputs, &result);
  for (size_t i = 0; i < inputs.size(); ++i) {
    PD_CHECK(allow_unused || result[i].defined(), InvalidArgument,
             "[grad] expected every input to be reached from the outputs, got "
             "input ",
             i, " unreachable; pass allow_unused=True to get None for it");
    if (result[i].defined() && !create_graph) result[i]->stop_gradient = true;
  }
  (void)no_grad_vars;
  return result;
}

}  // namespace egr
