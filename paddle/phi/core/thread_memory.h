// SPDX-License-Identifier: Apache-2.0
// What a thread keeps to make and free tensors: freed blocks by size class. It is one object, so that making or
// freeing a tensor looks for thread-local memory once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "paddle/common/sanitizer.h"

namespace phi {

// Classes are powers of two with one half step: 64, 96, 128, 192, ... up to 64 KiB.
inline constexpr int kBlockClasses = 21;
inline constexpr size_t kLargestBlock = 64 << 10;
constexpr size_t BlockSize(int c) { return (c & 1) ? (size_t{96} << (c >> 1)) : (size_t{64} << (c >> 1)); }
constexpr int BlockClass(size_t bytes) {
  if (bytes <= 64) return 0;
  const int log = 63 - __builtin_clzll(bytes - 1);  // bytes in (2^log, 2^(log+1)]
  const int c = 2 * (log - 6);
  return bytes <= (size_t{3} << (log - 1)) ? c + 1 : c + 2;
}

struct FreeBlock {
  FreeBlock* next;
};

// Blocks are linked through themselves: giving one back takes no memory. They stay with the thread that frees them.
struct ThreadMemory {
  FreeBlock* head[kBlockClasses] = {};
  int64_t room = 0;  // bytes that may still be kept: none before the first block and once the thread ends
  int64_t live = 0;  // bytes of data given out less those given back, since the shared counter was told
  bool open = false, closed = false;  // the end of the thread is watched; it has come

  // The slow halves of TakeBlock and GiveBlock: a block from the system, and one for which there is no room.
  void* NewBlock(int c);
  void DropBlock(void* p, int c);

 private:
  bool Open();
};
extern thread_local constinit ThreadMemory t_memory;

// A block of class c, aligned to 64 bytes. Raises ResourceExhausted when the system refuses.
inline void* TakeBlock(ThreadMemory& m, int c) {
  FreeBlock* b = m.head[c];
  if (__builtin_expect(b == nullptr, 0)) return m.NewBlock(c);
  m.head[c] = b->next;
  m.room += static_cast<int64_t>(BlockSize(c));
  return b;
}
inline void GiveBlock(ThreadMemory& m, void* p, int c) {
  m.room -= static_cast<int64_t>(BlockSize(c));
  if (__builtin_expect(m.room < 0, 0)) return m.DropBlock(p, c);
  auto* b = static_cast<FreeBlock*>(p);
  b->next = m.head[c];
  m.head[c] = b;
}

// AllocateCpu and FreeCpu for at most kLargestBlock bytes.
inline void* AllocateSmall(ThreadMemory& m, size_t bytes) {
  const int c = BlockClass(bytes);
  void* p = TakeBlock(m, c);
  m.live += static_cast<int64_t>(BlockSize(c));
  return p;
}
inline void FreeSmall(ThreadMemory& m, void* p, size_t bytes) {
  const int c = BlockClass(bytes);
  m.live -= static_cast<int64_t>(BlockSize(c));
  GiveBlock(m, p, c);
}

// Memory of an object of the library itself, of at most kLargestBlock bytes.
inline void* TakeObject(ThreadMemory& m, size_t bytes) {
  if constexpr (common::kSanitized) return ::operator new (bytes, std::align_val_t{64});
  return TakeBlock(m, BlockClass(bytes));
}
inline void GiveObject(ThreadMemory& m, void* p, size_t bytes) {
  if constexpr (common::kSanitized) return ::operator delete (p, std::align_val_t{64});
  GiveBlock(m, p, BlockClass(bytes));
}

}  // namespace phi
