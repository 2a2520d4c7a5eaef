// SPDX-License-Identifier: Apache-2.0
// Collectives of tensors on GPUs, by NCCL on a stream of their own: the work that the current stream has goes before
// them, and what follows waits for them, without the host.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/distributed/collective/task.h"
#include "paddle/distributed/nccl/nccl_api.h"
#include "paddle/distributed/nccl/nccl_watch.h"
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

class NcclTask;

class NcclGroup : public std::enable_shared_from_this<NcclGroup> {
 public:
  static bool Found() { return nccl::Find() != nullptr; }
  // What one rank of a group makes and gives to the others.
  static nccl::UniqueId NewId();
  // All ranks call it with the same id.
  NcclGroup(phi::Place place, int ranks, int rank, const nccl::UniqueId& id, double timeout);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;

  phi::Place place() const { return place_; }
  // Whether NCCL does it; if not, it is to be done by way of the host. All ranks answer alike.
  static bool Serves(const Collective& c);
  // As ProcessGroup::Run and Send. With `sync` what the caller does next on its stream waits for it.
  std::shared_ptr<Task> Run(const Collective& c, const std::vector<Tensor>& held, const std::function<void()>& finish,
                            bool sync);
  std::shared_ptr<Task> Transfer(bool sends, const Tensor& t, int peer, bool sync);
  // Messages between the two begin together, in whatever order each rank posts them.
  void BeginBatch();
  void EndBatch();
  // Until what was begun has ended, on the host; at the deadline it is broken off, and this raises.
  void Drain(const char* what);
  void Close();
  // Breaks off what is under way. On any thread.
  void Abort();

 private:
  friend class NcclTask;
  std::shared_ptr<Task> Launch(const char* what, const std::vector<Tensor>& held, const std::function<void()>& finish,
                               bool sync, const std::function<void()>& issue);
  void Check(nccl::Result r, const char* what) const;
  std::string AsyncError();
  void GiveUp(const std::string& why);
  // What the group is no longer for.
  std::string WhyBroken();
  // Until the event is reached; raises, and ends the group, where that fails or lasts too long.
  void Await(const DeviceEvent& event, const char* what);
  void Issue(const Collective& c);

  const phi::Place place_;
  const int ranks_, rank_;
  const double timeout_;
  nccl::Comm comm_ = nullptr;
  void* stream_ = nullptr;
  bool batching_ = false;
  std::vector<std::shared_ptr<NcclTask>> batch_;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;  // of what follows, and of the communicator while it is not in a call
  std::condition_variable changed_;
  bool calling_ = false;
  std::string why_;  // the watch gave up, if it did
  uint64_t calls_ = 0;
  std::unique_ptr<NcclWatch> watch_;  // from the first call on; the last member, so that its thread ends first
};

}  // namespace paddle::distributed
