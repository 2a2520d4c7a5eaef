// SPDX-License-Identifier: Apache-2.0
// What a thread keeps while calls of a function are recorded.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/record.h"

namespace paddle::jit {

class TapeTensors;

using OverwrittenList = std::vector<std::pair<Tensor, Tensor>>;

// Plain values that their scopes put back: the end of a thread has nothing to do.
struct CaptureState {
  uint64_t data_reads = 0;  // grows whenever Python reads numbers out of a tensor: what such code computes cannot be
                            // recorded
  bool records_function = false;           // what is recorded writes to tensors each time it runs, where static mode
                                           // gives them a value at once
  TapeTensors* tape = nullptr;             // that is being made
  OverwrittenList* overwritten = nullptr;  // tensors with data that became symbolic by an assignment while recording,
                                           // and what they were (writes.h); null: none
};
extern thread_local constinit CaptureState t_capture;

// Python reads numbers out of the tensor, and may go on as they are. One that a recording made has the same each time.
inline void NoteRead(const Tensor& t) {
  const egr::DispatchState& state = egr::State();
  if (state.record == egr::RecordMode::kRun || !state.recorder || !state.recorder->IsMade(t)) ++t_capture.data_reads;
}

}  // namespace paddle::jit
