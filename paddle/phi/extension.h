// SPDX-License-Identifier: Apache-2.0
// For kernels of device plugins that are templates over the type and the context (PD_REGISTER_PLUGIN_KERNEL): the C
// kernel API and its C++ face.
#pragma once

#include "paddle/phi/capi/all.h"
