// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/api/ext/half.h"

#include "paddle/common/half.h"

namespace paddle::ext {

float ToFloat(phi::float16 v) { return phi::ToFloat(v); }
float ToFloat(phi::bfloat16 v) { return phi::ToFloat(v); }
void FromFloat(float f, phi::float16& v) { v = phi::ToFloat16(f); }
void FromFloat(float f, phi::bfloat16& v) { v = phi::ToBfloat16(f); }

}  // namespace paddle::ext
