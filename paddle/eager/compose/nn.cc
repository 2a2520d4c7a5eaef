// SPDX-License-Identifier: Apache-2.0
// Activations and other layers written on other ops; their gradients follow from those.
#include "paddle/common/axis_functions.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/pir/dialect/pd_op.h"

namespace phi {
void gumbel_softmax_infer(const Meta& x, double temperature, bool hard, int64_t axis, Meta& out);
void lp_pool2d_infer(const Meta& x, const common::Ints& kernel, const common::Ints& strides,
                     const common::Ints& paddings, bool ceil_mode, bool exclusive, const std::string& format,
                     const std::string& type, bool global, bool adaptive, const std::string& algorithm,
                     double norm_type, Meta& out);
// Rounding the extents up is rounding them down with stride - 1 more zeros at the end, which add nothing.
common::Ints LpPaddings(const common::Dims& x, const common::Ints& kernel, const common::Ints& paddings,
                        const common::Ints& strides, bool ceil_mode, const std::string& format,
                        const std::string& algorithm);
void spectral_norm_infer(const Meta& weight, const Meta& u, const Meta& v, int64_t dim, int64_t power_iters, double eps,
                         Meta& out);
}  // namespace phi

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
    const bool last = common::ChannelsLast(format);
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

Tensor cvm_compose(const Tensor& x, const Tensor& cvm, bool use_cvm) {
  phi::CheckCvm(x.extents(), cvm.extents());
  const Tensor rest = slice(x, {1}, Ints{2}, Ints{INT64_MAX});
  if (!use_cvm) return assign(rest);
  const Tensor shows = log(slice(x, {1}, Ints{0}, Ints{1}) + 1.0);
  return concat({shows, log(slice(x, {1}, Ints{1}, Ints{2}) + 1.0) - shows, rest}, Scalar(int64_t{1}));
}

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

Tensor spectral_norm_compose(const Tensor& weight, const Tensor& u, const Tensor& v, int64_t dim, int64_t power_iters,
                             double eps) {
  phi::Meta checked;
  phi::spectral_norm_infer(weight.meta(), u.meta(), v.meta(), dim, power_iters, eps, checked);
  const int64_t rows = common::NormalizeAxis("spectral_norm", dim, weight.ndim());
  Ints order{rows};
  for (int64_t k = 0; k < weight.ndim(); ++k)
    if (k != rows) order.push_back(k);
  const Tensor matrix = reshape(transpose(weight, order), IntArray{dim_at(weight, rows), -1});
  const auto unit = [eps](const Tensor& x) { return x / (sqrt(sum(x * x)) + eps); };
  Tensor row, column;
  {
    const egr::GradModeGuard off(false);
    row = reshape(u, Ints{-1, 1});
    column = reshape(v, Ints{-1, 1});
    for (int64_t k = 0; k < power_iters; ++k) {
      column = unit(matmul(matrix, row, true, false));
      row = unit(matmul(matrix, column, false, false));
    }
  }
  return weight / sum(row * matmul(matrix, column, false, false));
}

Tensor lp_pool2d_compose(const Tensor& x, const Ints& kernel, const Ints& strides, const Ints& paddings, bool ceil_mode,
                         bool exclusive, const std::string& format, const std::string& type, bool global, bool adaptive,
                         const std::string& algorithm, double norm_type) {
  phi::Meta checked;
  phi::lp_pool2d_infer(x.meta(), kernel, strides, paddings, ceil_mode, exclusive, format, type, global, adaptive,
                       algorithm, norm_type, checked);
  const Tensor powers = norm_type == 2 ? x * x : norm_type == 1 ? x : pow(x, Scalar(norm_type));
  const Ints pads = phi::LpPaddings(x.meta().dims, kernel, paddings, strides, ceil_mode, format, algorithm);
  const Tensor mean = pool2d(powers, kernel, strides, pads, false, false, format, "avg", false, false,
                             algorithm == "SAME" ? algorithm : "EXPLICIT");
  // A mean is one over the part of a window that lies in the padded input. Windows are cut where that is shorter than
  // they are, and LpPaddings makes up for it where the extent is known.
  const common::Dims extents = x.extents();
  const int64_t first = common::ChannelsLast(format) ? 1 : 2;
  double known = 1;
  Tensor total = mean;
  for (int64_t i = 0; i < kernel.size(); ++i) {
    const common::Dim extent = extents[first + i];
    if (extent.known() || algorithm == "SAME") {
      known *= static_cast<double>(kernel[i]);
      continue;
    }
    const Tensor room = full({}, Scalar(extent + common::Dim(pads[2 * i] + pads[2 * i + 1])), DataType::INT64);
    total = total * cast_like(minimum(room, full({}, Scalar(kernel[i]), DataType::INT64)), total);
  }
  total = total * known;
  return norm_type == 1 ? total : pow(total, Scalar(1 / norm_type));
}

Tensor gumbel_softmax_compose(const Tensor& x, double temperature, bool hard, int64_t axis) {
  phi::Meta checked;
  phi::gumbel_softmax_infer(x.meta(), temperature, hard, axis, checked);
  // In float32: rounded to a half first, a draw may be 1, whose noise is infinite.
  const Tensor drawn = uniform(shape_of(x), DataType::FLOAT32, Scalar(1e-20), Scalar(1.0), 0);
  const Tensor soft = softmax((x - cast_like(log(-log(drawn)), x)) / temperature, axis);
  if (!hard) return soft;
  Tensor rest;  // of the one-hot choice, without history
  {
    const egr::GradModeGuard off(false);
    const Tensor best = argmax(soft, Scalar(axis), true);
    rest = put_along_axis(zeros_like_of(soft), best, scalar_like(Scalar(1.0), soft), axis) - soft;
  }
  return rest + soft;
}

}  // namespace paddle

namespace phi {

namespace {

// One half of the last axis.
Tensor HalfOf(const Tensor& x, int64_t part) {
  common::Ints dims = x.dims();
  dims.back() /= 2;
  return ViewOf(x, dims, x.strides(), x->offset() + part * dims.back() * x.strides().back());
}

// Runs an elementwise op into memory that is there.
void RunInto(const OpDef& op, std::initializer_list<InSlot> in, Tensor out) {
  const AttrValue none;
  OutSlot slot(out);
  op.Run(ThreadContext(), in.begin(), &none, &slot);
}

}  // namespace

void swiglu_grad_kernel(const Tensor& x, const Tensor& y, const Tensor& dout, Tensor* dx, Tensor* dy) {
  static const OpDef &of_gate = *FindOpDef(pir::pd::kSiluMulDx), &of_value = *FindOpDef(pir::pd::kSiluMul);
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  if (y.defined()) {
    if (dx) RunInto(of_gate, {x, y, dout}, *dx);
    if (!dy) return;
    EnsureOut(*dy, y.dims(), y.dtype());
    return RunInto(of_value, {x, dout}, *dy);
  }
  if (!dx) return;
  const Tensor gate = HalfOf(x, 0), value = HalfOf(x, 1);
  RunInto(of_gate, {gate, value, dout}, HalfOf(*dx, 0));
  RunInto(of_value, {gate, dout}, HalfOf(*dx, 1));
}

}  // namespace phi
