// SPDX-License-Identifier: Apache-2.0
// Takes the interpreter's lock in threads that may not hold it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <unistd.h>

#include "paddle/phi/core/host_lock.h"

namespace paddle::py {

// While the interpreter ends, threads that ask for the lock are ended by an unwinding that handlers and destructors
// must not see: such a thread waits here for the end of the process.
[[noreturn]] inline void Stay() {
  for (;;) pause();
}
template <class F>
auto OrStay(F&& take) {
  try {
    return take();
  } catch (...) { Stay(); }
}

class GilHeld {
 public:
  GilHeld() : apart_(phi::StopApart()), state_(OrStay([] { return PyGILState_Ensure(); })) {}
  ~GilHeld() {
    phi::GoApart(apart_);
    PyGILState_Release(state_);
  }
  GilHeld(const GilHeld&) = delete;

 private:
  int apart_;  // a thread that waits for the lock computes nothing
  PyGILState_STATE state_;
};

}  // namespace paddle::py
