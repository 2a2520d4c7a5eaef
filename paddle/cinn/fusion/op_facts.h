// SPDX-License-Identifier: Apache-2.0
// What fusion knows of one operation: for each result, an expression over operands and at most one reduction of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "paddle/cinn/fusion/lowering.h"
#include "paddle/cinn/fusion/views.h"
#include "paddle/cinn/ir/group.h"
#include "paddle/pir/core/operation.h"

namespace cinn {

struct OperandFacts {
  pir::Value value;  // unless `part` is set
  // How each of the operand's dims runs along a dim of ResultFacts::shape. Not `mapped`: aligned from the right, as in
  // broadcasting.
  bool mapped = false;
  std::vector<ViewDim> dims;
  int part =
      -1;  // an earlier entry of OpFacts::results: the value itself, or the reduced one for each element of its row
  // Where a part of a dim goes outside of the operand, the value is `fill`, or that of operand number `otherwise`.
  bool masked = false;
  phi::Scalar fill{0};
  int otherwise = -1;
  int position = -1;  // no value: the position along this dim of the shape
  // Dim `looked_up` is read at the number that operand number `index` holds, below 0 counted from the end if `wraps`.
  int looked_up = -1, index = -1;
  bool wraps = false;
  bool indexes = false;  // a number outside is an IndexError, otherwise a ValueError
  // Numbers that must lie in [0, below), `except` aside; -1: not checked.
  int64_t below = -1, except = 0;
  bool stored = false;  // rounded to the operand's type, also where the group that makes it holds more digits
};

struct ResultFacts {
  int index = 0;  // which result of the operation; -1: a value only later entries read, of the compute type `part`
  DataType part = DataType::UNDEFINED;  // else that of the operation's first result
  common::Dims shape;                   // of the expression, before the reduction
  LowerFn fn = nullptr;
  Expr expr;              // instead of `fn`: input k is operand k
  bool integers = false;  // see Lowering
  bool is_cast = false;   // an explicit conversion: half results are rounded
  // The value is a part of the result, at these places: one entry per dim of it, by dims of `shape`. No member reads it
  // back.
  bool assembles = false;
  std::vector<ViewDim> place;
  std::optional<phi::Scalar> fill;  // of elements that no part has
  std::vector<OperandFacts> operands;
  std::vector<phi::Scalar> attrs;
  bool reduces = false;
  ReduceKind reduce = ReduceKind::kSum;
  AxisSet reduced;  // axes of `shape`
};

struct OpFacts {
  std::vector<ResultFacts> results;  // of those anybody uses
  bool trivial = false;              // moves no data by itself: a view, a constant
  // (result, operand): the result is written into the operand's memory, whoever uses it.
  std::vector<std::pair<int, pir::Value>> inplace;
  std::vector<pir::Operation*>
      with;  // operations whose results only this one reads, and not as they are: they go with it
  std::shared_ptr<OpFacts> otherwise;  // for an operation that could not join with the above
};

// Nothing when the op cannot be part of a group; `why` then says so in a few words. `alone`: of a group that has no
// other op.
std::optional<OpFacts> Describe(const pir::Operation& op, const char** why, bool alone = false);

// Whether the operation writes nothing in place but results that `Describe` names, in memory that no other value of the
// program is known to have: it may move as its operands and results allow.
bool KeepsOwnState(const pir::Operation& op);

// The number a value holds for certain, e.g. the result of pd_op.full: an integer with all its digits.
std::optional<phi::Scalar> ConstantOf(pir::Value v);
// A dense tensor of such elements.
bool Usable(pir::Value v);
// Whether generated code can hold elements of this type.
bool SupportedType(DataType t);

}  // namespace cinn
