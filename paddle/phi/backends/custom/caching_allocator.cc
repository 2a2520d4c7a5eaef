// SPDX-License-Identifier: Apache-2.0
// Free blocks lie in lists by size: for each power of two of units 16 lists, and bits that say which have any. A
// request takes the first block that fits of its own list, else one of the next list that has any, and leaves the rest
// of it free.
// A segment that grows is a range of addresses of which parts have memory. The others are holes, blocks without
// memory: growth fills the first that, with the free blocks beside it, is large enough, so that a request larger than
// every free block takes what is between them too; trimming makes holes of the free blocks again.
#include "paddle/phi/backends/custom/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace phi {
namespace {

constexpr size_t kUnit = 512, kSmall = size_t{1} << 20, kSmallSegment = size_t{2} << 20;
constexpr size_t kMiddle = size_t{8} << 20, kMiddleSegment = size_t{16} << 20, kLargeUnit = size_t{2} << 20;
// What is mapped at a time into a segment that grows, for large requests.
constexpr size_t kPiece = size_t{8} << 20;
constexpr int kRows = 40, kColumns = 16, kTried = 8;

size_t RoundUp(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// Beyond what the lists are for: no device has as much.
bool TooLarge(size_t bytes) { return bytes / kUnit >> (kRows + 3); }

// The list of a size: below 16 units each has its own, above a power of two has 16.
struct Bin {
  int row, column;
};
Bin BinOf(size_t bytes) {
  const size_t units = bytes / kUnit;
  if (units < kColumns) return {0, static_cast<int>(units)};
  const int power = std::bit_width(units) - 1;  // 4 and more
  return {power - 3, static_cast<int>((units >> (power - 4)) & (kColumns - 1))};
}

}  // namespace

struct MemoryPool {
  int uses = 0;                                // 0: dead, its blocks go back to the device
  std::vector<CachingAllocator::Block*> held;  // of other arenas, freed while it was in use: the graph may read them
};

struct CachingAllocator::Arena {
  void* stream;
  bool large;
  MemoryPool* pool;
  uint64_t rows = 0;
  uint16_t columns[kRows] = {};
  Block* lists[kRows][kColumns] = {};
  // Its segment that grows, where there is one; `used` blocks of it are in use or waiting.
  char* range = nullptr;
  size_t range_bytes = 0, piece = 0, used = 0;
  bool refused = false;
  std::map<char*, Block*> holes;
  std::vector<Block*> begins;  // of each piece, the first block that begins in it

  bool Grows(const Block* b) const { return range && b->ptr >= range && b->ptr < range + range_bytes; }
  Block*& BeginOf(const Block* b) { return begins[static_cast<size_t>(b->ptr - range) / piece]; }
  void Begins(Block* b) {
    if (!Grows(b)) return;
    Block*& first = BeginOf(b);
    if (!first || b->ptr < first->ptr) first = b;
  }
  void BeginsNoMore(const Block* b) {  // before it leaves its list
    if (!Grows(b)) return;
    Block*& first = BeginOf(b);
    if (first == b) first = b->after && &BeginOf(b->after) == &first ? b->after : nullptr;
  }
  // The last block that begins before the address, of those that a look-up needs to begin with.
  Block* Before(const char* at) {
    size_t k = static_cast<size_t>(at - range) / piece;
    while (!begins[k] || begins[k]->ptr > at) --k;
    return begins[k];
  }

  void Add(Block* b) {
    const Bin at = BinOf(b->bytes);
    Block*& head = lists[at.row][at.column];
    b->free = true;
    b->previous = nullptr;
    b->following = head;
    if (head) head->previous = b;
    head = b;
    rows |= uint64_t{1} << at.row;
    columns[at.row] = static_cast<uint16_t>(columns[at.row] | 1u << at.column);
  }
  void Remove(Block* b) {
    b->free = false;
    if (b->following) b->following->previous = b->previous;
    if (b->previous) {
      b->previous->following = b->following;
      return;
    }
    const Bin at = BinOf(b->bytes);
    lists[at.row][at.column] = b->following;
    if (b->following) return;
    columns[at.row] = static_cast<uint16_t>(columns[at.row] & ~(1u << at.column));
    if (!columns[at.row]) rows &= ~(uint64_t{1} << at.row);
  }
  Block* Find(size_t bytes) const {
    const Bin at = BinOf(bytes);
    int tried = 0;
    for (Block* b = lists[at.row][at.column]; b && tried < kTried; b = b->following, ++tried)
      if (b->bytes >= bytes) return b;
    const unsigned rest = columns[at.row] & (~0u << (at.column + 1));
    if (rest) return lists[at.row][std::countr_zero(rest)];
    const uint64_t above = rows & (~uint64_t{1} << at.row);
    if (!above) return nullptr;
    const int row = std::countr_zero(above);
    return lists[row][std::countr_zero(columns[row])];
  }
};

CachingAllocator::CachingAllocator(std::unique_ptr<MemorySource> source, bool plain)
    : source_(std::move(source)), plain_(plain) {}

CachingAllocator::~CachingAllocator() {
  for (Waiting& w : waiting_)
    for (void* e : w.events) source_->Forget(e);
  for (auto& [address, segment] : segments_) {
    if (segment.grows) {
      char *at = address, *const end = address + segment.bytes;
      const Arena& arena = *segment.first->arena;
      for (auto& [hole, block] : arena.holes) {
        if (hole > at) source_->growing()->Bare(at, static_cast<size_t>(hole - at), arena.piece);
        at = hole + block->bytes;
      }
      if (at < end) source_->growing()->Bare(at, static_cast<size_t>(end - at), arena.piece);
      source_->growing()->Release(address, segment.bytes);
    } else {
      source_->Give(address, segment.bytes);
    }
    for (Block* b = segment.first; b;) delete std::exchange(b, b->after);
  }
  for (Block* b : spare_) delete b;
}

CachingAllocator::Arena& CachingAllocator::ArenaOf(void* stream, bool large) {
  Arena*& last = last_[large];
  if (last && last->stream == stream && last->pool == pool_) return *last;
  for (auto& a : arenas_)
    if (a->stream == stream && a->large == large && a->pool == pool_) return *(last = a.get());
  arenas_.push_back(std::make_unique<Arena>(Arena{stream, large, pool_}));
  return *(last = arenas_.back().get());
}

void* CachingAllocator::TakeSegment(size_t bytes) {
  void* p = source_->Take(bytes);
  if (p) CountReserved(static_cast<int64_t>(bytes));
  return p;
}

void CachingAllocator::CountReserved(int64_t bytes) {
  stats_.reserved += bytes;
  stats_.reserved_max = std::max(stats_.reserved_max, stats_.reserved);
}

CachingAllocator::Block* CachingAllocator::NewBlock() {
  if (spare_.empty()) return new Block;
  Block* b = spare_.back();
  spare_.pop_back();
  return b;
}

// Parts b after its first `bytes`.
void CachingAllocator::Split(Block* b, size_t bytes) {
  Block* rest = NewBlock();
  *rest = Block{b->ptr + bytes, b->bytes - bytes, b->arena, this, b, b->after};
  rest->backed = b->backed;
  if (b->after) b->after->before = rest;
  b->after = rest;
  b->bytes = bytes;
  b->arena->Begins(rest);
}

// Makes one block of b and what follows it.
void CachingAllocator::TakeIn(Block* b, Block* next) {
  b->arena->BeginsNoMore(next);
  b->bytes += next->bytes;
  b->after = next->after;
  if (b->after) b->after->before = b;
  spare_.push_back(next);
}

// Addresses for the arena's segment that grows: one hole. False where there are none.
bool CachingAllocator::ReserveRange(Arena& arena) {
  GrowingMemory* growing = plain_ || arena.refused ? nullptr : source_->growing();
  if (!growing) return false;
  const size_t piece = RoundUp(arena.large ? kPiece : kSmallSegment, growing->unit());
  const size_t bytes = RoundUp(growing->span(), piece);
  auto* range = static_cast<char*>(growing->Reserve(bytes));
  arena.refused = !range;
  if (!range) return false;
  arena.range = range;
  arena.range_bytes = bytes;
  arena.piece = piece;
  arena.begins.assign(bytes / piece, nullptr);
  Block* hole = NewBlock();
  *hole = Block{range, bytes, &arena, this};
  hole->backed = false;
  arena.Begins(hole);
  arena.holes[range] = hole;
  segments_[range] = {hole, bytes, true};
  return true;
}

// The first of neighbours, a hole among them, that together hold `bytes`; null where the arena has none.
CachingAllocator::Block* CachingAllocator::Room(Arena& arena, size_t bytes) {
  if (!arena.range && !ReserveRange(arena)) return nullptr;
  for (auto& [address, hole] : arena.holes) {
    Block* first = hole->before && hole->before->free ? hole->before : hole;
    size_t have = 0;
    for (Block* b = first; b && (b->free || !b->backed) && have < bytes; b = b->after) have += b->bytes;
    if (have >= bytes) return first;
  }
  return nullptr;
}

// A block at `first` of `bytes` or more, in no list; null when the device refuses the memory.
CachingAllocator::Block* CachingAllocator::Grow(Block* first, size_t bytes) {
  Arena& arena = *first->arena;
  Block* b = nullptr;
  for (Block* next = first; next && (next->free || (!next->backed && (!b || b->bytes < bytes))); next = b->after) {
    if (next->free) {
      arena.Remove(next);
    } else {
      const size_t rest = bytes - (b ? b->bytes : 0), size = std::min(RoundUp(rest, arena.piece), next->bytes);
      if (!source_->growing()->Back(next->ptr, size, arena.piece)) {
        if (b) arena.Add(b);
        return nullptr;
      }
      CountReserved(static_cast<int64_t>(size));
      arena.holes.erase(next->ptr);
      if (size < next->bytes) {
        Split(next, size);
        arena.holes[next->after->ptr] = next->after;
      }
      next->backed = true;
    }
    if (b)
      TakeIn(b, next);
    else
      b = next;
  }
  return b;
}

// Makes holes of whole pieces of free blocks, once the device has done its work.
void CachingAllocator::Shrink(Arena& arena) {
  std::vector<Block*> free;
  for (Block* b = arena.range ? segments_.at(arena.range).first : nullptr; b; b = b->after)
    if (b->free) free.push_back(b);
  bool waited = false;
  for (Block* b : free) {
    const auto begin = static_cast<size_t>(b->ptr - arena.range);
    const size_t from = RoundUp(begin, arena.piece), to = (begin + b->bytes) / arena.piece * arena.piece;
    if (from >= to) continue;
    if (!std::exchange(waited, true)) source_->growing()->Wait();
    source_->growing()->Bare(arena.range + from, to - from, arena.piece);
    stats_.reserved -= static_cast<int64_t>(to - from);
    arena.Remove(b);
    Block* hole = b;
    if (from > begin) {
      Split(b, from - begin);
      hole = b->after;
      arena.Add(b);
    }
    if (hole->bytes > to - from) {
      Split(hole, to - from);
      arena.Add(hole->after);
    }
    hole->backed = false;
    if (hole->after && !hole->after->backed) {
      arena.holes.erase(hole->after->ptr);
      TakeIn(hole, hole->after);
    }
    if (hole->before && !hole->before->backed)
      TakeIn(hole->before, hole);
    else
      arena.holes[hole->ptr] = hole;
  }
}

// Gives back the addresses of a range without a block in use.
void CachingAllocator::GiveRange(Arena& arena) {
  Shrink(arena);
  Block* hole = segments_.at(arena.range).first;
  source_->growing()->Release(arena.range, arena.range_bytes);
  segments_.erase(arena.range);
  arena.holes.clear();
  arena.begins.clear();
  arena.range = nullptr;
  arena.range_bytes = 0;
  spare_.push_back(hole);
}

// A free block over a new segment, or over what one that grows gains, that serves `bytes`.
CachingAllocator::Block* CachingAllocator::FromSegment(Arena& arena, size_t bytes) {
  for (bool again : {false, true}) {
    Block* first = Room(arena, bytes);
    if (!first) break;
    if (Block* b = Grow(first, bytes)) return b;
    if (again) return nullptr;
    TrimLocked();
  }
  size_t size = bytes;
  if (!plain_) size = !arena.large ? kSmallSegment : bytes <= kMiddle ? kMiddleSegment : RoundUp(bytes, kLargeUnit);
  void* p = TakeSegment(size);
  if (!p && size > bytes) p = TakeSegment(size = bytes);
  if (!p) {
    TrimLocked();
    p = TakeSegment(bytes);
  }
  if (!p) return nullptr;
  Block* b = NewBlock();
  *b = Block{static_cast<char*>(p), size, &arena, this};
  segments_[b->ptr] = {b, size};
  return b;
}

CachingAllocator::Block* CachingAllocator::Allocate(size_t bytes, void* stream) {
  if (TooLarge(bytes)) return nullptr;
  const size_t size = plain_ ? std::max<size_t>(bytes, 1) : std::max(RoundUp(bytes, kUnit), kUnit);
  std::lock_guard<std::mutex> lock(mutex_);
  if (!waiting_.empty() && !pool_) AskWaiting();
  Arena& arena = ArenaOf(stream, size > kSmall);
  Block* b = plain_ ? nullptr : arena.Find(size);
  if (b) {
    arena.Remove(b);
  } else if (b = FromSegment(arena, size); !b) {
    return nullptr;
  }
  if (!plain_ && b->bytes - size >= kUnit) {
    Split(b, size);
    arena.Add(b->after);
  }
  arena.used += arena.Grows(b);
  stats_.allocated += static_cast<int64_t>(b->bytes);
  stats_.allocated_max = std::max(stats_.allocated_max, stats_.allocated);
  return b;
}

void CachingAllocator::GiveSegment(Block* whole) {
  segments_.erase(whole->ptr);
  stats_.reserved -= static_cast<int64_t>(whole->bytes);
  source_->Give(whole->ptr, whole->bytes);
  spare_.push_back(whole);
}

void CachingAllocator::Reuse(Block* b) {
  Arena& arena = *b->arena;
  const bool kept = arena.pool && arena.pool->uses > 0;
  if (plain_ && kept) return arena.Add(b);
  const bool grows = arena.Grows(b), dead = arena.pool && !kept;
  if (b->after && b->after->free) {
    arena.Remove(b->after);
    TakeIn(b, b->after);
  }
  if (b->before && b->before->free) {
    Block* next = std::exchange(b, b->before);
    arena.Remove(b);
    TakeIn(b, next);
  }
  if (grows) {
    --arena.used;
    arena.Add(b);
    if (!dead || arena.used || pool_) return;
    GiveRange(arena);
    return DropPool(arena.pool);
  }
  const bool whole = !b->before && !b->after;
  if (!whole || (!plain_ && !dead)) return arena.Add(b);
  GiveSegment(b);
  if (dead) DropPool(arena.pool);
}

// Forgets a dead pool that has no segment left.
void CachingAllocator::DropPool(MemoryPool* pool) {
  for (auto& [address, segment] : segments_)
    if (segment.first->arena->pool == pool) return;
  last_[0] = last_[1] = nullptr;
  std::erase_if(arenas_, [&](auto& a) { return a->pool == pool; });
  delete pool;
}

void CachingAllocator::Free(Block* block) {
  std::lock_guard<std::mutex> lock(mutex_);
  stats_.allocated -= static_cast<int64_t>(block->bytes);
  if (pool_ && block->arena->pool != pool_) return pool_->held.push_back(block);
  if (block->streams.empty()) return Reuse(block);
  deferred_.push_back(block);
  if (!pool_) RecordDeferred();
}

void CachingAllocator::RecordDeferred() {
  for (Block* b : deferred_) {
    Waiting w{b, {}};
    for (void* stream : b->streams) w.events.push_back(source_->Record(stream));
    b->streams.clear();
    waiting_.push_back(std::move(w));
  }
  deferred_.clear();
}

void CachingAllocator::AskWaiting() {
  std::erase_if(waiting_, [&](Waiting& w) {
    std::erase_if(w.events, [&](void* e) {
      const bool reached = source_->Reached(e);
      if (reached) source_->Forget(e);
      return reached;
    });
    if (w.events.empty()) Reuse(w.block);
    return w.events.empty();
  });
}

bool CachingAllocator::Uses(void* address, void* stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto* at = static_cast<char*>(address);
  auto it = segments_.upper_bound(at);
  if (it == segments_.begin()) return false;
  const auto& [begin, segment] = *std::prev(it);
  if (at >= begin + segment.bytes) return false;
  for (Block* b = segment.grows ? segment.first->arena->Before(at) : segment.first; b; b = b->after) {
    if (at < b->ptr || at >= b->ptr + b->bytes) continue;
    if (b->free || !b->backed) return false;
    if (stream != b->arena->stream && std::find(b->streams.begin(), b->streams.end(), stream) == b->streams.end())
      b->streams.push_back(stream);
    return true;
  }
  return false;
}

void CachingAllocator::EndStream(void* stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [address, segment] : segments_)
    for (Block* b = segment.first; b; b = b->after) std::erase(b->streams, stream);
}

void CachingAllocator::TrimLocked() {
  if (!pool_) AskWaiting();
  GiveUnused();
  if (pool_) return;  // to wait for the device is not allowed while a graph is captured
  std::vector<MemoryPool*> dead;
  for (auto& arena : arenas_) {
    if (!arena->range) continue;
    if (!arena->pool) {
      Shrink(*arena);
    } else if (arena->pool->uses == 0 && arena->used == 0) {
      GiveRange(*arena);
      dead.push_back(arena->pool);
    }
  }
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  for (MemoryPool* pool : dead) DropPool(pool);
}

void CachingAllocator::GiveUnused() {
  std::vector<Block*> whole;
  for (auto& [address, segment] : segments_) {
    Block* b = segment.first;
    const bool kept = segment.grows || (b->arena->pool && b->arena->pool->uses > 0);
    if (b->free && !b->after && !kept) whole.push_back(b);
  }
  for (Block* b : whole) {
    b->arena->Remove(b);
    GiveSegment(b);
  }
}

void CachingAllocator::Trim() {
  std::lock_guard<std::mutex> lock(mutex_);
  TrimLocked();
}

MemoryPool* CachingAllocator::BeginPool(MemoryPool* pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  pool_ = pool ? pool : new MemoryPool;
  ++pool_->uses;
  return pool_;
}

void CachingAllocator::EndPool() {
  std::lock_guard<std::mutex> lock(mutex_);
  pool_ = nullptr;
  RecordDeferred();
}

void CachingAllocator::ReleasePool(MemoryPool* pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--pool->uses > 0) return;
  for (Block* block : pool->held) {
    if (block->streams.empty())
      Reuse(block);
    else
      deferred_.push_back(block);
  }
  pool->held.clear();
  if (!pool_) RecordDeferred();
  GiveUnused();
  for (auto& arena : arenas_)
    if (arena->pool == pool && arena->range && !arena->used && !pool_) GiveRange(*arena);
  DropPool(pool);
}

MemoryStats CachingAllocator::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

void CachingAllocator::ResetPeaks() {
  std::lock_guard<std::mutex> lock(mutex_);
  stats_.allocated_max = stats_.allocated;
  stats_.reserved_max = stats_.reserved;
}

CachingAllocator::Shape CachingAllocator::shape() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Shape s;
  for (auto& [address, segment] : segments_) {
    ++s.segments;
    for (const Block* b = segment.first; b; b = b->after) {
      s.blocks += b->backed;
      if (!b->free) continue;
      s.free_bytes += static_cast<int64_t>(b->bytes);
      s.largest_free = std::max(s.largest_free, static_cast<int64_t>(b->bytes));
    }
  }
  for (const Waiting& w : waiting_) s.waiting_bytes += static_cast<int64_t>(w.block->bytes);
  return s;
}

}  // namespace phi
