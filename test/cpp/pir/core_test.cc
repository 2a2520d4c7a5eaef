// SPDX-License-Identifier: Apache-2.0
// Types, attributes, values, operations, blocks, programs and the verifier.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "paddle/common/error.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/core/context.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/io/printer.h"
#include "test/cpp/pir/test_ops.h"

namespace pir::test {
namespace {

class CoreTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterTestOps(); }
  Value Source() { return b_.Create("test.source", {}, {}, {F32({2, 3})})->result(0); }
  Value Neg(Value x) { return b_.Create("test.neg", {x}, {}, {x.type()})->result(0); }
  Value Add(Value x, Value y) { return b_.Create("test.add", {x, y}, {}, {x.type()})->result(0); }

  Program p_;
  Builder b_{&p_};
};

template <class F>
std::string ErrorOf(F f) {
  try {
    f();
  } catch (const common::Error& e) { return e.what(); }
  return "";
}

TEST_F(CoreTest, TypesAreInterned) {
  Type a = DenseTensorType::Get(DataType::FLOAT32, common::ToDims({2, 3}));
  EXPECT_EQ(a, Type(DenseTensorType::Get(DataType::FLOAT32, common::ToDims({2, 3}), "NCHW")));
  EXPECT_FALSE(a == Type(DenseTensorType::Get(DataType::FLOAT32, common::ToDims({3, 2}))));
  EXPECT_FALSE(a == Type(DenseTensorType::Get(DataType::FLOAT64, common::ToDims({2, 3}))));
  EXPECT_FALSE(a == Type(DenseTensorType::Get(DataType::FLOAT32, common::ToDims({2, 3}), "NHWC")));
  EXPECT_FALSE(a == Type::TensorLike(TypeKind::kSelectedRows, DataType::FLOAT32, common::ToDims({2, 3})));
  Type v[] = {a, a};
  EXPECT_EQ(Type(VectorType::Get(v)), Type(VectorType::Get(v)));
  EXPECT_EQ(TypeText(VectorType::Get(v)), "vec[tensor<2x3xf32>,tensor<2x3xf32>]");
  Type s = F32({-1, 4}), t = F32({-1, 4});
  EXPECT_FALSE(s == t);
  EXPECT_TRUE(SameVisible(s, t));
  EXPECT_EQ(TypeText(s), "tensor<-1x4xf32>");
  EXPECT_EQ(TypeText(DenseTensorType::Get(DataType::BOOL, {})), "tensor<b>");
}

TEST_F(CoreTest, InterningIsThreadSafe) {
  std::vector<std::thread> threads;
  std::vector<const void*> keys(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 2000; ++k) {
        DenseTensorType::Get(DataType::INT64, common::ToDims({k, 7}));
        Attribute::Str("name" + std::to_string(k));
      }
      keys[i] = Attribute::Array({Attribute::Int64(77), Attribute::Str("name5")}).key();
    });
  for (auto& t : threads) t.join();
  for (const void* k : keys) EXPECT_EQ(k, keys[0]);
}

TEST_F(CoreTest, AttributesKeepKindAndBits) {
  EXPECT_FALSE(Attribute::Int32(1) == Attribute::Int64(1));
  EXPECT_FALSE(Attribute::Float(1) == Attribute::Double(1));
  EXPECT_FALSE(Attribute::Double(0.0) == Attribute::Double(-0.0));
  EXPECT_EQ(Attribute::Double(NAN), Attribute::Double(NAN));
  EXPECT_EQ(Attribute::Scalar(phi::Scalar(int64_t{1} << 60)).to_int(), int64_t{1} << 60);
  EXPECT_FALSE(Attribute::Scalar(phi::Scalar((int64_t{1} << 60) + 1)) ==
               Attribute::Scalar(phi::Scalar(int64_t{1} << 60)));
  EXPECT_EQ(Attribute::Double(1e300).to_int(), INT64_MAX);
  EXPECT_EQ(Attribute::Double(NAN).to_int(), 0);
}

TEST_F(CoreTest, AttrValueRoundTrips) {
  std::vector<phi::AttrValue> all = {true,
                                     int32_t{-3},
                                     int64_t{1} << 40,
                                     1.5f,
                                     2.5,
                                     std::string("s"),
                                     std::vector<int32_t>{1, 2},
                                     std::vector<int64_t>{3},
                                     std::vector<float>{0.5f},
                                     std::vector<double>{0.25},
                                     std::vector<bool>{true, false},
                                     std::vector<std::string>{"a", "b"},
                                     phi::Scalar(2.0),
                                     std::vector<phi::Scalar>{phi::Scalar(1)},
                                     common::Ints{4, 5},
                                     DataType::BFLOAT16,
                                     phi::Place{phi::AllocationType::GPU, 1, 0}};
  ASSERT_EQ(all.size() + 1, std::variant_size_v<phi::AttrValue>);
  for (const phi::AttrValue& v : all) {
    Attribute a = Attribute::From(v);
    EXPECT_EQ(a.value(static_cast<AttrCode>(v.index())), v) << v.index();
    EXPECT_EQ(a.value(), v) << v.index();
  }
  // What older files hold: another numeric kind than the op declares.
  EXPECT_EQ(std::get<double>(Attribute::Float(0.5f).value(AttrCode::kDouble)), 0.5);
  EXPECT_EQ(std::get<std::vector<double>>(Attribute::From(std::vector<float>{2, 3}).value(AttrCode::kDoubles)),
            (std::vector<double>{2, 3}));
  EXPECT_EQ(std::get<phi::IntArray>(Attribute::From(std::vector<int32_t>{2, 3}).value(AttrCode::kIntArray)),
            (phi::IntArray{2, 3}));
  EXPECT_NE(ErrorOf([] { Attribute::Int64(int64_t{1} << 40).value(AttrCode::kInt32); }), "");
  EXPECT_NE(ErrorOf([] { Attribute::Str("x").to_double(); }), "");
}

TEST_F(CoreTest, UsesFollowOperands) {
  Value a = Source(), b = Source();
  Value c = Add(a, a);
  EXPECT_EQ(a.use_count(), 2);
  EXPECT_EQ(c.defining_op()->op_operand(1).index(), 1);
  a.ReplaceAllUsesWith(b);
  EXPECT_TRUE(a.use_empty());
  EXPECT_EQ(b.use_count(), 2);
  c.defining_op()->set_operand(0, a);
  EXPECT_TRUE(a.has_one_use());
  std::vector<Value> more = {b, a, b, a, b};
  Operation* y = BuildYield(b_, {});
  y->SetOperands(more);
  EXPECT_EQ(y->operands(), more);
  EXPECT_EQ(a.use_count(), 3);
  y->SetOperands({});
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_NE(ErrorOf([&] { a.defining_op()->Erase(); }), "");
  c.defining_op()->Erase();
  a.defining_op()->Erase();
  EXPECT_EQ(p_.num_ops(), 2u);
}

TEST_F(CoreTest, OrderInsideBlock) {
  Value a = Source(), z = Source();
  b_.SetBefore(z.defining_op());
  Operation* last = nullptr;
  for (int i = 0; i < 100; ++i) {
    Operation* op = Neg(a).defining_op();
    EXPECT_TRUE(!last || last->IsBefore(op));
    EXPECT_TRUE(op->IsBefore(z.defining_op()));
    last = op;
    b_.SetBefore(last->next());
  }
  // Always at the same place, until position keys run out.
  for (int i = 0; i < 100; ++i) {
    b_.SetAfter(a.defining_op());
    Operation* op = Neg(a).defining_op();
    EXPECT_TRUE(a.defining_op()->IsBefore(op));
    EXPECT_TRUE(op->IsBefore(op->next()));
  }
  last->MoveAfter(z.defining_op());
  EXPECT_TRUE(z.defining_op()->IsBefore(last));
  Verify(p_);
}

TEST_F(CoreTest, EpochGrowsWithEveryChange) {
  Value a = Source();
  uint64_t e = p_.epoch();
  auto grew = [&] {
    bool r = p_.epoch() > e;
    e = p_.epoch();
    return r;
  };
  Value n = Neg(a);
  EXPECT_TRUE(grew());
  n.defining_op()->set_attr("k", Attribute::Bool(true));
  EXPECT_TRUE(grew());
  n.defining_op()->set_operand(0, a);
  EXPECT_TRUE(grew());
  Operation* w = BuildWhile(b_, a, {});
  grew();
  Builder inner(&w->region(0).front());
  inner.Create("test.neg", {a}, {}, {a.type()});
  EXPECT_TRUE(grew());
  Print(p_);
  Verify(*n.defining_op());
  EXPECT_FALSE(grew());
}

TEST_F(CoreTest, CloneIsDeepAndSharesParameters) {
  p_.set_parameter("w", std::make_shared<int>(7));
  Value w = BuildParameter(b_, "w", F32({3}));
  Value c = b_.Create("test.source", {}, {}, {DenseTensorType::Get(DataType::BOOL, common::ToDims({1}))})->result(0);
  Type t[] = {w.type()};
  Operation* branch = BuildIf(b_, c, t);
  for (int r = 0; r < 2; ++r) {
    Builder inner(&branch->region(r).front());
    Value v[] = {inner.Create("test.neg", {w}, {}, {w.type()})->result(0)};
    BuildYield(inner, v);
  }
  Verify(p_);
  IrMapping m;
  auto q = p_.Clone(m);
  Verify(*q);
  EXPECT_EQ(Print(*q), Print(p_));
  EXPECT_EQ(q->parameter("w"), p_.parameter("w"));
  EXPECT_EQ(m.Lookup(w).defining_op()->program(), q.get());
  EXPECT_EQ(w.use_count(), 2);
  EXPECT_EQ(CapturedValues(*branch), std::vector<Value>{w});
}

TEST_F(CoreTest, VerifyNamesWhatIsWrong) {
  Value a = Source();
  Operation* n = Neg(a).defining_op();
  Verify(p_);
  n->MoveBefore(a.defining_op());
  EXPECT_NE(ErrorOf([&] { Verify(p_); }).find("[test.neg] expected operand 0 to be defined before its use"),
            std::string::npos);
  n->MoveAfter(a.defining_op());
  Verify(p_);
  n->SetOperands({});
  EXPECT_NE(ErrorOf([&] { Verify(p_); }).find("expected 1 operands, got 0"), std::string::npos);
  n->Erase();
  b_.SetToEnd(&p_.block());
  Operation* w = BuildWhile(b_, a, std::vector<Value>{a});
  EXPECT_NE(ErrorOf([&] { Verify(p_); }).find("cf.yield"), std::string::npos);
  Builder inner(&w->region(0).front());
  Value y[] = {a, inner.Create("test.neg", {inner.block()->arg(0)}, {}, {a.type()})->result(0)};
  BuildYield(inner, y);
  Verify(p_);
  // A value of a region is not visible outside.
  Value hidden = y[1];
  Neg(hidden);
  EXPECT_NE(ErrorOf([&] { Verify(p_); }).find("visible"), std::string::npos);
}

TEST_F(CoreTest, LaterRegistrationReplacesInPlace) {
  const OpInfo* first = RegisterOp(MakeOp("test.twice", 1, kSideEffect));
  const OpInfo* second = RegisterOp(MakeOp("test.twice", 2, kElementwise));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->inputs.size(), 2u);
  EXPECT_TRUE(first->has(kSideEffect) && first->has(kElementwise));
  EXPECT_EQ(FindOp("test.twice"), first);
  EXPECT_EQ(FindOp("test.never"), nullptr);
}

TEST_F(CoreTest, DestroyHookSeesEveryHandle) {
  static int seen;
  seen = 0;
  SetValueDestroyHook([](detail::ValueImpl*) { ++seen; });
  {
    Program q;
    Builder b(&q);
    Value v = b.Create("test.source", {}, {}, {F32({1})})->result(0);
    v.impl()->user = &seen;
    Operation* w = BuildWhile(b, v, std::vector<Value>{v});
    w->region(0).front().arg(0).impl()->user = &seen;
  }
  SetValueDestroyHook(nullptr);
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace pir::test
