// SPDX-License-Identifier: Apache-2.0
// From a loop nest to PTX, the driver's assembly for NVIDIA GPUs: a thread some elements, a block some rows or columns,
// or a part of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/cinn/schedule/loop_nest.h"

namespace cinn {

inline constexpr int kGpuThreads = 256;   // of a block
inline constexpr int kFlatThreads = 128;  // in products of matrices that lie flat
// Of a block's rows that stay in its memory: four blocks fit on a multiprocessor of capability 8.0.
inline constexpr int64_t kKeptBytes = 32 << 10;

// A reduction is one kernel, or for each sweep one whose blocks reduce parts and one that combines these.
enum class PtxPart : uint8_t { kWhole, kBlocks, kRest };

// What a kernel takes for granted of its arguments.
struct PtxForm {
  // Neighbours along the last axis that a thread reads and writes at once, at addresses that are multiples of 16 bytes
  // (or of all of them, where that is less); 1: no such assumption.
  int vector = 1;
  // Threads of a block along the last axis, a power of two: those that reduce a row together, or those with columns of
  // their own. The block's other threads have further rows, or further elements of these columns.
  int across = kGpuThreads;
  PtxPart part = PtxPart::kWhole;
  int stage = 0;        // the sweep, where that is not the whole
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
// inputs and outputs, then the numbers of FillMeta, 64 bits each; where it is not the whole, also the address of
// PtxScratch bytes behind those of the outputs, and how many parts there are as the last number. Unimplemented as
// CheckPtx.
std::string CompileToPtx(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability);
// The kernel `name` of runtime/device_kernels.bc.cpp.
std::string LibraryPtx(const std::string& name, int capability);
std::vector<std::string> LibraryKernels();
// The capability a kernel is compiled for on such a device: the newest known one that is not above it.
int PtxTarget(int capability);
// Names the target, LLVM's version and the vector library.
std::string PtxKey(int capability);
// The form that these arguments allow; `vector` is PtxVector's. Addresses are of inputs, then outputs. Of them it
// depends on where in 16 bytes they lie.
PtxForm ChooseForm(const LoopNest& nest, int vector, const KernelMeta& meta, void* const* addresses);
// Parts that the reduced elements are cut into so that there are enough blocks; depends on the extents only. 1: the
// whole is one kernel.
int64_t PtxParts(const LoopNest& nest, PtxForm form, const KernelMeta& meta);
int64_t PtxScratch(const LoopNest& nest, const KernelMeta& meta, int64_t parts);
// The kernels to launch one after another.
std::vector<PtxForm> PtxKernels(const LoopNest& nest, PtxForm form, const KernelMeta& meta, int64_t parts);
// Blocks that share the work of a kernel.
int64_t PtxBlocks(const LoopNest& nest, PtxForm form, const KernelMeta& meta, int64_t parts);

}  // namespace cinn
