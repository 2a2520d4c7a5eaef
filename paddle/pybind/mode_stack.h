// SPDX-License-Identifier: Apache-2.0
// What modes were before the context managers that changed them were entered; one stack a thread.
#pragma once

#include <utility>
#include <vector>

#include "paddle/common/error.h"

namespace paddle::py {

template <class T>
class ModeStack {
 public:
  void Push(T before) { before_.push_back(std::move(before)); }
  // What was pushed last. Throws when the thread has entered nothing.
  T Pop(const char* mode) {
    PD_CHECK(!before_.empty(), PreconditionNotMet, "[", mode, "] expected a scope to leave, got none");
    T r = std::move(before_.back());
    before_.pop_back();
    return r;
  }

 private:
  std::vector<T> before_;
};

}  // namespace paddle::py
