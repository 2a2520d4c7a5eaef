// SPDX-License-Identifier: Apache-2.0
// Whether the operands of a gradient's op belong together. Kernels of gradients rely on what the op itself made;
// programs from files and calls by hand may give them anything.
#pragma once

#include "paddle/phi/core/op_def.h"

namespace phi {

// The op whose gradient `op` computes, by its name; null: `op` is no gradient.
const OpDef* GradientOf(const OpDef& op);

// Raises InvalidArgument unless a call of `forward` with these operands could have made the results, and gradients of
// results, among the operands of its gradient `op`.
void CheckGradientOperands(const OpDef& op, const OpDef& forward, const InSlot* in, const AttrValue* attrs);

}  // namespace phi
