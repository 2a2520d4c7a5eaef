// SPDX-License-Identifier: Apache-2.0
// The matrix product's adapter to the GEMM backend.
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

void matmul_kernel(const Tensor& x, const Tensor& y, bool tx, bool ty, Tensor& out) {
  if (out.numel() == 0) return;
  if (x.ndim() == 1 || y.ndim() == 1) {
    // A vector is a matrix of one row (left) or one column (right); its transposition means nothing.
    Tensor a = x.ndim() == 1 ? ViewOf(x, Ints{1, x.dim(0)}, Ints{0, x.strides()[0]}, x->offset()) : x;
    Tensor b = y.ndim() == 1 ? ViewOf(y, Ints{y.dim(0), 1}, Ints{y.strides()[0], 0}, y->offset()) : y;
    if (const DeviceForms* d = FormsHere())
      return d->Matmul(a.dtype(), a.raw_data(), a.dims(), a.strides(), x.ndim() > 1 && tx, b.raw_data(), b.dims(),
                       b.strides(), y.ndim() > 1 && ty, nullptr, out.raw_data());
    return cpu::Matmul(a.dtype(), a.raw_data(), a.dims(), a.strides(), x.ndim() > 1 && tx, b.raw_data(), b.dims(),
                       b.strides(), y.ndim() > 1 && ty, out.raw_data());
  }
  if (const DeviceForms* d = FormsHere())
    return d->Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(), y.strides(), ty,
                     nullptr, out.raw_data());
  cpu::Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(), y.strides(), ty,
              out.raw_data());
}

}  // namespace phi
