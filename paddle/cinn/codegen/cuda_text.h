// SPDX-License-Identifier: Apache-2.0
// CUDA C++ text of a loop nest: the second code generator, which reads the same LoopNest as the LLVM one. It needs no
// CUDA header and no CUDA library; who compiles a program (prelude and kernels) passes CudaCompileOptions to NVRTC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/cinn/schedule/loop_nest.h"

namespace cinn {

// Threads of a block. Fixed, because the tree of a reduction, and with it the result, depends on it.
inline constexpr int kCudaThreads = 256;

// Device functions every kernel may call: once at the head of a program.
const char* CudaPrelude();
// Language and rounding: no contraction of a * b + c, so that + - * / give the bits of the CPU kernels.
std::vector<std::string> CudaCompileOptions();

// `extern "C" __global__ void symbol(in0, in1, ..., out0, ..., const cinn::Meta<N> meta)`: pointers to the inputs and
// outputs of the nest's group, then FillMeta's N numbers by value. Any number of blocks is right; Blocks is a good one.
std::string CudaKernel(const LoopNest& nest, const std::string& symbol);
int64_t CudaBlocks(const LoopNest& nest, const KernelMeta& meta);

}  // namespace cinn
