// SPDX-License-Identifier: Apache-2.0
// The allocator of devices over a source without memory: addresses and events are numbers.
#include "paddle/phi/backends/custom/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

namespace phi {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
using Block = CachingAllocator::Block;

// Streams are numbers from 1; an event is reached once its stream's clock has passed it.
struct World {
  size_t limit = ~size_t{0}, taken = 0;
  std::map<uint64_t, size_t> segments;
  std::map<uint64_t, size_t> ranges;  // of addresses, for segments that grow
  std::map<uint64_t, size_t> pieces;  // with memory
  size_t span = 4096 * kMiB, fail = 0;
  int backed = 0, waits = 0;  // fail: the n-th time that a range is to get memory
  uint64_t next = uint64_t{1} << 40;
  uint64_t issued[8] = {}, done[8] = {};
  std::map<uint64_t, std::pair<int, uint64_t>> events;
  uint64_t next_event = 1;
};

class Growing final : public GrowingMemory {
 public:
  explicit Growing(World& w) : w_(w) {}
  size_t unit() const override { return 2 * kMiB; }
  size_t span() const override { return w_.span; }
  void* Reserve(size_t bytes) override {
    if (bytes > w_.span) return nullptr;
    const uint64_t at = (w_.next + unit() - 1) / unit() * unit();
    w_.next = at + bytes + 4096;
    w_.ranges[at] = bytes;
    return reinterpret_cast<void*>(at);
  }
  void Release(void* p, size_t bytes) override {
    const auto at = reinterpret_cast<uint64_t>(p);
    ASSERT_EQ(w_.ranges.at(at), bytes);
    const auto piece = w_.pieces.lower_bound(at);
    ASSERT_TRUE(piece == w_.pieces.end() || piece->first >= at + bytes);
    w_.ranges.erase(at);
  }
  bool Back(void* p, size_t bytes, size_t piece) override {
    const auto at = reinterpret_cast<uint64_t>(p);
    auto range = w_.ranges.upper_bound(at);
    EXPECT_TRUE(range != w_.ranges.begin() && at + bytes <= std::prev(range)->first + std::prev(range)->second);
    EXPECT_TRUE(bytes % piece == 0 && piece % unit() == 0 && at % unit() == 0);
    if (static_cast<size_t>(++w_.backed) == w_.fail || w_.taken + bytes > w_.limit) return false;
    for (size_t k = 0; k < bytes; k += piece) EXPECT_TRUE(w_.pieces.try_emplace(at + k, piece).second);
    w_.taken += bytes;
    return true;
  }
  void Bare(void* p, size_t bytes, size_t piece) override {
    const auto at = reinterpret_cast<uint64_t>(p);
    for (size_t k = 0; k < bytes; k += piece) {
      ASSERT_EQ(w_.pieces.at(at + k), piece);
      w_.pieces.erase(at + k);
    }
    w_.taken -= bytes;
  }
  void Wait() override { ++w_.waits; }

 private:
  World& w_;
};

class Source final : public MemorySource {
 public:
  explicit Source(World& w, bool grows = false) : w_(w) {
    if (grows) growing_ = std::make_unique<Growing>(w);
  }
  GrowingMemory* growing() override { return growing_.get(); }
  void* Take(size_t bytes) override {
    if (w_.taken + bytes > w_.limit) return nullptr;
    w_.taken += bytes;
    const uint64_t at = std::exchange(w_.next, w_.next + bytes + 4096);
    w_.segments[at] = bytes;
    return reinterpret_cast<void*>(at);
  }
  void Give(void* p, size_t bytes) override {
    const auto it = w_.segments.find(reinterpret_cast<uint64_t>(p));
    ASSERT_TRUE(it != w_.segments.end() && it->second == bytes);
    w_.segments.erase(it);
    w_.taken -= bytes;
  }
  void* Record(void* stream) override {
    const auto s = static_cast<int>(reinterpret_cast<uintptr_t>(stream));
    w_.events[w_.next_event] = {s, w_.issued[s]};
    return reinterpret_cast<void*>(w_.next_event++);
  }
  bool Reached(void* event) override {
    const auto& [stream, at] = w_.events.at(reinterpret_cast<uint64_t>(event));
    return w_.done[stream] >= at;
  }
  void Forget(void* event) override { w_.events.erase(reinterpret_cast<uint64_t>(event)); }

 private:
  World& w_;
  std::unique_ptr<Growing> growing_;
};

void* Stream(int s) { return reinterpret_cast<void*>(static_cast<uintptr_t>(s)); }

struct Allocators : ::testing::Test {
  World world;
  CachingAllocator memory{std::make_unique<Source>(world), false};
  uint64_t At(const Block* b) { return reinterpret_cast<uint64_t>(b->ptr); }
};

TEST_F(Allocators, SplitsAndMerges) {
  Block *a = memory.Allocate(1000, Stream(1)), *b = memory.Allocate(1, Stream(1)), *c = memory.Allocate(700, Stream(1));
  EXPECT_EQ(a->bytes, 1024u);
  EXPECT_EQ(At(b), At(a) + 1024);
  EXPECT_EQ(At(c), At(b) + 512);
  EXPECT_EQ(memory.stats().allocated, 1024 + 512 + 1024);
  EXPECT_EQ(memory.stats().reserved, static_cast<int64_t>(2 * kMiB));
  const uint64_t first = At(a);
  memory.Free(a);
  memory.Free(c);
  EXPECT_EQ(memory.shape().blocks, 3);
  memory.Free(b);
  EXPECT_EQ(memory.shape().blocks, 1);
  Block* all = memory.Allocate(kMiB, Stream(1));
  EXPECT_EQ(At(all), first);
  memory.Free(all);
  memory.Trim();
  EXPECT_EQ(memory.stats().reserved, 0);
  EXPECT_EQ(world.taken, 0u);
}

TEST_F(Allocators, StreamsAreApart) {
  Block* a = memory.Allocate(4096, Stream(1));
  const uint64_t at = At(a);
  memory.Free(a);
  Block* b = memory.Allocate(4096, Stream(2));
  EXPECT_NE(At(b), at);
  Block* c = memory.Allocate(4096, Stream(1));
  EXPECT_EQ(At(c), at);
  memory.Free(b);
  memory.Free(c);
}

TEST_F(Allocators, WaitsForOtherStreams) {
  Block* a = memory.Allocate(4096, Stream(1));
  const uint64_t at = At(a);
  EXPECT_TRUE(memory.Uses(a->ptr + 100, Stream(2)));
  world.issued[2] = 5;
  memory.Free(a);
  EXPECT_FALSE(memory.Uses(reinterpret_cast<void*>(at - 1), Stream(2)));
  EXPECT_EQ(memory.shape().waiting_bytes, 4096);
  Block* b = memory.Allocate(4096, Stream(1));
  EXPECT_NE(At(b), at);
  world.done[2] = 5;
  Block* c = memory.Allocate(4096, Stream(1));
  EXPECT_EQ(At(c), at);
  EXPECT_TRUE(world.events.empty());
  memory.Free(b);
  memory.Free(c);
}

TEST_F(Allocators, RefusesWhatNoDeviceHas) {
  world.limit = 40 * kMiB;
  memory.Free(memory.Allocate(kMiB, Stream(1)));
  for (int power = 40; power < 63; ++power) EXPECT_EQ(memory.Allocate(size_t{1} << power, Stream(1)), nullptr);
  EXPECT_EQ(memory.stats().allocated, 0);
}

TEST_F(Allocators, GivesBackBeforeItGivesUp) {
  world.limit = 40 * kMiB;
  Block* a = memory.Allocate(30 * kMiB, Stream(1));
  memory.Free(a);
  Block* b = memory.Allocate(39 * kMiB + 100, Stream(2));  // not the whole unit: there is no room for that
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(memory.Allocate(kMiB + 1, Stream(1)), nullptr);
  memory.Free(b);
  EXPECT_NE(a = memory.Allocate(kMiB + 1, Stream(1)), nullptr);
  memory.Free(a);
}

TEST_F(Allocators, PoolsKeepTheirMemory) {
  Block* outside = memory.Allocate(4096, Stream(1));
  const uint64_t before = At(outside);
  MemoryPool* pool = memory.BeginPool(nullptr);
  Block* a = memory.Allocate(4096, Stream(1));
  const uint64_t at = At(a);
  memory.Uses(a->ptr, Stream(2));
  memory.Free(a);  // no event while the pool is in use
  EXPECT_TRUE(world.events.empty());
  Block* b = memory.Allocate(4096, Stream(1));
  EXPECT_NE(At(b), at);
  memory.Free(outside);
  memory.EndPool();
  EXPECT_EQ(world.events.size(), 1u);
  Block* c = memory.Allocate(4096, Stream(1));
  EXPECT_NE(At(c), before);  // what the pool's graph may read lives as long as the pool
  memory.Free(b);
  memory.Trim();
  EXPECT_EQ(world.segments.size(), 2u);
  memory.BeginPool(pool);
  Block* d = memory.Allocate(4096, Stream(1));
  EXPECT_TRUE(At(d) == at || At(d) == at + 4096);
  memory.EndPool();
  memory.ReleasePool(pool);
  memory.Free(d);
  EXPECT_EQ(world.segments.size(), 2u);
  memory.ReleasePool(pool);
  EXPECT_EQ(world.segments.size(), 1u);
  Block* e = memory.Allocate(4096, Stream(1));
  EXPECT_EQ(At(e), before);
  memory.Free(e);
  memory.Free(c);
}

TEST_F(Allocators, PlainMemoryIsTheDevices) {
  CachingAllocator plain(std::make_unique<Source>(world), true);
  Block *a = plain.Allocate(10, Stream(1)), *b = plain.Allocate(3 * kMiB + 1, Stream(1));
  EXPECT_EQ(world.segments.at(At(a)), 10u);
  EXPECT_EQ(world.segments.at(At(b)), 3 * kMiB + 1);
  plain.Free(a);
  EXPECT_EQ(world.taken, 3 * kMiB + 1);
  plain.Free(b);
  EXPECT_EQ(world.taken, 0u);
}

struct GrowingSegments : ::testing::Test {
  World world;
  CachingAllocator memory{std::make_unique<Source>(world, true), false};
  uint64_t At(const Block* b) { return reinterpret_cast<uint64_t>(b->ptr); }
};

TEST_F(GrowingSegments, GrowWhereTheyAre) {
  Block *a = memory.Allocate(20 * kMiB, Stream(1)), *b = memory.Allocate(30 * kMiB, Stream(1));
  EXPECT_EQ(At(b), At(a) + 20 * kMiB);
  EXPECT_EQ(world.ranges.size(), 1u);
  EXPECT_EQ(memory.stats().reserved, static_cast<int64_t>(56 * kMiB));
  const uint64_t at = At(a);
  memory.Free(a);
  memory.Free(b);
  Block* c = memory.Allocate(100 * kMiB, Stream(1));  // the free 56 MiB, and what they lack
  EXPECT_EQ(At(c), at);
  EXPECT_EQ(memory.stats().reserved, static_cast<int64_t>(104 * kMiB));
  EXPECT_EQ(world.taken, 104 * kMiB);
  memory.Free(c);
  memory.Trim();
  EXPECT_EQ(world.taken, 0u);
  EXPECT_EQ(memory.stats().reserved, 0);
}

TEST_F(GrowingSegments, FreePartsBecomeHoles) {
  Block* blocks[4];
  for (Block*& b : blocks) b = memory.Allocate(24 * kMiB, Stream(1));
  const uint64_t second = At(blocks[1]);
  memory.Free(blocks[1]);
  const int waits = world.waits;
  memory.Trim();
  EXPECT_EQ(world.waits, waits + 1);
  EXPECT_EQ(world.taken, 72 * kMiB);
  EXPECT_FALSE(memory.Uses(reinterpret_cast<void*>(second + 5), Stream(2)));
  EXPECT_TRUE(memory.Uses(blocks[2]->ptr + 5, Stream(2)));
  EXPECT_FALSE(memory.Uses(reinterpret_cast<void*>(world.ranges.begin()->first + world.span), Stream(2)));
  Block* small = memory.Allocate(10 * kMiB, Stream(1));  // fills two thirds of the hole
  EXPECT_EQ(At(small), second);
  EXPECT_EQ(world.taken, 88 * kMiB);
  Block* large = memory.Allocate(40 * kMiB, Stream(1));  // no hole is as large
  EXPECT_EQ(At(large), At(blocks[3]) + 24 * kMiB);
  for (Block* b : {blocks[0], blocks[2], blocks[3], small, large}) memory.Free(b);
  EXPECT_EQ(memory.shape().waiting_bytes, static_cast<int64_t>(24 * kMiB));
  memory.Trim();
  EXPECT_EQ(world.taken, 0u);
}

TEST_F(GrowingSegments, GiveBackBeforeTheyGiveUp) {
  world.limit = 64 * kMiB;
  Block* a = memory.Allocate(40 * kMiB, Stream(1));
  memory.Free(a);
  Block* b = memory.Allocate(50 * kMiB, Stream(2));  // what the first stream has is asked back
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(memory.Allocate(20 * kMiB, Stream(1)), nullptr);
  EXPECT_EQ(memory.stats().reserved, static_cast<int64_t>(world.taken));
  memory.Free(b);
  b = memory.Allocate(60 * kMiB, Stream(2));
  ASSERT_NE(b, nullptr);
  memory.Free(b);
}

// Whichever time a range is refused memory, a request is served after the trim or gets none, and books stay right.
TEST_F(GrowingSegments, RefusedMemory) {
  for (size_t fail = 1; fail < 12; ++fail) {
    world.fail = fail;
    world.backed = 0;
    std::vector<Block*> live;
    for (size_t k = 0; k < 12; ++k) {
      Block* b = memory.Allocate((k % 3 ? k * 5 : 0) * kMiB + 1000, Stream(static_cast<int>(1 + k % 2)));
      if (b) live.push_back(b);
      if (k % 4 == 3) memory.Free(std::exchange(live[live.size() / 2], live.back())), live.pop_back();
      const auto shape = memory.shape();
      ASSERT_EQ(memory.stats().reserved, static_cast<int64_t>(world.taken));
      ASSERT_EQ(memory.stats().reserved, memory.stats().allocated + shape.free_bytes);
    }
    ASSERT_EQ(live.size(), 9u) << fail;
    for (Block* b : live) memory.Free(b);
    memory.Trim();
    ASSERT_EQ(world.taken, 0u);
  }
}

TEST_F(GrowingSegments, PoolsHaveTheirOwn) {
  Block* outside = memory.Allocate(4096, Stream(1));
  MemoryPool* pool = memory.BeginPool(nullptr);
  Block *a = memory.Allocate(4096, Stream(1)), *large = memory.Allocate(30 * kMiB, Stream(1));
  EXPECT_EQ(world.ranges.size(), 3u);
  const uint64_t at = At(a);
  const int waits = world.waits;
  memory.Free(a);
  memory.Free(large);
  memory.Trim();  // no waiting while a graph is captured
  EXPECT_EQ(world.waits, waits);
  memory.EndPool();
  memory.Trim();  // nor are the graph's addresses bared
  EXPECT_EQ(world.taken, 36 * kMiB);
  memory.BeginPool(pool);
  a = memory.Allocate(4096, Stream(1));
  EXPECT_EQ(At(a), at);
  memory.EndPool();
  memory.ReleasePool(pool);
  memory.ReleasePool(pool);
  EXPECT_EQ(world.ranges.size(), 2u);  // a lives on
  EXPECT_EQ(world.taken, 4 * kMiB);
  memory.Free(a);
  EXPECT_EQ(world.ranges.size(), 1u);
  pool = memory.BeginPool(nullptr);
  a = memory.Allocate(4096, Stream(1));
  memory.EndPool();
  memory.ReleasePool(pool);
  pool = memory.BeginPool(nullptr);
  memory.Free(a);  // the dead pool's range stays while another graph is captured
  EXPECT_EQ(world.ranges.size(), 2u);
  memory.EndPool();
  memory.ReleasePool(pool);
  memory.Trim();
  EXPECT_EQ(world.ranges.size(), 1u);
  memory.Free(outside);
}

TEST_F(GrowingSegments, WithoutAddressesThereAreOthers) {
  world.span = 16 * kMiB;
  Block *a = memory.Allocate(10 * kMiB, Stream(1)), *b = memory.Allocate(40 * kMiB, Stream(1));
  EXPECT_EQ(world.ranges.size(), 1u);
  EXPECT_EQ(world.segments.at(At(b)), 40 * kMiB);
  memory.Free(a);
  memory.Free(b);
  memory.Trim();
  EXPECT_EQ(world.taken, 0u);
}

// Random requests of training-like sizes on four streams, a part of them used on other streams too. No two blocks in
// use overlap, none is handed out before all streams have passed its last use, and none reaches beyond its segment.
struct RandomRequests {
  struct Use {
    Block* block;
    int stream;
    std::map<int, uint64_t> others;  // stream: its last use
  };
  World& world;
  CachingAllocator& memory;
  std::mt19937_64 random{7};
  std::vector<Use> live{};
  std::map<uint64_t, uint64_t> taken{};                    // begin to end of blocks in use
  std::map<uint64_t, std::pair<uint64_t, Use>> waiting{};  // freed, and used on other streams

  static uint64_t At(const Block* b) { return reinterpret_cast<uint64_t>(b->ptr); }
  uint64_t Below(uint64_t n) { return random() % n; }

  void Step(int64_t k) {
    const auto s = static_cast<int>(1 + Below(4));
    ++world.issued[s];
    for (int q = 1; q <= 4; ++q)
      if (Below(3) == 0) world.done[q] = std::min(world.issued[q], world.done[q] + Below(8));
    const bool grow = (k / 2000) % 2 == 0 ? live.size() < 600 : live.size() < 60;
    if (live.empty() || Below(100) < (grow ? 65u : 35u))
      ASSERT_NO_FATAL_FAILURE(Take(s)) << k;
    else
      ASSERT_NO_FATAL_FAILURE(UseOrFree()) << k;
    if (k % 20000 == 19999) ASSERT_NO_FATAL_FAILURE(CheckStats()) << k;
  }
  void Take(int s) {
    const uint64_t bytes = Below(10) < 7 ? Below(64 << 10) : Below(10) < 8 ? Below(4 * kMiB) : Below(64 * kMiB);
    Block* b = memory.Allocate(bytes, Stream(s));
    ASSERT_NE(b, nullptr);
    ASSERT_GE(b->bytes, bytes);
    const uint64_t from = At(b), to = from + b->bytes;
    const auto next = taken.lower_bound(from);
    ASSERT_TRUE(next == taken.end() || next->first >= to);
    ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= from);
    ASSERT_NO_FATAL_FAILURE(CheckMemory(from, to));
    for (auto it = waiting.begin(); it != waiting.end();) {
      const Use& u = it->second.second;
      bool passed = true;
      for (auto& [other, at] : u.others) passed = passed && world.done[other] >= at;
      const bool overlaps = it->first < to && from < it->second.first;
      ASSERT_TRUE(!overlaps || (passed && u.stream == s));
      it = passed ? waiting.erase(it) : std::next(it);
    }
    taken[from] = to;
    live.push_back({b, s, {}});
  }
  // Each byte lies in a segment, or has memory.
  void CheckMemory(uint64_t from, uint64_t to) const {
    if (const auto segment = world.segments.upper_bound(from); segment != world.segments.begin()) {
      ASSERT_LE(to, std::prev(segment)->first + std::prev(segment)->second);
      return;
    }
    uint64_t at = from;
    for (auto p = std::prev(world.pieces.upper_bound(from)); at < to; at = p->first + p->second, ++p)
      ASSERT_TRUE(p != world.pieces.end() && p->first <= at && at < p->first + p->second);
  }
  void UseOrFree() {
    const size_t i = Below(live.size());
    if (Below(12) == 0) {
      auto other = static_cast<int>(1 + Below(4));
      ++world.issued[other];
      ASSERT_TRUE(memory.Uses(live[i].block->ptr + Below(live[i].block->bytes), Stream(other)));
      if (other != live[i].stream) live[i].others[other] = 0;
      return;
    }
    Use u = live[i];
    live[i] = live.back();
    live.pop_back();
    for (auto& [other, at] : u.others) at = world.issued[other];
    const uint64_t from = At(u.block), to = from + u.block->bytes;
    taken.erase(from);
    if (!u.others.empty()) waiting[from] = {to, u};
    memory.Free(u.block);
  }
  void CheckStats() const {
    const MemoryStats stats = memory.stats();
    int64_t total = 0;
    for (const Use& u : live) total += static_cast<int64_t>(u.block->bytes);
    ASSERT_EQ(stats.allocated, total);
    ASSERT_EQ(stats.reserved, static_cast<int64_t>(world.taken));
    const auto shape = memory.shape();
    ASSERT_EQ(stats.reserved, stats.allocated + shape.free_bytes + shape.waiting_bytes);
  }
};

void RandomOperations(World& world, CachingAllocator& memory) {
  const char* given = std::getenv("PADDLE_ALLOCATOR_OPERATIONS");
  const int64_t operations = given ? std::atoll(given) : 1000000;
  RandomRequests requests{world, memory};
  std::vector<double> many, few;
  const auto start = std::chrono::steady_clock::now();
  for (int64_t k = 0; k < operations; ++k) {
    ASSERT_NO_FATAL_FAILURE(requests.Step(k));
    // Where few and where most blocks are in use.
    if (k % 2000 == 1999) {
      memory.Trim();
      const MemoryStats stats = memory.stats();
      (requests.live.size() > 300 ? many : few)
          .push_back(static_cast<double>(stats.reserved) / static_cast<double>(stats.allocated));
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const auto median = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v.empty() ? 0.0 : v[v.size() / 2];
  };
  std::printf("%lld operations in %.2f s; trimmed memory over blocks in use: %.2f of many, %.2f of few, %.2f at peak\n",
              static_cast<long long>(operations), seconds.count(), median(many), median(few),
              static_cast<double>(memory.stats().reserved_max) / static_cast<double>(memory.stats().allocated_max));
  for (RandomRequests::Use& u : requests.live) memory.Free(u.block);
  for (int q = 1; q <= 4; ++q) world.done[q] = world.issued[q];
  memory.Trim();
  EXPECT_EQ(memory.stats().reserved, 0);
  EXPECT_EQ(memory.stats().allocated, 0);
  EXPECT_TRUE(world.segments.empty() && world.pieces.empty() && world.events.empty());
}

TEST_F(Allocators, RandomOperations) { RandomOperations(world, memory); }
TEST_F(GrowingSegments, RandomOperations) {
  world.span = 32768 * kMiB;
  RandomOperations(world, memory);
}

}  // namespace
}  // namespace phi
