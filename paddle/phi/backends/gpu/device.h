// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs as devices of the runtime, over the driver alone.
#pragma once

#include <string>

#include "paddle/common/place.h"
#include "paddle/phi/backends/gpu/driver_api.h"

namespace phi::gpu {

// How many there are; 0 without a driver that can be used.
int DeviceCount();
// The place of a GPU; from the first call on GPUs are among the runtime's devices. InvalidArgument where there is no
// such GPU, saying what was tried to find a driver; `op` and `given` are named in it.
Place PlaceOf(int number, const char* op, const std::string& given);

struct Properties {
  std::string name;
  int major = 0, minor = 0, multiprocessors = 0;
  bool integrated = false;
  size_t total_memory = 0, l2_cache = 0;
  int max_threads_per_block = 0, max_threads_per_multiprocessor = 0, warp_size = 0;
  int pci_domain = 0, pci_bus = 0, pci_device = 0;
};
// Of a number below DeviceCount().
Properties PropertiesOf(int number);

}  // namespace phi::gpu
