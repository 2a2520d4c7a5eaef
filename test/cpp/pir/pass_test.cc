// SPDX-License-Identifier: Apache-2.0
// The pass manager, the rewriter, and folding; what passes do to text is in test/ir.
#include "paddle/pir/pass/pass.h"

#include <gtest/gtest.h>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/pass/prune.h"
#include "paddle/pir/pass/rewrite.h"
#include "test/cpp/pir/test_ops.h"

namespace pir::test {
namespace {

class PassTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterTestOps(); }
  Value Op(const char* name, std::initializer_list<Value> in, AttributeMap attrs = {}) {
    return b_.Create(name, in, std::move(attrs), {F32({4})})->result(0);
  }
  Value Const(int64_t v) { return Op("test.const", {}, {{"value", Attribute::Int64(v)}}); }
  void Sink(Value v) { b_.Create("test.sink", {v}, {}, {}); }

  Program p_;
  Builder b_{&p_};
};

std::shared_ptr<void> Num(int64_t v) { return std::make_shared<int64_t>(v); }
int64_t Get(const std::shared_ptr<void>& p) { return *static_cast<int64_t*>(p.get()); }

std::vector<std::shared_ptr<void>> Eval(const Operation& op, std::span<const std::shared_ptr<void>> in) {
  if (op.isa("test.const")) return {Num(op.attr("value").to_int())};
  if (op.isa("test.add")) return {Num(Get(in[0]) + Get(in[1]))};
  if (op.isa("test.neg")) return {Num(-Get(in[0]))};
  return {};
}

TEST_F(PassTest, FoldingKeepsOnlyRoots) {
  Value x = Op("test.source", {});
  Value k = Op("test.neg", {Op("test.add", {Const(2), Const(3)})});
  Sink(Op("test.add", {x, k}));
  Sink(Op("test.mul", {Const(2), Const(3)}));  // the evaluator declines mul
  ConstantFoldingOptions o;
  o.evaluate = Eval;
  PassManager pm;
  pm.Add(CreateConstantFolding(o));
  pm.Add("dead_code_elimination_pass");
  EXPECT_TRUE(pm.Run(p_));
  Verify(p_);
  std::vector<std::string> constants;
  for (Operation& op : p_.block())
    if (op.isa("builtin.constant")) constants.push_back(op.attr("value").to_str());
  ASSERT_EQ(constants.size(), 1u) << Print(p_);
  EXPECT_EQ(Get(p_.parameter(constants[0])), -5);
  EXPECT_EQ(p_.num_ops(), 8u) << Print(p_);
  EXPECT_FALSE(pm.Run(p_));
}

TEST_F(PassTest, FoldingLeavesParametersUnlessAsked) {
  p_.set_parameter("w", Num(4));
  Value w = BuildParameter(b_, "w", F32({4}));
  Sink(Op("test.neg", {w}));
  ConstantFoldingOptions o;
  o.evaluate = Eval;
  EXPECT_FALSE(CreateConstantFolding(o)->Run(p_));
  o.fold_parameters = true;
  EXPECT_TRUE(CreateConstantFolding(o)->Run(p_));
  o.max_elements = 3;
  Sink(Op("test.neg", {w}));
  EXPECT_FALSE(CreateConstantFolding(o)->Run(p_));
}

TEST_F(PassTest, GraphPatternFusesAndRespectsUses) {
  using G = GraphPattern;
  PatternSet set;
  set.Add<G>("muladd",
             G::Op("test.add", {G::Op("test.mul", {G::Any("x"), G::Any("y")}).Named("mul").OneUse(), G::Any("z")})
                 .Commutative())
      .Replace([](const Match& m, PatternRewriter& r) {
        return std::vector<Value>{
            r.CreateOp("test.muladd", {m.value("x"), m.value("y"), m.value("z")}, {}, {m.root()->result_type(0)})
                ->result(0)};
      });
  Value x = Op("test.source", {}), y = Op("test.source", {});
  Sink(Op("test.add", {Op("test.mul", {x, y}), y}));
  Sink(Op("test.add", {y, Op("test.mul", {x, y})}));  // operands the other way round
  Value shared = Op("test.mul", {x, x});
  Sink(Op("test.add", {shared, shared}));  // two uses: stays
  EXPECT_EQ(ApplyPatterns(p_.block(), set), 2);
  Verify(p_);
  int fused = 0, mul = 0;
  for (Operation& op : p_.block()) {
    fused += op.isa("test.muladd");
    mul += op.isa("test.mul");
  }
  EXPECT_EQ(fused, 2);
  EXPECT_EQ(mul, 1);
}

TEST_F(PassTest, HigherBenefitGoesFirstAndConditionsDecline) {
  using G = GraphPattern;
  PatternSet set;
  std::vector<int> tried;
  for (int benefit : {1, 5, 3})
    set.Add<G>("n" + std::to_string(benefit), G::Op("test.neg", {G::Op("test.neg", {G::Any("x")})}), benefit)
        .Where([&tried, benefit](const Match&) {
          tried.push_back(benefit);
          return benefit == 3;
        })
        .Replace([](const Match& m, PatternRewriter&) { return std::vector<Value>{m.value("x")}; });
  Value x = Op("test.source", {});
  Sink(Op("test.neg", {Op("test.neg", {x})}));
  EXPECT_EQ(ApplyPatterns(p_.block(), set), 1);
  EXPECT_EQ(tried, (std::vector<int>{5, 3}));
  EXPECT_EQ(p_.num_ops(), 2u) << Print(p_);
}

TEST_F(PassTest, PatternsThatUndoEachOtherEnd) {
  struct Swap : RewritePattern {
    Swap() : RewritePattern("test.add") {}
    bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
      Value a = op->operand(0), b = op->operand(1);
      r.ReplaceOp(op, r.CreateOp("test.add", {b, a}, {}, {op->result_type(0)})->result(0));
      return true;
    }
  };
  PatternSet set;
  set.Add<Swap>();
  Sink(Op("test.add", {Op("test.source", {}), Op("test.source", {})}));
  RewriteOptions o;
  o.max_rewrites = 50;
  EXPECT_THROW(ApplyPatterns(p_.block(), set, o), common::Error);
  Verify(p_);
}

TEST_F(PassTest, ManagerDumpsAndNamesFailures) {
  Op("test.neg", {Op("test.source", {})});
  PassOptions o;
  o.dump_only_on_change = true;
  std::vector<std::string> dumps;
  o.dump = [&](DumpAt at, const std::string& pass, const std::string& text) {
    dumps.push_back((at == DumpAt::kBefore ? "before " : "after ") + pass +
                    std::to_string(text.find("test.neg") != std::string::npos));
  };
  PassManager pm(o);
  pm.Add("common_subexpression_elimination_pass");
  pm.Add("dead_code_elimination_pass");
  EXPECT_TRUE(pm.Run(p_));
  EXPECT_EQ(dumps,
            (std::vector<std::string>{"before dead_code_elimination_pass1", "after dead_code_elimination_pass0"}));

  struct Broken : Pass {
    Broken() : Pass("broken") {}
    bool Run(Program& p) override {
      p.block().front()->AddRegion();
      return true;
    }
  };
  PassOptions v;
  v.verify_each = true;
  PassManager bad(v);
  bad.Add(std::make_unique<Broken>());
  try {
    bad.Run(p_);
    ADD_FAILURE();
  } catch (const common::Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("[broken] [test.source]", 0), 0u) << e.what();
  }
  EXPECT_THROW(CreatePass("no_such_pass"), common::Error);
}

TEST_F(PassTest, PruneKeepsTheSliceAndItsWriters) {
  p_.set_parameter("w", Num(1));
  p_.set_parameter("unused", Num(2));
  Value w = BuildParameter(b_, "w", F32({4}));
  BuildParameter(b_, "unused", F32({4}));
  Value x = BuildData(b_, "x", F32({4}));
  Value h = Op("test.mul", {x, w});
  Op("test.write", {h});  // before a needed use
  Value mid = Op("test.neg", {h});
  Value y = Op("test.add", {mid, w});
  Op("test.write", {w});  // after every needed use: an optimizer
  Sink(y);
  Value fetch[] = {y};
  auto q = Prune(p_, std::vector<Value>{x}, fetch);
  std::vector<std::string> names;
  for (Operation& op : q->block()) names.push_back(op.name());
  EXPECT_EQ(names, (std::vector<std::string>{"builtin.parameter", "pd_op.data", "test.mul", "test.write", "test.neg",
                                             "test.add", "pd_op.fetch"}));
  EXPECT_TRUE(q->parameter("w"));
  EXPECT_FALSE(q->parameter("unused"));
  // A feed in the middle cuts off what is above it.
  PruneOptions o;
  o.feed_names = {"mid"};
  auto r = Prune(p_, std::vector<Value>{mid}, fetch, o);
  EXPECT_EQ(r->num_ops(), 4u) << Print(*r);
  EXPECT_EQ(r->block().front()->next()->attr("name").to_str(), "mid");
  EXPECT_THROW(Prune(*q, {}, fetch), common::Error);
}

TEST_F(PassTest, RegisteredPassesAreFound) {
  struct Nothing : Pass {
    Nothing() : Pass("nothing_pass") {}
    bool Run(Program&) override { return false; }
  };
  RegisterPass("nothing_pass", [] { return std::make_unique<Nothing>(); });
  EXPECT_TRUE(HasPass("nothing_pass"));
  EXPECT_EQ(CreatePass("nothing_pass")->name(), "nothing_pass");
}

}  // namespace
}  // namespace pir::test
