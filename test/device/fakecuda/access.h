// SPDX-License-Identifier: Apache-2.0
// Every access of a kernel to memory goes through here: where its bytes are, and whether it may.
#pragma once

#include "device/fakecuda/launch.h"

namespace fakecuda {

enum class Touch : uint8_t { kRead, kWrite, kAtomic };

struct Lanes {
  uint64_t address[kLanes];
  uint8_t* host[kLanes];  // where the bytes of each active lane are
  bool adjacent = false;  // all 32 lanes active, each beginning where the one before ends
};

// The lanes' addresses of an instruction with an address operand.
void Addresses(const Warp& w, const Instr& in, Lanes& lanes);

// Checks the access of `bytes` a lane in the instruction's space and sets lanes.host. `values`, where given, are what a
// store writes (`bytes` a lane, packed): stores of equal values by several threads are no race.
void Check(Warp& w, const Instr& in, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes,
           const uint8_t* values = nullptr);
void CheckSpace(Warp& w, const Instr& in, Space space, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes,
                const uint8_t* values = nullptr);

// The shadows of a copy or fill by the driver; throws Find as a kernel's access does.
void CheckRange(Memory& memory, const Order& order, uint64_t address, uint64_t bytes, Touch touch,
                const std::string& what);

void CheckShared(Warp& w, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes, const uint8_t* values);

}  // namespace fakecuda
