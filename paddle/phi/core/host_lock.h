// SPDX-License-Identifier: Apache-2.0
// Releases the host language's lock (Python's GIL) while a long kernel runs, so that other threads make progress.
#pragma once

#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {

// Set by the bindings. `release` returns null when the calling thread does not hold the lock.
struct HostLock {
  void* (*release)() = nullptr;
  void (*acquire)(void* state) = nullptr;
  // Handles signals that are due, if the calling thread is the one that does, and throws what their handlers raise.
  void (*check)() = nullptr;
};
extern HostLock g_host_lock;

// From this many elements an ordinary kernel takes 20 us or more; ops with more work an element state their own
// (`long_from`).
inline constexpr int64_t kLongWork = 64 << 10;

// A fork waits until no other thread computes without the lock: the child gets the locks and tables of this library,
// and of those below it, as no thread is in the middle of changing them.
class WithoutHostLock {
 public:
  explicit WithoutHostLock(bool on = true) : state_(on && g_host_lock.release ? Release() : nullptr) {}
  ~WithoutHostLock() {
    if (state_) Acquire(state_);
  }
  WithoutHostLock(const WithoutHostLock&) = delete;

 private:
  static void* Release();
  static void Acquire(void* state);

  void* state_;
};

// Around a wait for the lock within such a scope: how many scopes of this thread no longer count, and that they do
// again.
int StopApart();
void GoApart(int scopes);

inline int64_t WorkOf(const Tensor& t) { return t.defined() ? t.numel() : 0; }
inline int64_t WorkOf(const std::vector<Tensor>& list) {
  int64_t n = 0;
  for (const Tensor& t : list) n += WorkOf(t);
  return n;
}

// A tensor of the same data that no other thread can see: what a kernel reads while others may rebind `t`.
Tensor Held(const Tensor& t);
std::vector<Tensor> Held(const std::vector<Tensor>& list);

}  // namespace phi
