// SPDX-License-Identifier: Apache-2.0
// Stacks that leave a plan: what one program pushed, another one pops.
#pragma once

#include <unordered_map>

#include "paddle/phi/core/tensor.h"

namespace executor {

using StackCopies = std::unordered_map<const void*, phi::Ref<phi::RefCounted>>;

// A stack to be emptied in place of `t`, which keeps its entries; copies of one stack are one stack. Other tensors are
// returned as they are.
paddle::Tensor CopyOfStack(const paddle::Tensor& t, StackCopies& copies);
// Grows when a tensor on the stack is written in place; 0 for other tensors.
uint32_t VersionOfStack(const paddle::Tensor& t);

}  // namespace executor
