// SPDX-License-Identifier: Apache-2.0
// The numbers that a program holds: `pd_op.full` and `pd_op.full_int_array`, which arguments of kind Scalar and
// IntArray become as operands.
#pragma once

#include <optional>
#include <string_view>

#include "paddle/pir/core/builder.h"

namespace pir {

// Whether the op of this name, in the dialect or bare, makes tensors of one number that it holds.
bool IsFull(std::string_view op);
// Whether the operation holds a number, or a list of integers.
bool HoldsNumbers(const Operation& op);

// The operation that holds the number, or the integers, of a value; null: the value is none of these.
const Operation* FullBehind(Value v);
const Operation* FullIntArrayBehind(Value v);

// What an argument given as an operand is, as it is written; nothing where it is known only at a run.
std::optional<phi::AttrValue> NumbersOf(Value v);
// The same in the dtype of the value.
std::optional<phi::AttrValue> TypedNumbersOf(Value v);

// A tensor of one element.
Value BuildNumber(Builder& b, Attribute number, DataType dtype);
Value BuildIntegers(Builder& b, const common::Ints& values);

}  // namespace pir
