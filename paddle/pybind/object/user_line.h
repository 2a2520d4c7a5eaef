// SPDX-License-Identifier: Apache-2.0
// The line of the user's code that runs now: the innermost one that is not the package's own.
#pragma once

#include "paddle/common/source_line.h"
#include "paddle/pybind/object/compat.h"

namespace paddle::py {

// `file` is empty where no such line is known.
common::SourceLine UserLine();
// Its number; kNoSource where none is known, also where Python does not run on this thread.
common::SourceId UserSource();
// Shows the lines at the end of the traceback of the exception that is set.
void AddToTraceback(const std::vector<common::SourceLine>& lines);

}  // namespace paddle::py
