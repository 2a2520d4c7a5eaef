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
#include "paddle/phi/core/thread_memory.h"

namespace phi {
namespace {

constexpr int64_t kThreadCacheBytes = 4 << 20;
constexpr size_t kHugePage = 2 << 20;

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

class LargeCache {
 public:
  void* Take(size_t bytes, size_t* got) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = free_.lower_bound(bytes);
    if (it == free_.end() || it->first > bytes + bytes / 4) return nullptr;  // do not waste more than a quarter
    void* p = it->second.back();
    *got = it->first;
    it->second.pop_back();
    cached_ -= it->first;
    if (it->second.empty()) free_.erase(it);
    return p;
  }
  // Never raises: without memory for the list the block goes back to the system.
  void Put(void* p, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      free_[bytes].push_back(p);
    } catch (const std::bad_alloc&) {  // no memory to note it: it goes back, and blocks come from the system
      if (auto it = free_.find(bytes); it != free_.end() && it->second.empty()) free_.erase(it);
      munmap(p, bytes);
      AddReserved(-static_cast<int64_t>(bytes));
      return;
    }
    cached_ += bytes;
    while (cached_ > limit_) EvictLargest();
  }
  void Release(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t keep = cached_ > bytes ? cached_ - bytes : 0;
    while (cached_ > keep) EvictLargest();
  }

 private:
  void EvictLargest() {
    auto it = std::prev(free_.end());
    munmap(it->second.back(), it->first);
    AddReserved(-static_cast<int64_t>(it->first));
    cached_ -= it->first;
    it->second.pop_back();
    if (it->second.empty()) free_.erase(it);
  }
  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> free_;
  size_t cached_ = 0;
  size_t limit_ = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE)) / 4;
};

LargeCache& Large() {
  static auto* c = new LargeCache;
  return *c;
}

// The length really mapped for a request, so that equal requests meet the same cached blocks. Above 1 MiB steps are 1/8
// of the size.
size_t LargeSize(size_t bytes) {
  if (bytes <= (1 << 20)) return (bytes + 65535) & ~size_t{65535};
  int log = 63 - __builtin_clzll(bytes - 1);
  size_t step = size_t{1} << (log - 3);
  return (bytes + step - 1) & ~(step - 1);
}

void* MapLarge(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    ReleaseCpuCache();
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  PD_CHECK(p != MAP_FAILED, ResourceExhausted, "out of memory: expected to allocate ", bytes, " bytes on Place(cpu), ",
           g_live_large.load(), " bytes are in use");
  if (bytes >= kHugePage) madvise(p, bytes, MADV_HUGEPAGE);
  AddReserved(static_cast<int64_t>(bytes));
  return p;
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
  size_t size = LargeSize(bytes), got = size;
  void* p = Large().Take(size, &got);
  if (p == nullptr) {
    if (g_frugal.load(std::memory_order_relaxed)) Large().Release(size);
    p = MapLarge(size);
  } else if (got != size) {
    munmap(static_cast<char*>(p) + size, got - size);  // trim, so that the length is again a function of the request
    AddReserved(-static_cast<int64_t>(got - size));
  }
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
