// SPDX-License-Identifier: Apache-2.0
// Factorisations of dense matrices on GPUs by cuSOLVER, where it is found (FLAGS_cusolver_dir names a folder to look
// in).
#pragma once

#include "paddle/phi/core/device_forms.h"

namespace phi::gpu {

// On the current stream of the device. NoDeviceForm where cuSOLVER is not found or does not do it, and where a matrix
// is not as it has to be: the host then says what is wrong.
void SolverFactor(const DeviceForms& forms, const MatrixWork& work);

}  // namespace phi::gpu
