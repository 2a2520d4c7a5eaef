// SPDX-License-Identifier: Apache-2.0
// Virtual memory of GPUs, for segments of the allocator that grow where they are.
#pragma once

#include <memory>

#include "paddle/phi/backends/custom/caching_allocator.h"

namespace phi::gpu {

// Of the current device; null where the driver or the device has none, which is said once.
std::unique_ptr<GrowingMemory> MakeVirtualMemory(int device);

}  // namespace phi::gpu
