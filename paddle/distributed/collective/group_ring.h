// SPDX-License-Identifier: Apache-2.0
// A process group as operations of programs call it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "paddle/distributed/collective/process_group.h"
#include "paddle/phi/core/ring.h"

namespace paddle::distributed {

// Does not keep the group: operations raise once it is gone.
class GroupRing final : public phi::Ring {
 public:
  explicit GroupRing(const std::shared_ptr<ProcessGroup>& group)
      : group_(group), rank_(group->rank()), size_(group->size()) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void Run(const phi::RingCall& call) override;
  void Send(const Tensor& x, int peer, bool wait) override;
  void Receive(const Tensor& out, int peer, bool wait) override;
  bool Complete(const Tensor& out, const Tensor& to) override;

 private:
  std::shared_ptr<ProcessGroup> Group(const char* op) const;

  // A message on its way into memory of its own.
  struct Coming {
    std::shared_ptr<Task> task;
    Tensor data;
  };

  const std::weak_ptr<ProcessGroup> group_;
  const int rank_, size_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Task>> sent_, empty_;  // `empty_`: received messages without elements
  std::map<const void*, Coming> coming_;            // by the memory that it is for
};

}  // namespace paddle::distributed
