// SPDX-License-Identifier: Apache-2.0
// What a tape knows of tensors: which it was given and which calls made, and that nothing else changed them.
#include "paddle/jit/tape_tensors.h"

#include <gtest/gtest.h>

#include "paddle/phi/core/tensor.h"

namespace paddle::jit {
namespace {

Tensor Ones(const phi::Ints& dims) { return phi::FullLike(dims, phi::DataType::FLOAT32, 1); }

// A tape of calls that are made by hand.
class Tape final : public TapeTensors {
 public:
  using TapeTensors::TapeTensors;
  ~Tape() { Finish(); }

  // `made` came of a call with `arguments`.
  void Called(const std::vector<Tensor>& arguments, const Tensor& made) {
    CheckReads();
    std::vector<int> from;
    for (const Tensor& t : arguments)
      if (!stopped()) from.push_back(Use(t));
    for (int i : from)
      if (!stopped()) Check(i);
    if (stopped()) return;
    const int result = Make(made, from);
    for (int i : from) Settle(i);
    Settle(result);
    Sweep();
  }
  using TapeTensors::IndexOf;
  int dropped = 0;

 private:
  void Drop(std::vector<Slot> tensors) override { ++dropped; }
};

TEST(TapeTensors, KnowsWhereTensorsCameFrom) {
  Tensor x = Ones({2}), w = Ones({2}), y = Ones({2}), other = Ones({2});
  Tape tape({x}, {w});
  tape.Start();
  EXPECT_EQ(t_capture.tape, &tape);
  EXPECT_TRUE(tape.takes());
  EXPECT_FALSE(tape.Uses(w));
  tape.Called({x, w}, y);
  tape.Finish();
  EXPECT_EQ(t_capture.tape, nullptr);
  EXPECT_EQ(tape.end(), TapeTensors::kRecord);
  EXPECT_TRUE(tape.Made(x) && tape.Made(y));
  EXPECT_TRUE(tape.Uses(w) && !tape.Made(w));
  EXPECT_FALSE(tape.Uses(other));
}

TEST(TapeTensors, RefusesArgumentsItCannotTellApart) {
  Tensor x = Ones({2});
  EXPECT_EQ(Tape({x, x}, {}).end(), TapeTensors::kOnce);
  EXPECT_EQ(Tape({x}, {x}).end(), TapeTensors::kOnce);
  Tape tape({x}, {});
  tape.Know(x);
  EXPECT_EQ(tape.end(), TapeTensors::kOnce);
}

TEST(TapeTensors, EndsWhereMemoryChangedBetweenCalls) {
  Tensor x = Ones({2}), y = Ones({2}), z = Ones({2});
  Tape tape({x}, {});
  tape.Start();
  tape.Called({x}, y);
  y->storage()->BumpVersion();
  tape.Called({y}, z);
  EXPECT_EQ(tape.end(), TapeTensors::kPlain);
  EXPECT_EQ(tape.dropped, 1);
  EXPECT_FALSE(tape.Uses(x));
  tape.Stop(TapeTensors::kOnce, "later");
  EXPECT_EQ(tape.why(), "a tensor was changed by something else than an operation");
}

TEST(TapeTensors, EndsWhereMemoryChangedAfterTheLastCall) {
  Tensor x = Ones({2}), w = Ones({2});
  Tape tape({x}, {w});
  tape.Start();
  w->storage()->BumpVersion();
  tape.Finish();
  EXPECT_EQ(tape.end(), TapeTensors::kPlain);
}

TEST(TapeTensors, EndsWhereNumbersWereRead) {
  Tape tape({Ones({2})}, {});
  tape.Start();
  NoteRead(Ones({1}));
  EXPECT_TRUE(tape.Lost());
}

TEST(TapeTensors, EndsForThisCallWhereAModeChanged) {
  Tape tape({Ones({2})}, {});
  const egr::GradModeGuard back(egr::State().grad_enabled);
  tape.Start();
  egr::State().grad_enabled = !egr::State().grad_enabled;
  tape.Finish();
  EXPECT_EQ(tape.end(), TapeTensors::kChanged);
}

TEST(TapeTensors, InnerTapesHideOuterOnes) {
  Tape outer({}, {}), inner({}, {});
  outer.Start();
  inner.Start();
  EXPECT_EQ(t_capture.tape, &inner);
  StopTape(TapeTensors::kPlain, "here");
  inner.Finish();
  EXPECT_EQ(t_capture.tape, &outer);
  EXPECT_TRUE(inner.stopped() && !outer.stopped());
}

}  // namespace
}  // namespace paddle::jit
