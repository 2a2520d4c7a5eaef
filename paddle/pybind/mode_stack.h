// SPDX-License-Identifier: Apache-2.0
// What modes were before the context managers that changed them were entered. An empty stack holds no memory, and needs
// nothing done when its thread ends.
#pragma once

#include <utility>

#include "paddle/common/error.h"

namespace paddle::py {

template <class T>
class ModeStack {
 public:
  constexpr ModeStack() = default;
  void Push(T before) { top_ = new Entry{std::move(before), top_}; }
  // What was pushed last. Throws when the thread has entered nothing.
  T Pop(const char* mode) {
    PD_CHECK(top_, PreconditionNotMet, "[", mode, "] expected a scope to leave, got none");
    Entry* last = std::exchange(top_, top_->below);
    T r = std::move(last->before);
    delete last;
    return r;
  }

 private:
  struct Entry {
    T before;
    Entry* below;
  };
  Entry* top_ = nullptr;
};

}  // namespace paddle::py
