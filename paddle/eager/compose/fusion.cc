// SPDX-License-Identifier: Apache-2.0
// Kernels of fused operations: one library call where it exists, the single operations where not.
#include <cstring>

#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/ops/fusion/fusion.h"
#include "paddle/phi/primitives/bias_act.h"
#include "paddle/phi/primitives/norm.h"

namespace phi {
namespace {

Tensor Activate(const Tensor& x, const std::string& name) {
  if (name.empty()) return x;
  if (name == "relu") return paddle::relu(x);
  if (name == "relu6") return paddle::relu6(x);
  if (name == "silu" || name == "swish") return paddle::silu(x);
  if (name == "sigmoid") return paddle::sigmoid(x);
  if (name == "hardswish") return paddle::hardswish(x);
  if (name == "gelu") return paddle::gelu(x, false);
  if (name == "tanh") return paddle::tanh(x);
  PD_THROW(Unimplemented, "[fused] expected an activation this version has, got '", name, "'");
}

// Operations on tensors that are on a device are not of the kernel's primitives.
class AsOps {
 public:
  AsOps() { t_state.forms = nullptr; }
  ~AsOps() { t_state.forms = before_; }
  AsOps(const AsOps&) = delete;

 private:
  const DeviceForms* before_ = t_state.forms;
};

}  // namespace

Dims BlockedDims(const Dims& plain) {
  PD_CHECK(plain.size() == 4, InvalidArgument, "[block_channels] expected a shape [n, c, h, w], got ",
           common::ShapeText(plain));
  return {plain[0], common::Div(plain[1] + Dim(kChannelBlock - 1), Dim(kChannelBlock)), plain[2], plain[3],
          Dim(kChannelBlock)};
}
Dims UnblockedDims(const Dims& x, Dim channels) {
  if (x.size() == 4) return x;
  const Dim blocks = common::Div(channels + Dim(kChannelBlock - 1), Dim(kChannelBlock));
  PD_CHECK(
      x.size() == 5 && !common::CertainlyDiffer(x[4], Dim(kChannelBlock)) && !common::CertainlyDiffer(x[1], blocks),
      InvalidArgument, "[unblock_channels] expected a shape [n, ", common::DimText(blocks), ", h, w, ", kChannelBlock,
      "], got ", common::ShapeText(x));
  return {x[0], channels, x[2], x[3]};
}

namespace {

// Copies the channels of a plain tensor to a blocked one, or back.
void CopyChannels(const Tensor& plain, const Tensor& blocked, bool to_blocked) {
  const int64_t n = plain.dim(0), c = plain.dim(1), hw = plain.dim(2) * plain.dim(3);
  const int64_t full = c / kChannelBlock, rest = c % kChannelBlock, at = full * kChannelBlock * hw;
  const int64_t image = blocked.dim(1) * kChannelBlock * hw, step = kChannelBlock * hw;
  const auto copy = [&](const Tensor& p, const Tensor& b) { to_blocked ? CopyInto(p, b) : CopyInto(b, p); };
  if (full)
    copy(ViewOf(plain, {n, full, kChannelBlock, hw}, {c * hw, step, hw, 1}, 0),
         ViewOf(blocked, {n, full, kChannelBlock, hw}, {image, step, 1, kChannelBlock}, 0));
  if (rest)
    copy(ViewOf(plain, {n, rest, hw}, {c * hw, hw, 1}, at),
         ViewOf(blocked, {n, rest, hw}, {image, 1, kChannelBlock}, at));
}

}  // namespace

void block_channels_infer(const Meta& x, Meta& out) { out = {BlockedDims(x.dims), x.dtype}; }
void block_channels_kernel(const Tensor& x, Tensor& out) {
  if (out.numel() == 0) return;
  if (x.dim(1) % kChannelBlock) std::memset(out.raw_data(), 0, static_cast<size_t>(out.numel()) * SizeOf(out.dtype()));
  CopyChannels(Contiguous(x), out, true);
}
void unblock_channels_infer(const Meta& x, int64_t channels, Meta& out) {
  PD_CHECK(x.dims.size() == 5, InvalidArgument, "[unblock_channels] expected five axes, got shape ",
           common::ShapeText(x.dims));
  out = {UnblockedDims(x.dims, Dim(channels)), x.dtype};
}
void unblock_channels_kernel(const Tensor& x, int64_t, Tensor& out) {
  if (out.numel()) CopyChannels(out, Contiguous(x), false);
}

// A residual of unknown extents may turn out larger than the convolution's result: they broadcast as add does.
void fused_conv_infer(const Meta& x, const Meta& w, const Meta*, const Meta* residual, const Ints& strides,
                      const Ints& paddings, const std::string& algorithm, const Ints& dilations, int64_t groups,
                      const std::string& format, const std::string&, Meta& out) {
  const bool blocked = format == kBlockedFormat;
  Meta plain = x;
  if (blocked) plain.dims = UnblockedDims(x.dims, w.dims[1] * Dim(groups));
  conv_infer(plain, w, strides, paddings, algorithm, dilations, groups, blocked ? "NCHW" : format, out);
  if (blocked) out.dims = BlockedDims(out.dims);
  if (residual) out.dims = common::BroadcastDims("fused_conv", out.dims, residual->dims);
}

void fused_conv_kernel(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& residual,
                       const Ints& strides, const Ints& paddings, const std::string& algorithm, const Ints& dilations,
                       int64_t groups, const std::string& format, const std::string& activation, Tensor& out) {
  if (out.numel() == 0) return;
  if (FormsHere()) {
    if (format == kBlockedFormat) throw NoDeviceForm{"channels in blocks"};
  } else if (FusedConvolution(x, w, bias, residual, strides, paddings, algorithm, dilations, groups, format, activation,
                              out)) {
    return;
  }
  if (format == kBlockedFormat) {
    const auto plain = [](const Tensor& t, int64_t channels) {
      if (!t.defined() || t.ndim() == 4) return t;
      Tensor p = Empty({t.dim(0), channels, t.dim(2), t.dim(3)}, t.dtype());
      unblock_channels_kernel(t, channels, p);
      return p;
    };
    Tensor y = Empty({out.dim(0), w.dim(0), out.dim(2), out.dim(3)}, out.dtype());
    fused_conv_kernel(plain(x, w.dim(1) * groups), w, bias, plain(residual, w.dim(0)), strides, paddings, algorithm,
                      dilations, groups, "NCHW", activation, y);
    block_channels_kernel(y, out);
    return;
  }
  Meta plain;
  conv_infer(x.meta(), w.meta(), strides, paddings, algorithm, dilations, groups, format, plain);
  Tensor y = Empty(common::ToInts(plain.dims), plain.dtype, out.place());
  conv_kernel(Contiguous(x), Contiguous(w), strides, paddings, algorithm, dilations, groups, format, y);
  const AsOps scope;
  if (bias.defined()) {
    Ints shape(y.ndim(), 1);
    shape[format.back() == 'C' ? y.ndim() - 1 : 1] = bias.numel();
    y = paddle::add(y, paddle::reshape(bias, shape));
  }
  if (residual.defined()) y = paddle::add(y, residual);
  CopyInto(Activate(y, activation), out);
}

void fused_matmul_infer(const Meta& x, const Meta& y, const Meta*, bool tx, bool ty, const std::string&, Meta& out) {
  matmul_infer(x, y, tx, ty, out);
}

void fused_matmul_kernel(const Tensor& x, const Tensor& y, const Tensor& bias, bool tx, bool ty,
                         const std::string& activation, Tensor& out) {
  if (const DeviceForms* d = FormsHere(); d && out.numel()) {
    const bool row = bias.defined() && x.ndim() > 1 && y.ndim() > 1 && bias.dtype() == out.dtype() &&
                     bias.is_contiguous() && bias.dims() == Ints{out.dims().back()};
    const auto product = [&](auto with) {
      return (d->*with)(x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(), y.strides(), ty,
                        row ? bias.raw_data() : nullptr, out.raw_data());
    };
    if (row && activation == "relu" && product(&DeviceForms::MatmulRelu)) return;
    row ? product(&DeviceForms::Matmul) : matmul_kernel(x, y, tx, ty, out);
    const AsOps scope;
    const Tensor sum = bias.defined() && !row ? paddle::add(out, bias) : out;
    if (const Tensor last = Activate(sum, activation); !last.is_same(out)) CopyInto(last, out);
    return;
  }
  matmul_kernel(x, y, tx, ty, out);
  if (out.numel() == 0) return;
  const cpu::Activation act = cpu::ActivationOf(activation);
  const bool same = !bias.defined() || (bias.dtype() == out.dtype() && bias.is_contiguous() && out.ndim() > 0 &&
                                        bias.dims() == Ints{out.dims().back()});
  if ((out.dtype() == DataType::FLOAT32 || out.dtype() == DataType::FLOAT64) && act != cpu::Activation::kUnknown &&
      same) {
    const int64_t n = out.dims().back();
    cpu::BiasActivate(out.dtype(), act, bias.defined() ? bias.raw_data() : nullptr, out.numel() / n, n, out.raw_data());
    return;
  }
  CopyInto(Activate(bias.defined() ? paddle::add(out, bias) : out, activation), out);
}

void fused_add_norm_infer(const Meta& x, const Meta& y, const Meta*, const Meta*, double, const Ints&, bool, Meta& out,
                          Meta& sum) {
  out = {common::BroadcastDims("fused_add_norm", x.dims, y.dims), x.dtype};
  sum = out;
}

void fused_add_norm_kernel(const Tensor& x, const Tensor& y, const Tensor& scale, const Tensor& bias, double eps,
                           const Ints& shape, bool rms, Tensor& out, Tensor& sum) {
  int64_t cols = 1;
  for (int64_t n : shape) cols *= n;
  if (out.numel() == 0) return;
  const auto same = [&](const Tensor& t) {
    return !t.defined() || (t.dtype() == x.dtype() && t.is_contiguous() && t.numel() == cols);
  };
  if ((x.dtype() == DataType::FLOAT32 || x.dtype() == DataType::FLOAT64) && y.dtype() == x.dtype() &&
      x.dims() == y.dims() && same(scale) && same(bias)) {
    const Tensor a = Contiguous(x), b = Contiguous(y);
    cpu::AddNorm(x.dtype(), a.raw_data(), b.raw_data(), out.numel() / cols, cols,
                 scale.defined() ? scale.raw_data() : nullptr, bias.defined() ? bias.raw_data() : nullptr, eps, rms,
                 sum.raw_data(), out.raw_data());
    return;
  }
  CopyInto(paddle::add(x, y), sum);
  CopyInto(rms ? std::get<0>(paddle::rms_norm(sum, scale, shape, eps))
               : std::get<0>(paddle::layer_norm(sum, scale, bias, eps, sum.ndim() - shape.size())),
           out);
}

}  // namespace phi
