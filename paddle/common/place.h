// SPDX-License-Identifier: Apache-2.0
// Where a tensor lives: a kind of device and its index. Devices of plugins are of kind CUSTOM and told apart by the
// number of their type, in the order of registration.
#pragma once

#include <cstdint>
#include <string>

namespace phi {

enum class AllocationType : int8_t { UNDEFINED = 0, CPU = 1, GPU = 2, GPUPINNED = 3, CUSTOM = 9 };

struct Place {
  AllocationType type = AllocationType::CPU;
  int8_t device_id = 0;
  int16_t custom = 0;  // index of the plugin's device type; 0 for built-in kinds

  bool is_cpu() const { return type == AllocationType::CPU; }
  // By the names that operators of users know them by.
  AllocationType GetType() const { return type; }
  int8_t GetDeviceId() const { return device_id; }
  friend bool operator==(const Place& a, const Place& b) {
    return a.type == b.type && a.device_id == b.device_id && a.custom == b.custom;
  }
};

// "Place(cpu)", "Place(gpu:0)", "Place(custom_cpu:0)"
std::string PlaceText(Place p);
// Index for a plugin's device type name, registering it on first use.
int16_t CustomDeviceIndex(const std::string& name);
const std::string& CustomDeviceName(int16_t index);

}  // namespace phi
