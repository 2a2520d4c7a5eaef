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

Tensor pow_deriv(const Tensor& x, const Scalar& y) {
  if (phi::IsComplex(y.dtype())) return conj_of(pow(x, Scalar(y.to_complex() - 1.0)) * y);
  double e = y.to_double();
  if (e == 0) return zeros_like_of(x);
  if (e == 1) return ones_like_of(x);
  if (e == 2) return conj_of(x * 2.0);
  return conj_of(pow(x, Scalar(e - 1)) * e);
}

namespace {
// Zeros of `shape` (contiguous) with g added at the elements an as_strided view with these strides shows.
Tensor AddStrided(const IntArray& shape, const Tensor& g, const Ints& dims, const Ints& stride, int64_t offset) {
  if (!egr::MayOverlap(dims, stride)) return as_strided_scatter(zeros_of(shape, g.dtype()), g, dims, stride, offset);
  const Tensor at = egr::StridedPlaces(dims, stride, offset);
  const Tensor flat = reshape(zeros_of(shape, g.dtype()), Ints{-1});
  return reshape(index_add(flat, reshape(at, Ints{-1}), reshape(g, Ints{-1}), 0), shape);
}
}  // namespace

Tensor as_strided_backward(const Tensor& dout, const Tensor& input, const Ints& dims, const Ints& stride,
                           int64_t offset) {
  if (input.is_symbolic()) return AddStrided(shape_of(input), dout, dims, stride, offset);
  // Where a result repeats an element, all of them add up; where the input repeats one, they share its gradient.
  Ints repeated, once = dims;
  for (int64_t i = 0; i < dims.size(); ++i) {
    if (stride[i] != 0 || dims[i] <= 1) continue;
    repeated.push_back(i);
    once[i] = 1;
  }
  if (!repeated.empty())
    return as_strided_backward(sum(dout, repeated, dout.dtype(), true), input, once, stride, offset);
  // The gradient is put into memory laid out as the input's, and read back with the input's own strides.
  if (common::RowMajor(input.dims(), input.strides())) return AddStrided(input.dims(), dout, dims, stride, offset);
  const auto [lowest, extent] = egr::ReachOf(input.dims(), input.strides());
  Tensor memory = AddStrided(Ints{extent}, dout, dims, stride, offset - lowest);
  if (egr::MayOverlap(input.dims(), input.strides())) {
    const Tensor one = full(input.dims(), Scalar(1.0), memory.dtype());
    Tensor shown = AddStrided(Ints{extent}, one, input.dims(), input.strides(), -lowest);
    memory = memory / where(equal(shown, zeros_like_of(shown)), ones_like_of(shown), shown);
  }
  return as_strided(memory, input.dims(), input.strides(), -lowest);
}

}  // namespace paddle
