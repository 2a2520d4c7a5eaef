// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/attr_reader.h"

#include <algorithm>
#include <type_traits>

#include "paddle/cinn/fusion/op_facts.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/dialect/numbers.h"

namespace cinn {
namespace {

std::optional<std::vector<int64_t>> Integers(const phi::AttrValue& v) {
  return std::visit(
      [](const auto& x) -> std::optional<std::vector<int64_t>> {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<int32_t>>)
          return std::vector<int64_t>(x.begin(), x.end());
        else if constexpr (std::is_same_v<T, phi::IntArray>)
          return x.numbers().vec();
        else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>)
          return std::vector<int64_t>{x};
        else
          return std::nullopt;
      },
      v);
}

}  // namespace

std::optional<phi::Scalar> NumberOf(const phi::AttrValue& v) {
  return std::visit(
      [](const auto& x) -> std::optional<phi::Scalar> {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, phi::Scalar>)
          return phi::Scalar(x);
        else
          return std::nullopt;
      },
      v);
}

phi::AttrValue AttrOf(const pir::Operation& op, std::string_view name) {
  // An operation made of a call holds all digits of a number that programs declare as float32.
  if (const pir::Attribute a = op.attr(name))
    return a.kind() == pir::AttrKind::kDouble ? phi::AttrValue(a.to_double()) : op.attr_value(name);
  const pir::AttrInfo* declared = op.info()->attr(name);
  return declared ? declared->def : phi::AttrValue();
}

bool IsOneOf(const pir::Operation& op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op.name()) != names.end();
}

pir::Value OperandOf(const pir::Operation& op, std::string_view name) {
  const int k = op.info()->input_index(name);
  return k >= 0 && k < op.num_operands() ? op.operand(k) : pir::Value();
}

std::optional<std::vector<int64_t>> IntegersArg(const pir::Operation& op, std::string_view name) {
  if (op.info()->input_index(name) < 0) return Integers(AttrOf(op, name));
  const pir::Value v = OperandOf(op, name);
  const pir::Operation* def = pir::FullIntArrayBehind(v);
  if (!def) return std::nullopt;
  return Integers(AttrOf(*def, "value"));
}

std::optional<phi::Scalar> NumberArg(const pir::Operation& op, std::string_view name) {
  if (op.info()->input_index(name) < 0) return NumberOf(AttrOf(op, name));
  const pir::Value v = OperandOf(op, name);
  return v ? ConstantOf(v) : std::nullopt;
}

std::optional<std::vector<phi::Scalar>> NumbersOf(const pir::Operation& op) {
  std::vector<phi::Scalar> out;
  auto add = [&](std::string_view name) {
    const int k = op.info()->input_index(name);
    if (k >= 0 && k < op.num_operands()) {
      auto v = op.operand(k) ? ConstantOf(op.operand(k)) : std::nullopt;
      if (!v) return false;
      out.push_back(*v);
      return true;
    }
    out.push_back(NumberOf(AttrOf(op, name)).value_or(phi::Scalar(0)));
    return true;
  };
  if (const auto* def = static_cast<const phi::OpDef*>(op.info()->phi_op)) {
    for (const phi::ArgDef& a : def->args) {
      if (a.kind != phi::ArgDef::kAttr && a.kind != phi::ArgDef::kOperandAttr) continue;
      if (!add(a.name)) return std::nullopt;
    }
    return out;
  }
  for (const pir::OperandInfo& in : op.info()->inputs)
    if (in.mutable_attr && !add(in.name)) return std::nullopt;
  for (const pir::AttrInfo& a : op.info()->attrs)
    if (!add(a.name)) return std::nullopt;
  return out;
}

}  // namespace cinn
