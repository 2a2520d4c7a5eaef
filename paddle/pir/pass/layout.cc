// SPDX-License-Identifier: Apache-2.0
// Convolutions of channels-first tensors computed channels-last: transposes around them move outwards until they meet
// and vanish.
#include <algorithm>
#include <array>

#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/layout_moves.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using fusion::Apply;
using layout::OneElement;
using Perm = std::array<int, 4>;
constexpr Perm kToLast = {0, 2, 3, 1}, kToFirst = {0, 3, 1, 2};

Value ToLast(PatternRewriter& r, Value x) { return fusion::Transpose(r, x, {0, 2, 3, 1}); }
Value ToFirst(PatternRewriter& r, Value x) { return fusion::Transpose(r, x, {0, 3, 1, 2}); }

Type LastType(Value x) {
  common::Dims d;
  for (int p : kToLast) d.push_back(x.dims()[p]);
  return DenseTensorType::Get(x.dtype(), d);
}

bool IsTranspose(const Operation* op, const Perm& perm) {
  if (!op || !op->isa(pd::kTranspose)) return false;
  const common::Ints p = op->attr("perm").to_ints();
  return p.size() == 4 && std::equal(p.begin(), p.end(), perm.begin());
}

// x where v is x brought back to channels-first; else null.
Value Behind(Value v) {
  Operation* op = v ? v.defining_op() : nullptr;
  return IsTranspose(op, kToFirst) ? op->operand(0) : Value();
}

AttributeMap WithLast(const Operation& op) {
  AttributeMap attrs = op.attrs();
  attrs.Set("data_format", Attribute::Str("NHWC"));
  return attrs;
}

class ConvToLast : public RewritePattern {
 public:
  explicit ConvToLast(const char* root) : RewritePattern(root, 1, "conv_to_channels_last") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value y = op->result(0);
    if (op->attr("data_format").to_str() != "NCHW" || y.dims().size() != 4 || y.dtype() != DataType::FLOAT32)
      return false;
    const bool fused = op->isa(pd::kFusedConv);
    const Value x = ToLast(r, op->operand(0));
    Value out;
    if (fused) {
      const Value residual = op->operand(3) ? ToLast(r, op->operand(3)) : Value();
      out = Apply(r, op->name(), {x, op->operand(1), op->operand(2), residual}, LastType(y), WithLast(*op));
    } else {
      out = Apply(r, op->name(), {x, op->operand(1)}, LastType(y), WithLast(*op));
    }
    r.ReplaceOp(op, ToFirst(r, out));
    return true;
  }
};

class PoolToLast : public RewritePattern {
 public:
  PoolToLast() : RewritePattern(pd::kPool2d, 1, "pool_to_channels_last") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0));
    if (!x || op->attr("data_format").to_str() != "NCHW") return false;
    r.ReplaceOp(op, ToFirst(r, Apply(r, op->name(), {x, op->operand(1)}, LastType(op->result(0)), WithLast(*op))));
    return true;
  }
};

// At fixed statistics.
class BatchNormToLast : public RewritePattern {
 public:
  explicit BatchNormToLast(const char* root) : RewritePattern(root, 1, "batch_norm_to_channels_last") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0));
    if (!x || op->attr("data_format").to_str() != "NCHW" || op->attr("trainable_statistics").to_bool()) return false;
    if (!op->attr("is_test").to_bool() && !op->attr("use_global_stats").to_bool()) return false;
    std::vector<Value> values = op->operands();
    values[0] = x;
    std::vector<Type> types;
    for (int i = 0; i < op->num_results(); ++i) types.push_back(i ? op->result_type(i) : LastType(op->result(0)));
    Operation* moved = r.Builder::Create(op->info(), values, WithLast(*op), types);
    r.Changed(moved);
    values = moved->results_vec();
    values[0] = ToFirst(r, values[0]);
    r.ReplaceOp(op, values);
    return true;
  }
};

class CancelTransposes : public RewritePattern {
 public:
  CancelTransposes() : RewritePattern(pd::kTranspose, 2, "cancel_transposes") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    if (!IsTranspose(op, kToLast)) return false;
    const Value x = Behind(op->operand(0));
    if (!x) return false;
    r.ReplaceOp(op, x);
    return true;
  }
};

class UnaryBehind : public RewritePattern {
 public:
  explicit UnaryBehind(const char* root) : RewritePattern(root, 1, "unary_behind_transpose") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0));
    if (!x || op->num_results() != 1) return false;
    for (int i = 1; i < op->num_operands(); ++i)
      if (op->operand(i) && op->operand(i).type().is_dense() && !OneElement(op->operand(i))) return false;
    std::vector<Value> operands{x};
    for (int i = 1; i < op->num_operands(); ++i) operands.push_back(op->operand(i));
    r.ReplaceOp(op, ToFirst(r, layout::Again(r, op, operands, LastType(op->result(0)))));
    return true;
  }
};

// Both sides behind transposes, or one of them a frozen number, or one a channel.
class BinaryBehind : public RewritePattern {
 public:
  explicit BinaryBehind(const char* root) : RewritePattern(root, 1, "binary_behind_transpose") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Value side[2] = {Behind(op->operand(0)), Behind(op->operand(1))};
    if (!side[0] && !side[1]) return false;
    for (int i = 0; i < 2; ++i) {
      const Value v = op->operand(i);
      if (side[i]) continue;
      if (OneElement(v)) {
        side[i] = v;
      } else if (v.dims().size() == 4 && fusion::IsFrozen(v)) {
        side[i] = ToLast(r, v);
      } else {
        return false;
      }
    }
    r.ReplaceOp(op, ToFirst(r, Apply(r, op->name(), {side[0], side[1]}, LastType(op->result(0)), op->attrs())));
    return true;
  }
};

class ConcatBehind : public RewritePattern {
 public:
  ConcatBehind() : RewritePattern(pd::kConcat, 1, "concat_behind_transpose") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const auto [list, at] = layout::ConcatOf(*op);
    if (!list || op->result(0).dims().size() != 4) return false;
    std::vector<Value> inputs;
    for (int i = 0; i < list->num_operands(); ++i) {
      inputs.push_back(Behind(list->operand(i)));
      if (!inputs.back()) return false;
    }
    const int64_t position =
        std::find(kToLast.begin(), kToLast.end(), static_cast<int>(at < 0 ? at + 4 : at)) - kToLast.begin();
    r.ReplaceOp(op, ToFirst(r, layout::ConcatAgain(r, op, list, inputs, position, LastType(op->result(0)))));
    return true;
  }
};

class TransferLayout : public Pass {
 public:
  TransferLayout() : Pass("transfer_layout_pass") {}
  bool Run(Program& program) override {
    // One convolution alone gains less than the transposes around it cost.
    if (!layout::SeveralConvolutions(program)) return false;
    PatternSet set;
    for (const char* root : layout::kConvolutions) set.Add<ConvToLast>(root);
    set.Add<PoolToLast>();
    for (const char* root : {pd::kBatchNorm, pd::kBatchNorm_}) set.Add<BatchNormToLast>(root);
    set.Add<CancelTransposes>();
    for (const char* root : layout::AnyLayout(1)) set.Add<UnaryBehind>(root);
    for (const char* root : layout::AnyLayout(2)) set.Add<BinaryBehind>(root);
    set.Add<ConcatBehind>();
    return ApplyPatterns(program.block(), set) > 0;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateTransferLayout() { return std::make_unique<TransferLayout>(); }

}  // namespace pir
