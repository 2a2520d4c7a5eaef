// SPDX-License-Identifier: Apache-2.0
// Parameters without their first values (paddle.LazyGuard): shape and dtype, but no memory until they are initialised
// or loaded. Such a tensor is a value of no program, so no kernel runs on it.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace egr {

inline bool IsUnfilled(const paddle::Tensor& t) { return t.defined() && t.is_symbolic() && !t->value; }
// A state of such a tensor.
phi::TensorState Unfilled(const paddle::Tensor& like);
// Raises RuntimeError where `t` is one. `op` needs its values.
void RequireFilled(const paddle::Tensor& t, const char* op);
// Gives one its values: a copy of those of `from`, of the same shape and dtype.
void FillFrom(const paddle::Tensor& t, const paddle::Tensor& from, const char* op);

}  // namespace egr
