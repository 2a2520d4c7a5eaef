// SPDX-License-Identifier: Apache-2.0
// Arguments that are known only when the program runs (common/int_array.h): elements of tensors of the program being
// recorded, and extents. Recorder::Record turns them into operands.
#pragma once

#include "paddle/eager/dispatch/record.h"

namespace egr {

// Element `i` of `t`, which is being recorded by the thread's recorder.
phi::RecordedElement Defer(const Tensor& t, int64_t i);
// Whether an attribute, or an item of it, is known only when the program runs.
bool HasDeferred(const phi::AttrValue& v);
// The extent that element `i` of an integer value would be: a symbol of some shape, a number, or a new symbol.
common::Dim ExtentIn(pir::Value v, int64_t i);

}  // namespace egr
