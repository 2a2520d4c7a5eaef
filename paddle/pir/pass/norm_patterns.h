// SPDX-License-Identifier: Apache-2.0
// What norms and attention written out in single operations have in common: numbers, averages, squares.
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

// The value v is the square of.
Value SquareRoot(Value v);
// v is x times a number, by `scale`, or by multiplication with or division by one.
bool Scaled(Value v, Value* x, double* factor);
// v is x plus a number, as an addition or a scale by 1.
bool Shifted(Value v, Value* x, double* epsilon);

}  // namespace pir::fusion
