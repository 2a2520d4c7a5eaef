// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/host_lock.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "paddle/phi/core/apart.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {

HostLock g_host_lock;

namespace {

std::atomic<int> g_apart{0};  // scopes of all threads that compute without the lock

void Count(int n) {
  t_state.apart += n;
  g_apart.fetch_add(n, std::memory_order_acq_rel);
}

void InChild() { g_apart.store(t_state.apart, std::memory_order_relaxed); }

[[maybe_unused]] const bool registered = pthread_atfork(&AwaitApart, nullptr, &InChild) == 0;

}  // namespace

void AwaitApart() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (g_apart.load(std::memory_order_acquire) > t_state.apart && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void* WithoutHostLock::Release() {
  Count(1);
  void* state = g_host_lock.release();
  if (!state) Count(-1);
  return state;
}

void WithoutHostLock::Acquire(void* state) {
  Count(-1);
  g_host_lock.acquire(state);
}

int StopApart() {
  const int scopes = t_state.apart;
  if (scopes) Count(-scopes);
  return scopes;
}

void GoApart(int scopes) {
  if (scopes) Count(scopes);
}

Tensor Held(const Tensor& t) {
  if (!t.defined() || t->kind() != ImplKind::kDense || !t->storage()) return t;
  Tensor r = AliasOf(t);
  r->is_parameter = t->is_parameter;
  return r;
}

std::vector<Tensor> Held(const std::vector<Tensor>& list) {
  std::vector<Tensor> r;
  r.reserve(list.size());
  for (const Tensor& t : list) r.push_back(Held(t));
  return r;
}

}  // namespace phi
