// SPDX-License-Identifier: Apache-2.0
// Gradient rules that need more than an expression, written on Tensor, so differentiable again.
#include <utility>
#include <vector>

#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

Tensor sign_of(const Tensor& x) {
  if (!phi::IsComplex(x.dtype())) return sign(x);
  Tensor m = cast(abs(x), x.dtype());
  return divide(x, where(equal(m, zeros_like_of(m)), ones_like_of(m), m));
}

Tensor real_if(const Tensor& g, const Tensor& x) {
  return phi::IsComplex(g.dtype()) && !phi::IsComplex(x.dtype()) ? real(g) : g;
}

Tensor complex_from(const Tensor& part, const Tensor& x, bool imaginary) {
  if (!phi::IsComplex(x.dtype())) return part;
  return imaginary ? complex(zeros_like_of(part), part) : cast(part, x.dtype());
}

namespace {
bool InOrder(const Tensor& x) { return x.is_symbolic() || common::RowMajor(x.dims(), x.strides()); }
}  // namespace

IntArray memory_shape(const Tensor& x) {
  return InOrder(x) ? shape_of(x) : IntArray(Ints{phi::ReachOf(x.dims(), x.strides()).extent});
}

int64_t first_place(const Tensor& x) { return InOrder(x) ? 0 : -phi::ReachOf(x.dims(), x.strides()).lowest; }

Tensor laid_out_like(const Tensor& memory, const Tensor& x) {
  if (InOrder(x)) return memory;
  const auto [lowest, extent] = phi::ReachOf(x.dims(), x.strides());
  if (!phi::MayOverlap(x.dims(), x.strides())) return as_strided(memory, x.dims(), x.strides(), -lowest);
  const Tensor one = full(x.dims(), Scalar(1.0), memory.dtype());
  const Tensor sharers = strided_sum(one, Ints{extent}, x.dims(), x.strides(), -lowest);
  const Tensor shares = memory / where(equal(sharers, zeros_like_of(sharers)), ones_like_of(sharers), sharers);
  return as_strided(shares, x.dims(), x.strides(), -lowest);
}

}  // namespace paddle
