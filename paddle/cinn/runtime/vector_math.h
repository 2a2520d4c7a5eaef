// SPDX-License-Identifier: Apache-2.0
// The vector math library as LLVM bitcode, made at build time from vector_math.bc.cpp; see cinn.cmake.
#pragma once

#include <cstddef>

namespace cinn {

extern const unsigned char kVectorMath[];
extern const size_t kVectorMathSize;

}  // namespace cinn
