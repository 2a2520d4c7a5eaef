// SPDX-License-Identifier: Apache-2.0
// Extents that broadcast against each other are most often equal at a run. A plan that takes them for equal sums no
// gradients to the shapes of operands, and forms groups across them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "paddle/executor/extent_tests.h"
#include "paddle/pir/core/program.h"

namespace executor {

class EqualExtents {
 public:
  // What may be assumed of a program: extents that it broadcasts, as far as those of its inputs tell what they are.
  EqualExtents(const pir::Program& program, const std::vector<pir::Value>& inputs);
  // What inputs must be like; empty where nothing is assumed.
  const std::vector<ExtentTest>& tests() const { return tests_; }
  // Gives values the types that they have then, and removes sums that are none, also from `results`. Results of the
  // program stay tensors of their own.
  void WriteTo(pir::Program& program, std::vector<pir::Value>& results) const;

 private:
  // How an extent follows from those of the inputs, where it does.
  std::optional<std::vector<ExtentTest::Step>> StepsOf(common::Dim d) const;
  void Meet(common::Dim d);
  void Assume(common::Dim a, common::Dim b);
  // The one that stands for all that are equal, a number or that which was there first.
  common::Dim Root(common::Dim d) const;
  common::Dim Written(common::Dim d) const;
  pir::Type Written(pir::Type t) const;

  std::unordered_map<int64_t, ExtentTest::Step> given_;  // where inputs have them, by symbol
  std::unordered_map<int64_t, common::Dim> equal_;       // another one that a symbol is equal to
  std::vector<ExtentTest> tests_;
};

}  // namespace executor
