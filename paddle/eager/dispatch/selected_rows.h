// SPDX-License-Identifier: Apache-2.0
// What is done with rows of a table (phi/core/selected_rows.h), which arrive at leaves as gradients of lookups.
#pragma once

#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/selected_rows.h"

namespace egr {

using paddle::Tensor;

// The table: rows of one number added, zeros in others.
Tensor ToTable(const Tensor& rows);
// Each number once, in ascending order.
Tensor MergedRows(const Tensor& rows);
// The sum of two gradients of one table, at least one of which is rows: merged rows of both, else a table.
Tensor AddRows(const Tensor& a, const Tensor& b);

bool AnyRows(const phi::OpDef& op, const phi::InSlot* in);
// An op of which operands are rows. Elementwise ones work on the rows alone; so do updates of a parameter by its
// gradient where other rows stay what they are, that is without other state or with `lazy_mode`. Those without results
// of their own write the rows; others are refused.
void RunOnRows(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);

}  // namespace egr
