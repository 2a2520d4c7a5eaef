// SPDX-License-Identifier: Apache-2.0
// Arguments of operations that may be attributes or operands with a known value.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "paddle/pir/core/operation.h"

namespace cinn {

// The declared default when the attribute is absent; monostate when there is none.
phi::AttrValue AttrOf(const pir::Operation& op, std::string_view name);
std::optional<phi::Scalar> NumberOf(const phi::AttrValue& v);
// A list of integers given as an attribute or made by pd_op.full_int_array.
std::optional<std::vector<int64_t>> IntegersArg(const pir::Operation& op, std::string_view name);
// A number given as an attribute or made by pd_op.full.
std::optional<phi::Scalar> NumberArg(const pir::Operation& op, std::string_view name);
// All arguments that are not tensors, in the order of the op's function; text, types and places count as 0. Nothing
// when one of them is only known at run time.
std::optional<std::vector<phi::Scalar>> NumbersOf(const pir::Operation& op);
bool IsOneOf(const pir::Operation& op, std::initializer_list<std::string_view> names);
// The operand called `name`; null when absent.
pir::Value OperandOf(const pir::Operation& op, std::string_view name);

}  // namespace cinn
