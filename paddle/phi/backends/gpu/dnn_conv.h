// SPDX-License-Identifier: Apache-2.0
// Convolutions of GPUs by cuDNN, where it is found.
#pragma once

#include "paddle/phi/backends/cpu/conv.h"
#include "paddle/phi/backends/gpu/dnn_graph.h"
#include "paddle/phi/core/device_forms.h"

namespace phi::gpu {

struct DnnConvolution {
  DnnGraph graph;
  DnnGraph::Id x = 0, w = 0, y = 0;
  DnnLimits limits;
};
// One that sums in float32 and in a fixed order, with float32 rounded to tf32 for that where `tf32` says so. With
// channels last the filter is [oc, k..., ic / groups] in memory. Null, with why, of what is not given to cuDNN.
std::unique_ptr<DnnConvolution> DescribeForDnn(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32,
                                               std::string* why);

// On the current stream of the device; arguments are those of DeviceForms::Convolve. False where cuDNN is not found or
// does not do it: `out` may then hold anything. What it does it by, or that it does not, is found once for a
// convolution on a device, and not while a graph is captured.
bool DnnConvolve(const DeviceForms& forms, ConvPass pass, DataType t, const cpu::ConvDesc& d, const void* a,
                 const void* b, void* out, bool tf32);

}  // namespace phi::gpu
