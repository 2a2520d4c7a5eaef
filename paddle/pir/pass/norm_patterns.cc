// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/norm_patterns.h"

#include "paddle/pir/core/attribute.h"
#include "paddle/pir/dialect/pd_op.h"

namespace pir::fusion {
namespace {

// The value v is the square of.
Value SquareRoot(Value v) {
  if (const Operation* square = Def(v, pd::kSquare)) return square->operand(0);
  if (const Operation* pow = Def(v, pd::kPow); pow && pow->attr("y") && pow->attr("y").to_double() == 2)
    return pow->operand(0);
  const Operation* product = Def(v, pd::kMultiply);
  return product && product->operand(0) == product->operand(1) ? product->operand(0) : Value();
}

// What `op` divides its operand number `side` by the square root of.
Value Squared(const Operation& op, int side) {
  const Value by = op.operand(1 - side);
  if (op.isa(pd::kDivide)) {
    const Operation* root = side == 0 ? Def(by, pd::kSqrt) : nullptr;
    return root ? root->operand(0) : Value();
  }
  if (const Operation* inverse = Def(by, pd::kRsqrt)) return inverse->operand(0);
  const Operation* pow = Def(by, pd::kPow);
  return pow && pow->attr("y") && pow->attr("y").to_double() == -0.5 ? pow->operand(0) : Value();
}

}  // namespace

const Operation* Def(Value v, std::string_view name) {
  const Operation* op = v ? v.defining_op() : nullptr;
  return op && op->isa(name) ? op : nullptr;
}

bool NumberOf(Value v, double* out) {
  const Operation* op = Def(v, pd::kFull);
  if (!op) return false;
  for (common::Dim d : v.dims())
    if (!d.known() || d.raw() != 1) return false;
  const Attribute a = op->attr("value");
  if (!a || a.kind() == AttrKind::kStr || a.kind() == AttrKind::kArray) return false;
  *out = a.to_double();
  return true;
}

int64_t TrailingFrom(Value axes, Value x) {
  const Operation* op = Def(axes, pd::kFullIntArray);
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

Average AverageOf(Value v) {
  if (const Operation* mean = Def(v, pd::kMean); mean && mean->attr("keepdim").to_bool())
    return {mean->operand(0), TrailingFrom(mean->operand(1), mean->operand(0))};
  const Operation* divide = Def(v, pd::kDivide);
  const Operation* sum = divide ? Def(divide->operand(0), pd::kSum) : nullptr;
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

bool Shifted(Value v, Value* x, double* epsilon) {
  if (const Operation* add = Def(v, pd::kAdd)) {
    for (int i = 0; i < 2; ++i)
      if (NumberOf(add->operand(1 - i), epsilon)) {
        *x = add->operand(i);
        return SameVisible(add->operand(i).type(), v.type());
      }
    return false;
  }
  const Operation* scale = Def(v, pd::kScale);
  double factor = 0;
  if (!scale || scale->num_operands() != 2 || !NumberOf(scale->operand(1), &factor) || factor != 1 ||
      !scale->attr("bias"))
    return false;
  *x = scale->operand(0);
  *epsilon = scale->attr("bias").to_double();
  return true;
}

bool Scaled(Value v, Value* x, double* factor) {
  if (const Operation* scale = Def(v, pd::kScale)) {
    if (scale->num_operands() != 2 || !NumberOf(scale->operand(1), factor)) return false;
    if (const Attribute bias = scale->attr("bias"); bias && bias.to_double() != 0) return false;
    *x = scale->operand(0);
    return true;
  }
  if (const Operation* product = Def(v, pd::kMultiply)) {
    for (int i = 0; i < 2; ++i)
      if (NumberOf(product->operand(1 - i), factor)) {
        *x = product->operand(i);
        return SameVisible(x->type(), v.type());
      }
    return false;
  }
  const Operation* divide = Def(v, pd::kDivide);
  if (!divide || !NumberOf(divide->operand(1), factor) || *factor == 0) return false;
  *factor = 1 / *factor;
  *x = divide->operand(0);
  return SameVisible(x->type(), v.type());
}

bool IsNormal(const Operation& op, int side, Normal* r) {
  const Value squared = Squared(op, side);
  Value mean;
  if (!squared || !Shifted(squared, &mean, &r->epsilon) || !(r->epsilon >= 0)) return false;
  const Average average = AverageOf(mean);
  if (average.axis == 0) return false;
  r->of = op.operand(side);
  r->deviation = SquareRoot(average.of);
  r->axis = average.axis;
  const DataType t = r->of.dtype();
  return r->deviation && (t == DataType::FLOAT32 || t == DataType::FLOAT64);
}

}  // namespace pir::fusion
