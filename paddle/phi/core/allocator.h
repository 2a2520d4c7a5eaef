// SPDX-License-Identifier: Apache-2.0
// The caching CPU allocator: size-class free lists per thread for small blocks, a shared cache of page-aligned blocks
// for large ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phi {

// Alignment of every block.
inline constexpr size_t kAlignment = 64;

// Returns a block of at least `bytes`; throws ResourceExhausted (MemoryError) when the system refuses. 0 bytes gives a
// valid block.
void* AllocateCpu(size_t bytes);
// `bytes` must be what was asked for.
void FreeCpu(void* p, size_t bytes);

struct MemoryStats {
  int64_t allocated = 0;      // bytes in live blocks
  int64_t allocated_max = 0;  // the highest `allocated` has been (large blocks; small ones are added on query)
  int64_t reserved = 0;       // bytes taken from the system and not given back
  int64_t reserved_max = 0;
};
MemoryStats CpuMemoryStats();
void ResetCpuMemoryPeaks();
// Gives cached large blocks back to the system.
void ReleaseCpuCache();
// While one exists, a large request that no cached block fits gives as many bytes of cached blocks back to the system
// first.
class FrugalMemory {
 public:
  FrugalMemory();
  ~FrugalMemory();
  FrugalMemory(const FrugalMemory&) = delete;
};

}  // namespace phi
