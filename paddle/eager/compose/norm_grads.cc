// SPDX-License-Identifier: Apache-2.0
// Higher-order gradients of normalisation, pooling and linear layers, in differentiable ops.
#include "paddle/phi/api/ops.h"

namespace paddle {

Tensor linear_backward_weight(const Tensor& x, const Tensor& w, const Tensor& dout, bool transpose_weight) {
  Ints two_x{-1, number_at(x, -1)}, two_g{-1, number_at(dout, -1)};
  Tensor a = reshape(x, two_x), g = reshape(dout, two_g);
  return reshape_like(transpose_weight ? matmul(g, a, true, false) : matmul(a, g, true, false), w);
}

namespace {
// dx of y = (x - mean(x)) * inv * scale over `axes`, with everything a function of x.
Tensor NormInput(const Tensor& x, const Tensor& g, const Ints& axes, double eps) {
  Tensor mu = mean(x, axes, true);
  Tensor c = x - mu;
  Tensor inv = rsqrt(mean(c * c, axes, true) + eps);
  Tensor xhat = c * inv;
  return inv * (g - mean(g, axes, true) - xhat * mean(g * xhat, axes, true));
}
Tensor NormHat(const Tensor& x, const Ints& axes, double eps) {
  Tensor c = x - mean(x, axes, true);
  return c * rsqrt(mean(c * c, axes, true) + eps);
}
}  // namespace

Tensor batch_norm_backward(const Tensor& x, const Tensor& scale, const Tensor& saved_mean, const Tensor& saved_variance,
                           const Tensor& dout, bool is_test, double eps, const std::string& format, bool use_global,
                           bool trainable, int which) {
  if (!dout.defined()) return Tensor();
  int64_t rank = x.ndim(), channel = format.size() > 1 && format.back() == 'C' && rank > 2 ? rank - 1 : 1;
  Ints axes, per(rank, 1);
  per[channel] = -1;
  for (int64_t i = 0; i < rank; ++i)
    if (i != channel) axes.push_back(i);
  if (which == 2) return sum(dout, axes, DataType::UNDEFINED, false);
  bool global = (is_test && !trainable) || use_global;
  Tensor inv = cast_like(reshape(saved_variance, per), x);
  if (which == 1) {
    Tensor xhat = global ? (x - cast_like(reshape(saved_mean, per), x)) * inv : NormHat(x, axes, eps);
    return sum(dout * xhat, axes, DataType::UNDEFINED, false);
  }
  Tensor g = scale.defined() ? dout * cast_like(reshape(scale, per), dout) : dout;
  return global ? g * inv : NormInput(x, g, axes, eps);
}

Tensor rms_norm_backward(const Tensor& x, const Tensor& scale, const Tensor& dout, const Ints& shape, double eps,
                         int64_t which) {
  if (!dout.defined()) return Tensor();
  const int64_t first = x.ndim() - std::max<int64_t>(shape.size(), 1);
  Ints rows, axes, part;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    (i < first ? rows : axes).push_back(i);
    if (i >= first) part.push_back(size_at(x, i));
  }
  const bool half = phi::IsHalf(x.dtype());
  const Tensor w = half ? cast(x, DataType::FLOAT32) : x, g = cast_like(dout, w);
  const Tensor inv = rsqrt(mean(w * w, axes, true) + eps), xhat = w * inv;
  if (which == 1) {
    const Tensor ds = g * xhat;
    return cast_like(reshape(rows.empty() ? ds : sum(ds, rows, DataType::UNDEFINED, false), shape_of(scale)), scale);
  }
  const Tensor gs = scale.defined() ? g * reshape(cast_like(scale, g), part) : g;
  return cast_like(inv * (gs - xhat * mean(gs * xhat, axes, true)), x);
}

Tensor layer_norm_backward(const Tensor& x, const Tensor& scale, const Tensor&, const Tensor&, const Tensor& dout,
                           double eps, int64_t axis, int which) {
  if (!dout.defined()) return Tensor();
  Ints axes, rows;
  Ints tail;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    (i < axis ? rows : axes).push_back(i);
    if (i >= axis) tail.push_back(number_at(x, i));
  }
  auto to_param = [&](const Tensor& t) {
    return reshape(rows.empty() ? t : sum(t, rows, DataType::UNDEFINED, false),
                   scale.defined() ? shape_of(scale) : Ints{-1});
  };
  if (which == 2) return to_param(dout);
  if (which == 1) return to_param(dout * NormHat(x, axes, eps));
  return NormInput(x, scale.defined() ? dout * cast_like(reshape(scale, tail), dout) : dout, axes, eps);
}

Tensor group_norm_backward(const Tensor& x, const Tensor& scale, const Tensor& dout, double eps, int64_t groups,
                           const std::string& format, int which) {
  const int64_t rank = x.ndim(), channel = format.size() > 2 && format.back() == 'C' && rank > 2 ? rank - 1 : 1;
  Ints axes, per(rank, 1), to{0, channel}, back(rank, 0);
  per[channel] = -1;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != channel) axes.push_back(i);
    if (i > 0 && i != channel) to.push_back(i);
  }
  for (int64_t i = 0; i < rank; ++i) back[to[i]] = i;
  // [n, groups, the rest], and back.
  auto grouped = [&](const Tensor& t) { return reshape(channel == 1 ? t : transpose(t, to), Ints{0, groups, -1}); };
  auto whole = [&](const Tensor& t) {
    return channel == 1 ? reshape_like(t, x) : transpose(reshape_like(t, transpose(x, to)), back);
  };
  auto to_param = [&](const Tensor& t) {
    const Tensor all = sum(t, axes, DataType::UNDEFINED, false);
    return scale.defined() ? cast_like(all, scale) : all;
  };
  if (which == 2) return to_param(dout);
  if (which == 1) return to_param(dout * whole(NormHat(grouped(x), Ints{-1}, eps)));
  const Tensor g = scale.defined() ? dout * cast_like(reshape(scale, per), dout) : dout;
  return whole(NormInput(grouped(x), grouped(g), Ints{-1}, eps));
}

Tensor instance_norm_backward(const Tensor& x, const Tensor& scale, const Tensor& dout, double eps, int which) {
  return group_norm_backward(x, scale, dout, eps, size_at(x, 1), "NCHW", which);
}

Tensor pool_double_backward(const Tensor& ddx, const Tensor& x, const Tensor&, const Ints& kernel, const Ints& strides,
                            const Ints& paddings, bool ceil_mode, bool exclusive, const std::string& format,
                            const std::string& type, bool global, bool adaptive, const std::string& algorithm) {
  bool three = x.ndim() == 5;
  if (type == "avg")
    return three
               ? pool3d(ddx, kernel, strides, paddings, ceil_mode, exclusive, format, type, global, adaptive, algorithm)
               : pool2d(ddx, kernel, strides, paddings, ceil_mode, exclusive, format, type, global, adaptive,
                        algorithm);
  PD_CHECK(format.size() > 1 && format[1] == 'C' && algorithm == "EXPLICIT" && paddings.size() == kernel.size(),
           Unimplemented, "[pool] expected channels-first data and explicit paddings for a second-order gradient, got ",
           format, " and ", algorithm);
  auto [out, mask] = three ? max_pool3d_with_index(x, kernel, strides, paddings, global, adaptive, ceil_mode)
                           : max_pool2d_with_index(x, kernel, strides, paddings, global, adaptive, ceil_mode);
  return max_pool_gather(ddx, mask);
}

}  // namespace paddle
