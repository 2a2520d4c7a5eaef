// SPDX-License-Identifier: Apache-2.0
// Bias and activation joined to matrix products.
#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using fusion::OnlyUse;

Value FusedMatmul(PatternRewriter& r, const Operation& product, Value bias, std::string_view activation, Type type) {
  AttributeMap attrs;
  const bool linear = product.isa(pd::kLinearV2);
  attrs.Set("transpose_x", linear ? Attribute::Bool(false) : product.attr("transpose_x"));
  attrs.Set("transpose_y", product.attr(linear ? "transpose_weight" : "transpose_y"));
  attrs.Set("activation", Attribute::Str(activation));
  return fusion::Apply(r, pd::kFusedMatmul, {product.operand(0), product.operand(1), bias}, type, std::move(attrs));
}

class JoinBias : public RewritePattern {
 public:
  JoinBias() : RewritePattern(pd::kAdd, 1, "join_bias") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    for (int side = 0; side < 2; ++side) {
      Operation* product = op->operand(side).defining_op();
      const Value bias = op->operand(1 - side);
      if (!product || !product->isa(pd::kMatmul) || !OnlyUse(product->result(0)) || !fusion::MayMove(*product, *op) ||
          product->operand(0).dims().size() < 2 || product->operand(1).dims().size() < 2)
        continue;
      const Value out = product->result(0);
      if ((out.dtype() != DataType::FLOAT32 && out.dtype() != DataType::FLOAT64) || bias.dtype() != out.dtype())
        continue;
      const common::Dim n = out.dims().back();
      if (bias.dims().size() != 1 || !n.known() || !bias.dims()[0].known() || bias.dims()[0].raw() != n.raw()) continue;
      r.ReplaceOp(op, FusedMatmul(r, *product, bias, "", op->result_type(0)));
      return true;
    }
    return false;
  }
};

class JoinMatmulActivation final : public fusion::JoinActivation {
 public:
  using JoinActivation::JoinActivation;

 private:
  bool Takes(const Operation& product) const override {
    if (product.isa(pd::kLinearV2)) return Plain(product);
    const Attribute joined = product.attr("activation");
    return product.isa(pd::kFusedMatmul) && (!joined || joined.to_str().empty());
  }
  Value Joined(PatternRewriter& r, const Operation& product, std::string_view activation, Type type) const override {
    return FusedMatmul(r, product, product.operand(2), activation, type);
  }
  // A bias for each column, of a dtype that fused_matmul joins in one pass.
  static bool Plain(const Operation& linear) {
    const Value out = linear.result(0), bias = linear.operand(2);
    if (!bias || bias.dtype() != out.dtype()) return false;
    if (out.dtype() != DataType::FLOAT32 && out.dtype() != DataType::FLOAT64) return false;
    const common::Dim n = out.dims().empty() ? common::Dim() : out.dims().back();
    return linear.operand(1).dims().size() == 2 && bias.dims().size() == 1 && n.known() && bias.dims()[0].known() &&
           bias.dims()[0].raw() == n.raw();
  }
};

}  // namespace

std::unique_ptr<Pass> CreateMatmulAddAct() {
  return std::make_unique<fusion::PatternPass>("matmul_add_act_fuse_pass", [](PatternSet& set) {
    set.Add<JoinBias>();
    for (const char* root : fusion::OpsWith([](const OpInfo& op) { return common::TraitsOf(op.name).matmul_epilogue; }))
      set.Add<JoinMatmulActivation>(root);
  });
}

}  // namespace pir
