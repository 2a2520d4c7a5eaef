// SPDX-License-Identifier: Apache-2.0
// Kernels for GPUs as LLVM bitcode, made at build time from device_kernels.bc.cpp; see cinn.cmake.
#pragma once

#include <cstddef>

namespace cinn {

extern const unsigned char kDeviceKernels[];
extern const size_t kDeviceKernelsSize;

}  // namespace cinn
