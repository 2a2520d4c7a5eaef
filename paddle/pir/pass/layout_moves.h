// SPDX-License-Identifier: Apache-2.0
// What the passes share that compute convolutions in another order of elements and move the changes of order outwards.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pattern_parts.h"

namespace pir::layout {

inline constexpr const char* kConvolutions[] = {pd::kConv2d, pd::kDepthwiseConv2d, pd::kFusedConv};
// Ops of so many tensors to which the order of axes does not matter.
inline std::vector<const char*> AnyLayout(int tensors) {
  return fusion::OpsWith([=](const OpInfo& op) {
    return common::TraitsOf(op.name).any_layout &&
           std::count_if(op.inputs.begin(), op.inputs.end(), [](const OperandInfo& i) { return !i.mutable_attr; }) ==
               tensors;
  });
}

inline bool OneElement(Value v) {
  const common::Dims& d = v.dims();
  return d.size() <= 1 && std::all_of(d.begin(), d.end(), [](common::Dim n) { return n.known() && n.raw() == 1; });
}

// Whether there are enough convolutions for changes of order between them to vanish.
inline bool SeveralConvolutions(Program& program) {
  int found = 0;
  for (Operation* op = program.block().front(); op; op = op->next())
    found += std::any_of(std::begin(kConvolutions), std::end(kConvolutions), [&](const char* n) { return op->isa(n); });
  return found > 1;
}

// The op on other operands, of one result of another type.
inline Value Again(PatternRewriter& r, Operation* op, const std::vector<Value>& operands, Type type) {
  Operation* moved = r.Builder::Create(op->info(), operands, op->attrs(), std::span<const Type>(&type, 1));
  r.Changed(moved);
  return moved->result(0);
}

// Operands of a concat along an axis that is known, with the axis; else null and nothing.
inline std::pair<Operation*, int64_t> ConcatOf(const Operation& op) {
  Operation* list = op.operand(0).defining_op();
  const Operation* axis = FullBehind(op.operand(1));
  if (!list || !list->isa("builtin.combine") || !axis) return {nullptr, 0};
  return {list, axis->attr("value").to_int()};
}

// The concat of other values along another axis.
inline Value ConcatAgain(PatternRewriter& r, Operation* concat, Operation* list, const std::vector<Value>& values,
                         int64_t axis, Type type) {
  std::vector<Type> types;
  for (Value v : values) types.push_back(v.type());
  const Value combined = Again(r, list, values, VectorType::Get(types));
  const Value number = fusion::Number(r, static_cast<double>(axis), DataType::INT32);
  return Again(r, concat, {combined, number}, type);
}

}  // namespace pir::layout
