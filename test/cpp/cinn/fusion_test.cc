// SPDX-License-Identifier: Apache-2.0
// Groups formed on PIR blocks: what joins, what must not, the order afterwards, and runs on tensors.
#include "fusion_ir.h"
#include "paddle/cinn/fusion/lowering.h"
#include "paddle/pir/dialect/pd_op.h"

namespace cinn {
namespace {

TEST(Fusion, RulesHaveTheTraitsOfTheirOps) {
  ASSERT_TRUE(FindLowering(pir::pd::kAdd));
  EXPECT_TRUE(FindLowering(pir::pd::kAdd)->integers);
  EXPECT_FALSE(FindLowering(pir::pd::kTanh)->integers);
  for (const char* op : {pir::pd::kI0, pir::pd::kDigamma, pir::pd::kGammaln, pir::pd::kGammalnGrad})
    EXPECT_FALSE(FindLowering(op)) << op;
}

TEST(Fusion, ChainWithBiasAndReductionIsOneKernelForAllSizes) {
  Ir ir;
  const Dim n = common::NewSymbol();
  Value x = ir.Data("x", {n, 5}), bias = ir.Data("bias", {5});
  Value h = ir.Op("pd_op.tanh", {ir.Op("pd_op.add", {x, bias}, {n, 5})}, {n, 5});
  Value s = ir.Op("pd_op.scale", {h, ir.Full(0.5)}, {n, 5});
  Value out = ir.Sum(s, {-1}, {n});
  ir.Fetch(h, "h");
  ir.Fetch(out, "out");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].inputs.size(), 2u);
  EXPECT_EQ(groups[0].outputs.size(), 2u);
  FusedRunner run(groups[0]);
  const CompilerStats before = GetCompilerStats();
  for (int64_t rows : {1, 3, 40, 0}) {
    paddle::Tensor tx = Fill({rows, 5}, 1), tb = Fill({5}, 2), o[2];
    const paddle::Tensor* in[] = {groups[0].inputs[0] == x ? &tx : &tb, groups[0].inputs[0] == x ? &tb : &tx};
    paddle::Tensor* po[] = {&o[0], &o[1]};
    run.Run(in, po);
    const int ih = groups[0].outputs[0] == h ? 0 : 1;
    ASSERT_EQ(o[1 - ih].dims().size(), 1);
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < 5; ++c) {
        const float want = std::tanh(tx.data<float>()[r * 5 + c] + tb.data<float>()[c]);
        EXPECT_NEAR(o[ih].data<float>()[r * 5 + c], want, 2e-7);
        sum += 0.5 * want;
      }
      EXPECT_NEAR(o[1 - ih].data<float>()[r], sum, 1e-6);
    }
  }
  EXPECT_EQ(GetCompilerStats().compiled, before.compiled);
}

TEST(Fusion, NormalisationReadsItsReductionBack) {
  Ir ir;
  Value x = ir.Data("x", {4, 6});
  Value e = ir.Op("pd_op.exp", {x}, {4, 6});
  pir::AttributeMap a;
  Value s = ir.Sum(e, {1}, {4, 1});
  Value out = ir.Op("pd_op.divide", {e, s}, {4, 6});
  ir.Fetch(out, "out");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].outputs.size(), 1u);
  paddle::Tensor tx = Fill({4, 6}, 3), o;
  const paddle::Tensor* in[] = {&tx};
  paddle::Tensor* po[] = {&o};
  FusedRunner(groups[0]).Run(in, po);
  for (int r = 0; r < 4; ++r) {
    double sum = 0;
    for (int c = 0; c < 6; ++c) sum += std::exp(tx.data<float>()[r * 6 + c]);
    for (int c = 0; c < 6; ++c)
      EXPECT_NEAR(o.data<float>()[r * 6 + c], std::exp(tx.data<float>()[r * 6 + c]) / sum, 1e-6);
  }
}

TEST(Fusion, ReducedShapeThatAlignsWithAnotherAxisStaysOut) {
  Ir ir;
  Value x = ir.Data("x", {6, 6});
  Value e = ir.Op("pd_op.exp", {x}, {6, 6});
  Value s = ir.Sum(e, {1}, {6});  // aligned from the right, it would be read along columns
  Value out = ir.Op("pd_op.divide", {e, s}, {6, 6});
  ir.Fetch(out, "out");
  auto groups = FuseBlock(ir.program.block());
  for (const FusedOps& g : groups)
    for (pir::Operation* op : g.ops) EXPECT_NE(op, out.defining_op());
}

TEST(Fusion, NoCircleThroughAnOutsideOperation) {
  Ir ir;
  Value x = ir.Data("x", {4, 4});
  Value a = ir.Op("pd_op.tanh", {x}, {4, 4});
  Value b = ir.Op("pd_op.exp", {a}, {4, 4});
  Value m = ir.Op("pd_op.matmul", {b, b}, {4, 4});
  Value c = ir.Op("pd_op.add", {a, m}, {4, 4});  // needs the matmul, which needs the group of a and b
  Value d = ir.Op("pd_op.square", {c}, {4, 4});
  ir.Fetch(d, "d");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].ops.size(), 2u);
  EXPECT_EQ(groups[1].ops.size(), 2u);
}

TEST(Fusion, MembersBecomeAdjacentAndUsesStayBelow) {
  Ir ir;
  Value x = ir.Data("x", {4, 4});
  Value a = ir.Op("pd_op.tanh", {x}, {4, 4});
  Value m = ir.Op("pd_op.matmul", {a, a}, {4, 4});
  Value b = ir.Op("pd_op.exp", {a}, {4, 4});
  ir.Fetch(m, "m");
  ir.Fetch(b, "b");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(a.defining_op()->next(), b.defining_op());
  EXPECT_TRUE(b.defining_op()->IsBefore(m.defining_op()));
}

TEST(Fusion, CheapOperationsGoToTheOnlyGroupThatReadsThem) {
  for (const bool read : {true, false}) {  // whether the group behind the product reads what they are made from
    Ir ir;
    Value x = ir.Data("x", {4, 4});
    Value a = ir.Op("pd_op.tanh", {x}, {4, 4});
    Value b = ir.Op("pd_op.scale", {ir.Op("pd_op.scale", {a, ir.Full(0.5)}, {4, 4}), ir.Full(3)}, {4, 4});
    Value m = ir.Op("pd_op.matmul", {a, a}, {4, 4});
    Value c = ir.Op("pd_op.multiply", {m, b}, {4, 4});
    Value d = ir.Op("pd_op.add", {c, read ? a : x}, {4, 4});
    ir.Fetch(d, "d");
    auto groups = FuseBlock(ir.program.block());
    ASSERT_EQ(groups.size(), read ? 1u : 2u);
    const FusedOps& last = groups.back();
    EXPECT_EQ(last.inputs, read ? (std::vector{a, m}) : (std::vector{m, b, x}));
    ASSERT_EQ(last.outputs, std::vector{d});
    if (!read) continue;
    paddle::Tensor tm = Fill({4, 4}, 1), ta = Fill({4, 4}, 2), o;
    const paddle::Tensor* in[] = {&ta, &tm};
    paddle::Tensor* po[] = {&o};
    FusedRunner(last).Run(in, po);
    for (int k = 0; k < 16; ++k) {
      const float y = ta.data<float>()[k];
      EXPECT_NEAR(o.data<float>()[k], tm.data<float>()[k] * (y * 1.5f) + y, 1e-6);
    }
  }
}

TEST(Fusion, InPlaceOperationsAreBarriers) {
  Ir ir;
  Value x = ir.Data("x", {4});
  Value a = ir.Op("pd_op.tanh", {x}, {4});
  ir.Op("pd_op.assign_", {x}, {4});
  Value b = ir.Op("pd_op.add", {a, x}, {4});
  ir.Fetch(b, "b");
  EXPECT_TRUE(FuseBlock(ir.program.block()).empty());
}

TEST(Fusion, HalfIsRoundedOnlyWhereAsked) {
  Ir ir;
  const DataType h = DataType::BFLOAT16;
  Value x = ir.Data("x", {8}, h);
  Value a = ir.Op("pd_op.multiply", {x, x}, {8}, h);
  Value b = ir.Op("pd_op.cast", {a}, {8}, DataType::FLOAT32);
  Value c = ir.Op("pd_op.cast", {b}, {8}, h);
  Value d = ir.Op("pd_op.add", {c, x}, {8}, h);
  ir.Fetch(d, "d");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(ToString(groups[0].group.outputs[0].value), "bf16(%0:bf16 * %0:bf16) + %0:bf16");
}

TEST(Fusion, WrongRuntimeShapeIsAnError) {
  Ir ir;
  Value x = ir.Data("x", {4, 6}), y = ir.Data("y", {6});
  Value out = ir.Op("pd_op.exp", {ir.Op("pd_op.add", {x, y}, {4, 6})}, {4, 6});
  ir.Fetch(out, "out");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  FusedRunner run(groups[0]);
  paddle::Tensor tx = Fill({4, 6}, 1), ty = Fill({5}, 1), o;
  const paddle::Tensor* in[] = {&tx, &ty};
  paddle::Tensor* po[] = {&o};
  EXPECT_THROW(run.Run(in, po), common::Error);
}

TEST(Fusion, GradientOfABiasIsSummedInTheSameKernel) {
  Ir ir;
  Value z = ir.Data("z", {40, 6}), b = ir.Data("b", {6}), dh = ir.Data("dh", {40, 6}), t = ir.Data("t", {40, 6});
  Value dz = ir.Op("pd_op.multiply", {dh, t}, {40, 6});
  auto [gz, gb] = ir.Op2("pd_op.add_grad", {"x", "y", "out_grad"}, {z, b, dz}, {40, 6}, {6});
  ir.Fetch(gz, "gz");
  ir.Fetch(gb, "gb");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].inputs.size(), 2u);
  ASSERT_EQ(groups[0].outputs.size(), 2u);
  paddle::Tensor ta = Fill({40, 6}, 1), tb = Fill({40, 6}, 2), o[2];
  const paddle::Tensor* in[] = {&ta, &tb};
  paddle::Tensor* po[] = {&o[0], &o[1]};
  FusedRunner(groups[0]).Run(in, po);
  const paddle::Tensor& db = groups[0].outputs[0] == gb ? o[0] : o[1];
  ASSERT_EQ(db.numel(), 6);
  for (int c = 0; c < 6; ++c) {
    double want = 0;
    for (int r = 0; r < 40; ++r) want += ta.data<float>()[r * 6 + c] * tb.data<float>()[r * 6 + c];
    EXPECT_NEAR(db.data<float>()[c], want, 1e-5);
  }
}

// The gradient of a convolution's bias: of [n, c, h, w], all axes but c are summed.
TEST(Fusion, SumsAroundAKeptAxisJoin) {
  for (const auto& [h, w, joins] : {std::tuple{5, 7, true}, {1, 1, true}, {1, 3, false}}) {
    Ir ir;
    const phi::IntArray shape{4, 6, h, w};
    Value a = ir.Data("a", shape), t = ir.Data("t", shape), b = ir.Data("b", {1, 6, 1, 1});
    Value dz = ir.Op("pd_op.multiply", {a, t}, shape);
    auto [gz, gb] = ir.Op2("pd_op.add_grad", {"x", "y", "out_grad"}, {a, b, dz}, shape, {1, 6, 1, 1});
    ir.Fetch(gz, "gz");
    ir.Fetch(gb, "gb");
    auto groups = FuseBlock(ir.program.block());
    ASSERT_EQ(groups.size(), joins ? 1u : 0u);
    if (!joins) continue;
    paddle::Tensor ta = Fill({4, 6, h, w}, 1), tb = Fill({4, 6, h, w}, 2), o[2];
    const paddle::Tensor* in[] = {&ta, &tb};
    paddle::Tensor* po[] = {&o[0], &o[1]};
    FusedRunner(groups[0]).Run(in, po);
    const paddle::Tensor& db = groups[0].outputs[0] == gb ? o[0] : o[1];
    ASSERT_EQ(db.dims(), (phi::Ints{1, 6, 1, 1}));
    for (int c = 0; c < 6; ++c) {
      double want = 0;
      for (int n = 0; n < 4; ++n)
        for (int k = (n * 6 + c) * h * w, end = k + h * w; k < end; ++k)
          want += ta.data<float>()[k] * tb.data<float>()[k];
      EXPECT_NEAR(db.data<float>()[c], want, 1e-5);
    }
  }
}

TEST(Fusion, GradientOfAMeanIsBroadcast) {
  Ir ir;
  Register("pd_op.mean_grad", {{"x"}, {"out_grad"}, {"axis", false, false, true}},
           {{"keepdim", AttrCode::kBool, false}, {"reduce_all", AttrCode::kBool, false}});
  Value x = ir.Data("x", {3, 4}), g = ir.Data("g", {3});
  pir::AttributeMap a;
  a.Set("value", pir::Attribute::IntArray(common::Ints{1}));
  Value axis = ir.Op("pd_op.full_int_array", {}, {1}, DataType::INT64, a);
  Value gx = ir.Op("pd_op.mean_grad", {x, g, axis}, {3, 4});
  Value out = ir.Op("pd_op.multiply", {gx, x}, {3, 4});
  ir.Fetch(out, "out");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  paddle::Tensor tx = Fill({3, 4}, 1), tg = Fill({3}, 2), o;
  const bool x_first = groups[0].inputs[0] == x;
  const paddle::Tensor* in[] = {x_first ? &tx : &tg, x_first ? &tg : &tx};
  paddle::Tensor* po[] = {&o};
  FusedRunner(groups[0]).Run(in, po);
  for (int i = 0; i < 12; ++i)
    EXPECT_FLOAT_EQ(o.data<float>()[i], tg.data<float>()[i / 4] * 0.25f * tx.data<float>()[i]);
}

TEST(Fusion, TransposedInputsAreReadInPlace) {
  Ir ir;
  Register("pd_op.transpose", {{"x"}}, {{"perm", AttrCode::kInt32s, {}}});
  Value x = ir.Data("x", {5, 3}), y = ir.Data("y", {3, 5});
  pir::AttributeMap a;
  a.Set("perm", pir::Attribute::From(std::vector<int32_t>{1, 0}));
  Value xt = ir.Op("pd_op.transpose", {x}, {3, 5}, DataType::FLOAT32, a);
  Value s = ir.Op("pd_op.exp", {ir.Op("pd_op.subtract", {xt, y}, {3, 5})}, {3, 5});
  ir.Fetch(s, "s");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].ops.size(), 3u);
  paddle::Tensor tx = Fill({5, 3}, 1), ty = Fill({3, 5}, 2), o;
  const paddle::Tensor* in[] = {&tx, &ty};
  paddle::Tensor* po[] = {&o};
  FusedRunner(groups[0]).Run(in, po);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      EXPECT_NEAR(o.data<float>()[i * 5 + j], std::exp(tx.data<float>()[j * 3 + i] - ty.data<float>()[i * 5 + j]),
                  1e-6);
}

TEST(Fusion, ViewsThatOthersReadStayViewsAndAreReadThrough) {
  Ir ir;
  Register("pd_op.transpose", {{"x"}}, {{"perm", AttrCode::kInt32s, {}}});
  Value x = ir.Data("x", {5, 5});
  pir::AttributeMap a;
  a.Set("perm", pir::Attribute::From(std::vector<int32_t>{1, 0}));
  Value xt = ir.Op("pd_op.transpose", {x}, {5, 5}, DataType::FLOAT32, a);
  Value m = ir.Op("pd_op.matmul", {xt, x}, {5, 5});
  Value s = ir.Op("pd_op.exp", {ir.Op("pd_op.tanh", {xt}, {5, 5})}, {5, 5});
  ir.Fetch(m, "m");
  ir.Fetch(s, "s");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].ops.size(), 2u);
  EXPECT_EQ(groups[0].inputs[0], x);
}

TEST(Fusion, LongProgramsPlanQuickly) {
  Ir ir;
  Value x = ir.Data("x", {8, 8});
  Value v = x;
  for (int i = 0; i < 1500; ++i) {
    v = ir.Op("pd_op.tanh", {v}, {8, 8});
    v = ir.Op("pd_op.add", {v, x}, {8, 8});
    if (i % 10 == 0) v = ir.Op("pd_op.matmul", {v, x}, {8, 8});
  }
  ir.Fetch(v, "v");
  const CompilerStats before = GetCompilerStats();
  auto groups = CompileBlock(ir.program.block());
  EXPECT_EQ(groups.size(), 151u);  // one between each two products, one behind the last
  const CompilerStats after = GetCompilerStats();
  EXPECT_LE(after.compiled + after.disk_hits - before.compiled - before.disk_hits, 3);  // equal groups share a kernel
}

}  // namespace
}  // namespace cinn
