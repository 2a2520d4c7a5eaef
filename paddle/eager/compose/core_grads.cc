// SPDX-License-Identifier: Apache-2.0
// Gradient rules of views and products that need more than an expression; written on Tensor, so differentiable again.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/promote.h"

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

Tensor slice_backward(const Tensor& dout, const Tensor& input, const Ints& axes, const Ints& starts, const Ints& ends,
                      const Ints& decrease) {
  // The slice of zeros that dout fills, found as the strided pattern of a contiguous tensor of input's shape.
  auto want = input.shape();
  if (!common::AllKnown(want))
    return set_value_with_tensor(expand_like(scalar_like(0.0, dout), input), dout, starts, ends, Ints(axes.size(), 1),
                                 axes, decrease, Ints{});
  Ints dims = common::ToInts(want), strides(dims.size(), 1);
  for (int64_t i = dims.size() - 2; i >= 0; --i) strides[i] = strides[i + 1] * dims[i + 1];
  Ints part = dims;
  int64_t offset = 0;
  for (int64_t i = 0; i < axes.size(); ++i) {
    int64_t a = common::NormalizeAxis("slice", axes[i], dims.size()), n = dims[a];
    int64_t s = starts[i] < 0 ? starts[i] + n : starts[i], e = ends[i] < 0 ? ends[i] + n : ends[i];
    s = std::min(std::max<int64_t>(s, 0), n);
    e = std::min(std::max<int64_t>(e, 0), n);
    offset += s * strides[a];
    part[a] = std::max<int64_t>(e - s, 0);
  }
  Tensor g = decrease.empty() ? dout : reshape(dout, part);
  return as_strided_scatter(zeros_of(dims, dout.dtype()), g, part, strides, offset);
}

namespace {
// Zeros of `shape` (contiguous) with g added at the elements an as_strided view with these strides shows.
Tensor AddStrided(const Ints& shape, const Tensor& g, const Ints& dims, const Ints& stride, int64_t offset) {
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

Tensor dropout_backward(const Tensor& mask, const Tensor& dout, const Scalar& p, bool is_test,
                        const std::string& mode) {
  bool up = mode == "upscale_in_train";
  double keep = 1.0 - p.to_double();
  if (is_test) return up ? dout : dout * keep;
  Tensor g = dout * cast(mask, dout.dtype());
  return up ? g * (keep == 0 ? 0.0 : 1.0 / keep) : g;
}

Ints inverse_perm(const Ints& perm) {
  Ints inv(perm.size(), 0);
  for (int64_t i = 0; i < perm.size(); ++i) inv[perm[i] < 0 ? perm[i] + perm.size() : perm[i]] = i;
  return inv;
}

std::vector<Tensor> concat_backward(const Tensor& dout, const std::vector<Tensor>& x, const Scalar& axis) {
  Ints sections;
  for (const Tensor& t : x) sections.push_back(number_at(t, axis.to_int()));
  return split(dout, sections, axis);
}

namespace {
Tensor AsMatrix(const Tensor& t, bool row) { return t.ndim() == 1 ? unsqueeze(t, Ints{row ? 0 : 1}) : t; }
// A gradient in the dtype of the product of x and y: a sum with it may have promoted.
Tensor OfProduct(const Tensor& dout, const Tensor& x, const Tensor& y) {
  const DataType t = phi::PromoteOrUndefined(x.dtype(), false, y.dtype(), false);
  return t == DataType::UNDEFINED ? dout : CastGrad(dout, t);
}
}  // namespace

Tensor matmul_backward_x(const Tensor& x, const Tensor& y, const Tensor& dout, bool tx, bool ty) {
  Tensor ym = AsMatrix(conj_of(y), false);
  bool tym = ty && y.ndim() > 1;
  Tensor g = OfProduct(dout, x, y);
  if (y.ndim() == 1) g = unsqueeze(g, Ints{-1});
  if (x.ndim() == 1) g = unsqueeze(g, Ints{-2});
  bool txm = tx && x.ndim() > 1;
  Tensor dx = txm ? matmul(ym, g, tym, true) : matmul(g, ym, false, !tym);
  if (x.ndim() == 1) dx = squeeze(dx, Ints{-2});
  return reduce_like(dx, x);
}

Tensor matmul_backward_y(const Tensor& x, const Tensor& y, const Tensor& dout, bool tx, bool ty) {
  Tensor xm = AsMatrix(conj_of(x), true);
  bool txm = tx && x.ndim() > 1;
  Tensor g = OfProduct(dout, x, y);
  if (y.ndim() == 1) g = unsqueeze(g, Ints{-1});
  if (x.ndim() == 1) g = unsqueeze(g, Ints{-2});
  bool tym = ty && y.ndim() > 1;
  Tensor dy = tym ? matmul(g, xm, true, txm) : matmul(xm, g, !txm, false);
  if (y.ndim() == 1) dy = squeeze(dy, Ints{-1});
  return reduce_like(dy, y);
}

}  // namespace paddle
