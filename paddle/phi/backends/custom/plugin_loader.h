// SPDX-License-Identifier: Apache-2.0
// Loads plugins: shared libraries that bring kernels through the C API and, with InitPlugin, a device.
#pragma once

#include <string>
#include <vector>

namespace phi {

struct PluginReport {
  std::string path;
  std::string device_type;  // empty when it brings kernels alone
  size_t device_count = 0;
  std::vector<std::string> kernels;   // "tanh(float32, CPU)"
  std::vector<std::string> rejected;  // kernels that were refused, each with its reason
};

// Throws PreconditionNotMet with every reason when the plugin is refused; then none of its kernels is in use. Loading
// the same file again gives the first report.
PluginReport LoadPlugin(const std::string& path);

// Types of the devices loaded plugins brought, in order.
std::vector<std::string> CustomDeviceTypes();
size_t CustomDeviceCount(const std::string& device_type);

}  // namespace phi
