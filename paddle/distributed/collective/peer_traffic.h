// SPDX-License-Identifier: Apache-2.0
// Messages from one rank to another, in the order in which they were posted for a pair of ranks. All that are under way
// advance together, so two ranks that send to each other first and receive later do not block each other.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "paddle/distributed/collective/task.h"
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

class PeerTraffic {
 public:
  // `names` are the ranks as users know them, by rank in the group.
  PeerTraffic(Transport& transport, std::vector<int> names);
  ~PeerTraffic() { Stop(); }
  // Fails what is under way and ends the thread.
  void Stop();
  // Until what was sent has left, or cannot any more.
  void Drain(Clock::time_point until);

  // With `background` a thread goes on with it while nobody waits for it.
  std::shared_ptr<Task> Post(bool sends, int peer, Span data, phi::DataType dtype, std::vector<Tensor> held,
                             const Deadline& deadline, bool background);

 private:
  class Transfer;
  using Queue = std::deque<std::shared_ptr<Transfer>>;
  struct Peer {
    Queue sends, receives;
    std::string broken;  // why nothing more can be sent or received
  };

  // The following want mutex_ held.
  void Advance();
  bool AdvanceQueue(Queue& queue);
  void Break(int peer, const std::string& why, const Transfer& first);
  bool idle() const;
  Clock::time_point NextDeadline() const;
  void RunBackground();

  Transport& transport_;
  const std::vector<int> names_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<Peer> peers_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace paddle::distributed
