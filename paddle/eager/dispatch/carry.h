// SPDX-License-Identifier: Apache-2.0
// Carrying values from the region of a forward op to the region that computes its gradient: the forward region pushes
// them on a stack each time it runs, the other one pops them.
#pragma once

#include "paddle/pir/core/block.h"

namespace egr {

class Recorder;

// A new stack (cf.stack_create), at the start of the program.
pir::Operation* CreateStack(Recorder& r);
// A new stack for each time that `loop` runs: before it, if it lies in a region, whose gradient then carries the stack.
pir::Operation* CreateStackFor(Recorder& r, pir::Operation* loop);
// Whether anything is left on the stack (cf.has_elements), at the recorder's place.
pir::Value HasElements(Recorder& r, pir::Operation* stack);
// `block` has a source (Recorder::source_of) and was recorded completely. Values of that source, or of its own source,
// which `block` uses are pushed at the end of the block they belong to and popped at the start of `block`. With a
// `stack` that one is used, and something is pushed in any case.
void CarryForward(Recorder& r, pir::Block& block, pir::Operation* stack);

}  // namespace egr
