// SPDX-License-Identifier: Apache-2.0
// The ops of programs.
#pragma once

namespace executor {

// Registers every OpDef as a pd_op with PIR, on the first call. Programs are read, recorded or rewritten after it: an
// op that is not registered may have any effect, so passes leave it alone.
void RegisterOps();

}  // namespace executor
