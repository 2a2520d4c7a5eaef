// SPDX-License-Identifier: Apache-2.0
// A sum and the norm of it, as residual blocks have them, become one operation.
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using namespace fusion;  // NOLINT: the pieces patterns are made of

class JoinSum : public RewritePattern {
 public:
  explicit JoinSum(const char* root) : RewritePattern(root, 1, "add_norm") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Operation* add = op->operand(0).defining_op();
    if (!add || !add->isa(pd::kAdd) || !MayMove(*add, *op)) return false;
    for (int i = 1; i < op->num_results(); ++i)
      if (!op->result(i).use_empty()) return false;
    const Value sum = add->result(0), x = add->operand(0), y = add->operand(1);
    const bool rms = op->isa(pd::kRmsNorm);
    if ((sum.dtype() != DataType::FLOAT32 && sum.dtype() != DataType::FLOAT64) || sum.persistable() || IsMutated(sum))
      return false;
    if (!SameVisible(x.type(), sum.type()) || !SameVisible(y.type(), sum.type())) return false;
    // Whoever else reads the sum must come later.
    bool later = true;
    sum.ForEachUse([&](OpOperand& u) {
      later = later && u.owner()->block() == op->block() && (u.owner() == op || op->IsBefore(u.owner()));
    });
    std::vector<Attribute> extents;
    const int64_t rank = sum.dims().size();
    const int64_t first = rms ? rank - static_cast<int64_t>(op->attr("normalized_shape").to_ints().size())
                              : op->attr("begin_norm_axis").to_int();
    for (int64_t i = first; i < rank; ++i) {
      if (!sum.dims()[i].known()) return false;
      extents.push_back(Attribute::Int64(sum.dims()[i].raw()));
    }
    const Value scale = op->operand(1), bias = rms ? Value() : op->operand(2);
    if (!later || extents.empty() || (scale && scale.dtype() != sum.dtype()) || (bias && bias.dtype() != sum.dtype()))
      return false;
    AttributeMap attrs;
    attrs.Set("epsilon", Attribute::Double(op->attr("epsilon").to_double()));
    attrs.Set("normalized_shape", Attribute::Array(std::move(extents)));
    attrs.Set("rms", Attribute::Bool(rms));
    Operation* joined = r.CreateOp(pd::kFusedAddNorm, {x, y, scale, bias}, std::move(attrs), {sum.type(), sum.type()});
    std::vector<Value> results(op->num_results());
    results[0] = joined->result(0);
    r.ReplaceOp(op, results);
    r.ReplaceOp(add, joined->result(1));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateAddNormFusion() {
  return std::make_unique<PatternPass>("add_norm_fuse_pass", [](PatternSet& set) {
    for (const char* root : {pd::kLayerNorm, pd::kRmsNorm}) set.Add<JoinSum>(root);
  });
}

}  // namespace pir
