// SPDX-License-Identifier: Apache-2.0
// The C kernel API and its C++ face: the one header a plugin's kernels include.
#pragma once

#include "paddle/phi/capi/include/c_api.h"
#include "paddle/phi/capi/include/kernel.h"
