// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/slabs.h"
#include "paddle/phi/core/thread_memory.h"

namespace phi {
namespace {

constexpr int64_t kThreadCacheBytes = 4 << 20;
constexpr size_t kHugePage = Slabs::kSlab;

std::atomic<int64_t> g_live_large{0}, g_live_large_max{0}, g_reserved{0}, g_reserved_max{0}, g_live_small{0};

std::atomic<int> g_frugal{0};

void RaisePeak(std::atomic<int64_t>& peak, int64_t v) {
  int64_t old = peak.load(std::memory_order_relaxed);
  while (v > old && !peak.compare_exchange_weak(old, v, std::memory_order_relaxed)) {}
}

void AddReserved(int64_t d) {
  int64_t v = g_reserved.fetch_add(d, std::memory_order_relaxed) + d;
  if (d > 0) RaisePeak(g_reserved_max, v);
}

// Gives the blocks of a thread back when it ends.
struct ThreadEnd {
  ~ThreadEnd() {
    ThreadMemory& m = t_memory;
    for (int c = 0; c < kBlockClasses; ++c)
      while (FreeBlock* b = m.head[c]) {
        m.head[c] = b->next;
        std::free(b);
        AddReserved(-static_cast<int64_t>(BlockSize(c)));
      }
    g_live_small += m.live;
    m.live = m.room = 0;
    m.closed = true;
  }
};

// Blocks of a huge page and more begin at one of kColors places after the start of their mapping, so that rows of two
// matrices whose strides are powers of two do not fall into the same sets of the caches.
constexpr size_t kColors = 15, kColor = 65 * 64, kColored = size_t{64} << 10;
static_assert(kColors * kColor <= kColored);
char* MappingOf(void* block) {
  return static_cast<char*>(block) - (reinterpret_cast<uintptr_t>(block) & (kHugePage - 1));
}

// Blocks above kLargestBlock that are free. Those below a slab lie in slabs, the others are mapped one by one. Freed
// ones stand in lists by length, the last one first, since caches hold it still.
class LargeCache {
 public:
  // A block of exactly `bytes`, which LargeSize gave; null: none is there.
  void* Take(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = free_.lower_bound(bytes);
    const bool wastes = it == free_.end() || it->first > bytes + bytes / 4;  // more than a quarter
    if (wastes || InSlab(bytes) != InSlab(it->first)) return InSlab(bytes) ? TakeFromSlabs(bytes) : nullptr;
    void* p = it->second.back();
    const size_t got = it->first;
    Forget(it);
    if (got != bytes) GiveEnd(p, bytes, got);
    return p;
  }
  // Never raises: without memory for the list the block goes back to where it came from.
  void Put(void* p, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      free_[bytes].push_back(p);
    } catch (const std::bad_alloc&) {
      if (auto it = free_.find(bytes); it != free_.end() && it->second.empty()) free_.erase(it);
      GiveBack(p, bytes);
      return;
    }
    cached_ += bytes;
    while (cached_ > limit_) EvictLargest();
  }
  // Takes over memory for a slab, and makes a block in it.
  void* TakeFromNew(void* slab, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      slabs_.Add(slab);
    } catch (...) {
      Unmap(slab, Slabs::kSlab);
      throw;
    }
    return slabs_.Take(bytes);
  }
  // Gives at least `bytes` back to the system, as far as there are as many.
  void Release(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    size_t given = ReleaseSlabs();
    while (given < bytes && !free_.empty()) given += EvictLargest();
  }

 private:
  using Lists = std::map<size_t, std::vector<void*>>;
  static bool InSlab(size_t bytes) { return bytes < Slabs::kSlab; }

  void* TakeFromSlabs(size_t bytes) {
    if (void* p = slabs_.Take(bytes)) return p;
    // Blocks of the lists may be neighbours.
    while (!free_.empty() && InSlab(free_.begin()->first)) {
      const auto it = free_.begin();
      slabs_.Give(it->second.back(), it->first);
      Forget(it);
    }
    return slabs_.Take(bytes);
  }
  void Forget(Lists::iterator it) {
    cached_ -= it->first;
    it->second.pop_back();
    if (it->second.empty()) free_.erase(it);
  }
  // Keeps the first `bytes` of `got`.
  void GiveEnd(void* p, size_t bytes, size_t got) {
    if (InSlab(got))
      slabs_.Give(static_cast<char*>(p) + bytes, got - bytes);
    else
      Unmap(MappingOf(p) + kColored + bytes, got - bytes);
  }
  // The bytes that went back to the system.
  size_t GiveBack(void* p, size_t bytes) {
    if (InSlab(bytes)) {
      slabs_.Give(p, bytes);
      return 0;
    }
    return Unmap(MappingOf(p), bytes + kColored);
  }
  static size_t Unmap(void* p, size_t bytes) {
    munmap(p, bytes);
    AddReserved(-static_cast<int64_t>(bytes));
    return bytes;
  }
  size_t EvictLargest() {
    const auto it = std::prev(free_.end());
    void* p = it->second.back();
    const size_t bytes = it->first;
    Forget(it);
    return GiveBack(p, bytes) + ReleaseSlabs();
  }
  size_t ReleaseSlabs() {
    size_t given = 0;
    while (void* slab = slabs_.RemoveFree()) given += Unmap(slab, Slabs::kSlab);
    return given;
  }

  std::mutex mutex_;
  Lists free_;
  Slabs slabs_;
  size_t cached_ = 0;  // bytes in the lists
  size_t limit_ = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE)) / 4;
};

LargeCache& Large() {
  static auto* c = new LargeCache;
  return *c;
}

// The length really taken for a request, so that equal requests meet the same cached blocks. Above 1 MiB steps are 1/8
// of the size.
size_t LargeSize(size_t bytes) {
  if (bytes <= (1 << 20)) return (bytes + Slabs::kUnit - 1) & ~(Slabs::kUnit - 1);
  int log = 63 - __builtin_clzll(bytes - 1);
  size_t step = size_t{1} << (log - 3);
  return (bytes + step - 1) & ~(step - 1);
}

char* Map(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    ReleaseCpuCache();
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

// At least a huge page, from where one begins. `asked`: what the error names.
char* MapHuge(size_t bytes, size_t asked) {
  char* p = Map(bytes + kHugePage);
  PD_CHECK(p, ResourceExhausted, "out of memory: expected to allocate ", asked, " bytes on Place(cpu), ",
           g_live_large.load(), " bytes are in use");
  const size_t before = -reinterpret_cast<uintptr_t>(p) & (kHugePage - 1);
  if (before) munmap(p, before);
  p += before;
  munmap(p + bytes, kHugePage - before);
  madvise(p, bytes, MADV_HUGEPAGE);
  AddReserved(static_cast<int64_t>(bytes));
  return p;
}

void* TakeLarge(size_t size) {
  if (void* p = Large().Take(size)) return p;
  static std::atomic<size_t> color{0};
  const bool in_slab = size < Slabs::kSlab;
  const size_t maps = in_slab ? Slabs::kSlab : size + kColored;
  if (g_frugal.load(std::memory_order_relaxed)) Large().Release(maps);
  char* p = MapHuge(maps, size);
  return in_slab ? Large().TakeFromNew(p, size) : p + color.fetch_add(1, std::memory_order_relaxed) % kColors * kColor;
}

}  // namespace

thread_local constinit ThreadMemory t_memory;

// Watches for the end of the thread, from when it first has a block on. False: it is watched or has come.
bool ThreadMemory::Open() {
  if (open || closed) return false;
  static thread_local ThreadEnd end;
  (void)end;
  open = true;
  room = kThreadCacheBytes;
  return true;
}

void* ThreadMemory::NewBlock(int c) {
  Open();
  void* p = nullptr;
  PD_CHECK(posix_memalign(&p, kAlignment, BlockSize(c)) == 0, ResourceExhausted, "out of memory: expected to allocate ",
           BlockSize(c), " bytes on Place(cpu)");
  AddReserved(static_cast<int64_t>(BlockSize(c)));
  return p;
}

void ThreadMemory::DropBlock(void* p, int c) {
  room += static_cast<int64_t>(BlockSize(c));
  if (Open()) return GiveBlock(*this, p, c);
  std::free(p);
  AddReserved(-static_cast<int64_t>(BlockSize(c)));
}

void* AllocateCpu(size_t bytes) {
  if constexpr (common::kSanitized) {
    void* p = nullptr;
    PD_CHECK(bytes < (size_t{1} << 46) && posix_memalign(&p, kAlignment, bytes) == 0, ResourceExhausted,
             "out of memory: expected to allocate ", bytes, " bytes on Place(cpu)");
    RaisePeak(g_live_large_max, g_live_large += static_cast<int64_t>(bytes));
    AddReserved(static_cast<int64_t>(bytes));
    return p;
  }
  if (__builtin_expect(bytes <= kLargestBlock, 1)) return AllocateSmall(t_memory, bytes);
  PD_CHECK(bytes < (size_t{1} << 46), ResourceExhausted, "out of memory: expected to allocate ", bytes,
           " bytes on Place(cpu)");
  const size_t size = LargeSize(bytes);
  void* p = TakeLarge(size);
  int64_t live =
      g_live_large.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed) + static_cast<int64_t>(size);
  RaisePeak(g_live_large_max, live);
  return p;
}

void FreeCpu(void* p, size_t bytes) {
  if constexpr (common::kSanitized) {
    g_live_large -= static_cast<int64_t>(bytes);
    AddReserved(-static_cast<int64_t>(bytes));
    std::free(p);
    return;
  }
  if (__builtin_expect(bytes <= kLargestBlock, 1)) return FreeSmall(t_memory, p, bytes);
  size_t size = LargeSize(bytes);
  g_live_large.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
  Large().Put(p, size);
}

MemoryStats CpuMemoryStats() {
  g_live_small += t_memory.live;
  t_memory.live = 0;
  MemoryStats s;
  s.allocated = g_live_large + g_live_small;
  s.allocated_max = g_live_large_max + g_live_small;
  s.reserved = g_reserved;
  s.reserved_max = g_reserved_max;
  return s;
}

void ResetCpuMemoryPeaks() {
  g_live_large_max = g_live_large.load();
  g_reserved_max = g_reserved.load();
}

void ReleaseCpuCache() { Large().Release(SIZE_MAX); }

FrugalMemory::FrugalMemory() { g_frugal.fetch_add(1, std::memory_order_relaxed); }
FrugalMemory::~FrugalMemory() { g_frugal.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace phi
