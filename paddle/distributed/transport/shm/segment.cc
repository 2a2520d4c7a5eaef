// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/transport/shm/segment.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <thread>

#include "paddle/common/error.h"

namespace paddle::distributed::shm {

// Where the parts of a segment are. Memory that nobody touches takes no pages.
struct Segment::Layout {
  explicit Layout(int ranks) {
    const auto n = static_cast<size_t>(ranks);
    cells = Take(sizeof(Header));
    sizes = Take(n * sizeof(RankCell));
    slots = Take(4 * n * n * sizeof(uint64_t));
    pipes = Take(n * 2 * kSlot);
    Take(n * n * sizeof(Pipe));
  }
  // Ends a part of that many bytes; the next begins at a page.
  size_t Take(size_t n) { return bytes = (bytes + n + 4095) / 4096 * 4096; }
  size_t bytes = 0, cells, sizes, slots, pipes;
};

namespace {

// Turns of a busy wait before a thread sleeps: about 20 microseconds where every rank can have a core of its own.
int SpinsFor(int ranks) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return ranks <= cores ? 400 : 4;
}

}  // namespace

void Relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

Fd Segment::Create(int ranks) {
  Fd fd(static_cast<int>(::syscall(SYS_memfd_create, "paddle-group", 1u /* MFD_CLOEXEC */)));
  const size_t bytes = Layout(ranks).bytes;
  PD_CHECK(fd && ::ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0, ResourceExhausted,
           "[new_group] expected shared memory of ", bytes, " bytes, got: ", std::strerror(errno));
  return fd;
}

Segment::Segment(const Fd& memory, int ranks, int rank)
    : ranks_(ranks), rank_(rank), spins_(SpinsFor(ranks)), owner_(::getpid()) {
  const Layout layout(ranks);
  bytes_ = layout.bytes;
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.get(), 0);
  PD_CHECK(at != MAP_FAILED, ResourceExhausted, "[new_group] expected to map ", bytes_,
           " bytes, got: ", std::strerror(errno));
  ::madvise(at, bytes_, MADV_DONTFORK);
  base_ = static_cast<char*>(at);
  header_ = reinterpret_cast<Header*>(base_);
  cells_ = reinterpret_cast<RankCell*>(base_ + layout.cells);
  sizes_ = reinterpret_cast<uint64_t*>(base_ + layout.sizes);
  slots_ = base_ + layout.slots;
  pipes_ = reinterpret_cast<Pipe*>(base_ + layout.pipes);
  cells_[rank].pid = owner_;
}

// A forked child has no mapping.
Segment::~Segment() {
  if (owner_ == ::getpid()) ::munmap(base_, bytes_);
}

void Segment::Fail(const std::string& why) {
  uint32_t none = 0;
  if (header_->failure.compare_exchange_strong(none, 1)) {
    const size_t n = std::min(why.size(), sizeof(header_->why) - 1);
    std::memcpy(header_->why, why.data(), n);
    header_->why[n] = '\0';
    header_->failure.store(2, std::memory_order_release);
  }
  RingAll();
}

std::string Segment::Failure() const {
  // Who fails the group is writing why, unless it died of that.
  for (int tries = 0; header_->failure.load(std::memory_order_acquire) == 1 && tries < 100; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  switch (header_->failure.load(std::memory_order_acquire)) {
    case 0: return {};
    case 1: return "another rank has failed";
    default: return header_->why;
  }
}

void Segment::SetGone(int r, Presence how) {
  Presence here = Presence::kHere;
  cells_[r].presence.compare_exchange_strong(here, how);
  RingAll();
}

void Segment::Ring(int r) const {
  RankCell& c = cells_[r];
  if (c.sleepers.load(std::memory_order_seq_cst) == 0) return;
  c.doorbell.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&c.doorbell), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
void Segment::RingAll() const {
  for (int r = 0; r < ranks_; ++r) Ring(r);
}

void Segment::Sleep(uint32_t seen, Clock::time_point until) const {
  const auto left =
      std::clamp<std::chrono::nanoseconds>(until - Clock::now(), std::chrono::nanoseconds(0), std::chrono::hours(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec limit{seconds.count(), (left - seconds).count()};
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&cells_[rank_].doorbell), FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace paddle::distributed::shm
