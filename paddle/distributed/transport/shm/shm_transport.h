// SPDX-License-Identifier: Apache-2.0
// The transport of a group whose ranks are on one host: all collectives through one shared segment.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/distributed/store/store.h"
#include "paddle/distributed/transport/shm/segment.h"
#include "paddle/distributed/transport/shm/watcher.h"
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed::shm {

class ShmTransport final : public Transport {
 public:
  // Every rank of the group calls it. They meet by the keys of `store` below `prefix`; `names` are the ranks as users
  // know them, by rank in the group.
  static std::unique_ptr<ShmTransport> Join(Store& store, const std::string& prefix, std::vector<int> names, int rank,
                                            const Deadline& deadline);
  ~ShmTransport() override;

  void Run(const Collective& c, const Deadline& deadline) override;
  size_t TrySend(int peer, const char* data, size_t bytes) override;
  size_t TryReceive(int peer, char* data, size_t bytes) override;
  std::string GoneBecause(int peer) const override;
  bool Await(const std::function<bool()>& ready, Clock::time_point until) override;
  void Wake() override;
  void Abort(const std::string& why) override;
  void Leave() override;

 private:
  class Cursor;

  ShmTransport(const Fd& memory, std::vector<int> names, int rank);
  void Watch(Fd connection, int peer);

  // Shows the others what this rank brings: who it is in, and how much.
  void Enter(const Collective& c);
  // Until every rank has arrived at the next barrier.
  void Barrier(const Collective& c, const Deadline& deadline);
  [[noreturn]] void RaiseMissing(const Collective& c, const Deadline& deadline);
  // Raises, on all ranks alike, where what they brought differs.
  void CheckEntries() const;
  void CheckSizes(const Collective& c) const;

  // One message that all read, or that all reduce.
  void RunCommon(const Collective& c, const Deadline& deadline);
  // A message for each rank.
  void RunAddressed(const Collective& c, const Deadline& deadline);
  // A turn of a long reduction, around its first barrier: each rank shows the others their shares of `bytes`, and gets
  // where its own is; then it reduces its share, and all read all shares into `out` (null: this rank takes nothing).
  const char* ShowShares(Cursor& in, size_t bytes);
  void ReduceShares(const Collective& c, const char* own, Cursor* out, size_t bytes, const Deadline& deadline);

  // The bytes that rank r reduces, of so many: from, to.
  std::pair<size_t, size_t> Share(int r, size_t bytes) const;
  // Reduces what `sources_` point at.
  void ReduceSources(const Collective& c, char* out, size_t bytes) const;
  void ReduceInto(const Collective& c, Cursor& out, size_t bytes);

  // "rank 3"
  std::string Rank(int r) const { return "rank " + std::to_string(names_[static_cast<size_t>(r)]); }
  char* slot(int r) const { return segment_.slot(r, turn_); }
  uint64_t Offered(int from, int to) const { return segment_.offered(number_, from, to); }

  Segment segment_;
  const std::vector<int> names_;
  const int n_, me_;
  uint64_t number_ = 0;   // of the collective under way
  uint64_t turn_ = 0;     // of slots
  uint64_t barrier_ = 0;  // passed
  std::vector<const void*> sources_;
  std::vector<char> result_;
  std::vector<std::unique_ptr<Watched>> watched_;
};

}  // namespace paddle::distributed::shm
