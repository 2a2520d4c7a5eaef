// SPDX-License-Identifier: Apache-2.0
// Notices the end of processes: one thread that waits for the ends of connections. A connection is closed in forked
// children, so it ends with the process that made it.
#pragma once

#include <functional>

#include "paddle/distributed/socket.h"

namespace paddle::distributed::shm {

// A watched connection. Destroying it closes the connection; `ended` is not running afterwards and never will.
class Watched {
 public:
  // `ended` runs on the watcher's thread, at most once.
  Watched(Fd connection, std::function<void()> ended);
  ~Watched();
  Watched(const Watched&) = delete;

 private:
  int fd_;
};

}  // namespace paddle::distributed::shm
