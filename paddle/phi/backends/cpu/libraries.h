// SPDX-License-Identifier: Apache-2.0
// The libraries that CPU kernels call, as they are linked and loaded.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace phi::cpu {

// Names such as "onednn" and versions such as "3.2.0".
std::vector<std::pair<std::string, std::string>> Libraries();

}  // namespace phi::cpu
