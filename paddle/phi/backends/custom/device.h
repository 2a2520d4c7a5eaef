// SPDX-License-Identifier: Apache-2.0
// Registration of devices with the runtime (phi/core/device.h is what the rest of the system uses).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/common/place.h"
#include "paddle/phi/backends/device_ext.h"

namespace phi {

class GrowingMemory;

struct DeviceType {
  std::string name;
  Place first;           // the place of each is this with its number
  std::vector<int> ids;  // numbers of the devices
  std::unique_ptr<C_DeviceInterface> functions;
  C_DeviceExtension extension{};
  bool lazy = false;  // a device is initialised when it is first used, not here
  // For segments that grow, of a device that is current; null where it has no such memory.
  std::unique_ptr<GrowingMemory> (*growing)(int id) = nullptr;
};
// Takes over the functions of a device type. Where one of its devices cannot be initialised, none is there.
void RegisterDeviceType(DeviceType type);
// Whether memory of GPUs comes in segments that grow (FLAGS_use_virtual_memory_auto_growth), for devices that have
// taken none yet.
void UseVirtualMemory(bool use);

}  // namespace phi
