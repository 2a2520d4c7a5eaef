// SPDX-License-Identifier: Apache-2.0
// Kernels that arrive through PD_RegisterPhiKernel: kept back while a plugin is being loaded, so that a refused plugin
// leaves nothing behind.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace phi::capi_impl {

struct LoadedKernels {
  std::vector<std::string> accepted;  // "tanh(float32, CPU)"
  std::vector<std::string> rejected;  // with reasons
};

// Collects what this thread registers between Begin and the Commit or Drop that ends it.
void BeginLoading();
LoadedKernels CommitLoading();
LoadedKernels DropLoading();

}  // namespace phi::capi_impl
