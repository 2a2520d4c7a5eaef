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
    const void* const at = row ? bias.raw_data() : nullptr;
    if (row && activation == "relu" && ProductWith({.bias = at, .after = ProductAfter::kRelu}, x, y, tx, ty, out))
      return;
    if (row)
      d->Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(), y.strides(), ty, at,
                out.raw_data());
    else
      matmul_kernel(x, y, tx, ty, out);
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

bool ProductWith(const ProductExtras& with, const Tensor& x, const Tensor& y, bool tx, bool ty, Tensor& out) {
  const DeviceForms* d = FormsHere();
  return d && d->MatmulWith(with, x.dtype(), x.raw_data(), x.dims(), x.strides(), tx, y.raw_data(), y.dims(),
                            y.strides(), ty, out.raw_data());
}

namespace {

ProductAfter AfterOf(const char* op, const std::string& activation) {
  PD_CHECK(activation.empty() || activation == "none" || activation == "relu" || activation == "gelu", InvalidArgument,
           "[", op, "] expected activation to be none, gelu or relu, got ", activation);
  return activation == "relu"   ? ProductAfter::kRelu
         : activation == "gelu" ? ProductAfter::kGelu
                                : ProductAfter::kNothing;
}

// As a matrix of all its rows, in order.
Tensor RowsOf(const Tensor& t) {
  const Tensor whole = Contiguous(t);
  const int64_t last = t.dims().back();
  return ViewOf(whole, {t.numel() / last, last}, {last, 1}, whole->offset());
}

// The gradients of x y + bias, of a matrix y, from that of the result: those of y and of the bias by one call. False
// where there is no such call, or one of the two is not wanted.
bool ProductGrads(const Tensor& x, const Tensor& y, const Tensor& bias, const Tensor& g, bool tx, bool ty, Tensor* dx,
                  Tensor* dy, Tensor* dbias) {
  if (!dy || !dbias || bias.dtype() != g.dtype() || x.dtype() != g.dtype() || y.ndim() != 2 || g.numel() == 0 ||
      x.numel() == 0)
    return false;
  const Tensor left = RowsOf(x), right = RowsOf(g);
  EnsureOut(*dbias, bias.dims(), g.dtype());
  EnsureOut(*dy, y.dims(), g.dtype());
  ProductExtras with;
  (ty ? with.a_sums : with.b_sums) = dbias->raw_data();
  const bool done =
      ty ? ProductWith(with, right, left, true, tx, *dy) : ProductWith(with, left, right, !tx, false, *dy);
  if (!done || !dx) return done;
  EnsureOut(*dx, x.dims(), g.dtype());
  tx ? matmul_kernel(y, g, ty, true, *dx) : matmul_kernel(g, y, false, !ty, *dx);
  return true;
}

}  // namespace

bool linear_v2_device_grad(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& dout, bool tw,
                           Tensor* dx, Tensor* dw, Tensor* dbias) {
  return ProductGrads(x, w, bias, dout, false, tw, dx, dw, dbias);
}

void fused_gemm_epilogue_infer(const Meta& x, const Meta& y, const Meta& bias, bool tx, bool ty,
                               const std::string& activation, Meta& out, Meta& reserve) {
  constexpr const char* kOp = "fused_gemm_epilogue";
  const bool gelu = AfterOf(kOp, activation) == ProductAfter::kGelu;
  PD_CHECK(y.dims.size() == 2 && x.dims.size() >= 2 && (!tx || x.dims.size() == 2), InvalidArgument, "[", kOp,
           "] expected a matrix y, and x of at least two axes, of two with trans_x, got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(y.dims));
  PD_CHECK(x.dtype == y.dtype && x.dtype == bias.dtype, InvalidArgument, "[", kOp,
           "] expected x, y and bias of one dtype, got ", NameOf(x.dtype), ", ", NameOf(y.dtype), " and ",
           NameOf(bias.dtype));
  matmul_infer(x, y, tx, ty, out);
  PD_CHECK(bias.dims.size() == 1 && !common::CertainlyDiffer(bias.dims[0], out.dims.back()), InvalidArgument, "[", kOp,
           "] expected a bias of ", common::DimText(out.dims.back()), " elements, got shape ",
           common::ShapeText(bias.dims));
  reserve = gelu ? out : Meta{{Dim(0)}, out.dtype};
}

void fused_gemm_epilogue_kernel(const Tensor& x, const Tensor& y, const Tensor& bias, bool tx, bool ty,
                                const std::string& activation, Tensor& out, Tensor& reserve) {
  if (out.numel() == 0) return;
  const ProductAfter after = AfterOf("fused_gemm_epilogue", activation);
  const bool gelu = after == ProductAfter::kGelu;
  const Tensor row = Contiguous(bias);
  if (gelu && ProductWith({.bias = row.raw_data(), .after = after, .kept = reserve.raw_data()}, x, y, tx, ty, out))
    return;
  fused_matmul_kernel(x, y, row, tx, ty, after == ProductAfter::kRelu ? "relu" : "", gelu ? reserve : out);
  if (!gelu) return;
  const AsOps scope;
  CopyInto(paddle::gelu(reserve, true), out);
}

bool fused_gemm_epilogue_device_grad(const Tensor& x, const Tensor& y, const Tensor& bias, const Tensor& out,
                                     const Tensor& reserve, const Tensor& dout, const Tensor&, bool tx, bool ty,
                                     const std::string& activation, Tensor* dx, Tensor* dy, Tensor* dbias) {
  Tensor g = dout;
  switch (AfterOf("fused_gemm_epilogue", activation)) {
    case ProductAfter::kGelu: {
      const AsOps scope;
      g = paddle::gelu_tanh_dx(reserve, dout);
      break;
    }
    case ProductAfter::kRelu: {
      const AsOps scope;
      const Tensor zero = paddle::zeros_like_of(out);
      g = paddle::where(paddle::greater_than(out, zero), dout, zero);
      break;
    }
    default: break;
  }
  return ProductGrads(x, y, bias, g, tx, ty, dx, dy, dbias);
}

void linear_pair_infer(const Meta& x, const Meta& first, const Meta& first_bias, const Meta& second,
                       const Meta& second_bias, Meta& out, Meta& hidden, Meta& kept) {
  Meta none;
  fused_gemm_epilogue_infer(x, first, first_bias, false, false, "relu", hidden, kept);
  fused_gemm_epilogue_infer(hidden, second, second_bias, false, false, "none", out, none);
}

void linear_pair_kernel(const Tensor& x, const Tensor& first, const Tensor& first_bias, const Tensor& second,
                        const Tensor& second_bias, Tensor& out, Tensor& hidden, Tensor& kept) {
  bool done = false;
  if (FormsHere() && hidden.numel() > 0) {
    const Tensor row = Contiguous(first_bias);
    const int64_t n = hidden.dims().back();
    Tensor bits;
    EnsureOut(bits, {hidden.numel() / n, ReluRowBytes(n)}, DataType::UINT8);
    done = ProductWith({.bias = row.raw_data(), .after = ProductAfter::kRelu, .kept = bits.raw_data()}, x, first, false,
                       false, hidden);
    if (done) kept = bits;
  }
  if (!done) fused_gemm_epilogue_kernel(x, first, first_bias, false, false, "relu", hidden, kept);
  Tensor none;
  fused_gemm_epilogue_kernel(hidden, second, second_bias, false, false, "none", out, none);
}

// The product that gives the gradient of the first layer's result drops it where relu did, and sums it for the bias.
bool linear_pair_device_grad(const Tensor& x, const Tensor& first, const Tensor& first_bias, const Tensor& second,
                             const Tensor& second_bias, const Tensor& hidden, const Tensor& kept, const Tensor& dout,
                             const Tensor&, const Tensor&, Tensor* dx, Tensor* dfirst, Tensor* dfirst_bias,
                             Tensor* dsecond, Tensor* dsecond_bias) {
  if (!dfirst || !dfirst_bias || !dsecond != !dsecond_bias || kept.numel() == 0) return false;
  Tensor g;
  EnsureOut(g, hidden.dims(), dout.dtype());
  EnsureOut(*dfirst_bias, first_bias.dims(), dout.dtype());
  ProductExtras with;
  with.after = ProductAfter::kReluGrad;
  with.kept = const_cast<void*>(kept.raw_data());
  with.sums = dfirst_bias->raw_data();
  const Tensor rows = Contiguous(dout);
  if (!ProductWith(with, rows, second, false, true, g)) return false;
  EnsureOut(*dfirst, first.dims(), dout.dtype());
  matmul_kernel(RowsOf(x), RowsOf(g), true, false, *dfirst);
  if (dx) {
    EnsureOut(*dx, x.dims(), dout.dtype());
    matmul_kernel(g, first, false, true, *dx);
  }
  return !dsecond || ProductGrads(hidden, second, second_bias, rows, false, false, nullptr, dsecond, dsecond_bias);
}

void fp8_fp8_half_gemm_fused_infer(const Meta& x, const Meta& y, const Meta* bias, bool tx, bool ty, double,
                                   const std::string& output_dtype, const std::string& activation, Meta& out) {
  constexpr const char* kOp = "fp8_fp8_half_gemm_fused";
  for (const auto& [name, t] : {std::pair{"x", x.dtype}, std::pair{"y", y.dtype}})
    PD_CHECK(t == DataType::FLOAT8_E4M3FN, InvalidType, "[", kOp, "] expected ", name, " of float8_e4m3fn, got ",
             NameOf(t));
  PD_CHECK(output_dtype == "float16" || output_dtype == "bfloat16", InvalidArgument, "[", kOp,
           "] expected output_dtype 'float16' or 'bfloat16', got '", output_dtype, "'");
  PD_CHECK(activation == "identity" || activation == "relu" || activation == "gelu", InvalidArgument, "[", kOp,
           "] expected act 'identity', 'relu' or 'gelu', got '", activation, "'");
  matmul_infer(x, y, tx, ty, out);
  PD_CHECK(!bias || (bias->dims.size() == 1 && !common::CertainlyDiffer(bias->dims[0], out.dims.back())),
           InvalidArgument, "[", kOp, "] expected a bias of ", common::DimText(out.dims.back()),
           " elements, got shape ", common::ShapeText(bias ? bias->dims : Dims{}));
  out.dtype = output_dtype == "float16" ? DataType::FLOAT16 : DataType::BFLOAT16;
}

namespace {

// With its last axes swapped, or not, and its elements in order.
Tensor AlongLast(const Tensor& t, bool swapped) {
  if (!swapped) return Contiguous(t);
  Ints dims = t.dims(), strides = t.strides();
  const int64_t last = dims.size() - 1;
  std::swap(dims[last], dims[last - 1]);
  std::swap(strides[last], strides[last - 1]);
  return Contiguous(ViewOf(t, dims, strides, t->offset()));
}

// A library takes operands that lie along the axis that is summed over.
bool Float8Product(const Tensor& x, const Tensor& y, const Tensor& bias, bool tx, bool ty, double scale,
                   const std::string& activation, Tensor& out) {
  const DeviceForms* d = FormsHere();
  if (!d || x.ndim() < 2 || y.ndim() < 2) return false;
  const Tensor left = AlongLast(x, tx), right = AlongLast(y, !ty);
  const float factors[] = {static_cast<float>(scale), 1};
  const auto there = d->Sent(factors, sizeof(factors));
  const auto* at = static_cast<const float*>(there.get());
  Tensor row;
  if (bias.defined()) {
    const AsOps scope;
    row = Contiguous(paddle::cast(bias, out.dtype()));
  }
  ProductExtras with;
  with.bias = row.defined() ? row.raw_data() : nullptr;
  with.after = AfterOf("fp8_fp8_half_gemm_fused", activation == "identity" ? "none" : activation);
  with.a_scale = at, with.b_scale = at + 1, with.out = out.dtype();
  return ProductWith(with, left, right, false, true, out);
}

}  // namespace

void fp8_fp8_half_gemm_fused_kernel(const Tensor& x, const Tensor& y, const Tensor& bias, bool tx, bool ty,
                                    double scale, const std::string&, const std::string& activation, Tensor& out) {
  if (out.numel() == 0 || Float8Product(x, y, bias, tx, ty, scale, activation, out)) return;
  const AsOps scope;
  const auto wide = [](const Tensor& t) { return paddle::cast(t, DataType::FLOAT32); };
  Tensor sum = paddle::scale(paddle::matmul(wide(x), wide(y), tx, ty), Scalar(scale), 0.0, true);
  if (bias.defined()) sum = paddle::add(sum, wide(bias));
  if (activation == "relu") sum = paddle::relu(sum);
  if (activation == "gelu") sum = paddle::gelu(sum, true);
  CopyInto(paddle::cast(sum, out.dtype()), out);
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
