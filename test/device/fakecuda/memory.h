// SPDX-License-Identifier: Apache-2.0
// Device memory. Its addresses are reserved in the process without access, so the host faults on them; the bytes lie in
// a second mapping at a constant distance. Freed addresses are not given out again until the range is used up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace fakecuda {

// A shadow value of a byte of global memory: the operation (12 bits) and the block (20 bits) that touched it last.
constexpr uint32_t kBlockBits = 20, kBlockMask = (1u << kBlockBits) - 1, kMaxOrder = 4095;
constexpr uint32_t kManyBlocks = kBlockMask, kAtomicBlock = kBlockMask - 1;

// What happened before an operation: ordered[id] of each earlier one whose effects it may rely on.
struct Order {
  uint32_t id = 1;
  std::array<uint8_t, kMaxOrder + 1> ordered{};
  std::array<std::string, kMaxOrder + 1>* names = nullptr;
};

constexpr uint64_t kPart = 2 << 20;
constexpr uint8_t kMapped = 0x80;

enum class Origin : uint8_t { kDevice, kPool, kVirtual, kImported, kModule, kHost, kRegistered };

struct Allocation {
  uint64_t address = 0, size = 0, id = 0;
  Origin origin = Origin::kDevice;
  int device = 0;
  bool live = true;
  std::string made, freed;  // the calls
  uint8_t* bytes = nullptr;
  uint32_t* written = nullptr;  // shadows; null of host memory, whose writes nobody sees
  uint32_t* read = nullptr;
  uint64_t mapped = 0;  // length of each shadow's mapping
  uint64_t maker = 0;   // stream that made or freed it in stream order
  // Of a range of virtual addresses, what lies behind each kPart of it: bit 7 for memory, bit d for access by device d.
  std::vector<uint8_t> parts;
  std::string Describe() const;
  // The bytes around the address that the device, or for -1 any device, may touch, and why it may no others.
  std::pair<uint64_t, uint64_t> Open(uint64_t address, int device) const;
  std::string Closed(uint64_t address, int device) const;
};

class Memory {
 public:
  static Memory& Get();

  // Null when the device's addresses are used up.
  Allocation* Allocate(int device, uint64_t size, Origin origin, const std::string& made);
  Allocation* AdoptHost(void* address, uint64_t size, Origin origin, const std::string& made);
  void Free(Allocation* allocation, const std::string& freed);
  Allocation* Find(uint64_t address);     // live or freed, which holds the address
  std::string Explain(uint64_t address);  // what lies at or near it
  uint64_t Used(int device) const { return used_[static_cast<size_t>(device)]; }
  std::vector<const Allocation*> Live() const;
  void ForgetOrders();  // all shadows become writes of operation kMaxOrder
  uint64_t Reserve(int device, uint64_t size, uint64_t align);
  Allocation* AdoptRange(int device, uint64_t address, uint64_t size, Origin origin, const std::string& made);
  void Hold(int device, uint64_t bytes) { used_[static_cast<size_t>(device)] += bytes; }
  void Drop(int device, uint64_t bytes) { used_[static_cast<size_t>(device)] -= bytes; }
  void Unmap(Allocation& range, uint64_t address, uint64_t size);  // what was written there is forgotten
  uint8_t* Bytes(uint64_t address) const { return reinterpret_cast<uint8_t*>(address + delta_); }
  void MapShared(uint64_t address, uint64_t size, int descriptor, uint64_t offset);

  static constexpr int kDevices = 4;
  static constexpr uint64_t kSpan = 1ull << 42;  // addresses of a device

 private:
  Memory();
  void Shadow(Allocation& a);
  uint64_t base_ = 0, delta_ = 0, next_id_ = 0;
  uint64_t next_[kDevices] = {}, used_[kDevices] = {};
  std::map<uint64_t, std::unique_ptr<Allocation>> all_;
  mutable std::shared_mutex mutex_;
};

}  // namespace fakecuda
