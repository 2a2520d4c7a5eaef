// SPDX-License-Identifier: Apache-2.0
// The CPU allocator: blocks do not overlap, lie as they should, and memory goes back.
#include "paddle/phi/core/allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "paddle/common/sanitizer.h"
#include "paddle/phi/core/slabs.h"

namespace phi {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

struct Held {
  unsigned char* p;
  size_t bytes;
  unsigned char mark;
};

void Fill(const Held& h) {
  std::memset(h.p, h.mark, 64);
  h.p[h.bytes / 2] = h.mark;
  std::memset(h.p + h.bytes - 64, h.mark, 64);
}

bool IsWhole(const Held& h) {
  for (size_t i = 0; i < 64; ++i)
    if (h.p[i] != h.mark || h.p[h.bytes - 1 - i] != h.mark) return false;
  return h.p[h.bytes / 2] == h.mark;
}

// Takes and gives blocks of all regimes back in random order; marks at both ends show whether one wrote over another.
void Exercise(unsigned seed, int requests, size_t most_held) {
  std::mt19937 random(seed);
  std::vector<Held> held;
  size_t bytes_held = 0;
  for (int i = 0; i < requests; ++i) {
    const bool take = held.empty() || (random() % 5 < 3 && bytes_held < most_held);
    if (take) {
      const int regime = static_cast<int>(random() % 8);
      const size_t bytes = regime == 0   ? 64 + random() % (64 << 10)
                           : regime == 1 ? 2 * kMiB + random() % (6 * kMiB)
                                         : (64 << 10) + random() % (2 * kMiB);
      Held h{static_cast<unsigned char*>(AllocateCpu(bytes)), bytes, static_cast<unsigned char>(random())};
      ASSERT_EQ(reinterpret_cast<uintptr_t>(h.p) % kAlignment, 0u);
      Fill(h);
      held.push_back(h);
      bytes_held += bytes;
    } else {
      const size_t k = random() % held.size();
      const Held h = held[k];
      held[k] = held.back();
      held.pop_back();
      bytes_held -= h.bytes;
      ASSERT_TRUE(IsWhole(h)) << "a block of " << h.bytes << " bytes was written over";
      FreeCpu(h.p, h.bytes);
    }
    if (i % 1000 == 999) ReleaseCpuCache();
  }
  for (const Held& h : held) {
    ASSERT_TRUE(IsWhole(h)) << "a block of " << h.bytes << " bytes was written over";
    FreeCpu(h.p, h.bytes);
  }
}

TEST(Allocator, BlocksDoNotOverlap) {
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back([seed] { Exercise(seed, 20000, 64 * kMiB); });
  for (std::thread& t : threads) t.join();
}

TEST(Allocator, MemoryGoesBack) {
  if (common::kSanitized) GTEST_SKIP() << "each block is the system's";
  ReleaseCpuCache();
  const int64_t before = CpuMemoryStats().reserved;
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(AllocateCpu(kMiB));
  for (int i = 0; i < 4; ++i) blocks.push_back(AllocateCpu(5 * kMiB));
  EXPECT_GE(CpuMemoryStats().reserved, before + static_cast<int64_t>(83 * kMiB));
  EXPECT_LE(CpuMemoryStats().reserved, before + static_cast<int64_t>(90 * kMiB));
  for (size_t i = 0; i < blocks.size(); ++i) FreeCpu(blocks[i], i < 64 ? kMiB : 5 * kMiB);
  const int64_t cached = CpuMemoryStats().reserved;
  EXPECT_GE(cached, before + static_cast<int64_t>(83 * kMiB));
  ReleaseCpuCache();
  EXPECT_LE(CpuMemoryStats().reserved, before + static_cast<int64_t>(Slabs::kSlab));
}

// What was taken in small parts serves larger requests after it is free: neighbours are one space.
TEST(Allocator, FreeNeighboursAreOneBlock) {
  if (common::kSanitized) GTEST_SKIP() << "each block is the system's";
  ReleaseCpuCache();
  std::vector<void*> parts;
  for (int i = 0; i < 512; ++i) parts.push_back(AllocateCpu(128 << 10));
  for (void* p : parts) FreeCpu(p, 128 << 10);
  const int64_t reserved = CpuMemoryStats().reserved;
  std::vector<void*> wholes;
  for (int i = 0; i < 48; ++i) wholes.push_back(AllocateCpu(kMiB));
  EXPECT_EQ(CpuMemoryStats().reserved, reserved);
  for (void* p : wholes) FreeCpu(p, kMiB);
}

TEST(Allocator, LargeBlocksBeginNearHugePages) {
  if (common::kSanitized) GTEST_SKIP() << "each block is the system's";
  ReleaseCpuCache();
  std::vector<std::pair<void*, size_t>> blocks;
  std::set<size_t> places;
  for (size_t bytes : {2 * kMiB, 3 * kMiB, 33 * kMiB, 4 * kMiB}) {
    blocks.push_back({AllocateCpu(bytes), bytes});
    places.insert(reinterpret_cast<uintptr_t>(blocks.back().first) % Slabs::kSlab);
  }
  EXPECT_EQ(places.size(), blocks.size());  // not the same sets of the caches
  EXPECT_LT(*places.rbegin(), size_t{64} << 10);
  for (auto& [p, bytes] : blocks) FreeCpu(p, bytes);
}

TEST(Slabs, TakesFromTheSlabThatIsLeftWithLeast) {
  std::vector<char> memory(4 * Slabs::kSlab);
  char* first = memory.data() + (-reinterpret_cast<uintptr_t>(memory.data()) & (Slabs::kSlab - 1));
  Slabs slabs;
  EXPECT_EQ(slabs.Take(Slabs::kUnit), nullptr);
  slabs.Add(first);
  slabs.Add(first + Slabs::kSlab);
  char* a = static_cast<char*>(slabs.Take(24 * Slabs::kUnit));
  char* b = static_cast<char*>(slabs.Take(8 * Slabs::kUnit));
  EXPECT_EQ(b, a + 24 * Slabs::kUnit);
  char* c = static_cast<char*>(slabs.Take(31 * Slabs::kUnit));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(slabs.Take(2 * Slabs::kUnit), nullptr);
  EXPECT_EQ(slabs.RemoveFree(), nullptr);
  slabs.Give(a + 4 * Slabs::kUnit, 4 * Slabs::kUnit);  // a part of a block
  EXPECT_EQ(slabs.Take(5 * Slabs::kUnit), nullptr);
  EXPECT_EQ(slabs.Take(4 * Slabs::kUnit), a + 4 * Slabs::kUnit);
  slabs.Give(a, 24 * Slabs::kUnit);
  slabs.Give(b, 8 * Slabs::kUnit);
  EXPECT_EQ(slabs.RemoveFree(), a);
  EXPECT_EQ(slabs.RemoveFree(), nullptr);
  slabs.Give(c, 31 * Slabs::kUnit);
  EXPECT_EQ(slabs.RemoveFree(), c);
}

}  // namespace
}  // namespace phi
