// SPDX-License-Identifier: Apache-2.0
// Batch norms folded into the filters before them, and bias, residual and activation joined to convolutions.
#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/passes.h"

namespace pir {

namespace fusion {

bool IsFrozen(Value v) {
  Operation* op = v ? v.defining_op() : nullptr;
  if (!op) return false;
  if (op->isa("builtin.parameter") || op->isa("builtin.constant") || op->isa(pd::kFull) || op->isa(pd::kFullIntArray))
    return true;
  if (op->num_operands() == 0 || op->num_regions() || !IsRemovable(*op) || !IsDeterministic(*op)) return false;
  for (int i = 0; i < op->num_operands(); ++i)
    if (op->operand(i) && !IsFrozen(op->operand(i))) return false;
  return true;
}

bool MayMove(const Operation& op, const Operation& to) {
  if (op.block() != to.block()) return false;
  for (int i = 0; i < op.num_operands(); ++i)
    if (op.operand(i) && IsMutated(op.operand(i))) return false;
  return true;
}

std::string_view ActivationName(const Operation& op) {
  const common::OpTraits& traits = common::TraitsOf(op.name());
  if (!traits.conv_epilogue && !traits.matmul_epilogue) return {};
  const Attribute approximate = op.attr("approximate");
  return approximate && approximate.to_bool() ? std::string_view() : op.info()->short_name();
}

}  // namespace fusion

namespace {

using fusion::Apply;
using fusion::IsFrozen;
using fusion::OnlyUse;

bool IsPlainConv(const Operation* op) { return op && (op->isa(pd::kConv2d) || op->isa(pd::kDepthwiseConv2d)); }
bool IsFused(const Operation* op) { return op && op->isa(pd::kFusedConv); }
bool ChannelsLast(const Operation& conv) { return conv.attr("data_format").to_str() == "NHWC"; }
bool Computes(Value v) {
  return v.type().is_dense() && (v.dtype() == DataType::FLOAT32 || v.dtype() == DataType::FLOAT64);
}

// The number of channels when `v` adds one number to each channel of the convolution's result; else 0.
int64_t ChannelsOf(Value v, const Operation& conv) {
  const common::Dims& d = v.dims();
  const common::Dim oc = conv.operand(1).dims()[0];
  const int64_t rank = conv.result(0).dims().size(), channel = ChannelsLast(conv) ? rank - 1 : 1;
  if (!oc.known() || d.size() > rank) return 0;
  for (int64_t i = 0; i < d.size(); ++i) {
    const int64_t axis = rank - d.size() + i;
    if (!d[i].known() || d[i].raw() != (axis == channel ? oc.raw() : 1)) return 0;
  }
  return d.size() > rank - 1 - channel ? oc.raw() : 0;
}

AttributeMap ConvAttributes(const Operation& conv, std::string_view activation) {
  AttributeMap attrs;
  for (const char* name : {"strides", "paddings", "padding_algorithm", "dilations", "groups", "data_format"})
    attrs.Set(name, conv.attr(name));
  attrs.Set("activation", Attribute::Str(activation));
  return attrs;
}

Value FusedConv(PatternRewriter& r, const Operation& conv, Value bias, Value residual, std::string_view activation,
                Type type) {
  return Apply(r, pd::kFusedConv, {conv.operand(0), conv.operand(1), bias, residual}, type,
               ConvAttributes(conv, activation));
}
Value BiasOf(const Operation& conv) { return IsFused(&conv) ? conv.operand(2) : Value(); }
Value ResidualOf(const Operation& conv) { return IsFused(&conv) ? conv.operand(3) : Value(); }
bool Activated(const Operation& conv) { return IsFused(&conv) && !conv.attr("activation").to_str().empty(); }

// batch_norm(conv(x, w) [+ b]) at fixed statistics = conv(x, w * s) + shift.
class FoldBatchNorm : public RewritePattern {
 public:
  explicit FoldBatchNorm(const char* root) : RewritePattern(root, 1, "fold_batch_norm") {}

  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    if (!op->attr("is_test").to_bool() && !op->attr("use_global_stats").to_bool()) return false;
    if (op->attr("trainable_statistics").to_bool()) return false;
    for (int i = 1; i < op->num_results(); ++i)
      if (!op->result(i).use_empty()) return false;
    Operation* conv = op->operand(0).defining_op();
    Value added;
    if (conv && conv->isa(pd::kAdd) && OnlyUse(conv->result(0))) {
      added = conv->operand(1);
      conv = conv->operand(0).defining_op();
    }
    if (!IsPlainConv(conv) || !OnlyUse(conv->result(0)) || !fusion::MayMove(*conv, *op) ||
        op->attr("data_format").to_str() != conv->attr("data_format").to_str())
      return false;
    const Value w = conv->operand(1);
    if (!Computes(w) || !IsFrozen(w) || !w.dims()[0].known()) return false;
    if (added && (!IsFrozen(added) || !ChannelsOf(added, *conv))) return false;
    for (int i = 1; i < 5; ++i) {
      const Value v = op->operand(i);
      if (i < 3 ? !v : false) return false;
      if (v && (!IsFrozen(v) || v.dtype() != w.dtype())) return false;
    }

    const int64_t channels = w.dims()[0].raw();
    const Value mean = op->operand(1), variance = op->operand(2), gamma = op->operand(3), beta = op->operand(4);
    const Type per_channel = DenseTensorType::Get(w.dtype(), common::Dims{common::Dim(channels)});
    AttributeMap shifted;
    shifted.Set("bias", Attribute::Float(static_cast<float>(op->attr("epsilon").to_double())));
    shifted.Set("bias_after_scale", Attribute::Bool(true));
    Value s =
        Apply(r, pd::kScale, {variance, fusion::Number(r, 1, DataType::FLOAT32)}, per_channel, std::move(shifted));
    s = Apply(r, pd::kRsqrt, {s}, per_channel);
    if (gamma) s = Apply(r, pd::kMultiply, {gamma, s}, per_channel);
    Value offset = mean;
    if (added) offset = Apply(r, pd::kSubtract, {mean, fusion::Reshape(r, added, {channels})}, per_channel);
    Value shift = Apply(r, pd::kMultiply, {offset, s}, per_channel);
    const Value zero_or_beta = beta ? beta : fusion::Number(r, 0, w.dtype());
    shift = Apply(r, pd::kSubtract, {zero_or_beta, shift}, per_channel);
    const Value filter = Apply(r, pd::kMultiply, {w, fusion::Reshape(r, s, {channels, 1, 1, 1})}, w.type());
    Operation* scaled = r.CreateOp(conv->name(), {conv->operand(0), filter}, conv->attrs(), {conv->result_type(0)});
    shift = ChannelsLast(*conv) ? fusion::Reshape(r, shift, {1, 1, 1, channels})
                                : fusion::Reshape(r, shift, {1, channels, 1, 1});
    std::vector<Value> values(op->num_results());
    values[0] = Apply(r, pd::kAdd, {scaled->result(0), shift}, op->result_type(0));
    r.ReplaceOp(op, values);
    return true;
  }
};

// conv + one frozen number a channel, or conv + a tensor of its shape.
class JoinAdd : public RewritePattern {
 public:
  JoinAdd() : RewritePattern(pd::kAdd, 1, "join_add") {}

  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    for (int side = 0; side < 2; ++side) {
      Operation* conv = op->operand(side).defining_op();
      const Value other = op->operand(1 - side);
      if ((!IsPlainConv(conv) && !IsFused(conv)) || conv->result(0).dims().size() != 4 || !OnlyUse(conv->result(0)) ||
          !fusion::MayMove(*conv, *op))
        continue;
      if (!Computes(conv->result(0)) || other.dtype() != conv->result(0).dtype() || Activated(*conv) ||
          ResidualOf(*conv))
        continue;
      if (const int64_t channels = ChannelsOf(other, *conv); channels && !BiasOf(*conv) && IsFrozen(other)) {
        r.ReplaceOp(op, FusedConv(r, *conv, fusion::Reshape(r, other, {channels}), {}, "", op->result_type(0)));
        return true;
      }
      if (SameVisible(other.type(), conv->result_type(0))) {
        r.ReplaceOp(op, FusedConv(r, *conv, BiasOf(*conv), other, "", op->result_type(0)));
        return true;
      }
    }
    return false;
  }
};

class JoinConvActivation final : public fusion::JoinActivation {
 public:
  using JoinActivation::JoinActivation;

 private:
  bool Takes(const Operation& conv) const override {
    return (IsPlainConv(&conv) || IsFused(&conv)) && Computes(conv.result(0)) && !Activated(conv);
  }
  Value Joined(PatternRewriter& r, const Operation& conv, std::string_view activation, Type type) const override {
    return FusedConv(r, conv, BiasOf(conv), ResidualOf(conv), activation, type);
  }
};

}  // namespace

std::unique_ptr<Pass> CreateConvBatchNorm() {
  return std::make_unique<fusion::PatternPass>("conv2d_bn_fuse_pass", [](PatternSet& set) {
    for (const char* root : {pd::kBatchNorm, pd::kBatchNorm_}) set.Add<FoldBatchNorm>(root);
  });
}
std::unique_ptr<Pass> CreateConvAddAct() {
  return std::make_unique<fusion::PatternPass>("conv2d_add_act_fuse_pass", [](PatternSet& set) {
    set.Add<JoinAdd>();
    for (const char* root : fusion::OpsWith([](const OpInfo& op) { return common::TraitsOf(op.name).conv_epilogue; }))
      set.Add<JoinConvActivation>(root);
  });
}

}  // namespace pir
