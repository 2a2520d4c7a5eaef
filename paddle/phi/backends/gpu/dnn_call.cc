// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/dnn_call.h"

#include "paddle/common/error.h"
#include "paddle/phi/backends/gpu/library.h"
#include "paddle/phi/backends/gpu/made_plans.h"
#include "paddle/phi/backends/gpu/per_gpu.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {

// A plan, or none where it is our own kernel's.
struct DnnCall::Found {
  std::unique_ptr<DnnPlan> plan;
  bool refused = false;  // it was, when it was to run
};

namespace {

constexpr size_t kMostFound = 4096;

struct Gpu {
  bool started = false;
  dnn::Handle handle = nullptr;
};
using Plans = MadePlans<DnnKey, DnnCall::Found>;  // whose lock is the handle's, too

}  // namespace

DnnCall::DnnCall(const DeviceForms& forms, DnnKey key, std::initializer_list<const void*> addresses,
                 const std::function<std::unique_ptr<DnnRecipe>(std::string*)>& make,
                 const std::function<std::string()>& name)
    : forms_(forms), name_(name) {
  if (!HasDnn()) {
    static std::once_flag said;
    std::call_once(said,
                   [] { SayHow("convolutions and attention", "by our own kernels, not by cuDNN: " + WhyNoDnn()); });
    return;
  }
  const Place place = forms.place();
  uintptr_t together = 0;
  for (const void* a : addresses) together |= reinterpret_cast<uintptr_t>(a);
  const bool aligned = together % 16 == 0;
  key.back() = aligned;
  Gpu& gpu = PerGpu<Gpu>(place);
  Plans& plans = Plans::Of(place);
  lock_ = std::unique_lock<std::mutex>(plans.mutex);
  Found* found = plans.Find(key, place);
  if (!found && IsCapturing(place)) return;
  stream_ = StreamForCall(place, addresses);
  std::string why;
  if (!gpu.started) {
    gpu.started = true;
    gpu.handle = MakeDnnHandle(&why);
    if (!gpu.handle) SayHow("convolutions and attention", "by our own kernels, not by cuDNN: " + why);
  }
  handle_ = gpu.handle;
  if (!handle_) return;
  if (!found) {
    std::unique_ptr<DnnPlan> plan;
    if (!aligned)
      why = "addresses that are no multiples of 16";
    else if (const auto recipe = make(&why))
      plan = DnnPlan::Make(recipe->graph, "", handle_, &why, recipe->limits);
    SayHow(name(), plan ? "by cuDNN, with " + std::to_string(plan->workspace()) + " bytes beside"
                        : "by our own kernel, not by cuDNN: " + why);
    found = &plans.Add(key, Found{std::move(plan)}, place, kMostFound);
  }
  if (found->plan && !found->refused) found_ = found;
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
  SayHow(name_(), "by our own kernel from here on, cuDNN did not run it: " + why);
  return false;
}

}  // namespace phi::gpu
