// SPDX-License-Identifier: Apache-2.0
// A fusion group: what one kernel computes, without saying how. Values are expressions over one iteration space.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "paddle/cinn/ir/expr.h"

namespace cinn {

enum class ReduceKind : uint8_t { kSum, kMean, kProd, kMax, kMin, kAny, kAll };
const char* ReduceName(ReduceKind k);

inline constexpr int kMaxGroupRank = 16;

// A set of iteration axes.
class AxisSet {
 public:
  static AxisSet Range(int begin, int end) {
    AxisSet s;
    for (int a = begin; a < end; ++a) s.add(a);
    return s;
  }
  void add(int axis) { bits_ |= 1u << axis; }
  bool has(int axis) const { return bits_ >> axis & 1; }
  bool empty() const { return bits_ == 0; }
  int count() const { return std::popcount(bits_); }
  // One past the last axis.
  int end() const { return std::bit_width(bits_); }
  // How many axes there are when they are the first ones, else 0.
  int leading() const { return count() == end() ? count() : 0; }
  bool operator==(const AxisSet&) const = default;

 private:
  uint32_t bits_ = 0;
};

// Element [i0, i1, ...] of the iteration space reads the input at those of its axes that are real.
struct GroupInput {
  DataType dtype = DataType::FLOAT32;
  // Per iteration axis: false = the input has extent 1 there. Empty: all real.
  std::vector<bool> real;
  // Real axes from outermost to innermost in memory. Empty: increasing, a contiguous tensor.
  std::vector<int> order;
  // A part of a tensor, read at the strides the caller gives: along these axes the stride is not the product of the
  // inner extents. Empty: none.
  std::vector<bool> cut;
  bool unit = true;  // the stride of the innermost real axis is 1
  // Elements further on than the axes say, an int64 value; undefined: none.
  Expr offset;
  // Where false, nothing is read and the value is 0; undefined: true.
  Expr mask;
  bool plain() const { return cut.empty() && unit && !offset.defined() && !mask.defined(); }
};

// $j: the value reduced over the reduced axes. It may refer to $i with i < j.
// Sums of integers are int64, the others keep the compute type; floating sums use a fixed tree with float64 at its top.
struct GroupReduction {
  ReduceKind kind = ReduceKind::kSum;
  Expr value;
};

struct GroupOutput {
  Expr value;
  DataType dtype = DataType::FLOAT32;  // as stored; the value is converted
  bool reduced = false;                // one element for each combination of the kept axes, else for each iteration
  // As for inputs: the elements are a part of a tensor.
  std::vector<bool> cut;
  bool unit = true;
  bool plain() const { return cut.empty() && unit; }
};

// Outputs are contiguous unless they say otherwise. An output may be the same memory as an input only if that input has
// the full shape and its type, and the group has no reductions.
struct FusionGroup {
  int rank = 1;
  AxisSet reduced;  // axes; empty: no reduction
  int params = 0;   // further numbers known at a run: Expr::Extent(rank + k) is the k-th
  std::vector<GroupInput> inputs;
  std::vector<GroupReduction> reductions;
  std::vector<GroupOutput> outputs;
};

DataType ReducedType(const GroupReduction& r);
// Throws when the description contradicts itself.
void Validate(const FusionGroup& g);
// Simplifies all expressions together.
void SimplifyGroup(FusionGroup& g);
// Equal text means an equal group.
std::string GroupKey(const FusionGroup& g);
std::string ToString(const FusionGroup& g);
// The oracle: computes the outputs one element after another. dims has `rank` extents, then `params` numbers; strides
// has for each input and output one number (in elements) per axis, or is null where all of them are plain.
void Interpret(const FusionGroup& g, void* const* inputs, void* const* outputs, const int64_t* dims,
               const int64_t* strides = nullptr);

}  // namespace cinn
