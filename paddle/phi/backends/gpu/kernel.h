// SPDX-License-Identifier: Apache-2.0
// Kernels on GPUs: loaded from the driver's assembly, launched on the current stream.
#pragma once

#include <string>

#include "paddle/common/place.h"

namespace phi::gpu {

struct Kernel;  // on one GPU, as long as the process lives

// The compute capability of a GPU: 90 is 9.0.
int CapabilityOf(Place place);
// PreconditionNotMet with the assembler's text where the driver refuses it.
const Kernel* LoadKernel(const std::string& ptx, const std::string& name, Place place);
// `parameters` point to the kernel's arguments, which are read before this returns.
void Launch(const Kernel* kernel, Place place, int64_t blocks, int threads, void** parameters);

}  // namespace phi::gpu
