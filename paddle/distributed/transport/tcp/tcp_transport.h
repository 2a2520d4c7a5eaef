// SPDX-License-Identifier: Apache-2.0
// The transport of a group whose ranks are on several hosts: two connections between each two ranks, one for
// collectives and one for messages.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/distributed/socket.h"
#include "paddle/distributed/store/store.h"
#include "paddle/distributed/transport/agreement.h"

namespace paddle::distributed::tcp {

class TcpTransport final : public Transport {
 public:
  // Every rank of the group calls it. They meet by the keys of `store` below `prefix`; `names` are the ranks as users
  // know them, by rank in the group.
  static std::unique_ptr<TcpTransport> Join(Store& store, const std::string& prefix, std::vector<int> names, int rank,
                                            const Deadline& deadline);
  ~TcpTransport() override;

  void Run(const Collective& c, const Deadline& deadline) override;
  size_t TrySend(int peer, const char* data, size_t bytes) override;
  size_t TryReceive(int peer, char* data, size_t bytes) override;
  std::string GoneBecause(int peer) const override;
  bool Await(const std::function<bool()>& ready, Clock::time_point until) override;
  void Wake() override;
  void Abort(const std::string& why) override;
  void Leave() override;

 private:
  struct Outgoing;
  struct Incoming;
  // What goes before each transfer.
  enum class FrameKind : uint32_t { kEnter = 0x70644531, kData, kFailed, kLeft };
  struct Frame {
    FrameKind kind;
    uint32_t reserved;
    uint64_t bytes;
  };
  struct Peer {
    Fd collectives, messages;
    bool whole = true;  // nothing of ours to it is cut off
    Entry last{};       // of its collectives
    std::atomic<bool> gone = false;
  };

  TcpTransport(std::vector<int> names, int rank);
  std::string Rank(int r) const { return "rank " + std::to_string(names_[static_cast<size_t>(r)]); }
  Peer& peer(int r) { return *peers_[static_cast<size_t>(r)]; }

  // Tells all what this rank brings, and learns what they bring: all have entered when it returns.
  void Agree(const Collective& c, const Deadline& deadline);
  // Sends and receives, all at once.
  void Exchange(std::vector<Outgoing> out, std::vector<Incoming> in, const Deadline& deadline);
  // Steps of it: whether all of the transfer has been moved.
  bool Push(Outgoing& o);
  bool Pull(Incoming& i);
  [[noreturn]] void RaiseGone(int r, const std::string& why);
  [[noreturn]] void RaiseMissing(const std::vector<int>& ranks, const Deadline& deadline);
  // The group fails here, and where others can still be told, for them.
  void Fail(const std::string& why);
  // Tells the others why it failed. No other thread sends to them meanwhile.
  void Tell();
  std::string failure() const;

  void AllReduce(const Collective& c, const Deadline& deadline);
  void ReduceScatter(const Collective& c, const Deadline& deadline);
  // What each rank brings of one message of `bytes`, in the order of ranks, reduced to `out`.
  void Reduce(const Collective& c, const Message& mine, std::vector<std::vector<char>>& others, char* out,
              size_t bytes);

  const std::vector<int> names_;
  const int n_, me_, owner_;
  std::vector<std::unique_ptr<Peer>> peers_;
  Fd interrupt_;  // ends a collective that waits
  uint64_t number_ = 0;
  Entry mine_{};
  mutable std::mutex mutex_;
  std::string failure_;  // does not change once it is set
  bool running_ = false;
  bool untold_ = false;        // it failed within a collective, whose thread tells the others as it ends
  std::vector<int> sleepers_;  // descriptors that end the sleep of threads in Await
};

}  // namespace paddle::distributed::tcp
