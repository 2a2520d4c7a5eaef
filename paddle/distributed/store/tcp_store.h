// SPDX-License-Identifier: Apache-2.0
// A store held by one process and reached over TCP.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/distributed/socket.h"
#include "paddle/distributed/store/store.h"
#include "paddle/distributed/store/store_server.h"
#include "paddle/distributed/store/wire.h"

namespace paddle::distributed {

class TcpStore final : public Store {
 public:
  // The master holds the keys too; its port may be 0. Others try to reach it for `timeout` seconds. `rank`: the number
  // of this process in the job, whose end waits of others notice; -1: it has none.
  TcpStore(const std::string& host, int port, bool is_master, std::string secret, double timeout, int rank = -1);
  ~TcpStore() override;

  const std::string& host() const { return host_; }
  int port() const { return port_; }
  double timeout() const { return timeout_; }

  void Set(const std::string& key, const std::string& value) override;
  std::string Get(const std::string& key, const Deadline& deadline, const std::vector<int>& needed = {}) override;
  int64_t Add(const std::string& key, int64_t amount) override;
  void Wait(const std::vector<std::string>& keys, const Deadline& deadline,
            const std::vector<int>& needed = {}) override;
  bool Check(const std::string& key) override;
  bool Delete(const std::string& key) override;
  std::string Ended(const std::vector<int>& ranks) override;
  std::string OwnAddress() override;
  // This process ends as it should: waits of others that do not need it go on.
  void Leave();

 private:
  // Sends a request and returns the body of the answer, behind its status. `key` is for messages.
  std::string Ask(wire::Writer request, const Deadline& deadline, const char* doing, const std::string& key);

  std::unique_ptr<StoreServer> server_;
  std::string host_;
  int port_;
  double timeout_;
  int owner_;  // the process that made it
  std::mutex mutex_;
  Fd socket_;
};

}  // namespace paddle::distributed
