// SPDX-License-Identifier: Apache-2.0
// Registration of a plugin's devices with the runtime (phi/core/device.h is what the rest of the system uses).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/phi/backends/device_ext.h"

namespace phi {

// Takes over the functions of a device type; `ids` are its devices.
void RegisterDeviceType(const std::string& type, std::unique_ptr<C_DeviceInterface> functions, std::vector<int> ids);

}  // namespace phi
