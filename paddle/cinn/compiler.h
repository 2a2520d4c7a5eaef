// SPDX-License-Identifier: Apache-2.0
// The fusion compiler's face: a group in, a callable kernel out. Everything here is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paddle/cinn/schedule/loop_nest.h"

namespace cinn {

class CompiledGroup {
 public:
  virtual ~CompiledGroup() = default;
  // `inputs` and `outputs` in the group's order, `dims` the extents of its iteration axes and the group's params;
  // `strides` as for Interpret. Does not allocate device memory, does not throw; a zero-size iteration space is fine.
  // The result does not depend on the thread count.
  virtual void Run(void* const* inputs, void* const* outputs, const int64_t* dims,
                   const int64_t* strides = nullptr) const = 0;
  // The schedule of the kernel that does all of the group; its text, and LLVM IR, for a closer look.
  virtual const LoopNest& nest() const = 0;
  virtual std::string Explain() const = 0;
  virtual std::string Ir() const = 0;
};

// Looks in memory, then on disk, then compiles. The same group text gives the same kernel. Throws InvalidArgument for a
// group that contradicts itself.
std::shared_ptr<CompiledGroup> Compile(const FusionGroup& group);

struct CompilerStats {
  int64_t memory_hits = 0, disk_hits = 0, compiled = 0;
};
CompilerStats GetCompilerStats();
// Forgets kernels kept in memory (handles stay valid).
void ClearKernelCache();

}  // namespace cinn
