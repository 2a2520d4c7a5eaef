// SPDX-License-Identifier: Apache-2.0
// Groups that read parts of tensors and store results part by part, and groups that are split.
#include "fusion_ir.h"

namespace cinn {
namespace {

// The only group of the block, run on tensors in the order of `values`.
paddle::Tensor RunOnly(Ir& ir, const std::vector<Value>& values, const std::vector<paddle::Tensor>& tensors) {
  auto groups = FuseBlock(ir.program.block());
  EXPECT_EQ(groups.size(), 1u);
  if (groups.size() != 1) return {};
  EXPECT_EQ(groups[0].outputs.size(), 1u);
  std::vector<const paddle::Tensor*> in;
  for (Value v : groups[0].inputs)
    for (size_t k = 0; k < values.size(); ++k)
      if (values[k] == v) in.push_back(&tensors[k]);
  EXPECT_EQ(in.size(), groups[0].inputs.size());
  paddle::Tensor o;
  paddle::Tensor* po[] = {&o};
  FusedRunner(groups[0]).Run(in.data(), po);
  return o;
}

TEST(FusionParts, SlicesAreReadInPlaceAndAConcatIsStoredInParts) {
  Ir ir;
  const Dim n = common::NewSymbol();
  Value x = ir.Data("x", {n, 6, 8}), c = ir.Data("c", {6, 4});
  Value a = ir.Slice(x, 2, 0, 4), b = ir.Slice(x, 2, 4, 8);
  Value p = ir.Op("pd_op.multiply", {a, c}, {n, 6, 4}), q = ir.Op("pd_op.multiply", {b, c}, {n, 6, 4});
  Value y =
      ir.Concat({ir.Op("pd_op.subtract", {p, q}, {n, 6, 4}), ir.Op("pd_op.add", {p, q}, {n, 6, 4})}, 2, {n, 6, 8});
  ir.Fetch(y, "y");
  const paddle::Tensor tx = Fill({3, 6, 8}, 1), tc = Fill({6, 4}, 2);
  const paddle::Tensor o = RunOnly(ir, {x, c}, {tx, tc});
  ASSERT_EQ(o.dims(), (phi::Ints{3, 6, 8}));
  for (int r = 0; r < 18; ++r)
    for (int k = 0; k < 4; ++k) {
      const float w = tc.data<float>()[r % 6 * 4 + k], l = tx.data<float>()[r * 8 + k] * w,
                  h = tx.data<float>()[r * 8 + 4 + k] * w;
      EXPECT_EQ(o.data<float>()[r * 8 + k], l - h);
      EXPECT_EQ(o.data<float>()[r * 8 + 4 + k], l + h);
    }
}

TEST(FusionParts, ASumOfSliceGradientsIsStoredOnce) {
  Ir ir;
  Value x = ir.Data("x", {5, 8}), g = ir.Data("g", {5, 4});
  Value a = ir.Op("pd_op.tanh", {g}, {5, 4}), b = ir.Op("pd_op.exp", {g}, {5, 4});
  Value sum = ir.Op("pd_op.add", {ir.SliceGrad(x, a, 1, 0, 4), ir.SliceGrad(x, b, 1, 4, 8)}, {5, 8});
  ir.Fetch(sum, "sum");
  const paddle::Tensor tg = Fill({5, 4}, 1);
  const paddle::Tensor o = RunOnly(ir, {g}, {tg});
  for (int r = 0; r < 5; ++r)
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(o.data<float>()[r * 8 + k], std::tanh(tg.data<float>()[r * 4 + k]), 1e-6);
      EXPECT_NEAR(o.data<float>()[r * 8 + 4 + k], std::exp(tg.data<float>()[r * 4 + k]), 1e-6);
    }
}

TEST(FusionParts, OneSliceGradientIsPaddedWithZeros) {
  Ir ir;
  Value x = ir.Data("x", {5, 8}), g = ir.Data("g", {5, 3});
  ir.Fetch(ir.SliceGrad(x, ir.Op("pd_op.tanh", {g}, {5, 3}), 1, 2, 5), "gx");
  const paddle::Tensor tg = Fill({5, 3}, 1);
  const paddle::Tensor o = RunOnly(ir, {g}, {tg});
  for (int r = 0; r < 5; ++r)
    for (int k = 0; k < 8; ++k)
      EXPECT_NEAR(o.data<float>()[r * 8 + k], k < 2 || k > 4 ? 0 : std::tanh(tg.data<float>()[r * 3 + k - 2]), 1e-6);
}

TEST(FusionParts, APartOfAMemberIsNotReadInItsGroup) {
  Ir ir;
  Value x = ir.Data("x", {4, 8});
  Value y = ir.Op("pd_op.tanh", {ir.Op("pd_op.exp", {x}, {4, 8})}, {4, 8});
  Value z = ir.Op("pd_op.exp", {ir.Op("pd_op.square", {ir.Slice(y, 1, 2, 6)}, {4, 4})}, {4, 4});
  ir.Fetch(z, "z");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 2u);
  ASSERT_EQ(groups[1].inputs.size(), 1u);
  EXPECT_EQ(groups[1].inputs[0], y);
}

TEST(FusionParts, ListsThatOthersReadTooStayLists) {
  Ir ir;
  Value x = ir.Data("x", {4, 8});
  Value a = ir.Op("pd_op.tanh", {x}, {4, 8}), b = ir.Op("pd_op.exp", {x}, {4, 8});
  ir.Fetch(ir.Concat({a, b}, 1, {4, 16}), "c");
  ir.Fetch(ir.Op("pd_op.matmul", {a, b}, {4, 8}), "m");
  auto groups = FuseBlock(ir.program.block());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].outputs.size(), 3u);
}

TEST(FusionParts, AGroupWithManyResultsIsSplit) {
  Ir ir;
  Value x = ir.Data("x", {4, 8});
  std::vector<Value> all;
  Value v = x;
  for (int k = 0; k < 40; ++k) {
    v = ir.Op("pd_op.tanh", {v}, {4, 8});
    ir.Fetch(v, ("v" + std::to_string(k)).c_str());
  }
  size_t members = 0, outputs = 0;
  for (const FusedOps& g : FuseBlock(ir.program.block())) {
    EXPECT_LE(g.outputs.size(), kMaxGroupOutputs);
    members += g.ops.size();
    outputs += g.outputs.size();
  }
  EXPECT_EQ(members, 40u);
  EXPECT_EQ(outputs, 40u);
}

}  // namespace
}  // namespace cinn
