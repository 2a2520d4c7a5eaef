// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/grad_node.h"

#include <atomic>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/autograd/saved_hooks.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/eager/dispatch/selected_rows.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/assigned.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/tensor_copy.h"

namespace egr {

thread_local constinit ThreadState t_state;

// Made with its first entry and gone with its last; a null entry hides the pairs before it.
struct SavedHookList : std::vector<std::shared_ptr<const SavedTensorHooks>> {};

namespace {

class AccumulateGrad final : public GradNode {
 public:
  explicit AccumulateGrad(const Tensor& leaf) : leaf_(leaf) { SetCounts(0, 1); }
  ~AccumulateGrad() override {
    if (auto* m = MaybeMeta(leaf_); m && m->accumulator == this) m->accumulator = nullptr;
  }
  const char* name() const override { return "AccumulateGrad"; }
  const Tensor* leaf() const override { return &leaf_; }
  void Run(Tensor* grads, Tensor*, bool create_graph) override {
    Tensor g = grads[0];
    if (!g.defined()) return;
    AutogradMeta& m = MetaOf(leaf_);
    // Copies: hooks may add others.
    for (const TensorHook& hook : TensorHooks(m.leaf_hooks)) {
      Tensor r = hook(g);
      if (!r.defined()) continue;
      PD_CHECK(r.dtype() == g.dtype(), PreconditionNotMet, "[hook] expected a gradient of ", phi::NameOf(g.dtype()),
               ", got ", phi::NameOf(r.dtype()));
      g = r;
    }
    if (__builtin_expect(phi::g_has_external_kernels, 0)) g = phi::ToPlace(g, leaf_.place());
    if (!m.grad.defined()) {
      // A gradient that somebody else still sees, or that is a view, is copied so that `.grad` can be added to in
      // place.
      grads[0].reset();
      if (!create_graph && !g.is_symbolic() && g.is_dense() &&
          (g->use_count() > 1 || g->storage()->use_count() > 1 || !g.is_contiguous()))
        g = phi::CopyOf(g);
      if (!create_graph) {
        g->DropHistory();
        g->stop_gradient = g.is_symbolic();  // what a program computes from a gradient may be differentiated
      }
      m.grad = g;
    } else if (phi::IsSelectedRows(g) || phi::IsSelectedRows(m.grad)) {
      m.grad = AddRows(m.grad, g);
    } else if (create_graph || g.is_symbolic()) {
      m.grad = paddle::add(m.grad, g);
    } else {
      GradModeGuard off(false);
      paddle::add_(m.grad, g);
    }
    if (m.post_accumulate_hooks.empty()) return;
    const auto hooks = m.post_accumulate_hooks;
    for (auto& hook : hooks) hook();
  }

 private:
  Tensor leaf_;
};

}  // namespace

GradNode::~GradNode() = default;

void GradNode::Destroy() {
  ThreadState& thread = t_state;
  next_dead_ = thread.dead;
  thread.dead = this;
  if (thread.draining) return;
  thread.draining = true;
  while (GradNode* n = thread.dead) {
    thread.dead = n->next_dead_;
    delete n;
  }
  thread.draining = false;
}

void GradNode::SetOutput(int slot, Tensor& out) {
  out->stop_gradient = false;
  out->SetHistory(Ref<phi::RefCounted>(this), slot);
}

TensorHooks& GradNode::hooks(int slot) {
  if (!hooks_) hooks_ = std::make_unique<std::map<int, TensorHooks>>();
  return (*hooks_)[slot];
}

AutogradMeta& MetaOf(const Tensor& t) {
  if (!t->meta) t->meta = std::make_unique<AutogradMeta>();
  return static_cast<AutogradMeta&>(*t->meta);
}
AutogradMeta* MaybeMeta(const Tensor& t) { return t.defined() ? static_cast<AutogradMeta*>(t->meta.get()) : nullptr; }

Edge GradEdge(const Tensor& t) {
  RefreshView(t);
  if (t->node()) return {Ref<GradNode>(static_cast<GradNode*>(t->node().get())), t->slot()};
  AutogradMeta& m = MetaOf(t);
  if (!m.accumulator) {
    auto n = Ref<GradNode>::First(new AccumulateGrad(t));
    m.accumulator = n.get();
    return {std::move(n), 0};
  }
  return {Ref<GradNode>(m.accumulator), 0};
}

namespace {
// What `t` is now, while recording: a later in-place write gives `t` another value. Tensors with data that need
// gradients stay themselves until they are written.
Tensor AsRecordedNow(const Tensor& t) {
  if (!t.defined() || State().record != RecordMode::kRecord || (NeedsGrad(t) && !t.is_symbolic() && !t->value))
    return t;
  Tensor now = State().recorder->Wrap(State().recorder->ValueOf(t));
  now->stop_gradient = t->stop_gradient;
  if (NeedsGrad(t)) {
    Edge e = GradEdge(t);  // of an input its accumulator, which stays that of what the input was
    now->SetHistory(Ref<phi::RefCounted>(e.node.get()), e.slot);
  }
  return now;
}

// Takes the last entry off. Its end may run code that adds others.
void DropHooks() {
  SavedHookList*& hooks = t_state.saved_hooks;
  const auto last = std::move(hooks->back());
  hooks->pop_back();
  if (hooks->empty()) delete std::exchange(hooks, nullptr);
}

// No hooks while hooks run, but those they push themselves: what they compute is not part of the program.
class HooksOff {
 public:
  HooksOff() : depth_(t_state.saved_hooks ? t_state.saved_hooks->size() : 0) {
    if (t_state.saved_hooks) t_state.saved_hooks->push_back(nullptr);
  }
  ~HooksOff() {
    while (t_state.saved_hooks && t_state.saved_hooks->size() > depth_) DropHooks();
  }
  HooksOff(const HooksOff&) = delete;

 private:
  size_t depth_;
  GradModeGuard no_history_{false};
};

bool Packs(const Tensor& t) {
  const SavedHookList* hooks = t_state.saved_hooks;
  return hooks && hooks->back() && t.defined() && !t.is_symbolic() && !t->value && t->storage() &&
         State().record == RecordMode::kRun;
}

// A tensor without data that holds what the hooks keep of `t`.
Tensor Pack(const Tensor& t, bool input) {
  phi::Ref<Packed> packed(new Packed(t, t_state.saved_hooks->back()));
  if (input && NeedsGrad(t)) packed->edge = GradEdge(t);
  Tensor meta = phi::WithoutData(t);
  meta->SetHistory(Ref<phi::RefCounted>(packed.get()));
  return meta;
}
}  // namespace

Packed::Packed(const Tensor& t, std::shared_ptr<const SavedTensorHooks> with) : hooks(std::move(with)) {
  HooksOff off;
  held = hooks->pack(phi::AliasOf(t));
}

Tensor Packed::Unpack(const Tensor& like, const char* op, const char* what) const {
  HooksOff off;
  Tensor t = hooks->unpack(held.get());
  PD_CHECK(t.defined() && !t.is_symbolic() && t.dims() == like.dims() && t.dtype() == like.dtype(), InvalidArgument,
           "[", op, "] expected unpack_hook to give ", what, " back, ", phi::NameOf(like.dtype()),
           common::ShapeText(like.dims()), ", got ",
           t.defined() ? std::string(phi::NameOf(t.dtype())) + common::ShapeText(t.dims()) : std::string("no tensor"));
  return phi::AliasOf(t);
}

const Packed* SavedTensor::packed() const {
  return meta_only_ && t_.defined() ? static_cast<const Packed*>(t_->node().get()) : nullptr;
}

void PushSavedTensorHooks(SavedTensorHooks hooks) {
  SavedHookList*& list = t_state.saved_hooks;
  auto entry = std::make_shared<const SavedTensorHooks>(std::move(hooks));
  if (!list) list = new SavedHookList;
  list->push_back(std::move(entry));
}

bool PopSavedTensorHooks() {
  if (!t_state.saved_hooks || !t_state.saved_hooks->back()) return false;
  DropHooks();
  return true;
}

std::shared_ptr<const SavedTensorHooks> CurrentSavedTensorHooks() {
  return t_state.saved_hooks ? t_state.saved_hooks->back() : nullptr;
}

namespace {
std::atomic<const char*> reassigned{nullptr};  // an op whose gradient read values assigned since it ran
}  // namespace

const char* TakeReassigned() {
  const char* op = reassigned.load(std::memory_order_relaxed);
  return op ? reassigned.exchange(nullptr, std::memory_order_relaxed) : nullptr;  // none is the rule, and cheaper
}

void SavedTensor::SaveInput(const Tensor& t) {
  if (Packs(t)) [[unlikely]] {
    t_ = Pack(t, true);
    meta_only_ = true;
    return;
  }
  t_ = AsRecordedNow(t);
  if (t_.defined()) version_ = VersionOf(t_);
}

void SavedTensor::SaveOutput(const Tensor& t) {
  if (!t.defined()) return;
  is_output_ = static_cast<bool>(t->node());  // else a result without history
  slot_ = t->slot();
  if (Packs(t)) [[unlikely]] {
    t_ = Pack(t, false);
    meta_only_ = true;
    return;
  }
  t_ = phi::AliasOf(t);
  t_->value = t->value;
  version_ = VersionOf(t_);
}

void SavedTensor::SaveMeta(const Tensor& t) {
  if (!t.defined() || t.is_symbolic() || t->value || State().record != RecordMode::kRun) {
    t_ = AsRecordedNow(t);
    if (t_.defined() && !t_.is_same(t)) {
      // Nothing flows into what only gives its shape; the history of a result would keep its own node.
      t_->DropHistory();
      t_->stop_gradient = true;
    }
    version_ = t_.defined() ? VersionOf(t_) : 0;
    return;
  }
  t_ = phi::WithoutData(t);
  meta_only_ = true;
}

Tensor SavedTensor::Get(GradNode* self, const char* op, const char* what, bool read) const {
  if (!t_.defined() || (meta_only_ && !t_->node())) return t_;
  if (meta_only_) {
    const Packed* p = packed();
    Tensor t = p->Unpack(t_, op, what);
    if (!is_output_ && !p->edge.node) return t;
    t->stop_gradient = false;
    t->SetHistory(is_output_ ? Ref<phi::RefCounted>(self) : Ref<phi::RefCounted>(p->edge.node.get()),
                  is_output_ ? slot_ : p->edge.slot);
    return t;
  }
  if (read && VersionOf(t_) != version_) {
    const uint32_t left = VersionOf(t_) - (t_->storage() ? t_->storage()->version() : 0);  // by memory it has left
    if (!t_->storage() || !phi::OnlyAssignedSince(*t_->storage(), version_ - left))
      PD_THROW(PreconditionNotMet, "[", op, "] expected ", what, ", which its gradient needs, to keep version ",
               version_, ", got version ", VersionOf(t_), ": it was modified by an in-place operation");
    reassigned = op;
  }
  if (!is_output_) return t_;
  Tensor t = phi::AliasOf(t_);
  t->value = t_->value;
  t->stop_gradient = false;
  t->SetHistory(Ref<phi::RefCounted>(self), slot_);
  return t;
}

}  // namespace egr
