// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/dnn_call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {

// A plan, or none where it is our own kernel's.
struct DnnCall::Found {
  std::unique_ptr<DnnPlan> plan;
  bool refused = false;   // it was, when it was to run
  bool captured = false;  // graphs hold what it runs
  uint64_t used = 0;
};

namespace {

constexpr size_t kMostFound = 4096;

void Say(const std::string& what, const std::string& how) {
  static const bool explain = [] {
    const char* flag = std::getenv("FLAGS_gpu_explain");
    return flag && *flag == '1';
  }();
  if (explain) std::fprintf(stderr, "gpu: %s: %s\n", what.c_str(), how.c_str());
  PD_VLOG(1) << what << ": " << how;
}

struct Gpu {
  std::mutex mutex;  // a handle serves one thread at a time
  bool started = false;
  dnn::Handle handle = nullptr;
  std::map<DnnKey, DnnCall::Found> found;
  uint64_t calls = 0;
};
Gpu& GpuOf(Place place) {
  static std::mutex mutex;
  static auto& gpus = *new std::map<int, Gpu>;
  std::lock_guard<std::mutex> lock(mutex);
  return gpus[place.device_id];
}

// Drops the quarter that was not used for longest, but what graphs hold.
void Shrink(Gpu& gpu, Place place) {
  std::vector<uint64_t> used;
  for (const auto& [key, f] : gpu.found) used.push_back(f.used);
  const auto quarter = used.begin() + static_cast<ptrdiff_t>(used.size() / 4);
  std::nth_element(used.begin(), quarter, used.end());
  SynchronizeDevice(place);
  std::erase_if(gpu.found, [&](const auto& one) { return !one.second.captured && one.second.used < *quarter; });
}

}  // namespace

DnnCall::DnnCall(const DeviceForms& forms, DnnKey key, std::initializer_list<const void*> addresses,
                 const std::function<std::unique_ptr<DnnRecipe>(std::string*)>& make,
                 const std::function<std::string()>& name)
    : forms_(forms), name_(name) {
  if (!HasDnn()) {
    static std::once_flag said;
    std::call_once(said, [] { Say("convolutions and attention", "by our own kernels, not by cuDNN: " + WhyNoDnn()); });
    return;
  }
  const Place place = forms.place();
  uintptr_t together = 0;
  for (const void* a : addresses) together |= reinterpret_cast<uintptr_t>(a);
  const bool aligned = together % 16 == 0;
  key.back() = aligned;
  Gpu& gpu = GpuOf(place);
  lock_ = std::unique_lock<std::mutex>(gpu.mutex);
  auto at = gpu.found.find(key);
  const bool known = at != gpu.found.end();
  if (!known && IsCapturing(place)) return;
  stream_ = StreamForCall(place, addresses);
  std::string why;
  if (!gpu.started) {
    gpu.started = true;
    gpu.handle = MakeDnnHandle(&why);
    if (!gpu.handle) Say("convolutions and attention", "by our own kernels, not by cuDNN: " + why);
  }
  handle_ = gpu.handle;
  if (!handle_) return;
  if (!known) {
    if (gpu.found.size() >= kMostFound) Shrink(gpu, place);
    std::unique_ptr<DnnPlan> plan;
    if (!aligned)
      why = "addresses that are no multiples of 16";
    else if (const auto recipe = make(&why))
      plan = DnnPlan::Make(recipe->graph, "", handle_, &why, recipe->limits);
    Say(name(), plan ? "by cuDNN, with " + std::to_string(plan->workspace()) + " bytes beside"
                     : "by our own kernel, not by cuDNN: " + why);
    at = gpu.found.emplace(key, Found{std::move(plan)}).first;
  }
  Found& found = at->second;
  found.used = ++gpu.calls;
  if (!found.plan || found.refused) return;
  found.captured |= CapturesGraph(place);
  found_ = &found;
}

std::shared_ptr<void> DnnCall::Room(int64_t bytes) const {
  try {
    return forms_.Room(bytes);
  } catch (const common::Error& e) {
    if (e.code() != common::ErrorCode::kResourceExhausted) throw;
    return nullptr;
  }
}

bool DnnCall::Run(const std::vector<std::pair<DnnGraph::Id, void*>>& addresses) {
  std::shared_ptr<void> workspace;
  if (const int64_t bytes = found_->plan->workspace(); bytes && !(workspace = Room(bytes))) return false;
  std::string why;
  if (found_->plan->Run(handle_, stream_, addresses, workspace.get(), &why)) return true;
  found_->refused = true;
  Say(name_(), "by our own kernel from here on, cuDNN did not run it: " + why);
  return false;
}

}  // namespace phi::gpu
