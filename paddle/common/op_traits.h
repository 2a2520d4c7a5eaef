// SPDX-License-Identifier: Apache-2.0
// What stanzas say of ops beside their declarations: the keys under "Traits" in docs/design/add_an_op.md, as one
// generated table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace common {

// The elements of the result are elements of operands (of a gradient op: of the output gradient), at places that shapes
// and arguments tell. From kSplit to kUnpad it could be a view of one operand.
enum class Movement : uint8_t {
  kNone,
  kSplit,
  kUnbind,
  kTranspose,
  kExtents,
  kExpand,
  kSlice,
  kFlip,
  kUnpad,
  kConcat,
  kStack,
  kPad,
  kUnslice,  // one operand in zeros
  kRoll,
  kGather,  // slices of x at `index` along `axis`
  kRows,    // those of the second operand at the numbers of the first
};
constexpr bool IsView(Movement m) { return m != Movement::kNone && m <= Movement::kUnpad; }
// kLike: a sum to the shape of the second operand.
enum class Reduction : uint8_t { kNone, kSum, kMean, kMax, kMin, kAny, kAll, kLike };
// What the elements of the result are of those of the operands, where they may be extents; kShape: the extents of x.
enum class Calculation : uint8_t { kNone, kShape, kSame, kCast, kSum, kDifference, kProduct, kQuotient };

struct OpTraits {
  bool cheap = false;              // a compiled gradient computes it again rather than read it
  bool any_layout = false;         // the order of axes does not matter
  bool conv_epilogue = false;      // an activation that fused convolutions apply
  bool matmul_epilogue = false;    // one that fused products apply
  bool integers = false;           // the fusion compiler's rule means the same on integers
  bool not_fused = false;          // never joins fused groups
  bool range_error = false;        // an axis out of range is kOutOfRange
  bool index_value_error = false;  // an index out of range is kInvalidArgument
  bool needs_axis = false;         // a 0-D tensor is refused
  bool rank_varies = false;        // where extents are unknown, so is the rank of the result
  // Bits of the tensor arguments that get no gradient, and of the results that have no history.
  uint16_t constant_operands = 0;
  uint16_t constant_results = 0;
  Movement movement = Movement::kNone;
  Reduction reduction = Reduction::kNone;
  Calculation calculation = Calculation::kNone;
};

// "tanh" of "pd_op.tanh" and of "tanh".
constexpr std::string_view BareName(std::string_view op) {
  constexpr std::string_view kDialect = "pd_op.";
  return op.starts_with(kDialect) ? op.substr(kDialect.size()) : op;
}
// Of "tanh" or "pd_op.tanh". An op without a stanza has none of the traits.
const OpTraits& TraitsOf(std::string_view op);
// Of the op whose gradient this one is, by its name; none of the traits where it is none.
const OpTraits& TraitsOfForward(std::string_view op);

// The generated table, sorted by name.
struct OpTraitsRow {
  std::string_view op;
  OpTraits traits;
};
extern const OpTraitsRow kOpTraits[];
extern const size_t kOpTraitsCount;

}  // namespace common
