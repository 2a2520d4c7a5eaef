// SPDX-License-Identifier: Apache-2.0
// What tells whether two processes can share memory.
#pragma once

#include <string>

namespace paddle::distributed {

// The same text for processes of one boot of a machine that see the same local sockets. Network namespaces count as
// hosts of their own.
std::string HostIdentity();

}  // namespace paddle::distributed
