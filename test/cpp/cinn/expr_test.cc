// SPDX-License-Identifier: Apache-2.0
// Expressions: typing of body text, printing, exact simplification.
#include "paddle/cinn/ir/expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "paddle/cinn/ir/interp.h"

namespace cinn {
namespace {

Expr F32(int i) { return Expr::Input(i, DataType::FLOAT32); }
Expr I32(int i) { return Expr::Input(i, DataType::INT32); }

// What the op generator emits.
Expr LowerTanhGrad(Expr out, Expr dout, const double*) { return dout * (1 - out * out); }
Expr LowerLeaky(Expr x, const double* attrs) { return select(x > 0, x, attrs[0] * x); }

TEST(Expr, BodyTextCompilesAndPrints) {
  const double attrs[] = {0.25};
  EXPECT_EQ(ToString(LowerTanhGrad(F32(0), F32(1), nullptr)), "%1:f32 * (1.0 - (%0:f32 * %0:f32))");
  EXPECT_EQ(ToString(LowerLeaky(F32(0), attrs)), "select(%0:f32 > 0.0, %0:f32, 0.25 * %0:f32)");
  EXPECT_EQ(ToString(~(F32(0) > 0) & isnan(F32(1))), "~(%0:f32 > 0.0) & isnan(%1:f32)");
  EXPECT_EQ(ToString(maximum(I32(0), 2) % 3), "mod(maximum(%0:i32, 2:i32), 3:i32)");
}

TEST(Expr, LiteralsTakeTheOperandsType) {
  EXPECT_EQ((1 - F32(0)).dtype(), DataType::FLOAT32);
  EXPECT_EQ((1.5 * Expr::Input(0, DataType::FLOAT64)).dtype(), DataType::FLOAT64);
  EXPECT_EQ((I32(0) + 1).dtype(), DataType::INT32);
  EXPECT_EQ((I32(0) * 0.5).dtype(), DataType::FLOAT32);
  EXPECT_EQ((F32(0) == 0).dtype(), DataType::BOOL);
  EXPECT_EQ(exp(I32(0)).dtype(), DataType::FLOAT32);
  EXPECT_EQ(Expr::Input(0, DataType::BFLOAT16).dtype(), DataType::FLOAT32);
  EXPECT_EQ(ToString((2.0 / sqrt(Expr(4.0))) * F32(0)), "1.0 * %0:f32");
}

TEST(Expr, SimplifyKeepsIeee) {
  const Expr x = F32(0);
  EXPECT_EQ(ToString(Simplify(x * 1 - 0)), "%0:f32");
  EXPECT_EQ(ToString(Simplify(x + 0)), "%0:f32 + 0.0");  // -0 + 0 is 0
  EXPECT_EQ(ToString(Simplify(x * 0)), "%0:f32 * 0.0");  // NaN
  EXPECT_EQ(ToString(Simplify(x - x)), "%0:f32 - %0:f32");
  EXPECT_EQ(ToString(Simplify(I32(0) - I32(0))), "0:i32");
  EXPECT_EQ(ToString(Simplify(x / 4)), "%0:f32 * 0.25");
  EXPECT_EQ(ToString(Simplify(x / 3)), "%0:f32 / 3.0");
  EXPECT_EQ(ToString(Simplify(-(-x))), "%0:f32");
  EXPECT_EQ(ToString(Simplify(select(Expr::Bool(true), x, 2 * x))), "%0:f32");
  EXPECT_EQ(ToString(Simplify(cast(cast(x, DataType::BFLOAT16), DataType::BFLOAT16))), "bf16(%0:f32)");
  EXPECT_EQ(ToString(Simplify(cast(cast(x, DataType::FLOAT64), DataType::FLOAT32))), "%0:f32");
}

TEST(Expr, EqualPartsBecomeOneNode) {
  const Expr e = Simplify(exp(F32(0) + F32(1)) * exp(F32(0) + F32(1)));
  EXPECT_EQ(e->args[0].node(), e->args[1].node());
}

TEST(Expr, SubstituteReplacesLeaves) {
  const Expr e = Substitute(F32(0) * F32(1), [](const ExprNode& n) { return n.index == 1 ? F32(7) + 1 : Expr(); });
  EXPECT_EQ(ToString(e), "%0:f32 * (%7:f32 + 1.0)");
}

TEST(Expr, IntegerEdgesHaveResults) {
  auto eval = [](const Expr& e) { return Evaluate(e, [](const ExprNode&) { return Number{}; }).i; };
  auto i = [](int64_t v) { return Expr::Int(v, DataType::INT32); };
  EXPECT_EQ(eval(floor_divide(i(-7), i(2))), -4);
  EXPECT_EQ(eval(mod(i(-7), i(2))), 1);
  EXPECT_EQ(eval(floor_divide(i(INT32_MIN), i(-1))), INT32_MIN);
  EXPECT_EQ(eval(floor_divide(i(5), i(0))), 0);
  EXPECT_EQ(eval(i(1) << i(40)), 0);
  EXPECT_EQ(eval(cast(Expr::Float(NAN, DataType::FLOAT32), DataType::INT32)), INT32_MIN);
  EXPECT_EQ(eval(cast(Expr::Float(1e20, DataType::FLOAT64), DataType::INT64)), INT64_MIN);
  EXPECT_EQ(eval(cast(i(300), DataType::UINT8)), 44);
}

}  // namespace
}  // namespace cinn
