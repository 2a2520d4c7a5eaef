// SPDX-License-Identifier: Apache-2.0
// Scalar expressions of the fusion compiler: immutable values over a shared node, built by ordinary C++ expression
// syntax, so that the text of an op's `body` is also the code that lowers it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/common/dtype.h"

namespace cinn {

using phi::DataType;

enum class Op : uint8_t {
  kInput,    // element of group input `index`
  kReduced,  // result of reduction `index` of the group, for the current row
  kIndex,    // position along iteration axis `index`, int64
  kExtent,   // extent of iteration axis `index`, int64
  kConst,
  kCast,  // to `storage`: dtype is its compute type, the value is rounded (half) or wrapped (narrow integers)
  kSelect,
  kLogicalNot,
  kBitwiseNot,
#define CINN_UNARY_MATH(name) k_##name,
#define CINN_UNARY(name) k_##name,
#define CINN_TEST(name) k_##name,
#define CINN_BINARY_MATH(name) k_##name,
#define CINN_BINARY(name) k_##name,
#define CINN_BITWISE(name) k_##name,
#define CINN_COMPARE(name) k_##name,
#define CINN_LOGICAL(name) k_##name,
#include "paddle/cinn/ir/intrinsics.def"
  kCount,
};
const char* OpName(Op op);

struct ExprNode;

// dtype() is always a compute type: bool, int32, int64, float32 or float64. A constant written as a plain number is
// *weak*: it takes the type of what it meets (a fractional one turns integers into float32).
class Expr {
 public:
  Expr() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Expr(T v)  // NOLINT: literals in body text convert
      : Expr(std::is_same_v<T, bool> ? WeakBool(v)
             : std::is_integral_v<T> ? WeakInt(static_cast<int64_t>(v))
                                     : WeakFloat(static_cast<double>(v))) {}
  // An op's argument: a real number, or an integer with all its digits.
  Expr(const phi::Scalar& v)  // NOLINT
      : Expr(v.dtype() == DataType::INT64 ? WeakInt(v.to_int()) : WeakFloat(v.to_double())) {}

  // `storage` is the element type in memory; reading converts to its compute type.
  static Expr Input(int index, DataType storage);
  static Expr Reduced(int index, DataType dtype);
  static Expr Index(int axis);
  static Expr Extent(int axis);
  // Typed constants. The value is rounded to the type.
  static Expr Float(double v, DataType dtype);
  static Expr Int(int64_t v, DataType dtype);
  static Expr Bool(bool v);

  explicit operator bool() const = delete;  // an expression has no truth value: use select
  bool defined() const { return node_ != nullptr; }
  DataType dtype() const;
  bool is_weak() const;
  const ExprNode* node() const { return node_.get(); }
  const ExprNode* operator->() const { return node_.get(); }
  friend bool Same(const Expr& a, const Expr& b);  // structurally equal

  explicit Expr(std::shared_ptr<const ExprNode> n) : node_(std::move(n)) {}

 private:
  static Expr WeakBool(bool v);
  static Expr WeakInt(int64_t v);
  static Expr WeakFloat(double v);
  std::shared_ptr<const ExprNode> node_;
};

// Whether expressions of the type compute with rounding.
inline bool IsFloat(DataType t) { return t == DataType::FLOAT32 || t == DataType::FLOAT64; }

struct ExprNode {
  Op op = Op::kConst;
  DataType dtype = DataType::UNDEFINED;
  DataType storage = DataType::UNDEFINED;  // kInput, kCast
  bool weak = false;                       // kConst
  uint8_t nargs = 0;
  int32_t index = 0;
  int64_t i = 0;  // kConst of integer and bool type
  double f = 0;   // kConst of float type
  uint64_t hash = 0;
  Expr args[3];
};

inline DataType Expr::dtype() const { return node_->dtype; }
inline bool Expr::is_weak() const { return node_->weak; }

// The node for `op` on operands already of the right types; unary, binary or select.
Expr Make(Op op, DataType dtype, const Expr& a, const Expr& b = {}, const Expr& c = {});
// Applies `op` with the type rules of its row in intrinsics.def.
Expr Unary(Op op, const Expr& a);
Expr Binary(Op op, const Expr& a, const Expr& b);

Expr cast(const Expr& x, DataType dtype);
Expr select(const Expr& c, const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
Expr bitwise_not(const Expr& a);

// The type two operands meet in: bool < int32 < int64 < float32 < float64.
DataType CommonType(const Expr& a, const Expr& b);

#define CINN_DECLARE1(name) \
  inline Expr name(const Expr& a) { return Unary(Op::k_##name, a); }
#define CINN_DECLARE2(name) \
  inline Expr name(const Expr& a, const Expr& b) { return Binary(Op::k_##name, a, b); }
#define CINN_UNARY_MATH CINN_DECLARE1
#define CINN_UNARY CINN_DECLARE1
#define CINN_TEST CINN_DECLARE1
#define CINN_BINARY_MATH CINN_DECLARE2
#define CINN_BINARY CINN_DECLARE2
#define CINN_BITWISE CINN_DECLARE2
#define CINN_COMPARE CINN_DECLARE2
#define CINN_LOGICAL CINN_DECLARE2
#include "paddle/cinn/ir/intrinsics.def"
#undef CINN_DECLARE1
#undef CINN_DECLARE2

#define CINN_OPERATOR(sym, name) \
  inline Expr operator sym(const Expr& a, const Expr& b) { return Binary(Op::k_##name, a, b); }
CINN_OPERATOR(+, add)
CINN_OPERATOR(-, sub)
CINN_OPERATOR(*, mul)
CINN_OPERATOR(/, div)
CINN_OPERATOR(%, mod)
CINN_OPERATOR(&, bitwise_and)
CINN_OPERATOR(|, bitwise_or)
CINN_OPERATOR(^, bitwise_xor)
CINN_OPERATOR(<<, bitwise_left_shift)
CINN_OPERATOR(>>, bitwise_right_shift)
CINN_OPERATOR(==, equal)
CINN_OPERATOR(!=, not_equal)
CINN_OPERATOR(<, less_than)
CINN_OPERATOR(<=, less_equal)
CINN_OPERATOR(>, greater_than)
CINN_OPERATOR(>=, greater_equal)
CINN_OPERATOR(&&, logical_and)
CINN_OPERATOR(||, logical_or)
#undef CINN_OPERATOR
inline Expr operator-(const Expr& a) { return Unary(Op::k_neg, a); }
inline Expr operator+(const Expr& a) { return a; }
inline Expr operator~(const Expr& a) { return bitwise_not(a); }
inline Expr operator!(const Expr& a) { return logical_not(a); }

// "tanh(%0) * (1.0 - %1)": inputs %i, reductions $i, axes @i; types only where they change.
std::string ToString(const Expr& e);
// Appends a linear-size text that identifies the expression; `seen` carries numbering over several expressions.
void AppendKey(const Expr& e, std::unordered_map<const ExprNode*, int>& seen, std::string& out);

// The same value with constants folded and operations removed where the result is exact for every input, NaN and
// signed zeros included. Equal subexpressions become one node.
Expr Simplify(const Expr& e);
std::vector<Expr> SimplifyAll(const std::vector<Expr>& all);  // sharing nodes across the list

// Replaces leaves: f is called for each kInput/kReduced/kIndex/kExtent node; an undefined result keeps the leaf.
Expr Substitute(const Expr& e, const std::function<Expr(const ExprNode&)>& f);
// Replaces every occurrence of the node `part` (by identity).
Expr Replace(const Expr& e, const Expr& part, const Expr& with);

}  // namespace cinn
