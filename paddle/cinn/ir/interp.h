// SPDX-License-Identifier: Apache-2.0
// A direct evaluator of expressions: folds constants and is the oracle that generated code is tested against.
#pragma once

#include <functional>

#include "paddle/cinn/ir/expr.h"

namespace cinn {

// A number of a compute type: `f` for float32 (already rounded) and float64, `i` otherwise.
struct Number {
  DataType dtype = DataType::UNDEFINED;
  double f = 0;
  int64_t i = 0;
};

// One operation on evaluated operands. Transcendental functions are the C library's in double, rounded once.
Number Apply(const ExprNode& node, const Number* args);
// The constant node's value.
Number ValueOf(const ExprNode& constant);
// `leaf` gives the value of every kInput, kReduced, kIndex and kExtent node.
Number Evaluate(const Expr& e, const std::function<Number(const ExprNode&)>& leaf);
// A constant expression of all-constant operands.
Expr FoldConstant(const Expr& e);

// The value after a round trip through `storage` memory.
Number ConvertTo(Number v, DataType storage);
// Reads and writes element `i` of an array of `storage`.
Number LoadElement(const void* data, int64_t i, DataType storage);
void StoreElement(void* data, int64_t i, DataType storage, Number v);

}  // namespace cinn
