// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/dialect/numbers.h"

#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/pd_op.h"

namespace pir {
namespace {

const Operation* Behind(Value v, const char* name) {
  const Operation* op = v ? v.defining_op() : nullptr;
  return op && op->isa(name) && op->num_operands() == 0 ? op : nullptr;
}

}  // namespace

bool IsFull(std::string_view op) { return common::BareName(op) == common::BareName(pd::kFull); }

bool HoldsNumbers(const Operation& op) {
  return (op.isa(pd::kFull) || op.isa(pd::kFullIntArray)) && op.num_operands() == 0;
}

const Operation* FullBehind(Value v) { return Behind(v, pd::kFull); }
const Operation* FullIntArrayBehind(Value v) { return Behind(v, pd::kFullIntArray); }

std::optional<phi::AttrValue> NumbersOf(Value v) {
  if (const Operation* op = FullIntArrayBehind(v)) return op->attr("value").to_ints();
  if (const Operation* op = FullBehind(v)) return op->attr("value").to_scalar();
  return std::nullopt;
}

std::optional<phi::AttrValue> TypedNumbersOf(Value v) {
  std::optional<phi::AttrValue> numbers = NumbersOf(v);
  const auto* number = numbers ? std::get_if<phi::Scalar>(&*numbers) : nullptr;
  if (!number) return numbers;
  const DataType dtype = FullBehind(v)->attr("dtype").to_dtype();
  if (phi::IsInteger(dtype)) return phi::Scalar(number->to_int());
  return dtype == DataType::BOOL ? phi::Scalar(number->to_bool()) : phi::Scalar(number->to_double());
}

Value BuildNumber(Builder& b, Attribute number, DataType dtype) {
  AttributeMap attrs;
  attrs.Set("shape", Attribute::IntArray(common::Ints{1}));
  attrs.Set("value", number);
  attrs.Set("dtype", Attribute::DType(dtype));
  attrs.Set("place", Attribute::PlaceAttr({phi::AllocationType::CPU, 0, 0}));
  return b.Create(pd::kFull, {}, std::move(attrs), {DenseTensorType::Get(dtype, common::Dims{common::Dim(1)})})
      ->result(0);
}

Value BuildIntegers(Builder& b, const common::Ints& values) {
  std::vector<Attribute> items;
  for (int64_t v : values) items.push_back(Attribute::Int64(v));
  AttributeMap attrs;
  attrs.Set("value", Attribute::Array(std::move(items)));
  attrs.Set("dtype", Attribute::DType(DataType::INT64));
  attrs.Set("place", Attribute::PlaceAttr({phi::AllocationType::CPU, 0, 0}));
  const common::Dims dims{common::Dim(values.size())};
  return b.Create(pd::kFullIntArray, {}, std::move(attrs), {DenseTensorType::Get(DataType::INT64, dims)})->result(0);
}

}  // namespace pir
