// SPDX-License-Identifier: Apache-2.0
// Groups of processes as operations know them: by a number, and by what they communicate. The layer of process groups
// says which there are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {

enum class CollectiveKind : uint8_t {
  kNone,
  kBarrier,
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kGather,
  kScatter,
  kReduceScatter,
  kAllToAll,
};

// What one process brings to a collective. Tensors are contiguous; processes are counted within the group.
struct RingCall {
  CollectiveKind kind = CollectiveKind::kNone;
  int op = 0;  // how elements are reduced: a number of paddle.distributed.ReduceOp
  int root = 0;
  Tensor in, out;  // undefined where nothing leaves or arrives
  // Rows of `in` that go to each process, and of `out` that come from each; empty: equal shares.
  std::vector<int64_t> in_rows, out_rows;
};

class Ring {
 public:
  virtual ~Ring() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns once it is done. All processes call it for the same collectives in one order.
  virtual void Run(const RingCall& call) = 0;
  // Messages between two processes. Without `wait` a message is under way when the call returns: `x` is copied then,
  // and what arrives for `out` is there once Complete was called.
  virtual void Send(const Tensor& x, int peer, bool wait) = 0;
  virtual void Receive(const Tensor& out, int peer, bool wait) = 0;
  // Waits for what is received for `out` and puts it into `to`; false where nothing is.
  virtual bool Complete(const Tensor& out, const Tensor& to) = 0;
};

// From now on operations find `ring` under this number; null: none.
void ServeRing(int64_t id, std::shared_ptr<Ring> ring);
// Raises where there is none. `op` is the operation that asks.
std::shared_ptr<Ring> RingOf(const char* op, int64_t id);

}  // namespace phi
