// SPDX-License-Identifier: Apache-2.0
// What fusion knows of one operation: how it maps elements, its tensor operands and its other arguments as numbers.
#pragma once

#include <optional>
#include <vector>

#include "paddle/cinn/fusion/lowering.h"
#include "paddle/cinn/ir/group.h"
#include "paddle/pir/core/operation.h"

namespace cinn {

struct OpFacts {
  enum Kind : uint8_t { kElementwise, kReduce } kind = kElementwise;
  const Lowering* lowering = nullptr;   // kElementwise
  std::vector<pir::Value> tensors;      // operands that are read element by element
  std::vector<double> attrs;            // kElementwise
  ReduceKind reduce = ReduceKind::kSum; // kReduce
  int reduce_begin = 0, reduce_end = 0;
  bool is_cast = false;                 // an explicit conversion: half results are rounded
};

// Nothing when the op cannot be part of a group; `why` then says so in a few words.
std::optional<OpFacts> Describe(const pir::Operation& op, const char** why);

// The number a value holds for certain, e.g. the result of pd_op.full.
std::optional<double> ConstantOf(pir::Value v);
// Whether generated code can hold elements of this type.
bool SupportedType(DataType t);

}  // namespace cinn
