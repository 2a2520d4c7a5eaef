// SPDX-License-Identifier: Apache-2.0
// Reads operations: attributes that may be operands, reduction axes, type limits.
#include "paddle/cinn/fusion/op_facts.h"

#include <algorithm>
#include <type_traits>

#include "paddle/phi/core/op_def.h"

namespace cinn {
namespace {

std::optional<double> Number(const phi::AttrValue& v) {
  return std::visit(
      [](const auto& x) -> std::optional<double> {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(x);
        else if constexpr (std::is_same_v<T, phi::Scalar>) return x.to_double();
        else return std::nullopt;
      },
      v);
}

std::optional<std::vector<int64_t>> Integers(const phi::AttrValue& v) {
  return std::visit(
      [](const auto& x) -> std::optional<std::vector<int64_t>> {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<int32_t>> || std::is_same_v<T, common::Ints>)
          return std::vector<int64_t>(x.begin(), x.end());
        else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>)
          return std::vector<int64_t>{x};
        else
          return std::nullopt;
      },
      v);
}

phi::AttrValue AttrOf(const pir::Operation& op, std::string_view name) {
  if (op.attr(name)) return op.attr_value(name);
  const pir::AttrInfo* declared = op.info()->attr(name);
  return declared ? declared->def : phi::AttrValue();
}

// The numbers in the order of the op's function; text, types and places count as 0.
std::optional<std::vector<double>> AttrNumbers(const pir::Operation& op) {
  std::vector<double> out;
  auto add = [&](std::string_view name) {
    const int k = op.info()->input_index(name);
    if (k >= 0 && k < op.num_operands()) {
      auto v = op.operand(k) ? ConstantOf(op.operand(k)) : std::nullopt;
      if (!v) return false;
      out.push_back(*v);
      return true;
    }
    out.push_back(Number(AttrOf(op, name)).value_or(0));
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

struct ReduceRow {
  std::string_view op;
  ReduceKind kind;
};
constexpr ReduceRow kReduces[] = {
    {"pd_op.sum", ReduceKind::kSum},  {"pd_op.mean", ReduceKind::kMean}, {"pd_op.max", ReduceKind::kMax}, {"pd_op.min", ReduceKind::kMin},
    {"pd_op.amax", ReduceKind::kMax}, {"pd_op.amin", ReduceKind::kMin},  {"pd_op.any", ReduceKind::kAny}, {"pd_op.all", ReduceKind::kAll},
};

bool ReduceAxes(const pir::Operation& op, int rank, OpFacts& f) {
  std::vector<int64_t> axes;
  const int k = op.info()->input_index("axis");
  if (k >= 0 && k < op.num_operands()) {
    const pir::Operation* def = op.operand(k) ? op.operand(k).defining_op() : nullptr;
    if (!def || !def->isa("pd_op.full_int_array")) return false;
    auto v = Integers(AttrOf(*def, "value"));
    if (!v) return false;
    axes = *v;
  } else if (auto v = Integers(AttrOf(op, "axis"))) {
    axes = *v;
  } else {
    return false;
  }
  if (axes.empty())
    for (int a = 0; a < rank; ++a) axes.push_back(a);
  for (int64_t& a : axes) {
    if (a < -rank || a >= rank) return false;
    if (a < 0) a += rank;
  }
  std::sort(axes.begin(), axes.end());
  for (size_t i = 1; i < axes.size(); ++i)
    if (axes[i] != axes[i - 1] + 1) return false;
  if (axes.empty()) return false;
  f.reduce_begin = static_cast<int>(axes.front());
  f.reduce_end = static_cast<int>(axes.back()) + 1;
  return true;
}

}  // namespace

bool SupportedType(DataType t) {
  return t != DataType::UNDEFINED && !phi::IsComplex(t) && !phi::IsFloat8(t);
}

std::optional<double> ConstantOf(pir::Value v) {
  const pir::Operation* op = v.defining_op();
  if (!op || !op->isa("pd_op.full")) return std::nullopt;
  if (op->num_operands() > 0) return std::nullopt;
  const phi::AttrValue a = AttrOf(*op, "value");
  // A wide integer would lose digits in a double.
  if (const auto* s = std::get_if<phi::Scalar>(&a); s && (s->dtype() == DataType::COMPLEX128 || (s->is_integral() && std::abs(s->to_double()) > 0x1p53)))
    return std::nullopt;
  return Number(a);
}

std::optional<OpFacts> Describe(const pir::Operation& op, const char** why) {
  auto no = [&](const char* text) {
    *why = text;
    return std::optional<OpFacts>();
  };
  if (op.num_regions() || op.num_results() != 1) return no("not one result");
  if (op.info()->has(pir::kSideEffect) || op.info()->has(pir::kInplace) || op.info()->has(pir::kRandom)) return no("has effects");
  const pir::Type result = op.result_type(0);
  if (!result.is_dense() || !SupportedType(result.dtype())) return no("result type");
  OpFacts f;
  for (const ReduceRow& r : kReduces) {
    if (op.name() != r.op) continue;
    const pir::Value x = op.operand(0);
    if (!x || !x.type().is_dense() || !SupportedType(x.dtype())) return no("operand type");
    f.kind = OpFacts::kReduce;
    f.reduce = r.kind;
    f.tensors = {x};
    if (!ReduceAxes(op, static_cast<int>(x.dims().size()), f)) return no("reduction axes not adjacent or not known");
    return f;
  }
  f.lowering = FindLowering(op.name());
  if (!f.lowering) return no("no lowering");
  f.is_cast = op.isa("pd_op.cast");
  if (op.isa("pd_op.expand") || op.isa("pd_op.expand_as")) {  // the result's shape says it all
    const pir::Value x = op.operand(0);
    if (!x || !x.type().is_dense() || !SupportedType(x.dtype())) return no("operand type");
    f.tensors = {x};
    return f;
  }
  bool integer_operand = false;
  for (int k = 0; k < op.num_operands(); ++k) {
    const bool declared = k < static_cast<int>(op.info()->inputs.size());
    if (declared && op.info()->inputs[k].mutable_attr) continue;
    const pir::Value v = op.operand(k);
    if (!v || !v.type().is_dense() || !SupportedType(v.dtype())) return no("operand type");
    integer_operand |= !phi::IsFloating(v.dtype());
    f.tensors.push_back(v);
  }
  if (static_cast<int>(f.tensors.size()) != f.lowering->nin) return no("operand count");
  if (integer_operand && !f.lowering->integers && !phi::IsFloating(result.dtype())) return no("integer operands");
  auto attrs = AttrNumbers(op);
  if (!attrs) return no("an argument is known only at run time");
  f.attrs = std::move(*attrs);
  return f;
}

}  // namespace cinn
