// SPDX-License-Identifier: Apache-2.0
// The one way a CPU kernel uses several threads; safe after fork, and cheap for small work.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace phi::cpu {

// Shapes, strides (counted in elements) and axis lists. std::vector and common::SmallVector convert to it.
using Ints = std::span<const int64_t>;
// The number of elements of a shape.
inline int64_t Numel(Ints shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
// The strides of a shape whose elements lie in order; `strides` has room for them.
inline void ContiguousStrides(Ints shape, int64_t* strides) {
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
}

// Threads a kernel started now on this thread may use: 1 inside a parallel region and in a forked child.
int MaxThreads();
// Sets the count for later kernels of this process (n < 1 is taken as 1).
void SetNumThreads(int n);

// While it lives, kernels started on this thread use at most `n` threads. Create and destroy on the same thread.
class ThreadLimit {
 public:
  explicit ThreadLimit(int n);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int limit_, openmp_, blas_;
};

// Calls fn(ctx, i) for i in [0, parts), on up to MaxThreads() threads. The first exception of fn reaches the caller
// when all threads are done.
void ParallelParts(int parts, void (*fn)(void*, int), void* ctx);

// Below this many elements a memory-bound loop stays on the calling thread.
inline constexpr int64_t kGrain = 32768;

// Calls f(b, e) on disjoint ranges that cover [begin, end). A range holds at least `grain` items; the cut depends on
// the thread count, so f must not combine values across items. Exceptions as in ParallelParts.
template <class F>
inline void ParallelFor(int64_t begin, int64_t end, int64_t grain, F&& f) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  int64_t parts = 1;
  if (n >= 2 * grain || (grain <= 1 && n > 1)) {
    parts = MaxThreads();
    const int64_t most = n / (grain < 1 ? 1 : grain);
    if (parts > most) parts = most;
  }
  if (parts <= 1) {
    f(begin, end);
    return;
  }
  struct Ctx {
    std::remove_reference_t<F>* f;
    int64_t begin, n, parts;
  } ctx{&f, begin, n, parts};
  ParallelParts(
      static_cast<int>(parts),
      [](void* p, int i) {
        const Ctx& c = *static_cast<Ctx*>(p);
        (*c.f)(c.begin + c.n * i / c.parts, c.begin + c.n * (i + 1) / c.parts);
      },
      &ctx);
}

// Temporary memory of one kernel call, 64-byte aligned, uninitialised. Small sizes are kept for the thread's next call.
// Create and destroy on the same thread. Throws std::bad_alloc.
class Scratch {
 public:
  explicit Scratch(int64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  void* p_ = nullptr;
  void* slot_ = nullptr;
};

}  // namespace phi::cpu
