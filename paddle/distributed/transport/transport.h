// SPDX-License-Identifier: Apache-2.0
// How the ranks of a group move bytes: shm/ within a host, tcp/ between hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "paddle/common/dtype.h"
#include "paddle/distributed/collective/reduce.h"
#include "paddle/distributed/deadline.h"
#include "paddle/phi/core/ring.h"

namespace paddle::distributed {

using phi::CollectiveKind;
// "all_reduce"
const char* NameOf(CollectiveKind kind);

struct Span {
  char* data = nullptr;
  size_t bytes = 0;
};
// A message as the pieces of memory that it consists of, in order.
struct Message {
  std::vector<Span> pieces;
  size_t bytes() const {
    size_t n = 0;
    for (const Span& s : pieces) n += s.bytes;
    return n;
  }
};

// What one rank brings to a collective. Ranks and the root are counted in the group.
struct Collective {
  CollectiveKind kind = CollectiveKind::kNone;
  phi::DataType dtype = phi::DataType::UINT8;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  // What leaves this rank: one message, or one for each rank (kReduceScatter, kAllToAll, the root of kScatter), or none
  // (ranks that are not the root of kBroadcast and kScatter).
  std::vector<Message> in;
  // What arrives: one message, or one of each rank (kAllGather, kAllToAll, the root of kGather), or none.
  std::vector<Message> out;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Every rank calls it for the same collectives in the same order, one at a time. Raises at the deadline, at the death
  // or departure of a rank, and where the ranks do not agree, naming the rank in all cases.
  virtual void Run(const Collective& c, const Deadline& deadline) = 0;

  // A stream of bytes to and from each rank, apart from collectives. They move what fits at once and return how much.
  // One thread at a time.
  virtual size_t TrySend(int peer, const char* data, size_t bytes) = 0;
  virtual size_t TryReceive(int peer, char* data, size_t bytes) = 0;
  // Why nothing more will come from a rank: "its process ended", "it left the group"; empty while it may.
  virtual std::string GoneBecause(int peer) const = 0;
  // Sleeps until `ready()`, which is asked whenever another rank did something, or until then. Whether it is ready.
  virtual bool Await(const std::function<bool()>& ready, Clock::time_point until) = 0;
  // Ends the sleep of this rank's threads.
  virtual void Wake() = 0;

  // The group fails, on all of its ranks, for this reason.
  virtual void Abort(const std::string& why) = 0;
  // This rank takes no further part: others no longer wait for it.
  virtual void Leave() = 0;
};

}  // namespace paddle::distributed
