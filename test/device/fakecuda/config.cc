// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/config.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace fakecuda {
namespace {

template <class T>
void Read(const char* name, T& value) {
  if (const char* text = std::getenv(name)) value = static_cast<T>(std::strtoull(text, nullptr, 0));
}

Config FromEnvironment() {
  Config c;
  c.threads = std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, 8);
  Read("FAKECUDA_DEVICES", c.devices);
  Read("FAKECUDA_CAPABILITY", c.capability);
  Read("FAKECUDA_DRIVER", c.driver);
  Read("FAKECUDA_MEMORY", c.memory);
  Read("FAKECUDA_THREADS", c.threads);
  Read("FAKECUDA_LIMIT", c.limit);
  Read("FAKECUDA_ORDER", c.order);
  Read("FAKECUDA_FAIL_ALLOCATION", c.fail_allocation);
  Read("FAKECUDA_FAIL_LAUNCH", c.fail_launch);
  Read("FAKECUDA_LOSE_DEVICE", c.lose_device);
  Read("FAKECUDA_LEAKS", c.leaks);
  if (const char* text = std::getenv("FAKECUDA_MISSING")) {
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, ',');) c.missing.insert(name);
  }
  if (const char* text = std::getenv("FAKECUDA_LOG")) c.log = text;
  c.devices = std::clamp(c.devices, 0, 4);
  return c;
}

Config& Instance() {
  static Config* const config = new Config(FromEnvironment());
  return *config;
}

}  // namespace

const Config& Config::Get() { return Instance(); }
void Config::Read() { Instance() = FromEnvironment(); }

}  // namespace fakecuda
