// SPDX-License-Identifier: Apache-2.0
// Polygamma functions, in double.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/special.h"

namespace phi {

void polygamma_infer(const Meta& x, int64_t n, Meta& out) {
  PD_CHECK(n >= 0 && n < 150, InvalidArgument, "[polygamma] expected n from 0 to 149, got ", n);
  PD_CHECK_DTYPE(IsFloating(x.dtype) || (IsInteger(x.dtype) && x.dtype != DataType::BOOL),
                 "[polygamma] expected a floating or integer dtype, got ", NameOf(x.dtype));
  out = x;
  if (!IsFloating(x.dtype)) out.dtype = DataType::FLOAT32;
}

void polygamma_kernel(const Tensor& x, int64_t n, Tensor& out) {
  cpu::Polygamma(n, x.numel(), x.data<double>(), out.data<double>());
}

}  // namespace phi
