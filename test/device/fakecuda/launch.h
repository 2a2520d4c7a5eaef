// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel: its blocks run on threads of their own, each block with its warps and shared memory.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "device/fakecuda/machine.h"
#include "device/fakecuda/memory.h"

namespace fakecuda {

struct Counters {
  uint64_t launches = 0, blocks = 0, lanes[static_cast<size_t>(Class::kCount)] = {};
  uint64_t requests = 0, sectors = 0, bytes_read = 0, bytes_written = 0;                // of global memory
  uint64_t shared_requests = 0, bank_conflicts = 0, barriers = 0, vector_requests = 0;  // of 16 bytes a lane
  void Add(const Counters& other);
};

struct Launch {
  const Kernel* kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  std::vector<uint8_t> params;
  Memory* memory = nullptr;
  const Order* order = nullptr;
  int device = 0;
  bool cooperative = false;
  uint64_t limit = 0;  // warp instructions of all blocks, then the launch has hung

  std::atomic<bool> stop{false};
  std::atomic<uint64_t> executed{0};
  std::mutex mutex;
  std::exception_ptr failure;  // the first
  Counters counters;
  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
};

// Runs all blocks; throws the first Find.
void RunLaunch(Launch& launch);

// What a thread that runs blocks keeps from one block to the next.
struct Worker {
  struct Range {
    uint64_t begin = 1, end = 0;
    Allocation* allocation = nullptr;
  };
  std::vector<Range> ranges;       // of each instruction, the allocation it accessed last
  std::vector<uint64_t> executed;  // lanes, of each instruction
  Counters counters;
};

class Block {
 public:
  Block(Launch& launch, Worker& worker);
  void Begin(uint64_t index);
  bool Step(uint64_t quantum);  // true when all threads have left; throws Find on a deadlock
  void Arrive(Warp& warp, const Instr& in, uint32_t mask);
  bool Barrier(uint32_t id, uint32_t count);
  std::string ThreadName(const Warp& warp, int lane) const;

  Launch& launch;
  Worker& worker;
  uint32_t ctaid[3] = {0, 0, 0};
  uint64_t index = 0;
  std::vector<Warp> warps;
  std::vector<uint8_t> shared;
  std::vector<uint32_t> shared_written, shared_read;  // of each byte, see access_shared.cc
  uint32_t epoch = 0, first_epoch = 0;
  bool fenced = false;  // the block has synchronised with others by atomics or fences
  void NextEpoch();

 private:
  void Release(uint32_t id);
  void Deadlock();
  struct BarrierState {
    uint32_t arrived = 0, expected = 0, count = 0, either = 0, all = ~0u, kind = 0;
    const Instr* instr = nullptr;
  };
  std::vector<uint8_t> registers_;
  uint64_t stride_ = 0;
  BarrierState barriers_[16];
};

}  // namespace fakecuda
