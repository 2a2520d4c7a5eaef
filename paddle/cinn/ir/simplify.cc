// SPDX-License-Identifier: Apache-2.0
// Exact simplification: folds constants and drops operations that cannot change the result, NaN and signed zeros
// included.
#include <cmath>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/ir/expr.h"
#include "paddle/cinn/ir/interp.h"

namespace cinn {
namespace {

bool IsConst(const Expr& e) { return e->op == Op::kConst; }
bool IsNumber(const Expr& e, double v) {
  if (!IsConst(e)) return false;
  if (!IsFloat(e.dtype())) return static_cast<double>(e->i) == v;
  return e->f == v && std::signbit(e->f) == std::signbit(v);
}
bool IsTrue(const Expr& e) { return IsConst(e) && e.dtype() == DataType::BOOL && e->i; }
bool IsFalse(const Expr& e) { return IsConst(e) && e.dtype() == DataType::BOOL && !e->i; }
bool PowerOfTwo(double v) {
  int exp;
  return std::isfinite(v) && v != 0 && std::fabs(std::frexp(v, &exp)) == 0.5 && exp > -100 && exp < 100;
}

// Ops the direct evaluator knows; transcendental ones fold within the accuracy bound of the vector library.
bool Foldable(Op op) {
  switch (op) {
    case Op::k_digamma:
    case Op::k_erfinv:
    case Op::k_i0:
    case Op::k_i0e:
    case Op::k_i1:
    case Op::k_i1e: return false;
    default: return op > Op::kConst;
  }
}

Expr NumberOf(DataType t, double v) { return IsFloat(t) ? Expr::Float(v, t) : Expr::Int(static_cast<int64_t>(v), t); }

// One rewrite at the root; the operands are simplified already. Returns an undefined Expr when nothing applies.
Expr Rewrite(const Expr& e) {
  const ExprNode& n = *e.node();
  const Expr &a = n.args[0], &b = n.args[1], &c = n.args[2];
  const bool flt = IsFloat(n.dtype);
  switch (n.op) {
    case Op::k_add:
      if (flt ? IsNumber(b, -0.0) : IsNumber(b, 0)) return a;  // x + (+0) would turn -0 into +0
      if (flt ? IsNumber(a, -0.0) : IsNumber(a, 0)) return b;
      if (b->op == Op::k_neg) return Make(Op::k_sub, n.dtype, a, b->args[0]);
      if (a->op == Op::k_neg) return Make(Op::k_sub, n.dtype, b, a->args[0]);
      if (!flt && IsConst(a) && !IsConst(b)) return Make(n.op, n.dtype, b, a);
      break;
    case Op::k_sub:
      if (IsNumber(b, 0.0)) return a;
      if (b->op == Op::k_neg) return Make(Op::k_add, n.dtype, a, b->args[0]);
      if (!flt && Same(a, b)) return NumberOf(n.dtype, 0);
      break;
    case Op::k_mul:
      if (IsNumber(b, 1)) return a;
      if (IsNumber(a, 1)) return b;
      if (IsNumber(b, -1)) return Make(Op::k_neg, n.dtype, a);
      if (IsNumber(a, -1)) return Make(Op::k_neg, n.dtype, b);
      if (!flt && (IsNumber(a, 0) || IsNumber(b, 0))) return NumberOf(n.dtype, 0);
      if (a->op == Op::k_neg && b->op == Op::k_neg) return Make(n.op, n.dtype, a->args[0], b->args[0]);
      break;
    case Op::k_div:
      if (IsNumber(b, 1)) return a;
      if (flt && IsConst(b) && PowerOfTwo(b->f)) return Make(Op::k_mul, n.dtype, a, Expr::Float(1 / b->f, n.dtype));
      break;
    case Op::k_neg:
      if (a->op == Op::k_neg) return a->args[0];
      if (flt && a->op == Op::k_mul && IsConst(a->args[1]))
        return Make(Op::k_mul, n.dtype, a->args[0], Expr::Float(-a->args[1]->f, n.dtype));
      break;
    case Op::k_abs:
      if (a->op == Op::k_abs) return a;
      if (flt && a->op == Op::k_neg) return Make(n.op, n.dtype, a->args[0]);
      break;
    case Op::k_pow:
      if (flt && IsNumber(b, 2)) return Make(Op::k_mul, n.dtype, a, a);
      if (flt && IsNumber(b, 1)) return a;
      break;
    case Op::k_square: return Make(Op::k_mul, n.dtype, a, a);
    case Op::kSelect:
      if (IsTrue(a)) return b;
      if (IsFalse(a)) return c;
      if (Same(b, c)) return b;
      if (a->op == Op::kLogicalNot) return Make(Op::kSelect, n.dtype, a->args[0], c, b);
      if (n.dtype == DataType::BOOL && IsTrue(b) && IsFalse(c)) return a;
      break;
    case Op::kLogicalNot:
      if (a->op == Op::kLogicalNot) return a->args[0];
      break;
    case Op::k_logical_and:
      if (IsTrue(a) || IsFalse(b)) return b;
      if (IsTrue(b) || IsFalse(a) || Same(a, b)) return a;
      break;
    case Op::k_logical_or:
      if (IsFalse(a) || IsTrue(b)) return b;
      if (IsFalse(b) || IsTrue(a) || Same(a, b)) return a;
      break;
    case Op::k_maximum:
    case Op::k_minimum:
    case Op::k_fmax:
    case Op::k_fmin:
      if (Same(a, b)) return a;
      break;
    case Op::kCast:
      if (a->op == Op::kCast && a->storage == n.storage) return a;
      // int32 and float32 widen without loss, so the way back is the identity.
      if (a->op == Op::kCast && a->args[0].dtype() == n.storage &&
          ((n.storage == DataType::FLOAT32 && a->storage == DataType::FLOAT64) ||
           (n.storage == DataType::INT32 && (a->storage == DataType::INT64 || a->storage == DataType::FLOAT64))))
        return a->args[0];
      break;
    default: break;
  }
  return {};
}

class Simplifier {
 public:
  Expr Run(const Expr& e) {
    auto it = done_.find(e.node());
    if (it != done_.end()) return it->second;
    Expr r = e;
    if (e->nargs) {
      Expr args[3];
      bool changed = false;
      for (int k = 0; k < e->nargs; ++k) {
        args[k] = Run(e->args[k]);
        changed |= args[k].node() != e->args[k].node();
      }
      if (changed)
        r = e->op == Op::kCast ? cast(args[0], e->storage) : Make(e->op, e->dtype, args[0], args[1], args[2]);
      r = Root(r);
    }
    r = Unique(r);
    done_.emplace(e.node(), r);
    keep_.push_back(e);
    return r;
  }

 private:
  Expr Root(Expr r) {
    for (int round = 0; round < 8 && r->nargs; ++round) {
      bool constant = Foldable(r->op);
      for (int k = 0; k < r->nargs; ++k) constant &= IsConst(r->args[k]);
      if (constant) return FoldConstant(r);
      Expr next = Rewrite(r);
      if (!next.defined()) break;
      r = next;
    }
    return r;
  }

  Expr Unique(const Expr& e) {
    auto [b, end] = table_.equal_range(e->hash);
    for (; b != end; ++b)
      if (Same(b->second, e)) return b->second;
    table_.emplace(e->hash, e);
    return e;
  }

  std::unordered_map<const ExprNode*, Expr> done_;
  std::unordered_multimap<uint64_t, Expr> table_;
  std::vector<Expr> keep_;  // pointers in done_ stay valid
};

}  // namespace

Expr Simplify(const Expr& e) { return Simplifier().Run(e); }

std::vector<Expr> SimplifyAll(const std::vector<Expr>& all) {
  Simplifier s;
  std::vector<Expr> r;
  for (const Expr& e : all) r.push_back(e.defined() ? s.Run(e) : e);
  return r;
}

}  // namespace cinn
