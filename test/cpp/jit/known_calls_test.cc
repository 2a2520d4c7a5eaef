// SPDX-License-Identifier: Apache-2.0
// Which calls a recording fits, and in which order recordings are looked at.
#include "paddle/jit/known_calls.h"

#include <gtest/gtest.h>

#include "paddle/phi/core/tensor.h"

namespace paddle::jit {
namespace {

Tensor Ones(const phi::Ints& dims, phi::DataType dtype = phi::DataType::FLOAT32) {
  return phi::FullLike(dims, dtype, 1);
}

TEST(TensorSpec, FitsTensorsOfItsKind) {
  Tensor x = Ones({2, 3});
  TensorSpec spec = TensorSpec::Of(x);
  EXPECT_TRUE(spec.Fits(x));
  EXPECT_TRUE(spec.Fits(Ones({2, 3})));
  EXPECT_FALSE(spec.Fits(Ones({2, 4})));
  EXPECT_FALSE(spec.Fits(Ones({2, 3, 1})));
  EXPECT_FALSE(spec.Fits(Ones({2, 3}, phi::DataType::FLOAT64)));
  EXPECT_FALSE(spec.Fits(Tensor()));
  x->stop_gradient = false;
  EXPECT_FALSE(spec.Fits(x));
}

TEST(TensorSpec, FreeExtentsFitAll) {
  TensorSpec spec = TensorSpec::Of(Ones({2, 3}));
  spec.dims = {-1, 3};
  EXPECT_TRUE(spec.Fits(Ones({7, 3})));
  EXPECT_TRUE(spec.Fits(Ones({0, 3})));
  EXPECT_FALSE(spec.Fits(Ones({7, 2})));
}

TEST(Modes, DependOnWhatCallsReadAlone) {
  const Modes now = Modes::Now();
  EXPECT_TRUE(now == Modes::Now());
  {
    const egr::GradModeGuard off(!now.dispatch.grad_enabled);
    EXPECT_FALSE(now == Modes::Now());
  }
  {
    const ModesKept kept;
    phi::SetDefaultDtype(phi::DataType::FLOAT64);
    EXPECT_FALSE(now == Modes::Now());
  }
  EXPECT_TRUE(now == Modes::Now());
  Modes amp = now, other = now;
  other.dispatch.amp_dtype = static_cast<int8_t>(phi::DataType::FLOAT16);
  EXPECT_TRUE(amp == other);  // AMP is off in both
  amp.dispatch.amp_level = other.dispatch.amp_level = egr::kAmpO1;
  EXPECT_FALSE(amp == other);
}

TEST(CallCache, UsedOnesComeAhead) {
  CallCache<KnownCall> cache;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cache.Add(std::make_shared<KnownCall>()), i);
  auto numbers = [&] {
    std::vector<int64_t> r;
    for (auto& call : cache.all()) r.push_back(call->number);
    return r;
  };
  EXPECT_EQ(numbers(), (std::vector<int64_t>{2, 1, 0}));
  cache.Use(2);
  EXPECT_EQ(numbers(), (std::vector<int64_t>{2, 0, 1}));
  cache.Use(1);
  cache.Use(0);
  cache.Use(99);  // was forgotten meanwhile
  EXPECT_EQ(numbers(), (std::vector<int64_t>{0, 2, 1}));
  cache.Forget([](const KnownCall& call) { return call.number == 2; });
  EXPECT_EQ(numbers(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(cache.Take().size(), 2u);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.Add(std::make_shared<KnownCall>()), 3);
}

TEST(CallCache, KeepsThoseUsedLast) {
  CallCache<KnownCall> cache;
  const size_t most = CallCache<KnownCall>::kMost;
  std::weak_ptr<KnownCall> first;
  for (size_t i = 0; i <= most; ++i) {
    auto call = std::make_shared<KnownCall>();
    if (i == 0) first = call;
    cache.Add(std::move(call));
    EXPECT_EQ(first.expired(), i == most);
  }
  EXPECT_EQ(cache.size(), most);
  EXPECT_EQ(cache.at(0).number, static_cast<int64_t>(most));
  EXPECT_EQ(cache.at(most - 1).number, 1);
}

TEST(CallCache, WhatIsLookedAtStays) {
  CallCache<KnownCall> cache;
  auto call = std::make_shared<KnownCall>();
  std::weak_ptr<KnownCall> watch = call;
  cache.Add(std::move(call));
  {
    const CallCache<KnownCall>::Look look(cache);
    {
      const CallCache<KnownCall>::Look inner(cache);
      cache.Take();
    }
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(cache.size(), 0u);
}

TEST(KnownCall, PlainOnesRunWithAnyTensors) {
  KnownCall call;
  EXPECT_TRUE(call.Runs({Ones({1})}));
}

}  // namespace
}  // namespace paddle::jit
