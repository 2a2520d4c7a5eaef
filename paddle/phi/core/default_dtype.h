// SPDX-License-Identifier: Apache-2.0
// The dtype of tensors made of floating numbers that have none (paddle.set_default_dtype), one of the process.
#pragma once

#include "paddle/common/dtype.h"

namespace phi {

DataType DefaultDtype();
void SetDefaultDtype(DataType dtype);

}  // namespace phi
