// SPDX-License-Identifier: Apache-2.0
// Layer norms written out in single operations, as exporters leave them, become the one operation that has a kernel.
#include <cmath>

#include "paddle/pir/pass/fusion_util.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using fusion::OnlyUse;

const Operation* Def(Value v, std::string_view name) {
  const Operation* op = v ? v.defining_op() : nullptr;
  return op && op->isa(name) ? op : nullptr;
}

// The number in a pd_op.full of one element.
bool NumberOf(Value v, double* out) {
  const Operation* op = Def(v, "pd_op.full");
  if (!op) return false;
  for (common::Dim d : v.dims())
    if (!d.known() || d.raw() != 1) return false;
  const Attribute a = op->attr("value");
  if (!a || a.kind() == AttrKind::kStr || a.kind() == AttrKind::kArray) return false;
  *out = a.to_double();
  return true;
}

// The first of the axes when `axes` are the last ones of `x`, without gaps; else 0.
int64_t TrailingFrom(Value axes, Value x) {
  const Operation* op = Def(axes, "pd_op.full_int_array");
  if (!op || !op->attr("value")) return 0;
  const int64_t rank = x.dims().size();
  uint64_t seen = 0;
  const common::Ints list = op->attr("value").to_ints();
  if (list.empty() || rank > 32) return 0;
  for (int64_t a : list) {
    if (a < -rank || a >= rank) return 0;
    seen |= uint64_t{1} << (a < 0 ? a + rank : a);
  }
  const int64_t first = rank - static_cast<int64_t>(list.size());
  return first > 0 && seen == ((uint64_t{1} << rank) - (uint64_t{1} << first)) ? first : 0;
}

// What is averaged, and the first of the axes this goes over.
struct Average {
  Value of;
  int64_t axis = 0;
};
Average AverageOf(Value v) {
  if (const Operation* mean = Def(v, "pd_op.mean"); mean && mean->attr("keepdim").to_bool())
    return {mean->operand(0), TrailingFrom(mean->operand(1), mean->operand(0))};
  const Operation* divide = Def(v, "pd_op.divide");
  const Operation* sum = divide ? Def(divide->operand(0), "pd_op.sum") : nullptr;
  double count = 0;
  if (!sum || !sum->attr("keepdim").to_bool() || !NumberOf(divide->operand(1), &count)) return {};
  Average r{sum->operand(0), TrailingFrom(sum->operand(1), sum->operand(0))};
  int64_t n = 1;
  for (int64_t i = r.axis; i < r.of.dims().size(); ++i) {
    if (!r.of.dims()[i].known()) return {};
    n *= r.of.dims()[i].raw();
  }
  return count == static_cast<double>(n) && sum->result(0).dtype() == r.of.dtype() ? r : Average{};
}

// x when v is x minus its average over the axes from `axis` on.
Value Centred(Value v, int64_t axis) {
  const Operation* minus = Def(v, "pd_op.subtract");
  if (!minus) return {};
  const Average mean = AverageOf(minus->operand(1));
  return mean.axis == axis && mean.axis > 0 && mean.of == minus->operand(0) ? mean.of : Value();
}

Value SquareRoot(Value v) {
  if (const Operation* square = Def(v, "pd_op.square")) return square->operand(0);
  if (const Operation* pow = Def(v, "pd_op.pow"); pow && pow->attr("y") && pow->attr("y").to_double() == 2) return pow->operand(0);
  const Operation* product = Def(v, "pd_op.multiply");
  return product && product->operand(0) == product->operand(1) ? product->operand(0) : Value();
}

// v + epsilon, as an addition or a scale by 1.
bool Shifted(Value v, Value* inner, double* epsilon) {
  if (const Operation* add = Def(v, "pd_op.add")) {
    for (int i = 0; i < 2; ++i)
      if (NumberOf(add->operand(1 - i), epsilon)) {
        *inner = add->operand(i);
        return SameVisible(add->operand(i).type(), v.type());
      }
    return false;
  }
  const Operation* scale = Def(v, "pd_op.scale");
  double factor = 0;
  if (!scale || scale->num_operands() != 2 || !NumberOf(scale->operand(1), &factor) || factor != 1 || !scale->attr("bias")) return false;
  *inner = scale->operand(0);
  *epsilon = scale->attr("bias").to_double();
  return true;
}

// The x that `centred` / sqrt(average of its square + epsilon) normalises; `root` is the square root (or its inverse).
struct Found {
  Value x;
  int64_t axis = 0;
  double epsilon = 0;
};
Found Recognise(Value centred, Value shifted) {
  Found r;
  Value variance;
  if (!Shifted(shifted, &variance, &r.epsilon) || !(r.epsilon >= 0)) return {};
  const Average average = AverageOf(variance);
  if (average.axis == 0) return {};
  const Value deviation = SquareRoot(average.of);
  r.axis = average.axis;
  r.x = Centred(centred, r.axis);
  if (!r.x || !deviation || !(Centred(deviation, r.axis) == r.x) || IsMutated(r.x)) return {};
  return r.x.dtype() == DataType::FLOAT32 || r.x.dtype() == DataType::FLOAT64 ? r : Found{};
}

Operation* LayerNorm(PatternRewriter& r, Value x, Value scale, Value bias, AttributeMap attrs) {
  common::Dims rows;
  const int64_t axis = attrs.Get("begin_norm_axis").to_int();
  for (int64_t i = 0; i < axis; ++i) rows.push_back(x.dims()[i]);
  const Type statistics = DenseTensorType::Get(x.dtype(), rows);
  return r.CreateOp("pd_op.layer_norm", {x, scale, bias}, std::move(attrs), {x.type(), statistics, statistics});
}

class Normalise : public RewritePattern {
 public:
  explicit Normalise(const char* root) : RewritePattern(root, 1, "layer_norm") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Found found;
    if (op->isa("pd_op.divide")) {
      if (const Operation* root = Def(op->operand(1), "pd_op.sqrt")) found = Recognise(op->operand(0), root->operand(0));
    } else {
      for (int side = 0; side < 2 && !found.x; ++side) {
        const Operation* inverse = Def(op->operand(side), "pd_op.rsqrt");
        if (!inverse) inverse = Def(op->operand(side), "pd_op.pow");
        if (!inverse || (inverse->isa("pd_op.pow") && !(inverse->attr("y") && inverse->attr("y").to_double() == -0.5))) continue;
        found = Recognise(op->operand(1 - side), inverse->operand(0));
      }
    }
    if (!found.x || !SameVisible(found.x.type(), op->result_type(0))) return false;
    AttributeMap attrs;
    attrs.Set("epsilon", Attribute::Float(static_cast<float>(found.epsilon)));
    attrs.Set("begin_norm_axis", Attribute::Int32(static_cast<int>(found.axis)));
    r.ReplaceOp(op, LayerNorm(r, found.x, {}, {}, std::move(attrs))->result(0));
    return true;
  }
};

// A factor (then a term) that has one number for each normalised element joins a layer norm that has none.
class JoinAffine : public RewritePattern {
 public:
  explicit JoinAffine(const char* root) : RewritePattern(root, 1, "layer_norm_affine") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    const bool factor = op->isa("pd_op.multiply");
    for (int side = 0; side < 2; ++side) {
      const Operation* norm = Def(op->operand(side), "pd_op.layer_norm");
      const Value given = op->operand(1 - side);
      if (!norm || !OnlyUse(norm->result(0)) || norm->operand(2) || (factor && norm->operand(1)) || !Fits(*norm, given)) continue;
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
      if (!x.dims()[i].known() || !v.dims()[i - axis].known() || x.dims()[i].raw() != v.dims()[i - axis].raw()) return false;
    return true;
  }
};

class LayerNormFusion : public Pass {
 public:
  LayerNormFusion() : Pass("layer_norm_fuse_pass") {}
  bool Run(Program& program) override {
    PatternSet set;
    for (const char* root : {"pd_op.divide", "pd_op.multiply"}) set.Add<Normalise>(root);
    for (const char* root : {"pd_op.multiply", "pd_op.add"}) set.Add<JoinAffine>(root);
    return ApplyPatterns(program.block(), set) > 0;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateLayerNormFusion() { return std::make_unique<LayerNormFusion>(); }

}  // namespace pir
