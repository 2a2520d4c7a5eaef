// SPDX-License-Identifier: Apache-2.0
// The GPU form of a loop nest as OpenCL C, for devices whose compilers take that.
#pragma once

#include <string>

#include "paddle/cinn/codegen/ptx.h"

namespace cinn {

// A kernel `symbol` as CompileToPtx describes it, one element at a time, with addresses as C_KERNEL_TEXT_OPENCL says.
// Unimplemented as CheckPtx.
std::string PrintOpenCl(const LoopNest& nest, const std::string& symbol, PtxForm form);
// Names what the text depends on beside the nest.
std::string OpenClKey();

}  // namespace cinn
