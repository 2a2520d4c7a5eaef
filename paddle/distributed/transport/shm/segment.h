// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of a group on one host share, and how they wait for each other in it. It has no name: when
// the last process that maps it ends, in whatever way, nothing of it stays.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "paddle/distributed/deadline.h"
#include "paddle/distributed/socket.h"
#include "paddle/distributed/transport/agreement.h"

namespace paddle::distributed::shm {

enum class Presence : uint32_t { kHere, kLeft, kDied };

// The part of the segment that one rank writes and all read.
struct alignas(128) RankCell {
  alignas(64) std::atomic<uint32_t> doorbell;
  std::atomic<uint32_t> sleepers;
  alignas(64) std::atomic<uint64_t> arrived;  // barriers
  alignas(64) std::atomic<Presence> presence;
  pid_t pid;
  Entry entries[2];  // of this collective and the one before, by the parity of their number
};

// Bytes on their way from one rank to another.
struct Pipe {
  static constexpr size_t kBytes = 128 << 10;
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) char data[kBytes];
};

class Segment {
 public:
  // Bytes that a rank shows the others at once.
  static constexpr size_t kSlot = 512 << 10;

  // New memory for `ranks` ranks.
  static Fd Create(int ranks);
  Segment(const Fd& memory, int ranks, int rank);
  ~Segment();
  Segment(const Segment&) = delete;

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  RankCell& cell(int r) const { return cells_[r]; }
  // Two slots a rank, used by turns.
  char* slot(int r, uint64_t turn) const { return slots_ + (static_cast<size_t>(r) * 2 + (turn & 1)) * kSlot; }
  // Bytes that rank `from` has for rank `to`, and that `to` expects of `from`, in the collective of that number.
  uint64_t& offered(uint64_t number, int from, int to) const { return Size(number, 0, from, to); }
  uint64_t& expected(uint64_t number, int from, int to) const { return Size(number, 1, to, from); }
  Pipe& pipe(int from, int to) const { return pipes_[from * ranks_ + to]; }

  // Why the group cannot go on; empty while it can. The first reason stays. What it says begins with no op.
  std::string Failure() const;
  bool failed() const { return header_->failure.load(std::memory_order_acquire) != 0; }
  void Fail(const std::string& why);

  Presence presence(int r) const { return cells_[r].presence.load(std::memory_order_acquire); }
  // A rank that has left does not die.
  void SetGone(int r, Presence how);

  void Ring(int r) const;
  void RingAll() const;
  // Sleeps on this rank's doorbell until `ready()` or until then. Whether it is ready.
  template <class F>
  bool Await(F&& ready, Clock::time_point until) const;

 private:
  struct Header {
    std::atomic<uint32_t> failure;  // 1: being written, 2: there
    char why[1020];
  };
  struct Layout;

  uint64_t& Size(uint64_t number, int which, int a, int b) const {
    return sizes_[((number & 1) * 2 + static_cast<uint64_t>(which)) * static_cast<uint64_t>(ranks_ * ranks_) +
                  static_cast<uint64_t>(a * ranks_ + b)];
  }
  // Returns when the doorbell is no longer `seen`, or then, or sooner.
  void Sleep(uint32_t seen, Clock::time_point until) const;

  const int ranks_, rank_, spins_;
  const pid_t owner_;
  size_t bytes_ = 0;
  char* base_ = nullptr;
  Header* header_ = nullptr;
  RankCell* cells_ = nullptr;
  uint64_t* sizes_ = nullptr;
  char* slots_ = nullptr;
  Pipe* pipes_ = nullptr;
};

// One turn of a busy wait.
void Relax();

template <class F>
bool Segment::Await(F&& ready, Clock::time_point until) const {
  for (int i = 0; i < spins_; ++i) {
    if (ready()) return true;
    Relax();
  }
  RankCell& mine = cells_[rank_];
  mine.sleepers.fetch_add(1, std::memory_order_seq_cst);
  struct Awake {
    RankCell& cell;
    ~Awake() { cell.sleepers.fetch_sub(1, std::memory_order_relaxed); }
  } awake{mine};
  for (;;) {
    const uint32_t seen = mine.doorbell.load(std::memory_order_seq_cst);
    if (ready()) return true;
    if (Clock::now() >= until) return false;
    Sleep(seen, until);
  }
}

}  // namespace paddle::distributed::shm
