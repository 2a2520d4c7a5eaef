// SPDX-License-Identifier: Apache-2.0
// Builds expression nodes: typing of mixed and weak operands, and structural hashes.
#include "paddle/cinn/ir/expr.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

#include "paddle/common/error.h"

namespace cinn {
namespace {

constexpr const char* kOpNames[] = {
    "input", "reduced", "index", "extent", "const", "cast", "select", "logical_not", "bitwise_not",
#define CINN_UNARY_MATH(name) #name,
#define CINN_UNARY(name) #name,
#define CINN_TEST(name) #name,
#define CINN_BINARY_MATH(name) #name,
#define CINN_BINARY(name) #name,
#define CINN_BITWISE(name) #name,
#define CINN_COMPARE(name) #name,
#define CINN_LOGICAL(name) #name,
#include "paddle/cinn/ir/intrinsics.def"
};

enum class Kind : uint8_t { kNone, kUnaryMath, kUnary, kTest, kBinaryMath, kBinary, kBitwise, kCompare, kLogical };
constexpr Kind kKinds[] = {
    Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone, Kind::kNone,
#define CINN_UNARY_MATH(name) Kind::kUnaryMath,
#define CINN_UNARY(name) Kind::kUnary,
#define CINN_TEST(name) Kind::kTest,
#define CINN_BINARY_MATH(name) Kind::kBinaryMath,
#define CINN_BINARY(name) Kind::kBinary,
#define CINN_BITWISE(name) Kind::kBitwise,
#define CINN_COMPARE(name) Kind::kCompare,
#define CINN_LOGICAL(name) Kind::kLogical,
#include "paddle/cinn/ir/intrinsics.def"
};

uint64_t Mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 12) + (h >> 4);
  return h * 0xff51afd7ed558ccdull;
}

Expr Finish(ExprNode n) {
  uint64_t h =
      Mix(Mix(static_cast<uint64_t>(n.op), static_cast<uint64_t>(n.dtype) + 2), static_cast<uint64_t>(n.storage) + 2);
  uint64_t bits;
  std::memcpy(&bits, &n.f, 8);
  h = Mix(Mix(Mix(h, static_cast<uint64_t>(n.index) * 2 + n.weak), static_cast<uint64_t>(n.i)), bits);
  for (int k = 0; k < n.nargs; ++k) h = Mix(h, n.args[k]->hash);
  n.hash = h;
  return Expr(std::make_shared<const ExprNode>(std::move(n)));
}

Expr Leaf(Op op, int index, DataType dtype, DataType storage) {
  ExprNode n;
  n.op = op;
  n.dtype = dtype;
  n.storage = storage;
  n.index = index;
  return Finish(std::move(n));
}

Expr Const(DataType dtype, int64_t i, double f, bool weak) {
  ExprNode n;
  n.op = Op::kConst;
  n.dtype = dtype;
  n.i = i;
  n.f = f;
  n.weak = weak;
  return Finish(std::move(n));
}

int Rank(DataType t) {
  switch (t) {
    case DataType::BOOL: return 0;
    case DataType::INT32: return 1;
    case DataType::INT64: return 2;
    case DataType::FLOAT32: return 3;
    case DataType::FLOAT64: return 4;
    default: PD_THROW(Unimplemented, "[cinn] expected a bool, integer or real operand, got ", phi::NameOf(t));
  }
}

// A weak constant becomes a strong one of type t; other operands are converted.
Expr As(const Expr& e, DataType t) {
  if (e.dtype() == t && !e.is_weak()) return e;
  if (e->op == Op::kConst) {
    const double f = IsFloat(e.dtype()) ? e->f : static_cast<double>(e->i);
    if (IsFloat(t)) return Expr::Float(f, t);
    if (t == DataType::BOOL) return Expr::Bool(IsFloat(e.dtype()) ? e->f != 0 : e->i != 0);
    if (!IsFloat(e.dtype())) return Expr::Int(e->i, t);
    // Towards zero, as the cast of a value would.
    if (e.is_weak() && std::fabs(f) < 9.2e18) return Expr::Int(static_cast<int64_t>(f), t);
    if (e.is_weak()) return cast(Expr::Float(f, DataType::FLOAT64), t);
  }
  return cast(e, t);
}

DataType FloatOf(const Expr& a) { return a.dtype() == DataType::FLOAT64 ? a.dtype() : DataType::FLOAT32; }

}  // namespace

const char* OpName(Op op) { return kOpNames[static_cast<int>(op)]; }

Expr Expr::WeakBool(bool v) { return Const(DataType::BOOL, v, 0, true); }
Expr Expr::WeakInt(int64_t v) { return Const(DataType::INT64, v, 0, true); }
Expr Expr::WeakFloat(double v) { return Const(DataType::FLOAT64, 0, v, true); }
Expr Expr::Float(double v, DataType dtype) {
  PD_ASSERT(IsFloat(dtype));
  return Const(dtype, 0, dtype == DataType::FLOAT32 ? static_cast<double>(static_cast<float>(v)) : v, false);
}
Expr Expr::Int(int64_t v, DataType dtype) {
  PD_ASSERT(dtype == DataType::INT32 || dtype == DataType::INT64);
  return Const(dtype, dtype == DataType::INT32 ? static_cast<int32_t>(v) : v, 0, false);
}
Expr Expr::Bool(bool v) { return Const(DataType::BOOL, v, 0, false); }
Expr Expr::Input(int index, DataType storage) {
  const DataType t = phi::ComputeType(storage);
  Rank(t);
  return Leaf(Op::kInput, index, t, storage);
}
Expr Expr::Reduced(int index, DataType dtype) { return Leaf(Op::kReduced, index, dtype, DataType::UNDEFINED); }
Expr Expr::Index(int axis) { return Leaf(Op::kIndex, axis, DataType::INT64, DataType::UNDEFINED); }
Expr Expr::Extent(int axis) { return Leaf(Op::kExtent, axis, DataType::INT64, DataType::UNDEFINED); }

bool Same(const Expr& a, const Expr& b) {
  if (a.node_ == b.node_) return true;
  if (!a.node_ || !b.node_) return false;
  const ExprNode &x = *a.node_, &y = *b.node_;
  if (x.hash != y.hash || x.op != y.op || x.dtype != y.dtype || x.storage != y.storage || x.index != y.index ||
      x.i != y.i || x.weak != y.weak || std::memcmp(&x.f, &y.f, 8) != 0)
    return false;
  for (int k = 0; k < x.nargs; ++k)
    if (!Same(x.args[k], y.args[k])) return false;
  return true;
}

DataType CommonType(const Expr& a, const Expr& b) {
  const DataType x = a.dtype(), y = b.dtype();
  if (a.is_weak() != b.is_weak()) {
    const Expr& w = a.is_weak() ? a : b;
    const DataType s = a.is_weak() ? y : x;
    if (IsFloat(s) || w.dtype() == DataType::BOOL) return s;
    if (IsFloat(w.dtype())) return DataType::FLOAT32;
    return s == DataType::BOOL ? DataType::INT64 : s;
  }
  return Rank(x) >= Rank(y) ? x : y;
}

Expr Make(Op op, DataType dtype, const Expr& a, const Expr& b, const Expr& c) {
  ExprNode n;
  n.op = op;
  n.dtype = dtype;
  const Expr* all[] = {&a, &b, &c};
  for (const Expr* e : all)
    if (e->defined()) n.args[n.nargs++] = *e;
  return Finish(std::move(n));
}

Expr Unary(Op op, const Expr& a) {
  PD_ASSERT(a.defined());
  DataType t = a.dtype();
  switch (kKinds[static_cast<int>(op)]) {
    case Kind::kUnaryMath:
      t = a.is_weak() ? DataType::FLOAT64 : FloatOf(a);
      if (a.is_weak()) {  // stays a number that takes its type later
        const Expr folded = Simplify(Make(op, t, As(a, t)));
        return Expr(folded->f);
      }
      return Make(op, t, As(a, t));
    case Kind::kUnary:
      if (op == Op::k_neg && a.is_weak()) return IsFloat(t) ? Expr(-a->f) : Expr(-a->i);
      if (!IsFloat(t) && (op == Op::k_floor || op == Op::k_ceil || op == Op::k_round || op == Op::k_trunc)) return a;
      if (t == DataType::BOOL) {
        if (op == Op::k_abs || op == Op::k_sign || op == Op::k_square) return a;
        t = DataType::INT32;
      }
      return Make(op, t, As(a, t));
    case Kind::kTest:
      if (!IsFloat(t)) return Expr::Bool(op == Op::k_isfinite);
      return Make(op, DataType::BOOL, As(a, t));
    default: PD_THROW(Internal, "[cinn] ", OpName(op), " is not unary");
  }
}

Expr Binary(Op op, const Expr& a, const Expr& b) {
  PD_ASSERT(a.defined() && b.defined());
  if (a.is_weak() && b.is_weak()) {  // number with number stays a number
    const DataType t = CommonType(a, b);
    const DataType strong = t == DataType::BOOL ? t : IsFloat(t) ? DataType::FLOAT64 : DataType::INT64;
    const bool true_div = op == Op::k_div && !IsFloat(t);
    const DataType ct = true_div ? DataType::FLOAT64 : strong;
    const Expr r = Simplify(Binary(op, As(a, ct), As(b, ct)));
    if (r->op != Op::kConst) return r;
    return r.dtype() == DataType::BOOL ? Expr(r->i != 0) : IsFloat(r.dtype()) ? Expr(r->f) : Expr(r->i);
  }
  DataType t = CommonType(a, b);
  switch (kKinds[static_cast<int>(op)]) {
    case Kind::kBinaryMath:
      if (!IsFloat(t)) t = DataType::FLOAT32;
      return Make(op, t, As(a, t), As(b, t));
    case Kind::kBinary:
      if (t == DataType::BOOL) {
        if (op == Op::k_maximum || op == Op::k_fmax || op == Op::k_add)
          return Make(Op::k_logical_or, t, As(a, t), As(b, t));
        if (op == Op::k_minimum || op == Op::k_fmin || op == Op::k_mul)
          return Make(Op::k_logical_and, t, As(a, t), As(b, t));
        t = DataType::INT32;
      }
      return Make(op, t, As(a, t), As(b, t));
    case Kind::kBitwise:
      if (t == DataType::BOOL) {
        if (op == Op::k_bitwise_and) return Make(Op::k_logical_and, t, As(a, t), As(b, t));
        if (op == Op::k_bitwise_or) return Make(Op::k_logical_or, t, As(a, t), As(b, t));
        if (op == Op::k_bitwise_xor) return Make(Op::k_logical_xor, t, As(a, t), As(b, t));
        t = DataType::INT32;
      }
      PD_CHECK(!IsFloat(t), InvalidArgument, "[", OpName(op), "] expected integer or bool operands, got ",
               phi::NameOf(t));
      return Make(op, t, As(a, t), As(b, t));
    case Kind::kCompare: return Make(op, DataType::BOOL, As(a, t), As(b, t));
    case Kind::kLogical: return Make(op, DataType::BOOL, As(a, DataType::BOOL), As(b, DataType::BOOL));
    default: PD_THROW(Internal, "[cinn] ", OpName(op), " is not binary");
  }
}

Expr cast(const Expr& x, DataType dtype) {
  const DataType t = phi::ComputeType(dtype);
  Rank(t);
  if (x.is_weak()) return cast(As(x, t), dtype);
  if (x.dtype() == t && t == dtype) return x;
  if ((x->op == Op::kCast || x->op == Op::kInput) && x->storage == dtype) return x;  // already of that precision
  ExprNode n;
  n.op = Op::kCast;
  n.dtype = t;
  n.storage = dtype;
  n.nargs = 1;
  n.args[0] = x;
  return Finish(std::move(n));
}

Expr select(const Expr& c, const Expr& a, const Expr& b) {
  DataType t = CommonType(a, b);
  if (a.is_weak() && b.is_weak() && t == DataType::FLOAT64) t = DataType::FLOAT32;
  return Make(Op::kSelect, t, As(c, DataType::BOOL), As(a, t), As(b, t));
}

Expr logical_not(const Expr& a) { return Make(Op::kLogicalNot, DataType::BOOL, As(a, DataType::BOOL)); }

Expr bitwise_not(const Expr& a) {
  if (a.dtype() == DataType::BOOL) return logical_not(a);
  PD_CHECK(!IsFloat(a.dtype()), InvalidArgument, "[bitwise_not] expected an integer or bool operand, got ",
           phi::NameOf(a.dtype()));
  return Make(Op::kBitwiseNot, a.dtype(), As(a, a.dtype()));
}

namespace {

template <class F>  // f(x) gives the replacement of a node, or an undefined Expr to go on below it
Expr Rebuild(const Expr& e, const F& f) {
  std::unordered_map<const ExprNode*, Expr> done;
  std::function<Expr(const Expr&)> walk = [&](const Expr& x) -> Expr {
    auto it = done.find(x.node());
    if (it != done.end()) return it->second;
    Expr r = f(x);
    if (!r.defined()) {
      ExprNode n = *x.node();
      bool changed = false;
      for (int k = 0; k < n.nargs; ++k) {
        n.args[k] = walk(x->args[k]);
        changed |= n.args[k].node() != x->args[k].node();
      }
      r = changed ? Finish(std::move(n)) : x;
    }
    done.emplace(x.node(), r);
    return r;
  };
  return walk(e);
}

}  // namespace

Expr Substitute(const Expr& e, const std::function<Expr(const ExprNode&)>& f) {
  return Rebuild(e, [&](const Expr& x) { return x->nargs == 0 && x->op != Op::kConst ? f(*x.node()) : Expr(); });
}

Expr Replace(const Expr& e, const Expr& part, const Expr& with) {
  return Rebuild(e, [&](const Expr& x) { return x.node() == part.node() ? with : Expr(); });
}

}  // namespace cinn
