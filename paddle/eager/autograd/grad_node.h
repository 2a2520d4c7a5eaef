// SPDX-License-Identifier: Apache-2.0
// A node of the backward graph, the tensors it saves, and what a tensor keeps for autograd.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/phi/core/thread_memory.h"

namespace egr {

using paddle::Tensor;
using phi::Ref;

class GradNode;

// Where the gradient of one forward input goes: output `slot` of `node`. Null node: not needed.
struct Edge {
  Ref<GradNode> node;
  uint16_t slot = 0;
};

// Gives the gradient that takes the place of the one it is given, or an undefined one to keep it.
using TensorHook = std::function<Tensor(const Tensor&)>;
using TensorHooks = std::vector<TensorHook>;

// What one engine run keeps for a node.
struct NodeScratch {
  int32_t pending = 0;  // edges still to deliver; -1: waiting among the ready nodes
  int8_t mark = 0;      // of the search for nodes to prune
  bool pruned = false;
  Tensor buffer0;  // gradients that have arrived, one for each output
  std::vector<Tensor> buffers;

  Tensor& buffer(int slot) { return slot == 0 ? buffer0 : buffers[slot - 1]; }
};

class SavedTensor;
using SavedVisitor = std::function<void(const SavedTensor&)>;

class GradNode : public phi::RefCounted {
 public:
  static constexpr int kInline = 3;

  // Computes input gradients from output gradients. `grads[i]` may be undefined (no gradient reached output i);
  // `in[k]` is wanted only where edge(k).node is set. `create_graph`: compose from differentiable ops.
  virtual void Run(Tensor* grads, Tensor* in, bool create_graph) = 0;
  virtual const char* name() const = 0;
  // Whether a gradient of this dtype reaches it as it is, though its output has another dtype.
  virtual bool Takes(phi::DataType) const { return false; }
  // Whether Run() has no effects and gives equal gradients for equal ones.
  virtual bool repeatable() const { return false; }
  // Drops saved tensors after the backward pass that does not retain the graph.
  virtual void ReleaseSaved() {}
  // Shows the tensors that it saved, but not those of which it keeps shape and dtype only.
  virtual void ForEachSaved(const SavedVisitor&) const {}

  int num_inputs() const { return num_in_; }
  int num_outputs() const { return num_out_; }
  Edge& edge(int i) { return i < kInline ? edges_[i] : more_[i - kInline]; }
  // False too for a node the running engine has pruned: no way leads from it to a wanted gradient.
  bool needs(int i) {
    GradNode* n = edge(i).node.get();
    return n && !(n->scratch_.pruned && n->run_ == t_state.running);
  }
  uint64_t sequence() const { return seq_; }
  bool released() const { return released_; }

  // Connects forward input `t` as input i. A tensor that stops gradients leaves the edge empty.
  inline void SetInput(int i, const Tensor& t);
  void SetCounts(int num_in, int num_out) {
    num_in_ = static_cast<uint16_t>(num_in);
    num_out_ = static_cast<uint16_t>(num_out);
    if (num_in > kInline) more_.resize(num_in - kInline);
    if (num_out > 1) scratch_.buffers.resize(num_out - 1);
  }
  // Makes `out` the output `slot` of this node.
  void SetOutput(int slot, Tensor& out);

  // Output `slot`'s hooks, run on the accumulated gradient in order of registration.
  TensorHooks& hooks(int slot);
  bool has_hooks() const { return static_cast<bool>(hooks_); }
  // By slot; null when there are none.
  const std::map<int, TensorHooks>* all_hooks() const { return hooks_.get(); }
  // The leaf it accumulates into and keeps alive; null for other nodes.
  virtual const Tensor* leaf() const { return nullptr; }

  static void* operator new(size_t bytes) { return phi::TakeObject(phi::t_memory, bytes); }
  static void operator delete(void* p, size_t bytes) { phi::GiveObject(phi::t_memory, p, bytes); }

 protected:
  GradNode() : seq_(++t_state.sequence) {}
  ~GradNode() override;
  void Destroy() override;

 private:
  friend class Engine;

  Edge edges_[kInline];
  std::vector<Edge> more_;
  uint16_t num_in_ = 0, num_out_ = 1;
  bool released_ = false;
  uint64_t seq_;
  union {
    uint64_t run_ = 0;     // the engine run that `scratch_` belongs to
    GradNode* next_dead_;  // while it waits to be freed
  };
  NodeScratch scratch_;
  std::unique_ptr<std::map<int, TensorHooks>> hooks_;
};

struct RecordedView;

// What a tensor keeps for autograd beyond its node.
struct AutogradMeta final : phi::AutogradMetaBase {
  Tensor grad;
  GradNode* accumulator = nullptr;  // a leaf's AccumulateGrad node, owned by the graph
  TensorHooks leaf_hooks;
  std::vector<std::function<void()>> post_accumulate_hooks;
  std::string name;
  uint32_t replaced = 0;  // writes counted by memory this tensor has left
  // Tensors that stand for this one, as it was, to views of memory it has left, by the memory's id.
  std::vector<std::pair<uint64_t, Tensor>> left;
  bool retain_grads = false;
  bool apart = false;                            // recorded as a view by an op whose results have memory of their own
  std::unique_ptr<RecordedView> recorded_view;   // of a view made while recording (dispatch/recorded_view.h)
  std::vector<phi::TensorImpl*> recorded_views;  // the living views of this tensor made while recording

  AutogradMeta();
  ~AutogradMeta() override;
};

AutogradMeta& MetaOf(const Tensor& t);
AutogradMeta* MaybeMeta(const Tensor& t);
inline bool IsLeaf(const Tensor& t) { return !t->node(); }
// The node and slot gradients of `t` flow to: its grad node or, for a leaf, its accumulator (made on first use).
Edge GradEdge(const Tensor& t);

// A tensor kept for the backward pass. An output is kept without its node (no cycle) and reattached on use; a later
// in-place write is found by the storage's version.
class SavedTensor {
 public:
  void SaveInput(const Tensor& t);
  void SaveOutput(const Tensor& t);
  // Shape and dtype only; the buffer is not kept (unless recording, where it costs nothing).
  void SaveMeta(const Tensor& t);
  // Throws where the tensor was modified since, unless no gradient that is wanted reads its elements.
  Tensor Get(GradNode* self, const char* op, const char* what, bool read = true) const;
  const phi::TensorImpl* meta() const { return t_.impl(); }
  // What hooks keep in its place (saved_hooks.h); null without hooks.
  const struct Packed* packed() const;
  void Reset() { t_.reset(); }

 private:
  Tensor t_;
  uint32_t version_ = 0;
  bool is_output_ = false;
  bool meta_only_ = false;
  uint16_t slot_ = 0;
};

inline bool NeedsGrad(const phi::TensorImpl& t) { return !t.stop_gradient && phi::IsDifferentiable(t.dtype()); }
inline bool NeedsGrad(const Tensor& t) { return t.defined() && NeedsGrad(*t.impl()); }

inline void GradNode::SetInput(int i, const Tensor& t) {
  if (NeedsGrad(t)) edge(i) = GradEdge(t);
}
// Makes `out` the only output of `node`.
template <class Node>
void SetOnlyOutput(Ref<Node>&& node, Tensor& out) {
  out->stop_gradient = false;
  out->SetHistory(Ref<phi::RefCounted>(std::move(node)));
}

// A view made by an op through which gradients flow: later in-place writes reach the base's history.
void MarkView(const Tensor& view, const Tensor& base);
// Prepares an in-place write: errors for leaves that need grad, refreshes stale view nodes.
void BeforeInplace(const Tensor& x, const char* op);
// Gives `x` its new history after an in-place op: version, node, and the base of a view.
void AfterInplace(Tensor& x, GradNode* node, int slot);
// A view whose base was written in place derives its node anew.
void RefreshStaleView(const Tensor& t);
inline void RefreshView(const Tensor& t) {
  if (t->base()) RefreshStaleView(t);
}

}  // namespace egr
