// SPDX-License-Identifier: Apache-2.0
// Convolutions of channels-first tensors computed in blocks of 16 channels, which is how the fastest kernels of AVX-512
// machines have them: the changes of order around them move outwards until they meet and vanish.
#include <algorithm>

#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/layout_moves.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using fusion::Apply;
using layout::OneElement;
constexpr int64_t kBlock = 16;

// Of a value [n, c, h, w] or of a blocked one.
int64_t Blocks(int64_t channels) { return (channels + kBlock - 1) / kBlock; }
Type BlockedType(Value x) {
  const common::Dims& d = x.dims();
  return DenseTensorType::Get(x.dtype(), {d[0], common::Dim(Blocks(d[1].raw())), d[2], d[3], common::Dim(kBlock)});
}
bool KnownChannels(Value v) { return v.type().is_dense() && v.dims().size() == 4 && v.dims()[1].known(); }

Value Block(PatternRewriter& r, Value x) { return Apply(r, pd::kBlockChannels, {x}, BlockedType(x)); }
// The value of `plain`'s type behind the blocked x.
Value Unblock(PatternRewriter& r, Value x, Value plain) {
  AttributeMap attrs;
  attrs.Set("channels", Attribute::Int32(static_cast<int>(plain.dims()[1].raw())));
  return Apply(r, pd::kUnblockChannels, {x}, plain.type(), std::move(attrs));
}
// x where v is x with its channels taken out of their blocks; else null.
Value Behind(Value v) {
  Operation* op = v ? v.defining_op() : nullptr;
  return op && op->isa(pd::kUnblockChannels) ? op->operand(0) : Value();
}
// Lanes without a channel hold zeros, which not every operation keeps.
bool Full(Value v) { return v.dims()[1].known() && v.dims()[1].raw() % kBlock == 0; }
// Whether the lanes without a channel are few enough.
bool WorthBlocks(int64_t channels) { return channels >= kBlock && Blocks(channels) * kBlock * 3 <= channels * 4; }

class ConvToBlocks : public RewritePattern {
 public:
  explicit ConvToBlocks(const char* root) : RewritePattern(root, 1, "conv_to_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = op->operand(0), w = op->operand(1), y = op->result(0);
    if (op->attr("data_format").to_str() != "NCHW" || !KnownChannels(x) || !KnownChannels(y) ||
        y.dtype() != DataType::FLOAT32 || w.dims().size() != 4)
      return false;
    const int64_t in = x.dims()[1].raw(), out = y.dims()[1].raw(), groups = op->attr("groups").to_int();
    if (!WorthBlocks(out) || groups < 1) return false;
    const bool each = groups == in && groups == out;
    if (groups != 1 && !each && (in / groups % kBlock || out / groups % kBlock)) return false;
    const bool fused = op->isa(pd::kFusedConv);
    const Value bias = fused ? op->operand(2) : Value(), residual = fused ? op->operand(3) : Value();
    if (residual && !SameVisible(residual.type(), y.type())) return false;

    const Value from = WorthBlocks(in) ? Block(r, x) : x;
    AttributeMap attrs;
    for (const char* name : {"strides", "paddings", "padding_algorithm", "dilations", "groups"})
      attrs.Set(name, op->attr(name));
    attrs.Set("data_format", Attribute::Str("NCHW16C"));
    attrs.Set("activation", fused ? op->attr("activation") : Attribute::Str(""));
    const Value made = Apply(r, pd::kFusedConv, {from, w, bias, residual ? Block(r, residual) : Value()},
                             BlockedType(y), std::move(attrs));
    r.ReplaceOp(op, Unblock(r, made, y));
    return true;
  }
};

// Two axes of pooling as three, the blocks of channels in front.
class PoolToBlocks : public RewritePattern {
 public:
  PoolToBlocks() : RewritePattern(pd::kPool2d, 1, "pool_to_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0)), y = op->result(0);
    const Operation* sizes = FullIntArrayBehind(op->operand(1));
    if (!x || op->attr("data_format").to_str() != "NCHW" || !sizes) return false;
    common::Ints kernel = sizes->attr("value").to_ints(), strides = op->attr("strides").to_ints(),
                 pads = op->attr("paddings").to_ints();
    const bool global = op->attr("global_pooling").to_bool(), adaptive = op->attr("adaptive").to_bool() || global;
    if (global) kernel = {1, 1};
    if (kernel.size() != 2 || strides.size() > 2 || (pads.size() != 2 && pads.size() != 4) || !KnownChannels(y))
      return false;
    while (strides.size() < 2) strides.push_back(1);
    const auto list = [](std::initializer_list<int64_t> front, const common::Ints& back) {
      std::vector<Attribute> items;
      for (int64_t v : front) items.push_back(Attribute::Int64(v));
      for (int64_t v : back) items.push_back(Attribute::Int64(v));
      return Attribute::Array(std::move(items));
    };
    AttributeMap attrs;
    for (const char* name : {"ceil_mode", "exclusive", "pooling_type", "padding_algorithm"})
      attrs.Set(name, op->attr(name));
    attrs.Set("kernel_size", list({adaptive ? Blocks(y.dims()[1].raw()) : 1}, kernel));
    attrs.Set("strides", list({1}, strides));
    attrs.Set("paddings", pads.size() == 2 ? list({0}, pads) : list({0, 0}, pads));
    attrs.Set("data_format", Attribute::Str("NDHWC"));
    attrs.Set("global_pooling", Attribute::Bool(false));
    attrs.Set("adaptive", Attribute::Bool(adaptive));
    r.ReplaceOp(op, Unblock(r, Apply(r, pd::kPool3d, {x}, BlockedType(y), std::move(attrs)), y));
    return true;
  }
};

class CancelBlocks : public RewritePattern {
 public:
  CancelBlocks() : RewritePattern(pd::kBlockChannels, 2, "cancel_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0));
    if (!x) return false;
    r.ReplaceOp(op, x);
    return true;
  }
};

class UnaryBehind : public RewritePattern {
 public:
  explicit UnaryBehind(const char* root) : RewritePattern(root, 1, "unary_behind_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value x = Behind(op->operand(0)), y = op->result(0);
    if (!x || op->num_results() != 1 || !Full(y)) return false;
    std::vector<Value> operands{x};
    for (int i = 1; i < op->num_operands(); ++i) {
      const Value v = op->operand(i);
      if (v && v.type().is_dense() && !OneElement(v)) return false;
      operands.push_back(v);
    }
    r.ReplaceOp(op, Unblock(r, layout::Again(r, op, operands, BlockedType(y)), y));
    return true;
  }
};

// Both sides in blocks, or one of them a number, or frozen with as many channels.
class BinaryBehind : public RewritePattern {
 public:
  explicit BinaryBehind(const char* root) : RewritePattern(root, 1, "binary_behind_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const Value y = op->result(0);
    Value side[2] = {Behind(op->operand(0)), Behind(op->operand(1))};
    if ((!side[0] && !side[1]) || !KnownChannels(y) || !Full(y)) return false;
    bool freeze[2] = {};
    for (int i = 0; i < 2; ++i) {
      const Value v = op->operand(i);
      if (!side[i] && OneElement(v)) {
        side[i] = v;
        continue;
      }
      if (!KnownChannels(v) || v.dims()[1].raw() != y.dims()[1].raw()) return false;
      freeze[i] = !side[i];
      if (freeze[i] && !fusion::IsFrozen(v)) return false;
    }
    for (int i = 0; i < 2; ++i)
      if (freeze[i]) side[i] = Block(r, op->operand(i));
    r.ReplaceOp(op, Unblock(r, Apply(r, op->name(), {side[0], side[1]}, BlockedType(y), op->attrs()), y));
    return true;
  }
};

// Channels one after another, each part of whole blocks.
class ConcatBehind : public RewritePattern {
 public:
  ConcatBehind() : RewritePattern(pd::kConcat, 1, "concat_behind_blocks") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const auto [list, at] = layout::ConcatOf(*op);
    const Value y = op->result(0);
    if (!list || (at != 1 && at != -3) || !KnownChannels(y)) return false;
    std::vector<Value> inputs;
    for (int i = 0; i < list->num_operands(); ++i) {
      inputs.push_back(Behind(list->operand(i)));
      if (!inputs.back() || !Full(list->operand(i))) return false;
    }
    r.ReplaceOp(op, Unblock(r, layout::ConcatAgain(r, op, list, inputs, 1, BlockedType(y)), y));
    return true;
  }
};

class BlockedLayout : public Pass {
 public:
  BlockedLayout() : Pass("blocked_layout_pass") {}
  bool Run(Program& program) override {
    // One convolution alone changes the order by itself.
    if (!layout::SeveralConvolutions(program)) return false;
    PatternSet set;
    for (const char* root : layout::kConvolutions) set.Add<ConvToBlocks>(root);
    set.Add<PoolToBlocks>();
    set.Add<CancelBlocks>();
    for (const char* root : layout::AnyLayout(1)) set.Add<UnaryBehind>(root);
    for (const char* root : layout::AnyLayout(2)) set.Add<BinaryBehind>(root);
    set.Add<ConcatBehind>();
    return ApplyPatterns(program.block(), set) > 0;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateBlockedLayout() { return std::make_unique<BlockedLayout>(); }

}  // namespace pir
