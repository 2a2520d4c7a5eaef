// SPDX-License-Identifier: Apache-2.0
// What the bindings keep for a thread, beside the dispatch state: plain values and the stacks of context managers.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/pybind/mode_stack.h"

namespace paddle::py {

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
  PyObject* amp_scope = nullptr;                                     // innermost; owned
  int backwards = 0;                                                 // calls of backward() under way
  std::vector<std::shared_ptr<PyObject>>* after_backward = nullptr;  // what the outermost one calls; null: nothing
  // What was before each scope the thread is in.
  ModeStack<bool> grad_modes, function_modes;
  ModeStack<RecordState> records;
  ModeStack<AmpBefore> amp;
};
extern thread_local constinit ThreadState t_state;

}  // namespace paddle::py
