// SPDX-License-Identifier: Apache-2.0
// Registration of devices with the runtime (phi/core/device.h is what the rest of the system uses).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/common/place.h"
#include "paddle/phi/backends/device_ext.h"

namespace phi {

struct DeviceType {
  std::string name;
  Place first;           // the place of each is this with its number
  std::vector<int> ids;  // numbers of the devices
  std::unique_ptr<C_DeviceInterface> functions;
  C_DeviceExtension extension{};
  bool lazy = false;  // a device is initialised when it is first used, not here
};
// Takes over the functions of a device type.
void RegisterDeviceType(DeviceType type);

}  // namespace phi
