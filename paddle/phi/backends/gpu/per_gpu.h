// SPDX-License-Identifier: Apache-2.0
// What is kept for each GPU as long as the process lasts.
#pragma once

#include <map>
#include <mutex>

#include "paddle/common/place.h"

namespace phi::gpu {

// The T of a GPU, made when it is first asked for.
template <class T>
T& PerGpu(Place place) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, T>;
  std::lock_guard<std::mutex> lock(mutex);
  return all[place.device_id];
}

}  // namespace phi::gpu
