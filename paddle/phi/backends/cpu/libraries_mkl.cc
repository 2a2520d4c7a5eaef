// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/cpu/libraries.h"

#include <dnnl.h>
#include <mkl_service.h>

namespace phi::cpu {
namespace {

std::string Version(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string MklVersion() {
  MKLVersion version;
  mkl_get_version(&version);
  // Releases are named by their updates.
  return Version(version.MajorVersion, version.UpdateVersion, version.MinorVersion);
}

std::string OnednnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return Version(version->major, version->minor, version->patch);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Libraries() {
  return {{"mkl", MklVersion()}, {"onednn", OnednnVersion()}};
}

}  // namespace phi::cpu
