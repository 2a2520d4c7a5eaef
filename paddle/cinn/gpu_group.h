// SPDX-License-Identifier: Apache-2.0
// A fusion group as kernels of a device that compiles text. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "paddle/cinn/ir/group.h"
#include "paddle/common/place.h"
#include "paddle/phi/core/device.h"

namespace cinn {

class GpuGroup {
 public:
  virtual ~GpuGroup() = default;
  // As CompiledGroup::Run, with addresses on the device `place`, on its current stream: what is written is there when
  // that has done its work. Compiles, or reads from disk, what a call is the first to need.
  // `firsts`: where in the inputs, then the outputs, the first element is, in elements; it may lie outside where a mask
  // keeps it from being read. Null: where the addresses are.
  virtual void Run(phi::Place place, void* const* inputs, void* const* outputs, const int64_t* dims,
                   const int64_t* strides, const int64_t* firsts) const = 0;
};

// For devices that take such text. The same group text gives the same object. Unimplemented where an operation has no
// code for them.
std::shared_ptr<GpuGroup> GroupForGpus(const FusionGroup& group, phi::KernelText text);

}  // namespace cinn
