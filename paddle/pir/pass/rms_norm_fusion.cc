// SPDX-License-Identifier: Apache-2.0
// x * rsqrt(mean(x * x) + epsilon) * w written in single operations becomes the one operation that has a kernel.
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/norm_patterns.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using namespace fusion;  // NOLINT: the pieces patterns are made of

Operation* RmsNorm(PatternRewriter& r, Value x, Value scale, AttributeMap attrs) {
  common::Dims rows;
  const int64_t n = x.dims().size() - static_cast<int64_t>(attrs.Get("normalized_shape").to_ints().size());
  for (int64_t i = 0; i < n; ++i) rows.push_back(x.dims()[i]);
  const Type inverse = DenseTensorType::Get(x.dtype() == DataType::FLOAT64 ? x.dtype() : DataType::FLOAT32, rows);
  return r.CreateOp(pd::kRmsNorm, {x, scale}, std::move(attrs), {x.type(), inverse});
}

class Normalise : public RewritePattern {
 public:
  explicit Normalise(const char* root) : RewritePattern(root, 1, "rms_norm") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Normal n;
    int side = 0;
    while (side < 2 && !(IsNormal(*op, side, &n) && n.of == n.deviation)) ++side;
    if (side == 2 || !SameVisible(n.of.type(), op->result_type(0)) || IsMutated(n.of)) return false;
    AttributeMap attrs;
    std::vector<Attribute> extents;
    for (int64_t i = n.axis; i < n.of.dims().size(); ++i) {
      if (!n.of.dims()[i].known()) return false;
      extents.push_back(Attribute::Int64(n.of.dims()[i].raw()));
    }
    attrs.Set("normalized_shape", Attribute::Array(std::move(extents)));
    attrs.Set("epsilon", Attribute::Double(n.epsilon));
    r.ReplaceOp(op, RmsNorm(r, n.of, {}, std::move(attrs))->result(0));
    return true;
  }
};

// cast(rms_norm(cast(x))) with half x: the kernel computes in float itself.
class DropCasts : public RewritePattern {
 public:
  DropCasts() : RewritePattern(pd::kCast, 1, "rms_norm_half") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Operation* norm = Def(op->operand(0), pd::kRmsNorm);
    const Operation* widened = norm ? Def(norm->operand(0), pd::kCast) : nullptr;
    if (!widened || !OnlyUse(norm->result(0)) || !norm->result(1).use_empty()) return false;
    const Value x = widened->operand(0);
    if (!phi::IsHalf(x.dtype()) || x.dtype() != op->result(0).dtype() || norm->operand(0).dtype() != DataType::FLOAT32)
      return false;
    if (IsMutated(x)) return false;
    r.ReplaceOp(op, RmsNorm(r, x, norm->operand(1), norm->attrs())->result(0));
    return true;
  }
};

// A factor that has one number for each normalised element joins a norm that has none.
class JoinScale : public RewritePattern {
 public:
  JoinScale() : RewritePattern(pd::kMultiply, 1, "rms_norm_scale") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    for (int side = 0; side < 2; ++side) {
      const Operation* norm = Def(op->operand(side), pd::kRmsNorm);
      const Value given = op->operand(1 - side);
      if (!norm || norm->operand(1) || !OnlyUse(norm->result(0)) || !Fits(*norm, given)) continue;
      r.ReplaceOp(op, RmsNorm(r, norm->operand(0), given, norm->attrs())->result(0));
      return true;
    }
    return false;
  }

 private:
  static bool Fits(const Operation& norm, Value v) {
    const Value x = norm.operand(0);
    const common::Ints extents = norm.attr("normalized_shape").to_ints();
    if (v.dtype() != x.dtype() || v.dims().size() != extents.size() || IsMutated(v) || IsMutated(x)) return false;
    for (int64_t i = 0; i < static_cast<int64_t>(extents.size()); ++i)
      if (!v.dims()[i].known() || v.dims()[i].raw() != extents[i]) return false;
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateRmsNormFusion() {
  return std::make_unique<PatternPass>("rms_norm_fuse_pass", [](PatternSet& set) {
    for (const char* root : {pd::kDivide, pd::kMultiply}) set.Add<Normalise>(root);
    set.Add<DropCasts>();
    set.Add<JoinScale>();
  });
}

}  // namespace pir
