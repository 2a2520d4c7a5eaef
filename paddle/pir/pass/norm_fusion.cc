// SPDX-License-Identifier: Apache-2.0
// Layer norms written out in single operations, as exporters leave them, become the one operation that has a kernel.
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/norm_patterns.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using namespace fusion;  // NOLINT: the pieces patterns are made of

// x when v is x minus its average over the axes from `axis` on.
Value Centred(Value v, int64_t axis) {
  const Operation* minus = Def(v, pd::kSubtract);
  if (!minus) return {};
  const Average mean = AverageOf(minus->operand(1));
  return mean.axis == axis && mean.axis > 0 && mean.of == minus->operand(0) ? mean.of : Value();
}

Operation* LayerNorm(PatternRewriter& r, Value x, Value scale, Value bias, AttributeMap attrs) {
  common::Dims rows;
  const int64_t axis = attrs.Get("begin_norm_axis").to_int();
  for (int64_t i = 0; i < axis; ++i) rows.push_back(x.dims()[i]);
  const Type statistics = DenseTensorType::Get(x.dtype(), rows);
  return r.CreateOp(pd::kLayerNorm, {x, scale, bias}, std::move(attrs), {x.type(), statistics, statistics});
}

class Normalise : public RewritePattern {
 public:
  explicit Normalise(const char* root) : RewritePattern(root, 1, "layer_norm") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Normal n;
    Value x;
    for (int side = 0; side < 2 && !x; ++side)
      if (IsNormal(*op, side, &n) && Centred(n.of, n.axis) == Centred(n.deviation, n.axis)) x = Centred(n.of, n.axis);
    if (!x || IsMutated(x) || !SameVisible(x.type(), op->result_type(0))) return false;
    AttributeMap attrs;
    attrs.Set("epsilon", Attribute::Float(static_cast<float>(n.epsilon)));
    attrs.Set("begin_norm_axis", Attribute::Int32(static_cast<int>(n.axis)));
    r.ReplaceOp(op, LayerNorm(r, x, {}, {}, std::move(attrs))->result(0));
    return true;
  }
};

// A factor (then a term) that has one number for each normalised element joins a layer norm that has none.
class JoinAffine : public RewritePattern {
 public:
  explicit JoinAffine(const char* root) : RewritePattern(root, 1, "layer_norm_affine") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const bool factor = op->isa(pd::kMultiply);
    for (int side = 0; side < 2; ++side) {
      const Operation* norm = Def(op->operand(side), pd::kLayerNorm);
      const Value given = op->operand(1 - side);
      if (!norm || !OnlyUse(norm->result(0)) || norm->operand(2) || (factor && norm->operand(1)) || !Fits(*norm, given))
        continue;
      const Value scale = factor ? given : norm->operand(1);
      r.ReplaceOp(op, LayerNorm(r, norm->operand(0), scale, factor ? Value() : given, norm->attrs())->result(0));
      return true;
    }
    return false;
  }

 private:
  static bool Fits(const Operation& norm, Value v) {
    const Value x = norm.operand(0);
    const int64_t axis = norm.attr("begin_norm_axis").to_int(), rank = x.dims().size();
    if (v.dtype() != x.dtype() || v.dims().size() != rank - axis || IsMutated(v) || IsMutated(x)) return false;
    if (norm.operand(1) && IsMutated(norm.operand(1))) return false;
    for (int64_t i = axis; i < rank; ++i)
      if (!x.dims()[i].known() || !v.dims()[i - axis].known() || x.dims()[i].raw() != v.dims()[i - axis].raw())
        return false;
    return true;
  }
};

class LayerNormFusion : public Pass {
 public:
  LayerNormFusion() : Pass("layer_norm_fuse_pass") {}
  bool Run(Program& program) override {
    PatternSet set;
    for (const char* root : {pd::kDivide, pd::kMultiply}) set.Add<Normalise>(root);
    for (const char* root : {pd::kMultiply, pd::kAdd}) set.Add<JoinAffine>(root);
    return ApplyPatterns(program.block(), set) > 0;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateLayerNormFusion() { return std::make_unique<LayerNormFusion>(); }

}  // namespace pir
