// SPDX-License-Identifier: Apache-2.0
// Whether a group is worth its kernel: times of both ways on one thread, from counts of what they do and coefficients
// fitted to measurements (tools/fit_fusion.py). They depend on the group and the extents alone.
#pragma once

#include <array>
#include <cstdint>

#include "paddle/cinn/schedule/loop_nest.h"

namespace cinn {

// What the operations of a group do one by one.
struct SingleWork {
  struct PerElement {
    double operations = 0, bytes = 0, reductions = 0;
  };
  int calls = 0;
  PerElement full, kept;  // of the iteration space, and of its kept axes
};

// Counts of what one way does; the coefficients are ns each.
struct CostTerms {
  double calls = 0, operations = 0;
  double tails = 0;  // operations of vectors that are not full
  double bytes = 0, strided = 0;
  double masked = 0;  // elements read under a mask, or at numbers that differ within a vector
  double loops = 0, reductions = 0;
  std::array<double, 8> list() const { return {calls, operations, tails, bytes, strided, masked, loops, reductions}; }
};
// `dims` as for CompiledGroup::Run.
CostTerms FusedTerms(const LoopNest& nest, const int64_t* dims);
CostTerms SingleTerms(const SingleWork& work, const LoopNest& nest, const int64_t* dims);

struct CostEstimate {
  double fused_ns = 0, single_ns = 0;
};
CostEstimate EstimateCost(const CostTerms& fused, const CostTerms& single);

}  // namespace cinn
