// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/host.h"

#include <sys/stat.h>

#include <fstream>

namespace paddle::distributed {

std::string HostIdentity() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat net {};
  ::stat("/proc/self/ns/net", &net);
  return boot + "/" + std::to_string(net.st_dev) + "/" + std::to_string(net.st_ino);
}

}  // namespace paddle::distributed
