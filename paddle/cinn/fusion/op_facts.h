// SPDX-License-Identifier: Apache-2.0
// What fusion knows of one operation: for each result, an expression over operands and at most one reduction of it.
#pragma once

#include <optional>
#include <vector>

#include "paddle/cinn/fusion/lowering.h"
#include "paddle/cinn/ir/group.h"
#include "paddle/pir/core/operation.h"

namespace cinn {

struct OperandFacts {
  pir::Value value;  // unless `part` is set
  // The dim of ResultFacts::shape that each of the operand's dims runs along, -1 for an extent of 1. Not `mapped`: aligned
  // from the right, as in broadcasting.
  bool mapped = false;
  std::vector<int> dims;
  int part = -1;  // an earlier entry of OpFacts::results: the value itself, or the reduced one for each element of its row
};

struct ResultFacts {
  int index = 0;       // which result of the operation; -1: a value only later entries read, of a compute type
  common::Dims shape;  // of the expression, before the reduction
  LowerFn fn = nullptr;
  bool integers = false;  // see Lowering
  bool is_cast = false;   // an explicit conversion: half results are rounded
  std::vector<OperandFacts> operands;
  std::vector<double> attrs;
  bool reduces = false;
  ReduceKind reduce = ReduceKind::kSum;
  int reduce_begin = 0, reduce_end = 0;
};

struct OpFacts {
  std::vector<ResultFacts> results;  // of those anybody uses
  bool trivial = false;              // moves no data by itself: a view, a constant
};

// Nothing when the op cannot be part of a group; `why` then says so in a few words.
std::optional<OpFacts> Describe(const pir::Operation& op, const char** why);

// The number a value holds for certain, e.g. the result of pd_op.full.
std::optional<double> ConstantOf(pir::Value v);
// Whether generated code can hold elements of this type.
bool SupportedType(DataType t);

}  // namespace cinn
