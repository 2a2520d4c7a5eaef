// SPDX-License-Identifier: Apache-2.0
// A thread that looks at what a group has under way on its stream, so that what hangs is broken off and named while
// nobody waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "paddle/common/place.h"
#include "paddle/distributed/deadline.h"

namespace paddle::distributed {

// An event of a device, with its end.
class DeviceEvent {
 public:
  explicit DeviceEvent(phi::Place place);
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  void Record(void* stream) const;
  bool reached() const;
  phi::Place place() const { return place_; }
  void* get() const { return event_; }

 private:
  const phi::Place place_;
  void* const event_;
};

class NcclWatch {
 public:
  // One call: from when it is issued, or where the stream comes to it.
  struct Call {
    const char* what;
    uint64_t number;                                  // among the group's, from 1 on
    std::shared_ptr<const DeviceEvent> begun, ended;  // begun may be null
    std::atomic<bool> issued = false;                 // to the stream, `ended` included
    std::atomic<bool> dropped = false;                // it came to nothing
  };
  // `error` gives what the library says that went wrong, or nothing; `give_up` gets what is wrong with a call that
  // failed or has not ended within `timeout` seconds, once: nothing is watched after that. Both on the watch's thread.
  NcclWatch(phi::Place place, double timeout, std::function<std::string()> error,
            std::function<void(const std::string&)> give_up);
  ~NcclWatch();
  NcclWatch(const NcclWatch&) = delete;

  // In the order of the stream.
  void Add(std::shared_ptr<const Call> call);

 private:
  void Run();

  const phi::Place place_;
  const double timeout_;
  const std::function<std::string()> error_;
  const std::function<void(const std::string&)> give_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const Call>> calls_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace paddle::distributed
