// SPDX-License-Identifier: Apache-2.0
// Blocks within huge pages. A tensor of some hundred KiB in pages of its own of 4 KiB costs a miss of the translation
// buffer every 64 lines; here such tensors share pages of 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace phi {

// Not thread safe. What is within a slab is known by bits, so neighbours that are free are one space without effort.
class Slabs {
 public:
  static constexpr size_t kSlab = size_t{2} << 20, kUnit = size_t{64} << 10;
  static constexpr int kUnits = static_cast<int>(kSlab / kUnit);
  static_assert(kUnits == 32);

  // A block of `bytes`, a multiple of kUnit below kSlab, from the slab where it leaves the least; null: none has room.
  void* Take(size_t bytes) noexcept;
  // Takes over kSlab bytes that lie at a multiple of kSlab.
  void Add(void* base);
  // Gives a block back, or whole units of one.
  void Give(void* p, size_t bytes) noexcept;
  // A slab in which nothing is taken, no longer a part of these; null: there is none.
  void* RemoveFree() noexcept;

 private:
  struct Slab {
    char* base = nullptr;
    uint32_t free = ~uint32_t{0};  // a bit for each unit
    int run = 0;                   // the most free units in a row: the list that it is in
    Slab *prev = nullptr, *next = nullptr;
  };
  void Link(Slab& s) noexcept;
  void Unlink(Slab& s) noexcept;
  static uintptr_t BaseOf(const void* p) { return reinterpret_cast<uintptr_t>(p) & ~(uintptr_t{kSlab} - 1); }

  Slab* lists_[kUnits + 1] = {};
  std::unordered_map<uintptr_t, Slab> slabs_;
};

}  // namespace phi
