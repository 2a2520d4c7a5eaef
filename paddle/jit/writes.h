// SPDX-License-Identifier: Apache-2.0
// Tensors that are written while a program is recorded: they become symbolic, and are given back what they were.
#pragma once

#include <utility>
#include <vector>

#include "paddle/jit/capture_state.h"
#include "paddle/jit/recorded_program.h"

namespace paddle::jit {

// Makes `to` the tensor `from` is: data, layout and history; the object and its attributes stay. Equal shape and dtype
// copy into `to`'s memory when no history is involved, so that its views follow.
void Rebind(const Tensor& to, const Tensor& from);
// Rebind for an `out=` of a call, which must be able to take the result while a program is recorded.
void RebindResult(const Tensor& to, const Tensor& from);

// What stands in the program being recorded for a tensor with data that the function made.
Tensor AsResult(const Tensor& t);

// A tensor with data, and the symbolic tensor of its last value.
struct Written {
  Tensor tensor, value;
};
// Of a recorded function: tensors with data that were written meanwhile get back what they were, and have no value.
std::vector<Written> TakeWrites(RecordedProgram& program);
// Of a static program: tensors that became symbolic hold their data again, and still stand for the value written.
// Those whose last value is not in their memory when the program has run.
std::vector<Written> SettleWrites(RecordedProgram& program);

}  // namespace paddle::jit
