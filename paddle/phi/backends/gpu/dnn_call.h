// SPDX-License-Identifier: Apache-2.0
// Calls of primitives on a GPU that run plans of cuDNN, where it is found.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "paddle/phi/backends/gpu/dnn_graph.h"
#include "paddle/phi/core/device_forms.h"

namespace phi::gpu {

struct DnnRecipe {
  DnnGraph graph;
  DnnLimits limits;
};
// Everything that a recipe depends on.
using DnnKey = std::array<int64_t, 32>;

// One call on the current stream of the device, which has its handle for that time. What it is done by, or that cuDNN
// does not do it, is found once for a key on a device, and not while a graph is captured.
class DnnCall {
 public:
  // `make` gives null, with why, of what is not given to cuDNN; `name` is what is said of it.
  DnnCall(const DeviceForms& forms, DnnKey key, std::initializer_list<const void*> addresses,
          const std::function<std::unique_ptr<DnnRecipe>(std::string*)>& make,
          const std::function<std::string()>& name);
  // Whether there is a plan.
  explicit operator bool() const { return found_ != nullptr; }
  // Memory for the length of the call; null where there is none left.
  std::shared_ptr<void> Room(int64_t bytes) const;
  // False where cuDNN does not run it, which then is no more tried: results may be anything.
  bool Run(const std::vector<std::pair<DnnGraph::Id, void*>>& addresses);
  struct Found;

 private:
  const DeviceForms& forms_;
  const std::function<std::string()>& name_;
  std::unique_lock<std::mutex> lock_;
  dnn::Handle handle_ = nullptr;
  dnn::Stream stream_ = nullptr;
  Found* found_ = nullptr;
};

}  // namespace phi::gpu
