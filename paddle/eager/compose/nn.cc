// SPDX-License-Identifier: Apache-2.0
// Activations and other layers written on other ops; their gradients follow from those.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/infer/rules.h"

namespace paddle {

using common::Ints;

namespace {
Tensor Wide(const Tensor& x) { return phi::IsHalf(x.dtype()) ? cast(x, DataType::FLOAT32) : x; }
// `t` [C] laid out against the axis `a` of a tensor of that rank.
Tensor ByChannel(const Tensor& t, int64_t a, int64_t rank) {
  Ints shape(rank, 1);
  shape[a] = -1;
  return reshape(t, shape);
}
// alpha laid out against x.
Tensor PreluSlope(const Tensor& x, const Tensor& alpha, const std::string& format, const std::string& mode) {
  Tensor a = alpha;
  if (mode == "all") {
    a = reshape(alpha, Ints{});
  } else if (mode == "channel") {
    bool last = !format.empty() && format.back() == 'C' && format != "NC";
    a = ByChannel(alpha, x.ndim() < 2 ? 0 : last ? x.ndim() - 1 : 1, x.ndim());
  } else {
    PD_CHECK(mode == "element", InvalidArgument, "[prelu] expected mode all, channel or element, got ", mode);
    IntArray shape = shape_of(x);
    if (!shape.empty()) shape.set(0, 1);
    a = reshape(alpha, shape);
  }
  return a;
}
}  // namespace

Tensor prelu_compose(const Tensor& x, const Tensor& alpha, const std::string& format, const std::string& mode) {
  return prelu_mul(x, PreluSlope(x, alpha, format, mode));
}

Tensor swiglu_compose(const Tensor& x, const Tensor& y) {
  const common::Dims dims = x.extents(), others = y.defined() ? y.extents() : common::Dims();
  phi::CheckSwiglu(dims, y.defined() ? &others : nullptr);
  if (y.defined()) return silu_mul(x, y);
  std::vector<Tensor> half = split_with_num(x, 2, Scalar(int64_t{-1}));
  return silu_mul(half[0], half[1]);
}

Tensor maxout_compose(const Tensor& x, int64_t groups, int64_t axis) {
  int64_t a = common::NormalizeAxis("maxout", axis, x.ndim());
  common::Dim c = dim_at(x, a);
  PD_CHECK(groups > 0 && (!c.known() || c.raw() % groups == 0), InvalidArgument,
           "[maxout] expected groups that divide the channels ", common::DimText(c), ", got ", groups);
  IntArray shape = shape_of(x);
  shape.set(a, Div(c, common::Dim(groups)));
  shape.insert(a + 1, groups);
  return max(reshape(x, shape), Ints{a + 1}, false);
}

Tensor label_smooth_compose(const Tensor& label, const Tensor& prior, double epsilon) {
  Tensor kept = label * (1.0 - epsilon);
  if (prior.defined()) return kept + reshape(cast_like(prior, label), Ints{-1}) * epsilon;
  common::Dim n = dim_at(label, -1);
  return n.known() ? kept + epsilon / static_cast<double>(n.raw()) : kept + epsilon / number_like(n, kept);
}

Tensor temporal_shift_compose(const Tensor& x, int64_t seg, double ratio, const std::string& format) {
  PD_CHECK(x.ndim() == 4 && seg > 0 && (!dim_at(x, 0).known() || size_at(x, 0) % seg == 0), InvalidArgument,
           "[temporal_shift] expected 4 axes of which the first is divisible by seg_num ", seg, ", got shape ",
           common::ShapeText(x.extents()));
  PD_CHECK(ratio > 0 && ratio <= 0.5, InvalidArgument, "[temporal_shift] expected a shift_ratio in (0, 0.5], got ",
           ratio);
  bool last = format == "NHWC";
  const IntArray d = shape_of(x), five{Div(dim_at(x, 0), common::Dim(seg)), seg, d[1], d[2], d[3]};
  int64_t a = last ? 4 : 2, c = size_at(x, last ? 3 : 1), c1 = static_cast<int64_t>(static_cast<double>(c) * ratio),
          c2 = static_cast<int64_t>(static_cast<double>(c) * 2 * ratio);
  std::vector<Tensor> parts = split(reshape(x, five), Ints{c1, c2 - c1, c - c2}, Scalar(a));
  auto moved = [](const Tensor& t, int64_t lo, int64_t hi) {  // zeros come in where time runs out
    return pad(t, Ints{0, 0, lo, hi, 0, 0, 0, 0, 0, 0}, Scalar(0.0));
  };
  return reshape(concat({moved(parts[0], 1, -1), moved(parts[1], -1, 1), parts[2]}, Scalar(a)), d);
}

Tensor clip_by_norm_compose(const Tensor& x, double max_norm) {
  PD_CHECK(max_norm > 0, InvalidArgument, "[clip_by_norm] expected a positive max_norm, got ", max_norm);
  Tensor w = Wide(x), n = p_norm(w, 2.0, -1, 1e-12, false, true), limit = scalar_like(max_norm, n);
  return cast_like(w * where(greater_than(n, limit), limit / n, ones_like_of(n)), x);
}

}  // namespace paddle

namespace phi {

void swiglu_grad_kernel(const Tensor& x, const Tensor& y, const Tensor& dout, Tensor* dx, Tensor* dy) {
  if (y.defined()) {
    if (dx) *dx = paddle::silu_mul_dx(x, y, dout);
    if (dy) *dy = paddle::silu_mul(x, dout);
    return;
  }
  const std::vector<Tensor> half = paddle::split_with_num(x, 2, Scalar(int64_t{-1}));
  if (dx)
    *dx = paddle::concat({paddle::silu_mul_dx(half[0], half[1], dout), paddle::silu_mul(half[0], dout)},
                         Scalar(int64_t{-1}));
}

}  // namespace phi
