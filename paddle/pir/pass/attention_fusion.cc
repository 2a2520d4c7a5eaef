// SPDX-License-Identifier: Apache-2.0
// Attention written out in single operations, as models and exporters leave it, becomes the operation that has a
// kernel.
#include <cmath>

#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"
#include "paddle/pir/pass/norm_patterns.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

using namespace fusion;  // NOLINT: the pieces patterns are made of

// Whether `op` is a transpose with this order of axes.
bool Permutes(const Operation* op, std::initializer_list<int64_t> perm) {
  if (!op || !op->attr("perm")) return false;
  const common::Ints list = op->attr("perm").to_ints();
  const int64_t rank = static_cast<int64_t>(perm.size());
  if (static_cast<int64_t>(list.size()) != rank) return false;
  for (int64_t i = 0; i < rank; ++i)
    if ((list[i] < 0 ? list[i] + rank : list[i]) != perm.begin()[i]) return false;
  return true;
}

// Multiplications by a number around `v` taken off.
Value Unscaled(Value v, double* scale) {
  Value x;
  double factor = 1;
  while (v && Scaled(v, &x, &factor)) {
    *scale *= factor;
    v = x;
  }
  return v;
}

// Widening of half values, which the kernel does itself.
Value Narrow(Value v) {
  const Operation* cast = Def(v, pd::kCast);
  if (!cast || v.dtype() != DataType::FLOAT32) return v;
  const DataType from = cast->operand(0).dtype();
  return from == DataType::FLOAT16 || from == DataType::BFLOAT16 ? cast->operand(0) : v;
}

// Numbers of -1e4 and below above the diagonal, nothing elsewhere.
bool HidesLater(Value mask) {
  const Operation* triu = Def(mask, pd::kTriu);
  if (!triu || !triu->attr("diagonal") || triu->attr("diagonal").to_int() != 1) return false;
  const Operation* full = Def(triu->operand(0), pd::kFullLike);
  double low = 0;
  if (full) return full->num_operands() == 2 && NumberOf(full->operand(1), &low) && low <= -1e4;
  return false;
}

// One use besides those by a mask that only takes the shape (HidesLater).
bool LeadsOn(Value v) {
  int others = 0;
  v.ForEachUse([&](OpOperand& u) {
    const Operation* full = u.owner();
    const Operation* triu =
        full->isa(pd::kFullLike) && OnlyUse(full->result(0)) ? full->result(0).first_use()->owner() : nullptr;
    others += !(triu && triu->isa(pd::kTriu) && OnlyUse(triu->result(0)) && HidesLater(triu->result(0)));
  });
  return others == 1 && !v.persistable();
}

// Extents that are 1 or those of the scores, counted from the last; an unknown one may be either.
bool Broadcasts(Value mask, Value scores) {
  const common::Dims &m = mask.dims(), &s = scores.dims();
  if (m.size() > s.size()) return false;
  for (int64_t i = 1; i <= m.size(); ++i) {
    const common::Dim a = m[m.size() - i], b = s[s.size() - i];
    if (a.known() && a.raw() == 1) continue;
    // Only its batch may widen the scores.
    if (common::CertainlyDiffer(a, b) && !(i == 4 && b.raw() == 1)) return false;
  }
  return true;
}

struct Found {
  Value q, k, v, mask;                     // [batch, heads, length, dim]
  bool k_turned = false, k_first = false;  // k is [batch, heads, dim, length]; or [batch, length, heads, dim]
  double scale = 1;
  bool causal = false;
};

class JoinAttention : public RewritePattern {
 public:
  JoinAttention() : RewritePattern(pd::kMatmul, 1, "join_attention") {}

  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Found f;
    if (op->attr("transpose_x").to_bool() || op->attr("transpose_y").to_bool() || !Match(*op, &f)) return false;
    Value k = f.k;
    if (f.k_turned) k = Transpose(r, k, {0, 1, 3, 2});
    const Value q = LengthFirst(r, f.q);
    Value v = LengthFirst(r, f.v);
    k = f.k_first ? k : LengthFirst(r, k);
    if (const Value own_k = Shared(k, 2), own_v = Shared(v, 2); own_k.dims()[2].raw() == own_v.dims()[2].raw())
      k = own_k, v = own_v;
    AttributeMap attrs;
    attrs.Set("scale", Attribute::Double(f.scale));
    attrs.Set("causal", Attribute::Bool(f.causal));
    attrs.Set("offset", Attribute::Int64(0));
    attrs.Set("dropout", Attribute::Double(0));
    const common::Dims& d = op->result(0).dims();  // batch, heads, queries, dim
    const Type out = DenseTensorType::Get(q.dtype(), common::Dims{d[0], d[2], d[1], d[3]});
    const Type lse = DenseTensorType::Get(DataType::FLOAT64, common::Dims{d[0], d[1], d[2]});
    const Value joined =
        r.CreateOp(pd::kFusedAttention, {q, k, v, f.mask, Value()}, std::move(attrs), {out, lse})->result(0);
    Operation* user = op->result(0).has_one_use() ? op->result(0).first_use()->owner() : nullptr;
    if (user && user->isa(pd::kTranspose) && Permutes(user, {0, 2, 1, 3}) &&
        SameVisible(user->result_type(0), joined.type())) {
      r.ReplaceOp(user, joined);
      return true;
    }
    r.ReplaceOp(op, Transpose(r, joined, {0, 2, 1, 3}));
    return true;
  }

 private:
  // x as [batch, length, heads, dim]: what a transpose made it from, or a view.
  static Value LengthFirst(PatternRewriter& r, Value x) {
    const Operation* turned = Def(x, pd::kTranspose);
    if (turned && Permutes(turned, {0, 2, 1, 3}) && !IsMutated(turned->operand(0))) return turned->operand(0);
    return Transpose(r, x, {0, 2, 1, 3});
  }

  // Key and value heads, on axis `heads`, before they were repeated for the query heads that share them.
  static Value Shared(Value x, int64_t heads) {
    if (const Operation* repeat = Def(x, pd::kRepeatInterleave)) {
      const Attribute axis = repeat->attr("axis");
      return axis && (axis.to_int() == heads || axis.to_int() == heads - 4) && !IsMutated(repeat->operand(0))
                 ? repeat->operand(0)
                 : x;
    }
    const Operation* joined = Def(x, pd::kFlatten);
    if (!joined) joined = Def(x, pd::kReshape);
    const Operation* expand = joined ? Def(joined->operand(0), pd::kExpand) : nullptr;
    const Operation* unsqueeze = expand ? Def(expand->operand(0), pd::kUnsqueeze) : nullptr;
    if (!unsqueeze) return x;
    const Value from = unsqueeze->operand(0);
    const common::Dims &f = from.dims(), &t = x.dims(), &one = unsqueeze->result(0).dims(),
                       &many = expand->result(0).dims();
    if (f.size() != 4 || t.size() != 4 || one.size() != 5 || many.size() != 5 || IsMutated(from)) return x;
    const Operation* at = Def(unsqueeze->operand(1), pd::kFullIntArray);
    const common::Ints where = at && at->attr("value") ? at->attr("value").to_ints() : common::Ints{};
    if (where.size() != 1 || (where[0] < 0 ? where[0] + 5 : where[0]) != heads + 1) return x;
    const common::Dim repeats = many[heads + 1];
    if (!f[heads].known() || !t[heads].known() || !repeats.known() || t[heads].raw() != f[heads].raw() * repeats.raw())
      return x;
    // The other extents must stay: the last one certainly does where it is known.
    for (int64_t i = 0; i < 4; ++i)
      if (i != heads &&
          (common::CertainlyDiffer(f[i], t[i]) || common::CertainlyDiffer(f[i], many[i <= heads ? i : i + 1])))
        return x;
    return from;
  }

  static bool Match(const Operation& op, Found* f) {
    const Value out = op.result(0), scores = Weights(op.operand(0));
    if (!scores || out.dims().size() != 4) return false;
    f->v = op.operand(1);
    Value s = Narrow(scores), x;
    double factor = 1;
    const Operation* product = nullptr;
    // From the softmax backwards: masks, then numbers, then the product of queries and keys.
    for (int steps = 0; steps < 8 && s && LeadsOn(s); ++steps) {
      s = Narrow(s);
      product = Def(s, pd::kMatmul);
      if (product) break;
      if (Scaled(s, &x, &factor)) {
        f->scale *= factor;
      } else if (const Operation* add = Def(s, pd::kAdd); add && f->scale == 1) {
        const int side = LeadsToProduct(add->operand(0)) ? 0 : 1;
        x = add->operand(side);
        const Value mask = add->operand(1 - side);
        if (!f->causal && HidesLater(mask)) {
          f->causal = true;
        } else if (f->mask || !Broadcasts(mask, x) || !phi::IsFloating(mask.dtype()) || mask.dims().size() > 4) {
          return false;
        } else {
          f->mask = mask;
        }
        if (!SameVisible(x.type(), s.type()) && !Widened(x, mask)) return false;
      } else if (const Operation* where = Def(s, pd::kWhere); where && f->scale == 1 && !f->mask) {
        x = where->operand(1);
        f->mask = where->operand(0);
        if (!Lowest(where->operand(2)) || !Broadcasts(f->mask, x) || f->mask.dims().size() > 4) return false;
        if (!SameVisible(x.type(), s.type()) && !(x.dims().size() == 4 && f->mask.dims().size() == 4)) return false;
      } else {
        return false;
      }
      s = x;
    }
    if (!product || !LeadsOn(s)) return false;
    return Operands(*product, op, f);
  }

  // Minus infinity, in any shape.
  static bool Lowest(Value v) {
    if (const Operation* expand = Def(v, pd::kExpand)) v = expand->operand(0);
    const Operation* full = Def(v, pd::kFull);
    const Attribute a = full ? full->attr("value") : Attribute();
    return a && a.kind() != AttrKind::kStr && a.kind() != AttrKind::kArray && a.to_double() == -INFINITY;
  }

  // A mask may widen batch and heads of the scores, not their type.
  static bool Widened(Value x, Value mask) {
    return x.dims().size() == 4 && mask.dims().size() == 4 && x.dtype() == mask.dtype();
  }

  static bool LeadsToProduct(Value v) {
    Value x;
    double factor;
    for (int steps = 0; steps < 8 && v; ++steps) {
      v = Narrow(v);
      if (Def(v, pd::kMatmul)) return true;
      if (Scaled(v, &x, &factor)) {
        v = x;
      } else if (const Operation* add = Def(v, pd::kAdd)) {
        return LeadsToProduct(add->operand(0)) || LeadsToProduct(add->operand(1));
      } else {
        return false;
      }
    }
    return false;
  }

  // What `weights` is the softmax of; casts of half programs and a dropout that does nothing are passed by.
  static Value Weights(Value weights) {
    Value w = weights;
    for (int steps = 0; steps < 4 && w && OnlyUse(w); ++steps) {
      const Operation* maker = w.defining_op();
      if (!maker) return {};
      if (maker->isa(pd::kSoftmax)) {
        const int64_t axis = maker->attr("axis") ? maker->attr("axis").to_int() : -1;
        return axis == -1 || axis == w.dims().size() - 1 ? maker->operand(0) : Value();
      }
      const bool narrowing = maker->isa(pd::kCast) && maker->operand(0).dtype() == DataType::FLOAT32;
      const bool idle = maker->isa(pd::kDropout) && maker->attr("is_test").to_bool() &&
                        maker->attr("mode").to_str() == "upscale_in_train";
      if (!narrowing && !idle) return {};
      w = maker->operand(0);
    }
    return {};
  }

  static bool Operands(const Operation& product, const Operation& op, Found* f) {
    if (product.attr("transpose_x").to_bool()) return false;
    f->q = Unscaled(product.operand(0), &f->scale);
    f->k = product.operand(1);
    if (product.attr("transpose_y").to_bool()) {
      f->k = Unscaled(f->k, &f->scale);
    } else if (const Operation* turned = Def(f->k, pd::kTranspose); turned && Permutes(turned, {0, 1, 3, 2})) {
      f->k = Unscaled(turned->operand(0), &f->scale);
    } else if (turned && Permutes(turned, {0, 2, 3, 1})) {
      f->k = turned->operand(0);
      f->k_first = true;
    } else {
      f->k_turned = true;
    }
    if (!f->k_turned && !f->k_first) f->k = Shared(f->k, 1);
    f->v = Shared(f->v, 1);
    if (!std::isfinite(f->scale)) return false;
    const Value inputs[] = {f->q, f->k, f->v};
    for (const Value& v : inputs)
      if (v.dims().size() != 4 || v.dtype() != op.result(0).dtype() || !phi::IsFloating(v.dtype()) || IsMutated(v))
        return false;
    if (f->mask && (IsMutated(f->mask) || phi::IsFloat8(f->mask.dtype()))) return false;
    const common::Dim q = f->q.dims()[1], k = f->k.dims()[f->k_first ? 2 : 1], v = f->v.dims()[1];
    return q.known() && k.known() && v.known() && k.raw() == v.raw() && k.raw() > 0 && q.raw() % k.raw() == 0;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateAttentionFusion() {
  return std::make_unique<PatternPass>("attention_fuse_pass", [](PatternSet& set) { set.Add<JoinAttention>(); });
}

}  // namespace pir
