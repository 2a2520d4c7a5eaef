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
  std::string uses;        // the name of what counts them; empty: nothing does, and the owner must keep its tensor
  std::string event = {};  // the handle of one that the receiver's work waits for; empty: that is done
};

// The memory at `offset` of the storage for a message to another process, which counts as a use where `counted`. Work
// on the current stream is done when this returns, or the receiver's waits for it.
SharedMemory Share(const Ref<Storage>& storage, uint64_t offset, uint64_t bytes, bool counted);

// Memory that a message told of, which no longer counts as a use.
struct Received {
  Ref<Storage> storage;
  uint64_t offset = 0;
};
Received Receive(const SharedMemory& memory);

// Events that another process opens by their handles, on a GPU; the one that made an event must keep it as long. They
// go by the functions of other events.
void* CreateSharedEvent(Place place);
std::string HandleOfEvent(Place place, void* event);
void* OpenSharedEvent(Place place, const std::string& handle);

// Gives up what no other process uses any more.
void CollectShared();

}  // namespace phi::gpu
