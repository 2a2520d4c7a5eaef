// SPDX-License-Identifier: Apache-2.0
// A tensor of a dtype that an op does not take: calls that are recorded into a static program raise TypeError for it,
// others what the code says.
#pragma once

#include <string>

#include "paddle/common/error.h"

namespace common {

class DtypeError : public Error {
 public:
  DtypeError(ErrorCode code, std::string message) : Error(code, std::move(message)) {}
};

}  // namespace common
