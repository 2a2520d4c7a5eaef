// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/writes.h"

#include <memory>
#include <unordered_set>

#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/eager/dispatch/recorded_view.h"

namespace paddle::jit {
namespace {

void NoteOverwritten(const Tensor& t, const Tensor& was) {
  if (!t_capture.overwritten) t_capture.overwritten = new OverwrittenList;
  t_capture.overwritten->emplace_back(t, was);
}
// Those noted on this thread since this was last called.
OverwrittenList TakeOverwritten() {
  const std::unique_ptr<OverwrittenList> list(std::exchange(t_capture.overwritten, nullptr));
  return list ? std::move(*list) : OverwrittenList();
}
// The tensor holds the data that `old` holds; history and recorded value are left as they are.
void RestoreData(const Tensor& t, const Tensor& old) { t->Become(old->state()); }

}  // namespace

void RebindResult(const Tensor& to, const Tensor& from) {
  if (to.is_dist() && from.is_dist()) {
    const egr::GradModeGuard mode(egr::State().grad_enabled && egr::NeedsGrad(from));
    Tensor x = to;
    egr::DistWrite(x, "out", [&](const Tensor&) { return from; });
    return;
  }
  // Each run copies the value into a tensor with data that a program writes.
  const bool kept = from.is_symbolic() && to.defined() && !to.is_symbolic();
  PD_CHECK(!kept || (to.dtype() == from.dtype() && common::MayMatch(to.extents(), from.extents())), InvalidArgument,
           "[out] expected a tensor of dtype ", phi::NameOf(from.dtype()), " and shape ",
           common::ShapeText(from.extents()), ", got dtype ", phi::NameOf(to.dtype()), " and shape ",
           common::ShapeText(to.extents()), ": what a program writes keeps its dtype and shape");
  Rebind(to, egr::FittedToViews(to, from));
}

void Rebind(const Tensor& to, const Tensor& from) {
  egr::Recorder* recorder = egr::State().recorder;
  if (!recorder && !to.is_symbolic() && !from.is_symbolic()) {
    Tensor x = to;
    return egr::Assume(x, from);
  }
  if (recorder && !egr::NeedsGrad(from)) egr::BeforeRecordedValues(to, *recorder);
  egr::BeforeRecordedWrite(to);
  const common::Dims before = to.extents();
  if (recorder) recorder->BeforeWrite(to);
  if (from.is_symbolic() && !to.is_symbolic()) {
    if (recorder && egr::NeedsGrad(to)) recorder->ValueOf(to);  // a leaf stays one
    const Tensor was = phi::AliasOf(to);
    was->stop_gradient = to->stop_gradient;
    NoteOverwritten(to, was);
  }
  phi::TensorImpl* d = to.impl();
  const phi::TensorImpl* s = from.impl();
  // As in eager mode, values without a history end the history of what had their shape and dtype.
  const bool cut = egr::State().grad_enabled && d->node() && egr::NeedsGrad(to) && !egr::NeedsGrad(from) &&
                   to.dtype() == from.dtype() && common::MayMatch(before, from.extents());
  if (cut) egr::CutHistory(to);
  d->Become(s->state());
  d->value = s->value;
  if (!cut && (s->node() || (d->node() && egr::State().grad_enabled))) {
    d->ShareHistory(*s);
    d->stop_gradient = s->stop_gradient;
  }
  egr::AfterRecordedWrite(to, before);
}

Tensor AsResult(const Tensor& t) {
  egr::Recorder& recorder = *egr::State().recorder;
  Tensor result = recorder.Wrap(recorder.ValueOf(t));
  result->stop_gradient = t->stop_gradient;
  egr::MetaOf(result).apart = true;
  if (!egr::NeedsGrad(t)) return result;
  const egr::Edge to = egr::GradEdge(t);
  result->SetHistory(phi::Ref<phi::RefCounted>(to.node.get()), to.slot);
  return result;
}

std::vector<Written> TakeWrites(RecordedProgram& program) {
  std::vector<Written> result;
  const OverwrittenList overwritten = TakeOverwritten();
  std::vector<std::pair<Tensor, bool>> written;
  auto add = [&](const Tensor& t, bool stop_gradient) {
    for (auto& w : written)
      if (w.first.is_same(t)) return;
    written.push_back({t, stop_gradient});
  };
  for (const auto& c : program.recorder().captured())
    if (c.tensor->value) add(c.tensor, c.value.stop_gradient());
  for (auto& [t, old] : overwritten) add(t, old->stop_gradient);
  for (auto& [t, stop_gradient] : written) {
    Tensor proxy;
    try {
      proxy = program.recorder().Wrap(program.recorder().ValueOf(t));
      proxy->stop_gradient = t->stop_gradient || !t->node();
      proxy->ShareHistory(*t.impl());
    } catch (const common::Error&) {
      // Not a value of this program: only what it was matters.
    }
    for (auto& [o, old] : overwritten) {
      if (!o.is_same(t)) continue;
      RestoreData(t, old);
      break;  // the first is the oldest
    }
    t->value = nullptr;
    t->DropHistory();
    t->stop_gradient = stop_gradient;
    if (proxy.defined() && !program.recorder().IsMade(t)) result.push_back({t, proxy});
  }
  return result;
}

std::vector<Written> SettleWrites(RecordedProgram& program) {
  const OverwrittenList overwritten = TakeOverwritten();
  for (auto& [t, old] : overwritten) {
    if (t.is_symbolic()) RestoreData(t, old);
  }
  std::vector<Written> result;
  egr::Recorder& recorder = program.recorder();
  std::unordered_set<const phi::TensorImpl*> known;
  auto add = [&](const Tensor& t, pir::Value before) {
    if (!known.insert(t.impl()).second || !recorder.Knows(t)) return;
    pir::Value v = recorder.ValueOf(t);
    if (v == before || (v.defining_op() && v.defining_op()->name().ends_with('_'))) return;
    Tensor proxy = recorder.Wrap(v);
    proxy->stop_gradient = t->stop_gradient;
    proxy->ShareHistory(*t.impl());
    result.push_back({t, proxy});
  };
  for (const auto& c : recorder.captured()) add(c.tensor, c.value);
  for (const auto& [t, old] : overwritten) add(t, {});  // those that nothing has read
  return result;
}

}  // namespace paddle::jit
