// SPDX-License-Identifier: Apache-2.0
// Rules of losses that compositions check as well.
#pragma once

#include <string>

#include "paddle/phi/core/tensor.h"

namespace phi {

void kldiv_infer(const Meta& x, const Meta& label, const std::string& reduction, bool log_target, Meta& out);

}  // namespace phi
