// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of GPUs by cuFFT, where it is found (FLAGS_cufft_dir names a folder to look in).
#pragma once

#include "paddle/phi/core/device_forms.h"

namespace phi::gpu {

// On the current stream of the device; arguments are those of DeviceForms. NoDeviceForm where cuFFT is not found or
// does not do it.
void FftTransform(const DeviceForms& forms, const Fourier& f, const void* x, void* out);

}  // namespace phi::gpu
