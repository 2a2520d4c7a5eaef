// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/tape_tensors.h"

#include <algorithm>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/phi/core/op_watch.h"

namespace paddle::jit {
namespace {

int g_running = 0;  // tapes that take calls, of all threads; who records holds the lock of the host language

uint64_t StorageId(const Tensor& t) { return t->storage() ? t->storage()->id() : 0; }
bool IsDense(const Tensor& t) { return t.defined() && t->kind() == phi::ImplKind::kDense && t->storage(); }

}  // namespace

struct TapeTensors::Fields {
  Tensor tensor;
  phi::TensorState state;
  bool stop_gradient;
  uint16_t slot;
  phi::Ref<phi::RefCounted> node;
  phi::RecordedValue value;
};

TapeTensors::Fields TapeTensors::Keep(const Tensor& t) {
  return {t, t->state(), t->stop_gradient, t->slot(), t->node(), t->value};
}

TapeTensors::Before TapeTensors::Look(const Tensor& t) {
  return {t, t->dims(), t->dtype(), t->stop_gradient, t->node(), t->storage()->version()};
}

TapeTensors::TapeTensors(std::vector<Tensor> inputs, const std::vector<Tensor>& known) : inputs_(std::move(inputs)) {
  for (const Tensor& t : known) {
    if (!IsDense(t) || !known_.emplace(t.impl(), t).second) continue;
    before_.push_back(Look(t));
    versions_[StorageId(t)] = t->storage()->version();
  }
  for (const Tensor& t : inputs_) {
    const char* why = !IsDense(t)              ? "an argument that is no dense tensor"
                      : index_.count(t.impl()) ? "a tensor that is given twice"
                      : known_.count(t.impl()) ? "an argument that the function reaches otherwise, too"
                                               : nullptr;
    if (why) {
      end_ = kOnce;
      why_ = why;
      slots_.clear();
      index_.clear();
      return;
    }
    Add(t, Slot::kInput);
    before_.push_back(Look(t));
    versions_[StorageId(t)] = t->storage()->version();
  }
}

TapeTensors::~TapeTensors() = default;

void TapeTensors::Know(const Tensor& t) {
  if (stopped() || !IsDense(t)) return;
  auto it = index_.find(t.impl());
  if (it != index_.end()) {
    if (slots_[it->second].kind == Slot::kInput) Stop(kOnce, "an argument that the function reaches otherwise, too");
    return;
  }
  if (!known_.emplace(t.impl(), t).second) return;
  before_.push_back(Look(t));
  versions_.emplace(StorageId(t), t->storage()->version());
}

void TapeTensors::Start() {
  PD_CHECK(!running_, PreconditionNotMet, "[to_static] expected a tape that takes no calls yet, got one that does");
  modes_ = Modes::Now();
  reads_ = t_capture.data_reads;
  outer_ = t_capture.tape;
  t_capture.tape = this;
  running_ = true;
  if (g_running++ == 0) phi::WatchOps(phi::kWatchTape, true);
}

void TapeTensors::Finish() {
  if (!running_) return;
  running_ = false;
  t_capture.tape = outer_;
  if (--g_running == 0) phi::WatchOps(phi::kWatchTape, false);
  CheckReads();
  if (stopped()) return;
  if (!(modes_ == Modes::Now())) return Stop(kChanged, "a mode was changed");
  for (const Before& b : before_) CheckBefore(b);
  for (const Slot& slot : slots_)
    if (!stopped() && slot.held.defined() && slot.held->storage()) {
      auto it = versions_.find(StorageId(slot.held));
      if (StorageId(slot.held) != slot.storage || it == versions_.end() ||
          it->second != slot.held->storage()->version())
        Stop(kPlain, "a tensor was changed by something else than an operation");
    }
}

void TapeTensors::CheckBefore(const Before& b) {
  const Tensor& t = b.tensor;
  if (!(t->dims() == b.dims) || t->dtype() != b.dtype || t->node().get() != b.node.get()) {
    Stop(kPlain, "shape, dtype or history of a tensor from outside was changed");
  } else if (t->stop_gradient != b.stop_gradient) {
    Stop(kChanged, "stop_gradient of a tensor from outside was changed");
  } else if (b.node && t->storage()->version() != b.version) {
    Stop(kPlain, "a tensor with a history was written without one");
  } else if (!index_.count(t.impl())) {
    auto it = versions_.find(StorageId(t));
    if (it == versions_.end() || it->second != t->storage()->version())
      Stop(kPlain, "a tensor was changed by something else than an operation");
  }
}

void TapeTensors::Stop(End end, std::string why) {
  if (end_ == kPlain || (end_ != kRecord && end != kPlain)) return;
  end_ = end;
  why_ = std::move(why);
  auto slots = std::move(slots_);
  slots_.clear();
  index_.clear();
  Drop(std::move(slots));
}

bool TapeTensors::Lost() {
  CheckReads();
  return end_ == kPlain;
}

void TapeTensors::CheckReads() {
  if (t_capture.data_reads != reads_) Stop(kPlain, "numbers were read");
}

int TapeTensors::Add(const Tensor& t, Slot::Kind kind) {
  Slot s;
  s.kind = kind;
  s.held = t;
  s.dtype = t->dtype();
  s.dims = t->dims();
  s.storage = StorageId(t);
  slots_.push_back(std::move(s));
  index_[t.impl()] = static_cast<int>(slots_.size()) - 1;
  return static_cast<int>(slots_.size()) - 1;
}

int TapeTensors::IndexOf(const Tensor& t) const {
  auto it = t.defined() ? index_.find(t.impl()) : index_.end();
  return it == index_.end() ? -1 : it->second;
}

int TapeTensors::Use(const Tensor& t) {
  if (!IsDense(t)) {
    Stop(kOnce, "a tensor that is not dense");
    return -1;
  }
  if (const int at = IndexOf(t); at >= 0) return at;
  return known_.count(t.impl()) ? Add(t, Slot::kKnown) : -1;
}

int TapeTensors::Make(const Tensor& t, const std::vector<int>& from) {
  const int made = Add(t, Slot::kMade);
  Slot& slot = slots_.back();
  for (const int i : from)
    if (i != made && held(i).defined() && StorageId(held(i)) == slot.storage) slot.shares = true;
  slot.origin = slot.storage;
  slot.version = t->storage()->version();
  return made;
}

void TapeTensors::Check(int tensor) {
  const Slot& s = slots_[static_cast<size_t>(tensor)];
  auto it = versions_.find(StorageId(s.held));
  if (StorageId(s.held) != s.storage || (it != versions_.end() && it->second != s.held->storage()->version()))
    Stop(kPlain, "a tensor was changed by something else than an operation");
}

void TapeTensors::Settle(int tensor) {
  Slot& s = slots_[static_cast<size_t>(tensor)];
  s.storage = StorageId(s.held);
  versions_[s.storage] = s.held->storage() ? s.held->storage()->version() : 0;
}

void TapeTensors::Sweep() {
  if (slots_.size() < sweep_at_) return;
  for (Slot& s : slots_)
    if (s.kind == Slot::kMade && s.held.defined() && s.held->use_count() == 1) {
      index_.erase(s.held.impl());
      s.held.reset();
    }
  sweep_at_ = slots_.size() + std::max<size_t>(256, index_.size());
}

int TapeTensors::CountEscaped(const std::vector<Tensor>& accounted) {
  std::vector<phi::TensorImpl*> known;
  for (const Tensor& t : accounted) known.push_back(t.impl());
  int n = 0;
  for (const Slot& s : slots_)
    n += s.kind == Slot::kMade && s.held.defined() && s.held->pyobj &&
         std::find(known.begin(), known.end(), s.held.impl()) == known.end();
  return n;
}

bool TapeTensors::Made(const Tensor& t) const {
  const int at = IndexOf(t);
  return at >= 0 && slots_[static_cast<size_t>(at)].kind != Slot::kKnown;
}

void TapeTensors::BeginReplay(const std::vector<Tensor>& proxies,
                              const std::vector<std::pair<Tensor, Tensor>>& instead) {
  PD_CHECK(!stopped() && !running_ && proxies.size() == inputs_.size(), PreconditionNotMet,
           "[to_static] expected a finished tape and a proxy for each input, got ", proxies.size(), " proxies for ",
           inputs_.size());
  for (Slot& s : slots_) {
    s.proxy = Tensor();
    if (s.kind != Slot::kKnown) continue;
    s.proxy = s.held;
    for (auto& [known, other] : instead)
      if (known.is_same(s.held)) s.proxy = other;
    saved_.push_back(Keep(s.proxy));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) slots_[index_.at(inputs_[i].impl())].proxy = proxies[i];
}

void TapeTensors::Link(int tensor, const Tensor& t) {
  Slot& s = slots_[static_cast<size_t>(tensor)];
  if (s.proxy.defined()) return;
  const common::Dims dims = t.extents();
  bool same = t.dtype() == s.dtype && dims.size() == s.dims.size();
  for (int64_t i = 0; same && i < dims.size(); ++i) same = !dims[i].known() || dims[i].raw() == s.dims[i];
  PD_CHECK(same, PreconditionNotMet,
           "[to_static] expected an operation that gives the same when recorded, got another tensor");
  if (s.shares && versions_.at(s.origin) != s.version) {
    egr::AutogradMeta* m = egr::MaybeMeta(t);
    PD_CHECK(m && m->recorded_view, PreconditionNotMet,
             "[to_static] expected a view that is a view when recorded, since its memory is written later, got a copy");
  }
  s.proxy = t;
}

void TapeTensors::CheckExtents(int tensor) {
  if (const Tensor& t = proxy(tensor); t.defined() && common::AllKnown(t.extents())) return;
  end_ = kOnce;
  PD_THROW(PreconditionNotMet, "[to_static] expected extents that are known, as the function reads them, got others");
}

Tensor TapeTensors::ProxyOf(const Tensor& t) const {
  if (const int at = IndexOf(t); at >= 0) return proxy(at);
  return known_.count(t.impl()) ? t : Tensor();
}

void TapeTensors::Restore() {
  for (Fields& f : saved_) {
    phi::TensorImpl* d = f.tensor.impl();
    d->Become(f.state);
    d->stop_gradient = f.stop_gradient;
    d->SetHistory(f.node, f.slot);
    d->value = f.value;
  }
  saved_.clear();
}

}  // namespace paddle::jit
