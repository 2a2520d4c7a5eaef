// SPDX-License-Identifier: Apache-2.0
// What recognises norms and attention that programs of others write out in single operations: numbers, averages,
// squares.
#pragma once

#include <string_view>

#include "paddle/pir/core/operation.h"
#include "paddle/pir/core/value.h"

namespace pir::fusion {

// The op that made v when it has this name; else null.
const Operation* Def(Value v, std::string_view name);
// The number in a pd_op.full of one element.
bool NumberOf(Value v, double* out);
// The first of the axes when `axes` are the last ones of `x`, without gaps; else 0.
int64_t TrailingFrom(Value axes, Value x);

// What is averaged, and the first of the axes this goes over.
struct Average {
  Value of;
  int64_t axis = 0;
};
Average AverageOf(Value v);

// `of` divided by sqrt(the average of squares of `deviation` over the axes from `axis` on + epsilon).
struct Normal {
  Value of, deviation;
  int64_t axis = 0;
  double epsilon = 0;
};
// Whether `op`, a quotient or a product, makes that of its operand number `side`, of float32 or float64.
bool IsNormal(const Operation& op, int side, Normal* r);

// v is x times a number, by `scale`, or by multiplication with or division by one.
bool Scaled(Value v, Value* x, double* factor);
// v is x plus a number, as an addition or a scale by 1.
bool Shifted(Value v, Value* x, double* epsilon);

}  // namespace pir::fusion
