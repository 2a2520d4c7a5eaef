// SPDX-License-Identifier: Apache-2.0
// The processes of the job as meshes see them: which of them this one is, and how some of them communicate.
#pragma once

#include <memory>
#include <vector>

#include "paddle/distributed/store/store.h"
#include "paddle/distributed/transport/transport.h"
#include "paddle/phi/core/tensor.h"

namespace paddle::distributed {

// Some of the processes of the job, this one among them.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual void Run(Collective c) = 0;
  // Sends `out` and receives `in`, one contiguous tensor for each process, undefined for none. Sends go on behind the
  // call. Gradients (`back`) and what they are gradients of do not wait for each other, so processes may come to the
  // former and the latter in different orders.
  virtual void Pass(bool back, const std::vector<Tensor>& out, const std::vector<Tensor>& in) = 0;
};

// What the processes have in common before any mesh: made once, by all of them.
struct World {
  int rank = 0, size = 1;
  std::shared_ptr<Store> store;  // null: the processes do not communicate
  double timeout = 0;
  // This is the only process there is, and plays `rank`: what comes from others is zero.
  bool fake = false;
};
void EnterWorld(World world);
// Groups that meshes made are left; what waits for this process raises.
void LeaveWorld();
int WorldRank();

// Made on first use and kept. Every one of `ranks`, which are in one order on all of them, asks for it.
Communicator& CommunicatorOf(const std::vector<int>& ranks);

}  // namespace paddle::distributed
