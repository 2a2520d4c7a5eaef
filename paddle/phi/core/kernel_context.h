// SPDX-License-Identifier: Apache-2.0
// What a kernel works with beside its arguments and attributes.
#pragma once

#include "paddle/common/place.h"

namespace phi {

class Generator;
class Workspace;

struct KernelContext {
  Place place;                     // where the arguments of a plugin's kernel lie and its results go
  void* stream = nullptr;          // the device's handle; null: the default one, or the CPU's
  Generator* generator = nullptr;  // what kernels that draw take their numbers from; null: the process's own
  Workspace* workspace = nullptr;  // scratch that is lent to the kernel (workspace.h); null: none
  int threads = 0;                 // of a parallel loop; 0: all that the process may use
};

// What calls of ops on this thread hand to kernels.
const KernelContext& ThreadContext();

}  // namespace phi
