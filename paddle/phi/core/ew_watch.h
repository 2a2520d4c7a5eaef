// SPDX-License-Identifier: Apache-2.0
// Lets the executor see the loop an elementwise op came down to, so that it can call the loop itself the next time.
#pragma once

#include <atomic>

#include "paddle/phi/core/tensor.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {

struct EwSeen {
  int calls = 0;        // elementwise runs since the watch began; the rest describes the last one
  bool flat = false;    // one call of `loop` over contiguous operands of the loop's dtypes, without attributes
  bool spread = false;  // it would be if inputs of one element had as many as the results
  EwLoop loop = nullptr;
  int nout = 0, nin = 0, cost = 0;
  int64_t n = 0;
  const Tensor* operands[kEwMaxOperands] = {};  // outputs, then inputs
};

// Threads that watch; elementwise runs look further only when there is one.
extern std::atomic<int> g_ew_watches;

// Reports the elementwise runs of this thread to `seen` for the length of a scope.
class EwWatch {
 public:
  explicit EwWatch(EwSeen* seen);
  ~EwWatch();
  EwWatch(const EwWatch&) = delete;

 private:
  EwSeen* old_;
};

}  // namespace phi
