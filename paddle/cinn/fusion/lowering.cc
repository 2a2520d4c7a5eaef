// SPDX-License-Identifier: Apache-2.0
// The lowering table and the rules that the stanzas' one-line bodies do not give.
#include "paddle/cinn/fusion/lowering.h"

#include <cmath>
#include <map>
#include <mutex>
#include <string>

namespace cinn {
namespace {

Expr GeluGrad(const Expr* in, const phi::Scalar* attrs) {  // (x, dout)
  const Expr x = in[0];
  if (attrs[0].to_bool()) {
    const Expr t = tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x));
    const Expr inner = 0.79788456080286535588 * (1 + 3 * 0.044715 * x * x);
    return in[1] * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner);
  }
  const Expr pdf = 0.39894228040143267794 * exp(-0.5 * x * x);
  return in[1] * (normal_cdf(x) + x * pdf);
}
Expr Identity(const Expr* in, const phi::Scalar*) { return in[0]; }
Expr PowGrad(const Expr* in, const phi::Scalar* attrs) { return in[1] * pow_deriv(in[0], attrs[0]); }  // (x, dout), y
Expr ScaleGrad(const Expr* in, const phi::Scalar* attrs) { return in[0] * attrs[0]; }
Expr Fill(const Expr*, const phi::Scalar* attrs) { return Expr(attrs[0]); }

struct Rule {
  const char* op;
  LowerFn fn;
  int nin;
};
constexpr Rule kRules[] = {
    {"pd_op.gelu_grad", GeluGrad, 2}, {"pd_op.cast", Identity, 1},        {"pd_op.assign", Identity, 1},
    {"pd_op.full_like", Fill, 1},     {"pd_op.expand", Identity, 1},      {"pd_op.expand_as", Identity, 1},
    {"pd_op.pow_grad", PowGrad, 2},   {"pd_op.scale_grad", ScaleGrad, 1},
};

// Rules whose expression means the same on integers.
constexpr std::string_view kIntegerRules[] = {
    "pd_op.where",
    "pd_op.cast",
    "pd_op.assign",
    "pd_op.add",
    "pd_op.subtract",
    "pd_op.multiply",
    "pd_op.maximum",
    "pd_op.minimum",
    "pd_op.square",
    "pd_op.relu",
    "pd_op.abs",
    "pd_op.sign",
    "pd_op.equal",
    "pd_op.not_equal",
    "pd_op.less_than",
    "pd_op.less_equal",
    "pd_op.greater_than",
    "pd_op.greater_equal",
    "pd_op.logical_and",
    "pd_op.logical_or",
    "pd_op.logical_not",
    "pd_op.logical_xor",
    "pd_op.bitwise_and",
    "pd_op.bitwise_or",
    "pd_op.bitwise_xor",
    "pd_op.bitwise_not",
    "pd_op.full_like",
    "pd_op.expand",
    "pd_op.expand_as",
    "pd_op.floor_divide",
    "pd_op.remainder",
    "pd_op.fmax",
    "pd_op.fmin",
    "pd_op.floor",
    "pd_op.ceil",
    "pd_op.trunc",
    "pd_op.bitwise_left_shift",
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
#define CINN_ROW1(name) {"pd_op." #name, Rule_##name, 1},
#define CINN_ROW2(name) {"pd_op." #name, Rule_##name, 2},
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
    {"pd_op.logical_not", LogicalNot, 1},
    {"pd_op.bitwise_not", BitwiseNot, 1},
    {"pd_op.elementwise_pow", Rule_pow, 2},
    {"pd_op.remainder", Rule_mod, 2},
};

// Branchy series that the vector math library does not have; their own kernels are better than a call for each lane.
constexpr std::string_view kNotFused[] = {"pd_op.lgamma", "pd_op.lgamma_grad", "pd_op.digamma", "pd_op.digamma_grad",
                                          "pd_op.erfinv", "pd_op.i0",          "pd_op.i0e",     "pd_op.i1",
                                          "pd_op.i1e",    "pd_op.nextafter"};

struct Table {
  std::mutex mutex;
  std::map<std::string, Lowering, std::less<>> rows;
  void Add(const char* op, LowerFn fn, int nin) {
    for (std::string_view s : kNotFused)
      if (s == op) return;
    Lowering l{fn, nin, false};
    for (std::string_view s : kIntegerRules) l.integers |= s == op;
    rows.emplace(op, l);
  }
  Table() {
    for (const Rule& r : kRules) Add(r.op, r.fn, r.nin);
    for (const Rule& r : kIntrinsics) Add(r.op, r.fn, r.nin);
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

const Lowering* FindLowering(std::string_view op) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.rows.find(op);
  return it == t.rows.end() ? nullptr : &it->second;
}

}  // namespace cinn
