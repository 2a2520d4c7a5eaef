// SPDX-License-Identifier: Apache-2.0
// A group of ranks and its communication, one collective after another in the order of the calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "paddle/distributed/collective/peer_traffic.h"
#include "paddle/distributed/collective/task.h"
#include "paddle/distributed/store/store.h"
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

class NcclGroup;

class ProcessGroup : public std::enable_shared_from_this<ProcessGroup> {
 public:
  // All ranks of the group call it with the same `id`, which no other group of the store has. `ranks` are those of the
  // job; `rank` is this one's place among them.
  ProcessGroup(const std::shared_ptr<Store>& store, const std::string& id, std::vector<int> ranks, int rank,
               double timeout);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<int>& ranks() const { return ranks_; }
  double timeout() const { return timeout_; }

  // Runs a collective behind those called before. `held` keeps its memory; `finish` runs behind it. With `sync` it has
  // ended when this returns, and an error is raised here. Where `held` is on a device, the messages are; NCCL moves
  // those of GPUs where all ranks have it, in the order of streams, and others go by way of the host.
  std::shared_ptr<Task> Run(Collective c, std::vector<Tensor> held, std::function<void()> finish, bool sync);

  // Contiguous tensors.
  std::shared_ptr<Task> Send(const Tensor& t, int peer, bool sync);
  std::shared_ptr<Task> Receive(const Tensor& t, int peer, bool sync);

  // Ends what is under way on all ranks at once, with an error that names this one. The group is of no more use.
  void Abort();

  // Messages on GPUs between the two begin together.
  void BeginBatch();
  void EndBatch();

  // Waits a while for what is under way, then leaves: later calls raise, and so do others that wait for this rank.
  void Close();

 private:
  struct Job {
    Collective c;
    std::function<void()> finish;
    std::shared_ptr<Task> task;
  };
  void CheckUsable(const char* what) const;
  void CheckPeer(const char* what, int peer) const;
  std::shared_ptr<Task> Transfer(bool sends, const Tensor& t, int peer, bool sync);
  void Work();
  // NCCL's group for tensors at `place`; null where there is none. The first call is one of all ranks.
  NcclGroup* OnGpus(phi::Place place);
  void ByHost(Collective c, phi::Place place);

  const std::vector<int> ranks_;
  const int rank_;
  const double timeout_;
  const int owner_;  // the process that made it
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<PeerTraffic> peers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  bool busy_ = false;  // a collective is running
  std::atomic<bool> closed_ = false;
  std::thread worker_;
  std::shared_ptr<NcclGroup> gpus_;
  bool asked_for_gpus_ = false;
};

}  // namespace paddle::distributed
