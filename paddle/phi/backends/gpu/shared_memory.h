// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that several processes use: one has it from its allocator, others open the driver's allocation that
// it lies in. How many use it is counted in a SharedFile; its owner keeps it as long as others do.
#pragma once

#include <string>

#include "paddle/phi/core/tensor.h"

namespace phi::gpu {

struct SharedMemory {
  std::string handle;  // of the driver's allocation
  uint64_t offset = 0, bytes = 0;
  int device = 0;
  std::string uses;  // the name of what counts them; empty: nothing does, and the owner must keep its tensor
};

// The memory at `offset` of the storage for a message to another process, which counts as a use where `counted`. Work
// on the current stream is done when this returns.
SharedMemory Share(const Ref<Storage>& storage, uint64_t offset, uint64_t bytes, bool counted);

// Memory that a message told of, which no longer counts as a use.
struct Received {
  Ref<Storage> storage;
  uint64_t offset = 0;
};
Received Receive(const SharedMemory& memory);

// Gives up what no other process uses any more.
void CollectShared();

}  // namespace phi::gpu
