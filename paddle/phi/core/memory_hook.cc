// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/memory_hook.h"

#include "paddle/phi/core/thread_memory.h"

namespace phi {

MemoryHook::MemoryHook() : old_(t_memory.hook) { t_memory.hook = this; }
MemoryHook::~MemoryHook() { t_memory.hook = old_; }

void MemoryHook::Watch(std::vector<MemoryRequest>* requests, uint32_t* clock) {
  Stop();
  requests_ = requests;
  clock_ = clock;
}

void MemoryHook::Serve(const std::vector<MemoryPlace>& places, RefCounted* owner) {
  Stop();
  next_ = places.data();
  end_ = next_ + places.size();
  owner_ = owner;
}

void MemoryHook::Stop() {
  requests_ = nullptr;
  next_ = end_ = nullptr;
  differed_ = false;
}

void* MemoryHook::Ask(size_t bytes, RefCounted** owner) {
  if (next_ == end_) return nullptr;
  if (next_->bytes != bytes) {
    differed_ = true;
    next_ = end_;
    return nullptr;
  }
  *owner = owner_;
  return (next_++)->data;
}

void MemoryHook::Note(const void* data, size_t bytes) {
  if (requests_) requests_->push_back({bytes, data, ++*clock_, 0});
}

void MemoryHook::Released(const void* data) {
  if (!requests_) return;
  for (size_t i = requests_->size(); i-- > 0;) {
    MemoryRequest& r = (*requests_)[i];
    if (r.data != data || r.died) continue;
    r.died = ++*clock_;
    return;
  }
}

}  // namespace phi
