// SPDX-License-Identifier: Apache-2.0
// The lowering table and the rules that the stanzas' one-line bodies do not give.
#include "paddle/cinn/fusion/lowering.h"

#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/pd_op.h"

namespace cinn {
namespace {

Expr Identity(const Expr* in, const phi::Scalar*) { return in[0]; }
Expr PowGrad(const Expr* in, const phi::Scalar* attrs) { return in[1] * pow_deriv(in[0], attrs[0]); }  // (x, dout), y
Expr Fill(const Expr*, const phi::Scalar* attrs) { return Expr(attrs[0]); }

struct Rule {
  const char* op;
  LowerFn fn;
  int nin;
};
constexpr Rule kRules[] = {
    {pir::pd::kCast, Identity, 1},   {pir::pd::kAssign, Identity, 1},   {pir::pd::kFullLike, Fill, 1},
    {pir::pd::kExpand, Identity, 1}, {pir::pd::kExpandAs, Identity, 1}, {pir::pd::kPowGrad, PowGrad, 2},
};

// Ops that are one intrinsic of the same name.
#define CINN_RULE1(name) \
  Expr Rule_##name(const Expr* in, const phi::Scalar*) { return name(in[0]); }
#define CINN_RULE2(name) \
  Expr Rule_##name(const Expr* in, const phi::Scalar*) { return name(in[0], in[1]); }
#define CINN_UNARY_MATH CINN_RULE1
#define CINN_UNARY CINN_RULE1
#define CINN_TEST CINN_RULE1
#define CINN_BINARY_MATH CINN_RULE2
#define CINN_BINARY CINN_RULE2
#define CINN_BITWISE CINN_RULE2
#define CINN_COMPARE CINN_RULE2
#define CINN_LOGICAL CINN_RULE2
#include "paddle/cinn/ir/intrinsics.def"
#undef CINN_RULE1
#undef CINN_RULE2
Expr LogicalNot(const Expr* in, const phi::Scalar*) { return logical_not(in[0]); }
Expr BitwiseNot(const Expr* in, const phi::Scalar*) { return bitwise_not(in[0]); }

constexpr Rule kIntrinsics[] = {
#define CINN_ROW1(name) {#name, Rule_##name, 1},
#define CINN_ROW2(name) {#name, Rule_##name, 2},
#define CINN_UNARY_MATH CINN_ROW1
#define CINN_UNARY CINN_ROW1
#define CINN_TEST CINN_ROW1
#define CINN_BINARY_MATH CINN_ROW2
#define CINN_BINARY CINN_ROW2
#define CINN_BITWISE CINN_ROW2
#define CINN_COMPARE CINN_ROW2
#define CINN_LOGICAL CINN_ROW2
#include "paddle/cinn/ir/intrinsics.def"
#undef CINN_ROW1
#undef CINN_ROW2
    {pir::pd::kLogicalNot, LogicalNot, 1},
    {pir::pd::kBitwiseNot, BitwiseNot, 1},
    {pir::pd::kElementwisePow, Rule_pow, 2},
    {pir::pd::kRemainder, Rule_mod, 2},
};

// Its stanza keeps it out of groups.
bool StaysAlone(std::string_view op) { return common::TraitsOf(op).not_fused; }
std::string_view Bare(std::string_view op) { return op.substr(op.find('.') + 1); }

struct Table {
  std::mutex mutex;
  std::map<std::string, Lowering, std::less<>> rows;
  std::map<std::string, ComplexLowering, std::less<>> complex;
  std::map<std::string, std::vector<GradLowering>, std::less<>> gradients;
  void Add(std::string_view op, LowerFn fn, int nin) {
    rows.emplace(Bare(op), Lowering{fn, nin, common::TraitsOf(op).integers});
  }
  Table() {
    for (const Rule& r : kRules) Add(r.op, r.fn, r.nin);
    for (const Rule& r : kIntrinsics) Add(r.op, r.fn, r.nin);
    complex.emplace(Bare(pir::pd::kCast),
                    ComplexLowering{[](const ComplexExpr* in, const phi::Scalar*) { return in[0]; }, 1, true});
    rows.erase("pow");  // the op of this name raises to a number, as its stanza says
  }
};

Table& TheTable() {
  static Table* table = new Table();
  return *table;
}

}  // namespace

void RegisterLowering(const char* op, LowerFn fn, int nin) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.Add(op, fn, nin);
}

const Lowering* FindLowering(std::string_view op, bool alone) {
  if (!alone && StaysAlone(op)) return nullptr;
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.rows.find(Bare(op));
  return it == t.rows.end() ? nullptr : &it->second;
}

void RegisterComplexLowering(const char* op, ComplexLowerFn fn, int nin) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.complex.emplace(Bare(op), ComplexLowering{fn, nin});
}

const ComplexLowering* FindComplexLowering(std::string_view op) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.complex.find(Bare(op));
  return it == t.complex.end() ? nullptr : &it->second;
}

void RegisterGradLowering(const char* op, std::vector<GradLowering> results) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.gradients.emplace(Bare(op), std::move(results));
}

const std::vector<GradLowering>* FindGradLowering(std::string_view op, bool alone) {
  if (!alone && StaysAlone(op)) return nullptr;
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.gradients.find(Bare(op));
  return it == t.gradients.end() ? nullptr : &it->second;
}

}  // namespace cinn
