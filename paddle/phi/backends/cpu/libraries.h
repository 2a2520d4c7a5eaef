// SPDX-License-Identifier: Apache-2.0
// The libraries that CPU kernels call, as they are linked and loaded.
#pragma once

#include <string>

namespace phi::cpu {

// Versions such as "3.2.0".
std::string MklVersion();
std::string OnednnVersion();

}  // namespace phi::cpu
