// SPDX-License-Identifier: Apache-2.0
// Comparisons of extents that recordings and plans depend on.
#include "paddle/executor/extent_tests.h"

#include <gtest/gtest.h>

#include "paddle/phi/core/tensor.h"

namespace executor {
namespace {

std::vector<Tensor> Shaped(const std::vector<phi::Ints>& shapes) {
  std::vector<Tensor> r;
  for (const phi::Ints& dims : shapes) r.push_back(phi::FullLike(dims, phi::DataType::FLOAT32, 1));
  return r;
}

TEST(ExtentTest, CalculatesAsCodeDid) {
  // (x.shape[1] + 3) // 2 - y.shape[0] == 1
  const ExtentTest t({{'d', 0, 1},
                      {'n', 3, 0},
                      {'+', 0, 0},
                      {'n', 2, 0},
                      {'/', 0, 0},
                      {'d', 1, 0},
                      {'-', 0, 0},
                      {'n', 1, 0},
                      {'=', 0, 0}});
  EXPECT_TRUE(t.Holds(Shaped({{9, 4}, {2}})));
  EXPECT_TRUE(t.Holds(Shaped({{1, 3}, {2}})));
  EXPECT_FALSE(t.Holds(Shaped({{9, 5}, {2}})));
  EXPECT_FALSE(t.Holds(Shaped({{9, 4}, {3}})));
}

TEST(ExtentTest, KnowsWhatExtentsBroadcastTo) {
  const ExtentTest t({{'d', 0, 0}, {'d', 1, 0}, {'b', 0, 0}, {'n', 5, 0}, {'=', 0, 0}});
  EXPECT_TRUE(t.Holds(Shaped({{5}, {5}})));
  EXPECT_TRUE(t.Holds(Shaped({{1}, {5}})));
  EXPECT_TRUE(t.Holds(Shaped({{5}, {1}})));
  EXPECT_FALSE(t.Holds(Shaped({{1}, {1}})));
}

TEST(ExtentTest, WhatCannotBeCalculatedDoesNotHold) {
  EXPECT_FALSE(ExtentTest({{'n', 1, 0}, {'d', 0, 0}, {'/', 0, 0}, {'n', 0, 0}, {'=', 0, 0}}).Holds(Shaped({{0}})));
  EXPECT_FALSE(
      ExtentTest({{'n', INT64_MAX, 0}, {'d', 0, 0}, {'*', 0, 0}, {'n', 0, 0}, {'!', 0, 0}}).Holds(Shaped({{2}})));
}

TEST(ExtentTest, StepsAreAComparison) {
  using Steps = std::vector<ExtentTest::Step>;
  for (const Steps& steps :
       {Steps{}, Steps{{'d', 0, 0}}, Steps{{'n', 1, 0}, {'>', 0, 0}, {'n', 1, 0}}, Steps{{'n', 1, 0}, {'>', 0, 0}},
        Steps{{'n', 1, 0}, {'n', 1, 0}, {'?', 0, 0}}, Steps{{'n', 1, 0}, {'n', 1, 0}, {'n', 1, 0}, {'>', 0, 0}}})
    EXPECT_THROW(ExtentTest{steps}, common::Error);
}

}  // namespace
}  // namespace executor
