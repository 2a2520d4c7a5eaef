// SPDX-License-Identifier: Apache-2.0
// From a loop nest to machine code of this host and on to a callable function. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "paddle/cinn/schedule/loop_nest.h"

namespace llvm::orc {
class JITDylib;
}

namespace cinn {

using KernelFn = void (*)(void* const* buffers, const int64_t* meta, int64_t begin, int64_t end);

// Names processor, its features in use, LLVM's version and the vector library: what machine code depends on beside the
// nest. FLAGS_cpu_isa=avx2 in the environment leaves AVX-512 out.
const std::string& TargetKey();
std::string LlvmVersion();

// A relocatable object with one exported function `symbol`.
std::string CompileToObject(const LoopNest& nest, const std::string& symbol);
// LLVM IR text of the same kernel, for tests and explanations.
std::string KernelIr(const LoopNest& nest, const std::string& symbol);

// Machine code held in memory until destroyed.
class LinkedKernel {
 public:
  // Throws when the object is not a valid one for this host.
  LinkedKernel(const std::string& object, const std::string& symbol);
  ~LinkedKernel();
  LinkedKernel(const LinkedKernel&) = delete;
  LinkedKernel& operator=(const LinkedKernel&) = delete;
  KernelFn fn() const { return fn_; }

 private:
  llvm::orc::JITDylib* library_ = nullptr;
  KernelFn fn_ = nullptr;
};

}  // namespace cinn
