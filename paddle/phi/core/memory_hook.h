// SPDX-License-Identifier: Apache-2.0
// Lets a caller see the memory that code on this thread asks for, and say where it lies the next time: the executor
// plans the results and the scratch of kernels that make their memory themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {

struct MemoryRequest {
  size_t bytes = 0;
  const void* data = nullptr;
  uint32_t born = 0, died = 0;  // by the clock, which counts requests and releases; died 0: alive
};
struct MemoryPlace {
  size_t bytes = 0;
  void* data = nullptr;  // null: from the allocator
};

class MemoryHook {
 public:
  // Hooks are those of the thread while they exist; the one before is back afterwards.
  MemoryHook();
  ~MemoryHook();
  MemoryHook(const MemoryHook&) = delete;

  // Notes what is asked for and released.
  void Watch(std::vector<MemoryRequest>* requests, uint32_t* clock);
  // Serves the next requests in this order. At the first of another size the rest comes from the allocator. The memory
  // belongs to `owner`, which each storage in it retains.
  void Serve(const std::vector<MemoryPlace>& places, RefCounted* owner);
  void Stop();
  // Whether a request of another size came since Serve.
  bool differed() const { return differed_; }

  // For the allocating functions: null when the allocator is to serve.
  void* Ask(size_t bytes, RefCounted** owner);
  void Note(const void* data, size_t bytes);
  void Released(const void* data);

 private:
  MemoryHook* old_;
  std::vector<MemoryRequest>* requests_ = nullptr;
  uint32_t* clock_ = nullptr;
  const MemoryPlace *next_ = nullptr, *end_ = nullptr;
  RefCounted* owner_ = nullptr;
  bool differed_ = false;
};

}  // namespace phi
