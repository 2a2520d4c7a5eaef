// SPDX-License-Identifier: Apache-2.0
// Deferred numbers: numbers that are known only when the program runs, as IntArray and Scalar arguments. The number
// stands for an element of a tensor of the program being recorded; Recorder::Record turns it into an operand, as it
// does with extents that are not known (common/extent.h). Nothing may calculate with them.
#pragma once

#include "paddle/eager/dispatch/record.h"

namespace egr {

// A number for element `i` of `t`, which is being recorded by the thread's recorder.
int64_t Defer(const Tensor& t, int64_t i);
bool IsDeferred(int64_t v);
// A deferred number or an extent that is not known (common/extent.h).
bool IsUnknown(int64_t v);
bool HasDeferred(const phi::AttrValue& v);
// The results' metas of an op some of whose attributes are deferred: from the shape rule with symbols for extents
// (`shape`, `sections`, those of arange and eye), and for other arguments with several numbers in their place: where
// the results differ, extents are unknown.
void InferDeferred(const phi::OpDef& op, const phi::MetaSlot* in, const phi::AttrValue* attrs,
                   std::vector<phi::Meta>* outs, const Recorder& recorder);
// The extent that element `i` of an integer value would be: a symbol of some shape, a number, or a new symbol.
common::Dim ExtentIn(pir::Value v, int64_t i);

}  // namespace egr
