// SPDX-License-Identifier: Apache-2.0
// OpenMP behind ParallelFor, with the fork handler that keeps children (DataLoader workers) from waiting for lost
// threads.
#include "paddle/phi/backends/cpu/threads.h"

#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

#include "paddle/common/sanitizer.h"
#include "paddle/phi/backends/cpu/blas.h"
#include "paddle/phi/backends/cpu/pool_impl.h"
#include "paddle/phi/core/thread_state.h"

namespace phi::cpu {
namespace {

std::atomic<int> g_threads{0};  // 0 = not asked yet

void AfterForkInChild() {
  g_threads.store(1, std::memory_order_relaxed);
  omp_set_num_threads(1);
  BlasSetThreads(1);
}

struct Register {
  Register() { pthread_atfork(nullptr, nullptr, &AfterForkInChild); }
} g_register;

constexpr int64_t kKeepBytes = int64_t{8} << 20;

struct Slot {
  void* p = nullptr;
  int64_t bytes = 0;
  bool busy = false;
  ~Slot() { std::free(p); }
};
// The scratch of a thread: what Scratch lends, and what PoolBuffer keeps.
struct ThreadScratch {
  Slot lent[4], kept;
};
thread_local ThreadScratch t_scratch;

// At least as large as asked for.
void Grow(Slot& s, int64_t bytes) {
  if (s.bytes >= bytes) return;
  std::free(s.p);
  s.bytes = 0;
  const int64_t want = (bytes + 4095) / 4096 * 4096;
  s.p = std::aligned_alloc(64, static_cast<size_t>(want));
  if (!s.p) throw std::bad_alloc();
  s.bytes = want;
}

}  // namespace

int MaxThreads() {
  int n = g_threads.load(std::memory_order_relaxed);
  if (__builtin_expect(n == 0, 0)) {
    n = omp_get_max_threads();
    g_threads.store(n, std::memory_order_relaxed);
  }
  if (n == 1 || omp_in_parallel()) return 1;
  return t_state.kernels.threads && t_state.kernels.threads < n ? t_state.kernels.threads : n;
}

ThreadLimit::ThreadLimit(int n) : limit_(t_state.kernels.threads), openmp_(omp_get_max_threads()) {
  if (n < 1) n = 1;
  t_state.kernels.threads = n;
  omp_set_num_threads(n < openmp_ ? n : openmp_);
  blas_ = BlasSetThreadsLocal(n);
}

ThreadLimit::~ThreadLimit() {
  t_state.kernels.threads = limit_;
  omp_set_num_threads(openmp_);
  BlasSetThreadsLocal(blas_);
}

void SetNumThreads(int n) {
  if (n < 1) n = 1;
  g_threads.store(n, std::memory_order_relaxed);
  omp_set_num_threads(n);
  BlasSetThreads(n);
}

// libgomp is not instrumented: that a team begins after its caller and ends before it goes on is told here.
PD_NOT_SANITIZED void ParallelParts(int parts, void (*fn)(void*, int), void* ctx) {
  const int threads = MaxThreads();
  if (parts <= 1 || threads <= 1) {
    for (int i = 0; i < parts; ++i) fn(ctx, i);
    return;
  }
  const int team = parts < threads ? parts : threads;
  std::exception_ptr failed;  // an exception must not leave the team
  char order;
  common::HandOver(&order);
#pragma omp parallel num_threads(team)
  {
    common::TakeOver(&order);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < parts; ++i) {
      try {
        fn(ctx, i);
      } catch (...) {
#pragma omp critical(paddle_parallel_failed)
        if (!failed) failed = std::current_exception();
      }
    }
    common::HandOver(&order);
  }
  common::TakeOver(&order);
  if (failed) std::rethrow_exception(failed);
}

Scratch::Scratch(int64_t bytes) {
  if (bytes <= 0) bytes = 1;
  for (Slot& s : t_scratch.lent) {
    if (s.busy) continue;
    if (bytes > kKeepBytes) break;
    Grow(s, bytes);
    s.busy = true;
    slot_ = &s;
    p_ = s.p;
    return;
  }
  p_ = std::aligned_alloc(64, static_cast<size_t>((bytes + 63) / 64 * 64));
  if (!p_) throw std::bad_alloc();
}

void* PoolBuffer(int64_t bytes) {
  Grow(t_scratch.kept, bytes);
  return t_scratch.kept.p;
}

Scratch::~Scratch() {
  if (slot_)
    static_cast<Slot*>(slot_)->busy = false;
  else
    std::free(p_);
}

}  // namespace phi::cpu
