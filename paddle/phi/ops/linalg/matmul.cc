// SPDX-License-Identifier: Apache-2.0
// The matrix product's adapter to the GEMM backend.
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

void matmul_kernel(const Tensor& x, const Tensor& y, bool tx, bool ty, Tensor& out) {
  cpu::Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(), y.strides(), ty, out.raw_data());
}

}  // namespace phi
