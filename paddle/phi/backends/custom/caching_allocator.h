// SPDX-License-Identifier: Apache-2.0
// Memory of one device, kept for later requests: segments are taken from the device, split for requests and merged
// again, for each stream apart, since work in one stream is in order and that of two is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle/phi/core/allocator.h"

namespace phi {

// Addresses of a device, and memory behind parts of them, for segments that grow where they are.
class GrowingMemory {
 public:
  virtual ~GrowingMemory() = default;
  virtual size_t unit() const = 0;                             // of sizes and of addresses
  virtual size_t span() const = 0;                             // how many addresses are asked for at a time
  virtual void* Reserve(size_t bytes) = 0;                     // addresses without memory; null when refused
  virtual void Release(void* p, size_t bytes) = 0;             // those of Reserve, without memory
  virtual bool Back(void* p, size_t bytes, size_t piece) = 0;  // in pieces of that size; false when refused
  virtual void Bare(void* p, size_t bytes, size_t piece) = 0;  // of memory that no work uses
  virtual void Wait() = 0;                                     // for all work on the device
};

// Where segments come from, and the events that say when a stream has passed a point. Called under the allocator's
// lock.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual void* Take(size_t bytes) = 0;          // null when the device refuses
  virtual void Give(void* p, size_t bytes) = 0;  // after all work that uses it
  virtual void* Record(void* stream) = 0;        // an event at the present end of the stream
  virtual bool Reached(void* event) = 0;         // false: not yet
  virtual void Forget(void* event) = 0;          // ends what Record began
  virtual GrowingMemory* growing() { return nullptr; }
};

// Memory that graphs keep: blocks taken while it is in use go to no other request until the pool is released.
struct MemoryPool;

class CachingAllocator {
 public:
  struct Arena;
  // What a request gets. Neighbours are those of its segment.
  struct Block {
    char* ptr = nullptr;
    size_t bytes = 0;
    Arena* arena = nullptr;
    CachingAllocator* owner = nullptr;
    Block *before = nullptr, *after = nullptr;        // in memory
    Block *previous = nullptr, *following = nullptr;  // in the list of free blocks
    bool free = false;
    bool backed = true;          // false: addresses without memory, a hole of a segment that grows
    std::vector<void*> streams;  // other streams that use it
  };

  // `plain`: each request is a segment of its own with exactly the bytes asked for, given back when it is freed, so
  // that tools that watch the device's allocations see each tensor.
  CachingAllocator(std::unique_ptr<MemorySource> source, bool plain);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;

  // Null when the device has no more memory, also after unused segments were given back.
  Block* Allocate(size_t bytes, void* stream);
  void Free(Block* block);
  // The block is used in `stream` too: once freed, it is kept until that has passed this point. False where `address`
  // is in no block that is in use.
  bool Uses(void* address, void* stream);
  // The stream has done its work and ends.
  void EndStream(void* stream);
  // Gives segments without a block in use back.
  void Trim();

  // From Begin to End all requests are served from the pool, a new one for null, which is held once more until Release.
  // Meanwhile no event is recorded or asked, and blocks from elsewhere that are freed live as long as the pool. One at
  // a time.
  MemoryPool* BeginPool(MemoryPool* pool);
  void EndPool();
  void ReleasePool(MemoryPool* pool);

  MemoryStats stats() const;
  void ResetPeaks();
  // For reports: how many segments and blocks there are, bytes in free blocks, and the largest of these.
  struct Shape {
    int64_t segments = 0, blocks = 0, free_bytes = 0, largest_free = 0, waiting_bytes = 0;
  };
  Shape shape() const;

 private:
  struct Segment {
    Block* first;
    size_t bytes;
    bool grows = false;
  };
  struct Waiting {
    Block* block;
    std::vector<void*> events;
  };

  Arena& ArenaOf(void* stream, bool large);
  Block* FromSegment(Arena& arena, size_t bytes);
  void* TakeSegment(size_t bytes);
  void CountReserved(int64_t bytes);
  bool ReserveRange(Arena& arena);
  Block* Room(Arena& arena, size_t bytes);
  Block* Grow(Block* first, size_t bytes);
  void Split(Block* b, size_t bytes);
  void TakeIn(Block* b, Block* next);
  void Shrink(Arena& arena);
  void GiveRange(Arena& arena);
  void Reuse(Block* b);  // puts a free block back, merged with its neighbours
  void GiveSegment(Block* whole);
  void AskWaiting();
  void RecordDeferred();
  void TrimLocked();
  void GiveUnused();
  void DropPool(MemoryPool* pool);
  Block* NewBlock();

  mutable std::mutex mutex_;
  std::unique_ptr<MemorySource> source_;
  const bool plain_;
  std::vector<std::unique_ptr<Arena>> arenas_;
  Arena* last_[2] = {nullptr, nullptr};  // those of the last small and large request
  std::map<char*, Segment> segments_;    // by address
  std::vector<Block*> spare_;            // Block objects without memory
  std::vector<Waiting> waiting_;
  std::vector<Block*> deferred_;  // freed while a pool is in use, with streams to record
  MemoryPool* pool_ = nullptr;    // in use
  MemoryStats stats_;
};

}  // namespace phi
