// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cinn {

// Changes with every build of this library, so that no kernel of another code generator is taken from disk.
std::string BuildId();

}  // namespace cinn
