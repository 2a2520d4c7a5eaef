// SPDX-License-Identifier: Apache-2.0
// Programs for inputs of other extents than those they were recorded with.
#pragma once

#include <vector>

#include "paddle/common/dim.h"
#include "paddle/pir/core/program.h"

namespace executor {

// Gives the pd_op.data operations of the program's block these extents, in order, and what depends on them the extents
// that follow. Extents are unknown afterwards where no shape rule tells them: what does not fit together is found by
// the kernels of a run.
void SetInputDims(pir::Program& program, const std::vector<common::Dims>& dims);

}  // namespace executor
