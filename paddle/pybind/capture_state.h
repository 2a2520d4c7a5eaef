// SPDX-License-Identifier: Apache-2.0
// Tensors with data that became symbolic by an assignment while recording, and what they were.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/record.h"
#include "paddle/pybind/thread_state.h"

namespace paddle::py {

using OverwrittenList = std::vector<std::pair<Tensor, Tensor>>;

inline void NoteOverwritten(const Tensor& t, const Tensor& was) {
  if (!t_state.overwritten) t_state.overwritten = new OverwrittenList;
  t_state.overwritten->emplace_back(t, was);
}
// Those noted on this thread since this was last called.
inline OverwrittenList TakeOverwritten() {
  const std::unique_ptr<OverwrittenList> list(std::exchange(t_state.overwritten, nullptr));
  return list ? std::move(*list) : OverwrittenList();
}
// Python reads numbers out of the tensor, and may go on as they are. One that a recording made has the same each time.
inline void NoteRead(const Tensor& t) {
  const egr::DispatchState& state = egr::State();
  if (state.record == egr::RecordMode::kRun || !state.recorder || !state.recorder->IsMade(t)) ++t_state.data_reads;
}
// Gradients are put where Python finds them; what is recorded puts them there each time.
inline void NoteBackward() {
  if (egr::State().record == egr::RecordMode::kRun) ++t_state.data_reads;
}
// The tensor holds the data that `old` holds; history and recorded value are left as they are.
inline void RestoreData(const Tensor& t, const Tensor& old) { t->Become(old->state()); }

}  // namespace paddle::py
