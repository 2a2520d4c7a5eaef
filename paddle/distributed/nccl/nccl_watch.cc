// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/nccl/nccl_watch.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/gpu/driver.h"
#include "paddle/phi/core/device.h"

namespace paddle::distributed {

DeviceEvent::DeviceEvent(phi::Place place) : place_(place), event_(phi::CreateEvent(place)) {}
DeviceEvent::~DeviceEvent() {
  try {
    phi::DestroyEvent(place_, event_);
  } catch (const common::Error& e) { PD_VLOG(1) << e.what(); }
}
void DeviceEvent::Record(void* stream) const { phi::RecordEvent(place_, event_, stream); }
bool DeviceEvent::reached() const { return phi::QueryEvent(place_, event_); }

NcclWatch::NcclWatch(phi::Place place, double timeout, std::function<std::string()> error,
                     std::function<void(const std::string&)> give_up)
    : place_(place), timeout_(timeout), error_(std::move(error)), give_up_(std::move(give_up)), thread_([this] {
        Run();
      }) {}
NcclWatch::~NcclWatch() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void NcclWatch::Add(std::shared_ptr<const Call> call) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
  }
  changed_.notify_all();
}

void NcclWatch::Run() {
  // Often enough for the deadline to be kept, seldom enough to cost nothing.
  const auto pause = std::chrono::duration<double>(std::clamp(timeout_ / 20, 0.01, 0.5));
  std::optional<Deadline> deadline;  // of the first call
  phi::gpu::HeedOwnCapturesAlone();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ends_) {
    if (calls_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto call = calls_.front();
    lock.unlock();
    std::string why;
    bool ended = call->dropped;
    try {
      phi::StreamForCall(place_, {});  // makes the device this thread's
      ended = ended || (call->issued && call->ended->reached());
      if (!ended && !deadline && (!call->issued || !call->begun || call->begun->reached()))
        deadline = Deadline::In(timeout_);
      if (!ended) why = error_();
    } catch (const common::Error& e) { why = e.what(); }
    if (!ended && why.empty() && deadline && deadline->passed())
      why = "it has not ended within " + std::to_string(timeout_) + " s";
    if (!why.empty())
      give_up_(std::string("call ") + std::to_string(call->number) + " of the group, " + call->what + ": " + why);
    lock.lock();
    if (!why.empty()) return calls_.clear();
    if (ended) {
      calls_.pop_front();
      deadline.reset();
    } else if (!ends_) {
      changed_.wait_for(lock, pause, [&] { return ends_; });
    }
  }
}

}  // namespace paddle::distributed
