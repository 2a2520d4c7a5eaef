// SPDX-License-Identifier: Apache-2.0
// The facts of an operation from the decomposition in its stanza: the generated templates of
// pir/dialect/decompositions.h build them with these values.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "paddle/cinn/fusion/op_facts.h"
#include "paddle/common/axis_functions.h"

namespace cinn {

// A value of a decomposition: an expression whose inputs are numbers of leaves, and its shape. A plain number has none.
// One that the fusion compiler cannot express says why, as does all that is calculated from it.
struct Val {
  Expr expr;
  common::Dims dims;
  bool number = false;
  bool dropped = false;  // of a reduction whose axes are gone: it meets values of its own rank only
  const char* declined = nullptr;

  Val() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Val(T v) : expr(v), number(true) {}  // NOLINT: numbers in the text of a stanza convert
};

// `e` over the values, in the shape they broadcast to.
Val Over(Expr (*fn)(const Expr* in), std::initializer_list<Val> values);

#define CINN_VAL1(name)                                           \
  inline Val name(const Val& a) {                                 \
    return Over([](const Expr* in) { return name(in[0]); }, {a}); \
  }
#define CINN_VAL2(name)                                                     \
  inline Val name(const Val& a, const Val& b) {                             \
    return Over([](const Expr* in) { return name(in[0], in[1]); }, {a, b}); \
  }
#define CINN_UNARY_MATH CINN_VAL1
#define CINN_UNARY CINN_VAL1
#define CINN_TEST CINN_VAL1
#define CINN_BINARY_MATH CINN_VAL2
#define CINN_BINARY CINN_VAL2
#define CINN_BITWISE CINN_VAL2
#define CINN_COMPARE CINN_VAL2
#define CINN_LOGICAL CINN_VAL2
#include "paddle/cinn/ir/intrinsics.def"
#undef CINN_VAL1
#undef CINN_VAL2
inline Val operator-(const Val& a) { return neg(a); }
#define CINN_VAL_OPERATOR(sym, name) \
  inline Val operator sym(const Val& a, const Val& b) { return name(a, b); }
CINN_VAL_OPERATOR(+, add)
CINN_VAL_OPERATOR(-, sub)
CINN_VAL_OPERATOR(*, mul)
CINN_VAL_OPERATOR(/, div)
CINN_VAL_OPERATOR(&, bitwise_and)
CINN_VAL_OPERATOR(|, bitwise_or)
CINN_VAL_OPERATOR(==, equal)
CINN_VAL_OPERATOR(!=, not_equal)
CINN_VAL_OPERATOR(<, less_than)
CINN_VAL_OPERATOR(<=, less_equal)
CINN_VAL_OPERATOR(>, greater_than)
CINN_VAL_OPERATOR(>=, greater_equal)
#undef CINN_VAL_OPERATOR

// Calls `f` with the number of every input that `e` reads and `seen` does not hold, once each.
void ForEachLeaf(const Expr& e, std::unordered_set<const ExprNode*>& seen, const std::function<void(int)>& f);

// Builds the facts of one operation.
class DecomposedFacts : public common::AxisFunctions<DecomposedFacts, Val> {
 public:
  using Value = Val;
  explicit DecomposedFacts(const pir::Operation& op) : op_(op) {}

  // The operand called `name`, undefined when absent. `stored`: see OperandFacts.
  Val operand(const char* name, bool stored);
  double number(const char* name);
  int64_t integer(const char* name);
  bool flag(const char* name);
  std::string text(const char* name);
  common::Ints integers(const char* name);
  // Whether anybody reads result k.
  bool wanted(int k) const;
  // Result k; `written`: the operand whose memory it is.
  void result(int k, const Val& v, const char* written = nullptr);
  // The facts, or nothing with the reason.
  std::optional<OpFacts> Take(const char** why);

  // The functions of the language.
  static int64_t rank(const Val& x) { return x.dims.size(); }
  bool has(const Val& v) const { return v.expr.defined() || v.declined; }
  Val sum(const Val& x, const common::Ints& axes, bool keep) { return Reduce(ReduceKind::kSum, x, axes, keep); }
  Val mean(const Val& x, const common::Ints& axes, bool keep) { return Reduce(ReduceKind::kMean, x, axes, keep); }
  Val max(const Val& x, const common::Ints& axes, bool keep) { return Reduce(ReduceKind::kMax, x, axes, keep); }
  Val min(const Val& x, const common::Ints& axes, bool keep) { return Reduce(ReduceKind::kMin, x, axes, keep); }
  Val squeeze(const Val& x, const common::Ints& axes) const;
  Val unsqueeze(const Val& x, const common::Ints& axes);
  Val along(const Val& x, const Val& like, int64_t axis);
  Val flat(const Val& x) const;
  Val tail(const Val& x, const Val& like, int64_t axis);
  Val reshape_like(const Val& x, const Val& like) const;
  Val reshape(const Val& x, const common::Ints& shape) const;
  Val transpose(const Val& x, const common::Ints& perm) const;
  std::vector<Val> split(const Val& x, int64_t n, int64_t axis);
  Val relu(const Val& x) const { return select(x > 0, x, select(x != x, x, 0)); }
  Val repeated(const Val& x, const Val& like, int64_t axis) const;
  Val join(const Val& x, const Val& y, int64_t axis) const;
  Val matmul(const Val& x, const Val& y, bool transpose_x, bool transpose_y) const;
  Val pick(const Val& x, const Val& label, int64_t axis, int64_t except);
  Val position(const Val& x, int64_t axis);
  bool is_bool(const Val& x) const { return x.expr.defined() && x.expr.dtype() == DataType::BOOL; }
  Val cast(const Val& x, const char* dtype) const;
  Val select(const Val& c, const Val& a, const Val& b) const;
  Val maximum(const Val& a, const Val& b) const { return cinn::maximum(a, b); }
  Val minimum(const Val& a, const Val& b) const { return cinn::minimum(a, b); }
  Val pow(const Val& a, const Val& b) const { return cinn::pow(a, b); }

 private:
  struct Leaf {
    OperandFacts facts;
    // A reduction of `of` instead of an operand.
    bool reduces = false;
    ReduceKind kind = ReduceKind::kSum;
    AxisSet axes;
    Val of;
    int entry = -1;  // of OpFacts::results, once there is one
  };
  struct Result {
    int index;
    Val value;
    pir::Value written;
  };

  Val Add(Leaf leaf, DataType type, common::Dims dims);
  Val Reduce(ReduceKind kind, const Val& x, const common::Ints& axes, bool keep);
  // The leaf that the value is, or null.
  const Leaf* LeafOf(const Val& v) const;
  // With the mean of what is summed too as that sum, divided.
  Expr Shared(const Expr& e) const;
  void Mark(const Expr& e);
  // Gives `r` the expression, with entries for the reductions it reads.
  void Express(ResultFacts& r, const Expr& e);
  int EntryOf(int leaf);
  void No(const char* why) { why_ = why_ ? why_ : why; }

  const pir::Operation& op_;
  const char* why_ = nullptr;
  std::vector<Leaf> leaves_;
  std::vector<Result> results_;
  std::vector<bool> summed_;  // leaves that results need and that are sums
  OpFacts facts_;
};

void RegisterDecomposedFacts(const char* op, void (*build)(DecomposedFacts&));
// False when no stanza decomposes the operation.
bool DescribeDecomposed(const pir::Operation& op, std::optional<OpFacts>& facts, const char** why);

}  // namespace cinn
