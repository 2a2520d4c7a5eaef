// SPDX-License-Identifier: Apache-2.0
// What a library made for kinds of calls on a device, kept for the next ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "paddle/phi/backends/gpu/per_gpu.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {

template <class Key, class Plan>
class MadePlans {
 public:
  // Those of a device.
  static MadePlans& Of(Place place) { return PerGpu<MadePlans>(place); }

  // Null where there is none. What a graph that is captured found stays as long as the process.
  Plan* Find(const Key& key, Place place) {
    const auto at = plans_.find(key);
    if (at == plans_.end()) return nullptr;
    at->second.used = ++calls_;
    at->second.captured |= CapturesGraph(place);
    return &at->second.plan;
  }
  // Of `most` plans, the quarter that was not used for longest goes.
  Plan& Add(const Key& key, Plan plan, Place place, size_t most) {
    if (plans_.size() >= most) {
      std::vector<uint64_t> used;
      for (const auto& [unused, p] : plans_) used.push_back(p.used);
      const auto quarter = used.begin() + static_cast<ptrdiff_t>(used.size() / 4);
      std::nth_element(used.begin(), quarter, used.end());
      SynchronizeDevice(place);
      std::erase_if(plans_, [&](const auto& one) { return !one.second.captured && one.second.used < *quarter; });
    }
    return plans_.emplace(key, Made{std::move(plan), ++calls_, false}).first->second.plan;
  }

  std::mutex mutex;  // of what it returns, too: a plan serves one thread at a time

 private:
  struct Made {
    Plan plan;
    uint64_t used;
    bool captured;
  };
  std::map<Key, Made> plans_;
  uint64_t calls_ = 0;
};

}  // namespace phi::gpu
