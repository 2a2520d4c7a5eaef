// SPDX-License-Identifier: Apache-2.0
// The loop IR: a fusion group with its loops chosen. Every code generator (CPU, GPUs) reads this and decides
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/cinn/ir/group.h"
#include "paddle/common/small_vector.h"

namespace cinn {

// A loop over the product of adjacent iteration axes; no parts: one iteration.
struct LoopAxis {
  std::vector<int> parts;
};

enum class LoopMode : uint8_t {
  kElementwise,  // parallel over elements, vector lanes along the last axis
  kRowReduce,    // parallel over rows, lanes along the last reduced axis, tree across lanes
  kColReduce,    // parallel over kept elements, lanes along the last kept axis, a loop over the reduced ones
};

enum class LaneAccess : uint8_t { kUniform, kUnit, kStrided };

// A value kept from one sweep to a later one in the memory of an output that is written last: later sweeps read it as
// input number (inputs + output).
struct LoopSpill {
  int stage = 0;
  Expr value;
  int output = 0;
};

// One sweep over the reduced (or, without reductions, all) axes.
struct LoopStage {
  std::vector<int> reductions;  // accumulated in this sweep
  std::vector<int> outputs;     // full-shape outputs stored in this sweep
};

struct LoopNest {
  FusionGroup group;  // simplified
  LoopMode mode = LoopMode::kElementwise;
  std::vector<LoopAxis> rows;  // outer kept axes
  std::vector<LoopAxis> reds;  // reduced axes outside the lane loop
  LoopAxis lane;
  std::vector<LoopStage> stages;
  std::vector<LoopSpill> spills;
  std::vector<LaneAccess> access;  // of each input, then of each output
  int width = 16;                  // lanes of a vector
  int unroll = 1;                  // vectors of a main-loop step
  int cost = 1;                    // rough operations per element, for the parallel grain
  int bytes = 0;                   // of memory per element, likewise
  int kept = 0;                    // bytes per element of what several sweeps over a row need
  int work = 0;                    // operations that all sweeps repeat per element, for the cost model
};

// Rough operations of an expression that reductions alone do not give, shared parts once; those on 8 byte values are
// two.
int OperationsOf(const Expr& e);
// Of these, a value that a later sweep needs again is kept.
inline constexpr int kCostly = 15;

// Lanes are summed in blocks of this many elements before the float64 level of the tree.
inline constexpr int kRowBlock = 8192;
inline constexpr int kColBlock = 256;

// Type of the values that accumulate within a block, and of the level above.
DataType LaneType(const GroupReduction& r);
DataType TopType(const GroupReduction& r);

LoopNest Schedule(FusionGroup g);
std::string ToString(const LoopNest& n);

// Fills the runtime description a kernel reads: extents of rows, reds and lane, then for every input and output its
// strides along them (in elements), then the `rank` original extents and the group's params. `strides` as for
// Interpret.
using KernelMeta = common::SmallVector<int64_t, 96>;
void FillMeta(const LoopNest& n, const int64_t* dims, KernelMeta& meta, const int64_t* strides = nullptr);

}  // namespace cinn
