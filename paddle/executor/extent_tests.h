// SPDX-License-Identifier: Apache-2.0
// What is assumed of extents that are free: comparisons that Python code made while it was recorded, and what a plan
// takes for equal.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace executor {

using paddle::Tensor;

// A comparison of two extents or numbers, or of what is calculated of them, in postfix order.
class ExtentTest {
 public:
  // An extent 'd' of tensor `a` along axis `b`, the number `a` ('n'), + - *, floor division '/' and what they broadcast
  // to ('b') of the two before it; last a comparison: '<', '>', '=', '!' (not equal).
  struct Step {
    char op;
    int64_t a, b;
  };

  // Throws InvalidArgument for steps that are no comparison.
  explicit ExtentTest(std::vector<Step> steps);
  // Whether it is true of these tensors, which are as many as when it was made; not of fewer axes.
  bool Holds(const std::vector<Tensor>& tensors) const;

 private:
  std::vector<Step> steps_;
};

inline bool AllHold(const std::vector<ExtentTest>& tests, const std::vector<Tensor>& tensors) {
  for (const ExtentTest& t : tests)
    if (!t.Holds(tensors)) return false;
  return true;
}

}  // namespace executor
