// SPDX-License-Identifier: Apache-2.0
// The process that holds a job's keys: one thread, on which the waits of all clients stand.
#pragma once

#include <memory>
#include <string>

namespace paddle::distributed {

class StoreServer {
 public:
  // Listens at an address of `host`; port 0 takes a free one. Clients must know `secret`.
  StoreServer(const std::string& host, int port, std::string secret);
  // Closes the connections; nothing in a process forked from the one that made it.
  ~StoreServer();
  int port() const { return port_; }

 private:
  class Loop;
  const int owner_;
  std::unique_ptr<Loop> loop_;
  int port_ = 0;
};

}  // namespace paddle::distributed
