// SPDX-License-Identifier: Apache-2.0
// From a loop nest to PTX, the driver's assembly for NVIDIA GPUs: a thread some elements, a block a row, or a thread a
// column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/cinn/schedule/loop_nest.h"

namespace cinn {

inline constexpr int kGpuThreads = 256;  // of a block

// What a kernel takes for granted of its arguments.
struct PtxForm {
  // Elements a thread reads and writes at once, at addresses that are multiples of 16 bytes (or of all of them, where
  // that is less); 1: no such assumption.
  int vector = 1;
  bool narrow = false;  // positions fit 32 bits
  // Addresses are those of tensors; numbers behind FillMeta's say at which element of each the positions begin. For
  // devices whose memory is a handle, where an address outside of a tensor means nothing.
  bool firsts = false;
  // A reduction's rows have at most so many elements, which stay in the block's memory from one sweep to the next; 0:
  // every sweep reads them again.
  int row = 0;
  bool operator==(const PtxForm&) const = default;
};
// How many elements a thread can read at once; 1 where the nest does not walk memory that way.
int PtxVector(const LoopNest& nest);

// Unimplemented where an operation of the nest has no code for GPUs.
void CheckPtx(const LoopNest& nest);
// A kernel `symbol` for GPUs of the compute capability (90 is 9.0) and newer. Its parameters are the addresses of
// inputs and outputs, then the numbers of FillMeta, 64 bits each. Unimplemented as CheckPtx.
std::string CompileToPtx(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability);
// The kernel `name` of runtime/device_kernels.bc.cpp.
std::string LibraryPtx(const std::string& name, int capability);
std::vector<std::string> LibraryKernels();
// The capability a kernel is compiled for on such a device: the newest known one that is not above it.
int PtxTarget(int capability);
// Names the target, LLVM's version and the vector library.
std::string PtxKey(int capability);
// Blocks that share the work of a kernel.
int64_t PtxBlocks(const LoopNest& nest, PtxForm form, const KernelMeta& meta);
// The form that these arguments allow. Addresses are of inputs, then outputs.
PtxForm ChooseForm(const LoopNest& nest, const KernelMeta& meta, void* const* addresses);

}  // namespace cinn
