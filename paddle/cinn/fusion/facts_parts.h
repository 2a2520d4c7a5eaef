// SPDX-License-Identifier: Apache-2.0
// How the facts of an operation are put together from entries that read operands, and earlier entries.
#pragma once

#include <utility>
#include <vector>

#include "paddle/cinn/fusion/op_facts.h"

namespace cinn {

inline OperandFacts Read(pir::Value v) {
  OperandFacts o;
  o.value = v;
  return o;
}
// Of halves the stored value: a gradient that reads x from memory takes the saved statistics of that.
inline OperandFacts Stored(pir::Value v) {
  OperandFacts o = Read(v);
  o.stored = true;
  return o;
}
// An operand whose dims run along dims [first, first + its rank) of the entry's shape.
inline OperandFacts ReadAlong(pir::Value v, int first) {
  OperandFacts o = Read(v);
  o.mapped = true;
  for (int k = 0; k < static_cast<int>(v.dims().size()); ++k) o.dims.push_back(first + k);
  return o;
}
inline OperandFacts Part(int k) {
  OperandFacts o;
  o.part = k;
  return o;
}
inline OperandFacts Position(int dim) {
  OperandFacts o;
  o.position = dim;
  return o;
}

// Result k (-1: only later entries read it) as an expression over operands.
inline ResultFacts Entry(int k, const common::Dims& shape, LowerFn fn, std::vector<OperandFacts> operands) {
  ResultFacts r;
  r.index = k;
  r.shape = shape;
  r.fn = fn;
  r.integers = true;
  r.operands = std::move(operands);
  return r;
}
inline ResultFacts ReducedEntry(int k, const common::Dims& shape, LowerFn fn, std::vector<OperandFacts> operands,
                                ReduceKind kind, AxisSet reduced) {
  ResultFacts r = Entry(k, shape, fn, std::move(operands));
  r.reduces = true;
  r.reduce = kind;
  r.reduced = reduced;
  return r;
}

}  // namespace cinn
