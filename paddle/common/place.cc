// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/place.h"

#include <deque>
#include <mutex>

#include "paddle/common/error.h"

namespace phi {
namespace {
std::mutex g_mutex;
std::deque<std::string>& Names() {
  static auto* names = new std::deque<std::string>{""};
  return *names;
}
}  // namespace

int16_t CustomDeviceIndex(const std::string& name) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto& names = Names();
  for (size_t i = 1; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int16_t>(i);
  names.push_back(name);
  return static_cast<int16_t>(names.size() - 1);
}

const std::string& CustomDeviceName(int16_t index) {
  std::lock_guard<std::mutex> lock(g_mutex);
  PD_ASSERT(index > 0 && index < static_cast<int16_t>(Names().size()));
  return Names()[index];
}

std::string PlaceText(Place p) {
  switch (p.type) {
    case AllocationType::CPU: return "Place(cpu)";
    case AllocationType::GPU: return "Place(gpu:" + std::to_string(p.device_id) + ")";
    case AllocationType::GPUPINNED: return "Place(gpu_pinned)";
    case AllocationType::CUSTOM: return "Place(" + CustomDeviceName(p.custom) + ":" + std::to_string(p.device_id) + ")";
    default: return "Place(undefined:0)";
  }
}

}  // namespace phi
