// SPDX-License-Identifier: Apache-2.0
// What the environment asks of the double. The variables are listed in docs/design/testing.md.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace fakecuda {

struct Config {
  int devices = 2;                // FAKECUDA_DEVICES, at most 4; 0: no device
  int capability = 90;            // FAKECUDA_CAPABILITY
  int driver = 12080;             // FAKECUDA_DRIVER, as cuDriverGetVersion gives it
  uint64_t memory = 16ull << 30;  // FAKECUDA_MEMORY, bytes of a device
  uint64_t threads = 2;           // FAKECUDA_THREADS that run blocks
  uint64_t limit = 1ull << 31;    // FAKECUDA_LIMIT, instructions of warps of a launch
  uint64_t order = 0;             // FAKECUDA_ORDER, seed of legal orders at random; 0: as late as possible
  uint64_t fail_allocation = 0;   // FAKECUDA_FAIL_ALLOCATION, the n-th fails
  uint64_t fail_launch = 0;       // FAKECUDA_FAIL_LAUNCH, the n-th fails
  uint64_t lose_device = 0;       // FAKECUDA_LOSE_DEVICE, at the n-th launch
  std::set<std::string> missing;  // FAKECUDA_MISSING, names that cuGetProcAddress does not know
  std::string log;                // FAKECUDA_LOG, a file to which finds are appended
  bool leaks = false;             // FAKECUDA_LEAKS, report allocations that are left at exit

  static const Config& Get();
  static void Read();  // the environment again
};

}  // namespace fakecuda
