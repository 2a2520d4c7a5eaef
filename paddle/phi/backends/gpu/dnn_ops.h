// SPDX-License-Identifier: Apache-2.0
// Convolutions and attention of GPUs by cuDNN, where it is found.
#pragma once

#include "paddle/phi/backends/cpu/attention_args.inc.h"
#include "paddle/phi/backends/cpu/conv.h"
#include "paddle/phi/backends/gpu/dnn_call.h"

namespace phi::gpu {

// Sums in float32 and in a fixed order, with float32 rounded to tf32 for that where `tf32` says so. With channels last
// the filter is [oc, k..., ic / groups] in memory. Null, with why, of what is not given to cuDNN.
std::unique_ptr<DnnRecipe> DescribeForDnn(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32,
                                          std::string* why);
// Of halves, without masks.
std::unique_ptr<DnnRecipe> DescribeForDnn(const cpu::AttentionArgs& a, std::string* why);
// Of as many batches.
std::unique_ptr<DnnRecipe> DescribeForDnn(const cpu::AttentionGradArgs& a, int64_t batch, std::string* why);

// On the current stream of the device; arguments are those of DeviceForms. False where cuDNN is not found or does not
// do it: results may then be anything.
bool DnnConvolve(const DeviceForms& forms, ConvPass pass, DataType t, const cpu::ConvDesc& d, const void* a,
                 const void* b, void* out, bool tf32);
// statistics [batch, heads, nq]: the logarithm of the sum of the exponentials.
bool DnnAttend(const DeviceForms& forms, const cpu::AttentionArgs& a, void* out, float* statistics);
// `put_statistics` is called where cuDNN does it, and writes there what DnnAttend gave.
bool DnnAttendGradient(const DeviceForms& forms, const cpu::AttentionGradArgs& g,
                       const std::function<void(float*)>& put_statistics);

}  // namespace phi::gpu
