// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/op_traits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "paddle/pir/dialect/pd_op.h"

namespace common {
namespace {

TEST(OpTraits, AreFoundByBothNames) {
  EXPECT_TRUE(TraitsOf("add").cheap);
  EXPECT_TRUE(TraitsOf(pir::pd::kAdd).cheap);
  EXPECT_TRUE(TraitsOf(pir::pd::kTanh).any_layout);
  EXPECT_EQ(TraitsOf(pir::pd::kTransposeGrad).movement, Movement::kTranspose);
  EXPECT_EQ(TraitsOf(pir::pd::kAmax).reduction, Reduction::kMax);
}

TEST(OpTraits, AnOpWithoutAStanzaHasNone) {
  for (const char* name : {"", "pd_op.", "no_such_op", pir::pd::kData}) {
    const OpTraits& t = TraitsOf(name);
    EXPECT_FALSE(t.cheap || t.any_layout || t.integers || t.range_error || t.needs_axis) << name;
    EXPECT_EQ(t.movement, Movement::kNone) << name;
    EXPECT_EQ(t.reduction, Reduction::kNone) << name;
  }
}

TEST(OpTraits, TheTableIsSorted) {
  EXPECT_TRUE(std::is_sorted(kOpTraits, kOpTraits + kOpTraitsCount,
                             [](const OpTraitsRow& a, const OpTraitsRow& b) { return a.op < b.op; }));
}

}  // namespace
}  // namespace common
