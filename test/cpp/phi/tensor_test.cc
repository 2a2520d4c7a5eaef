// SPDX-License-Identifier: Apache-2.0
// Shapes and their layout, axes, memory kept by threads, and what in-place writes leave behind.
#include <gtest/gtest.h>

#include <thread>

#include "paddle/eager/autograd/inplace.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/thread_memory.h"

namespace phi {
namespace {

common::ErrorCode CodeOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const common::Error& e) { return e.code(); }
  ADD_FAILURE() << "expected an error";
  return common::ErrorCode::kInternal;
}

TEST(Shape, ProductCountsAndRefuses) {
  EXPECT_EQ(common::Product(Ints{}), 1);
  EXPECT_EQ(common::Product(Ints{2, 3, 4}), 24);
  EXPECT_EQ(common::Product(Ints{2, 0, 4}), 0);
  EXPECT_EQ(common::Product(Ints{1 << 29, 1 << 29}), int64_t{1} << 58);
  for (const Ints& d : {Ints{int64_t{1} << 59}, Ints{0, int64_t{1} << 62}, Ints{INT64_MAX, INT64_MAX}, Ints{-1, 3},
                        Ints{INT64_MIN}, Ints{-1, -1}, Ints(65, 1)})
    EXPECT_EQ(CodeOf([&] { common::Product(d); }), common::ErrorCode::kInvalidArgument) << common::ShapeText(d);
}

TEST(Shape, RowMajorLooksAtAxesOfSeveralElements) {
  int64_t count = -1;
  EXPECT_TRUE(common::RowMajor({2, 3}, {3, 1}, &count));
  EXPECT_EQ(count, 6);
  EXPECT_TRUE(common::RowMajor({2, 1, 3}, {3, 77, 1}, &count));
  EXPECT_TRUE(common::RowMajor({}, {}, &count));
  EXPECT_EQ(count, 1);
  EXPECT_FALSE(common::RowMajor({2, 3}, {1, 2}, &count));
  EXPECT_FALSE(common::RowMajor({2, 3}, {0, 1}, &count));
  EXPECT_TRUE(common::RowMajor({2, 0}, {5, 9}, &count));
  EXPECT_EQ(count, 0);
}

TEST(Shape, EmptyRefusesWhatNoTensorHas) {
  const Tensor t = Empty({2, 0, 3}, DataType::FLOAT32);
  EXPECT_EQ(t.strides(), (Ints{3, 3, 1}));
  EXPECT_EQ(t.numel(), 0);
  EXPECT_EQ(CodeOf([] { Empty({2, -1}, DataType::FLOAT32); }), common::ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Empty(Ints(65, 1), DataType::FLOAT32); }), common::ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Empty({2}, DataType::UNDEFINED); }), common::ErrorCode::kInvalidType);
  for (const Ints& d : {Ints{int64_t{1} << 44}, Ints{int64_t{1} << 40, int64_t{1} << 40}, Ints{0, INT64_MAX, 4}})
    EXPECT_EQ(CodeOf([&] { Empty(d, DataType::FLOAT64); }), common::ErrorCode::kResourceExhausted);
}

// Braces around numbers are elements or do not compile: they never mean a count.
template <class T, class... A>
concept Braced = requires(A... a) {
  T{a...};
};
static_assert(Braced<Dims, Dim> && Braced<Dims, Dim, Dim> && !Braced<Dims, int64_t> && !Braced<Dims, int, Dim>);
static_assert(!std::is_constructible_v<Dims, int64_t> && std::is_constructible_v<Ints, int64_t>);
static_assert(!std::is_convertible_v<int64_t, Dim> && std::is_constructible_v<Dim, int64_t>);

// Whether two tensors are one is asked by is_same: == compares their elements. Extents may be unknown, so have no ==.
template <class T>
concept Compared = requires(T a, T b) {
  a == b;
};
static_assert(std::is_same_v<decltype(Tensor() == Tensor()), Tensor> && !std::is_convertible_v<Tensor, bool>);
static_assert(!Compared<Dim>);

TEST(Shape, AStateAgreesWithItself) {
  const Ref<Storage> memory = Storage::Allocate(48, Place{});
  const TensorState dense = TensorState::Dense({2, 3}, DataType::FLOAT32, memory, 4);
  EXPECT_EQ(dense.strides(), (Ints{3, 1}));
  EXPECT_EQ(dense.numel(), 6);
  EXPECT_TRUE(dense.contiguous());
  const TensorState turned = TensorState::Strided({3, 2}, {1, 3}, 4, DataType::FLOAT32, memory);
  EXPECT_FALSE(turned.contiguous());
  EXPECT_EQ(turned.numel(), 6);

  const Tensor x(dense), y(turned);
  x->stop_gradient = false;
  x->Become(y->state());
  EXPECT_EQ(x.dims(), turned.dims());
  EXPECT_EQ(x.strides(), turned.strides());
  EXPECT_FALSE(x.is_contiguous());
  EXPECT_EQ(x.raw_data(), y.raw_data());
  EXPECT_FALSE(x.stop_gradient());
  x->Become(x->state().WithoutStorage());
  EXPECT_FALSE(x->storage());
  EXPECT_EQ(x.strides(), turned.strides());

  const Tensor program(TensorState::Symbolic(Dims{common::NewSymbol(), Dim(3)}, DataType::INT64));
  EXPECT_TRUE(program.is_symbolic());
  EXPECT_EQ(program.numel(), -1);
  EXPECT_EQ(TensorState::Symbolic(Dims{Dim(2), Dim(3)}, DataType::INT64).dims(), (Ints{2, 3}));
  EXPECT_EQ(CodeOf([] { TensorState::Dense({-1}, DataType::FLOAT32); }), common::ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              TensorState::Strided({INT64_MAX, 2}, {0, 0}, 0, DataType::FLOAT32, {});
            }),
            common::ErrorCode::kInvalidArgument);
}

TEST(Shape, AxesAreCountedFromBothEnds) {
  EXPECT_EQ(common::NormalizeAxis("sum", -1, 0), 0);
  EXPECT_EQ(common::NormalizeAxis("sum", -2, 3), 1);
  EXPECT_EQ(CodeOf([] { common::NormalizeAxis("sum", 3, 3); }), common::ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { common::NormalizeAxis("split", 0, 0); }), common::ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { common::NormalizeAxis("gather", 3, 3); }), common::ErrorCode::kOutOfRange);
}

TEST(SmallVector, CopiesAndMovesOnBothSidesOfTheHeap) {
  const Ints small{1, 2, 3}, large{1, 2, 3, 4, 5, 6, 7, 8};
  for (const Ints& from : {small, large})
    for (const Ints& to : {small, large, Ints{}}) {
      Ints copy(to), moved(from);
      copy = from;
      EXPECT_EQ(copy, from);
      Ints taken(to);
      taken = std::move(moved);
      EXPECT_EQ(taken, from);
      EXPECT_TRUE(moved.empty());  // NOLINT: what a move leaves is stated
      copy = copy;                 // NOLINT
      EXPECT_EQ(copy, from);
    }
  EXPECT_FALSE(small == large);
  EXPECT_FALSE((Ints{1, 2}) == (Ints{1, 3}));
}

TEST(ThreadMemory, AThreadKeepsWhatItFreesAndGivesItBackAtItsEnd) {
  if (common::kSanitized) GTEST_SKIP() << "nothing is kept under a sanitizer";
  const int64_t reserved = CpuMemoryStats().reserved;
  Tensor handed;
  std::thread([&] {
    void* first = AllocateCpu(5000);
    FreeCpu(first, 5000);
    EXPECT_EQ(AllocateCpu(5000), first);
    FreeCpu(first, 5000);
    EXPECT_GT(CpuMemoryStats().reserved, reserved);
    handed = Empty({4}, DataType::FLOAT32);
  }).join();
  const int64_t small = 64 + static_cast<int64_t>(BlockSize(BlockClass(sizeof(Storage)))) +
                        static_cast<int64_t>(BlockSize(BlockClass(sizeof(TensorImpl))));
  EXPECT_EQ(CpuMemoryStats().reserved, reserved + small);  // the tensor's
  const int64_t allocated = CpuMemoryStats().allocated;
  handed.reset();
  EXPECT_EQ(CpuMemoryStats().allocated, allocated - 64);
}

TEST(KernelContext, AnOpDrawsFromTheGeneratorItIsGiven) {
  const OpDef* op = FindOpDef("gaussian");
  const AttrValue attrs[] = {IntArray(Ints{5}), 0.0, 1.0, int64_t{0}, DataType::FLOAT32, Place{}};
  const auto drawn = [&](Generator* generator) {
    KernelContext context;
    context.generator = generator;
    Tensor out;
    OutSlot outs[] = {OutSlot(out)};
    op->run(context, nullptr, attrs, outs);
    return std::vector<float>(out.data<float>(), out.data<float>() + out.numel());
  };
  DefaultCpuGenerator().SetSeed(7);
  const auto state = DefaultCpuGenerator().GetState();
  Generator own(7);
  const auto first = drawn(&own), second = drawn(&own);
  EXPECT_NE(first, second);
  EXPECT_EQ(DefaultCpuGenerator().GetState(), state);
  EXPECT_EQ(drawn(nullptr), first);
  EXPECT_NE(DefaultCpuGenerator().GetState(), state);
}

TEST(Inplace, AWriteThatKeepsTheOldValueLeavesNothingBehindWithoutViews) {
  Tensor leaf = paddle::full({3}, Scalar(0.5), DataType::FLOAT32, {});
  leaf->stop_gradient = false;
  Tensor x = paddle::scale(leaf, Scalar(2.0));
  const auto write = [&](bool saved, DataType dtype) {
    Tensor old = egr::BeforeWrite(x, "square_", saved);
    const Tensor result = paddle::cast(paddle::square(old), dtype);
    egr::WriteOver(x, old, result, "square_", saved);
    return egr::MetaOf(x).left.size();
  };
  EXPECT_EQ(write(true, DataType::FLOAT32), 0u);
  EXPECT_EQ(write(false, DataType::FLOAT64), 0u);
  const Tensor view = paddle::reshape(x, {3, 1});
  EXPECT_EQ(write(false, DataType::FLOAT32), 1u);
}

}  // namespace
}  // namespace phi
