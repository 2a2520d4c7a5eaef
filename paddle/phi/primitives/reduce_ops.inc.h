// SPDX-License-Identifier: Apache-2.0
// The reductions by their number in a plan, for one accumulator type; each type has its own translation unit.
#pragma once

#include "paddle/phi/primitives/reduce_kernel.inc.h"

namespace phi::PD_ISA {
namespace {

enum class Field { kInteger, kReal, kComplex };
template <class T>
constexpr Field kField = Field::kInteger;
template <>
constexpr Field kField<float> = Field::kReal;
template <>
constexpr Field kField<double> = Field::kReal;
template <class R>
constexpr Field kField<Cx<R>> = Field::kComplex;

// Complex numbers have no order, integers no NaN and no exponential: a number without a meaning does nothing.
template <class T>
void RunNumbered(const ReducePlan& P) {
  constexpr bool ordered = kField<T> != Field::kComplex, fractions = kField<T> != Field::kInteger;
  constexpr bool real = ordered && fractions;
  switch (P.op) {
    case 0:
    case 1:
      return RunOp<T, SumOp<T>>(P);
    case 2:
      return RunOp<T, ProdOp<T>>(P);
    case 3:
      if constexpr (ordered) return RunOp<T, MaxOp<T>>(P);
      return;
    case 4:
      if constexpr (ordered) return RunOp<T, MinOp<T>>(P);
      return;
    case 8:
      return RunOp<T, SumSqOp<T>>(P);
    case 9:
      return RunOp<T, SumAbsOp<T>>(P);
    case 10:
      if constexpr (ordered) return RunOp<T, MaxAbsOp<T>>(P);
      return;
    case 11:
      if constexpr (ordered) return RunOp<T, MinAbsOp<T>>(P);
      return;
    case 14:
      if constexpr (real) return RunOp<T, SumPowOp<T>>(P);
      return;
    case 15:
      return RunOp<T, CountOp<T>>(P);
    case 16:
    case 17:
      if constexpr (fractions) return RunOp<T, NanSumOp<T>>(P);
      return;
    case kReduceSumExp:
      if constexpr (real) return RunOp<T, SumExpOp<T>>(P);
      return;
    case kReduceSumSqDiff:
      if constexpr (fractions) return RunOp<T, SqDiffOp<T>>(P);
      return;
    case kReduceCountValid:
      if constexpr (fractions) return RunOp<T, ValidOp<T>>(P);
      return;
    default:
      return;
  }
}

}  // namespace
}  // namespace phi::PD_ISA
