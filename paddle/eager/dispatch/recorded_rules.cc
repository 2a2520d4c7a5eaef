// SPDX-License-Identifier: Apache-2.0
// Calls with numbers that the operation of programs does not hold, recorded as other operations.
#include "paddle/eager/dispatch/recorded_rules.h"

#include <algorithm>

#include "paddle/eager/dispatch/deferred.h"
#include "paddle/phi/api/ops.h"

namespace egr {

const RecordedRules* RecordedRulesOf(const phi::OpDef& op) {
  const RecordedRules* end = kRecordedRules + kRecordedRulesCount;
  const auto* row = std::lower_bound(kRecordedRules, end, std::string_view(op.name),
                                     [](const RecordedRules& r, std::string_view name) { return r.op < name; });
  return row != end && row->op == op.name ? row : nullptr;
}

namespace {

// Of an argument: the integer that a program, which holds float32, would round; null: it holds the number.
const phi::Scalar* WideNumber(const RecordedCall& c, int attr) {
  const auto* number = std::get_if<phi::Scalar>(&c.attrs[attr]);
  if (c.in[0].n != 1 || !phi::IsInteger(c.in[0].p[0].dtype()) || !number || !number->is_integral() || !number->known())
    return nullptr;
  const int64_t n = number->to_int();
  const auto narrow = static_cast<float>(n);
  return narrow < 0x1p63f && static_cast<int64_t>(narrow) == n ? nullptr : number;
}

// The first argument where it is complex, which programs do not hold; else null.
const phi::Scalar* ComplexNumber(const RecordedCall& c) {
  const auto* number = std::get_if<phi::Scalar>(&c.attrs[0]);
  return number && phi::IsComplex(number->dtype()) && c.in[0].n == 1 ? number : nullptr;
}

}  // namespace

// A number known when the program runs is an operand; a complex one is put together from two, as in PaddlePaddle.
Tensor FullOfNumber(const RecordedCall& c) {
  const auto& shape = std::get<phi::IntArray>(c.attrs[0]);
  const auto& number = std::get<phi::Scalar>(c.attrs[1]);
  const auto dtype = std::get<phi::DataType>(c.attrs[2]);
  if (c.deferred) {
    const Tensor value =
        HasDeferred(c.attrs[1]) ? c.recorder.deferred(number.integer()).tensor : paddle::full({1}, number, dtype);
    return paddle::full_with_tensor(value, shape, dtype);
  }
  if (!phi::IsComplex(dtype)) return {};
  const auto z = number.to_complex();
  if (z.imag() == 0) return {};
  const phi::DataType part = phi::RealOf(dtype);
  return paddle::complex(paddle::full(shape, z.real(), part), paddle::full(shape, z.imag(), part));
}

Tensor FullLikeOfNumber(const RecordedCall& c) {
  const phi::Scalar* number = ComplexNumber(c);
  if (!number) return {};
  const Tensor& x = c.in[0].p[0];
  auto dtype = phi::AttrAs<phi::DataType>(c.attrs[1], c.op.name, "dtype");
  if (dtype == phi::DataType::UNDEFINED) dtype = x.dtype();
  if (!phi::IsComplex(dtype)) return {};
  const auto z = number->to_complex();
  const phi::DataType part = phi::RealOf(dtype);
  return paddle::complex(paddle::full_like(x, z.real(), part), paddle::full_like(x, z.imag(), part));
}

Tensor PowOfNumber(const RecordedCall& c) {
  const phi::Scalar* number = ComplexNumber(c);
  if (number && !phi::IsComplex(c.in[0].p[0].dtype())) number = nullptr;
  if (!number) number = WideNumber(c, 0);
  if (!number) return {};
  const Tensor& x = c.in[0].p[0];
  return paddle::elementwise_pow(x, paddle::full({}, *number, x.dtype()));
}

Tensor ScaleOfNumbers(const RecordedCall& c) {
  const auto after = [&] { return phi::AttrAs<bool>(c.attrs[2], c.op.name, "bias_after_scale"); };
  if (const phi::Scalar* number = ComplexNumber(c); number && phi::IsComplex(c.in[0].p[0].dtype())) {
    const Tensor& x = c.in[0].p[0];
    const Tensor factor = paddle::full({}, *number, x.dtype());
    const auto bias = phi::AttrAs<phi::Scalar>(c.attrs[1], c.op.name, "bias");
    if (bias.to_complex() == phi::complex128(0)) return paddle::multiply(x, factor);
    const Tensor added = paddle::full({}, bias, x.dtype());
    return after() ? paddle::add(paddle::multiply(x, factor), added) : paddle::multiply(paddle::add(x, added), factor);
  }
  const phi::Scalar* bias = WideNumber(c, 1);
  if (!bias) return {};
  const Tensor& x = c.in[0].p[0];
  const Tensor wide = paddle::full({}, *bias, x.dtype());
  const auto factor = phi::AttrAs<phi::Scalar>(c.attrs[0], c.op.name, "scale");
  const auto scaled = [&](const Tensor& t) { return paddle::scale(t, factor, 0.0, true); };
  return after() ? paddle::add(scaled(x), wide) : scaled(paddle::add(x, wide));
}

}  // namespace egr
