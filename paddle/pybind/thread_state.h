// SPDX-License-Identifier: Apache-2.0
// What the bindings keep for a thread, beside the dispatch state: plain values and the stacks of context managers.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/pybind/mode_stack.h"

namespace paddle::py {

class Tape;
class ProgramObject;

// What was recorded before, and the program recorded since, which lives as long as it is.
struct RecordState {
  egr::Recorder* recorder;
  egr::RecordMode mode;
  std::shared_ptr<ProgramObject> entered;
};

// Automatic mixed precision before a scope, and the scope around it (owned).
struct AmpBefore {
  uint8_t level;
  int8_t dtype;
  const egr::AmpLists* lists;
  PyObject* scope;
};

struct ThreadState {
  uint64_t data_reads = 0;  // grows whenever Python reads numbers out of a tensor or runs backward: what such code
                            // computes cannot be recorded
  bool records_function = false;  // what is recorded writes to tensors each time it runs, where static mode gives them
                                  // a value at once
  Tape* tape = nullptr;           // that is being made
  PyObject* amp_scope = nullptr;  // innermost; owned
  int backwards = 0;              // calls of backward() under way
  std::vector<std::shared_ptr<PyObject>>* after_backward = nullptr;  // what the outermost one calls; null: nothing
  // Tensors with data that became symbolic by an assignment while recording, and what they were; null: none.
  std::vector<std::pair<Tensor, Tensor>>* overwritten = nullptr;
  // What was before each scope the thread is in.
  ModeStack<bool> grad_modes, function_modes;
  ModeStack<RecordState> records;
  ModeStack<AmpBefore> amp;
};
extern thread_local constinit ThreadState t_state;

}  // namespace paddle::py
