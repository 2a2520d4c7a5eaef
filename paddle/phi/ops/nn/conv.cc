// SPDX-License-Identifier: Apache-2.0
// Convolution adapters: padding algorithms, shape rules, and the calls into the CPU backend.
#include "paddle/phi/backends/cpu/conv.h"

#include "paddle/common/axis_functions.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/fusion/fusion.h"
#include "paddle/phi/ops/nn/conv_paddings.h"

namespace phi {
namespace {

// Spatial extents of a shape [N, C, ...] or [N, ..., C].
Dim Spatial(const Dims& d, int64_t i, bool last) { return d[(last ? 1 : 2) + i]; }

// How many positions a filter reaches over on axis i.
int64_t FieldOf(const char* op, const Dims& w, int64_t i, int64_t dilation) {
  const int64_t k = w[2 + i].value();
  PD_CHECK(k > 0 && k <= INT32_MAX, InvalidArgument, "[", op, "] expected filter extents from 1 to ", INT32_MAX,
           ", got filter shape ", common::ShapeText(w));
  return dilation * (k - 1) + 1;
}

cpu::ConvDesc Describe(const Ints& x, const Ints& w, const Ints& y, const Ints& strides, const Ints& pads,
                       const Ints& dilations, int64_t groups, bool last) {
  cpu::ConvDesc d;
  d.nd = static_cast<int>(x.size() - 2);
  d.n = x[0];
  d.ic = last ? x.back() : x[1];
  d.oc = w[0];
  d.groups = groups;
  d.channels_last = last;
  for (int i = 0; i < d.nd; ++i) {
    d.in[i] = x[(last ? 1 : 2) + i];
    d.out[i] = y[(last ? 1 : 2) + i];
    d.k[i] = w[2 + i];
    d.stride[i] = strides[i];
    d.dilation[i] = dilations[i];
    d.pad_lo[i] = pads[2 * i];
    d.pad_hi[i] = pads[2 * i + 1];
  }
  return d;
}

Dims ConvDims(const Dims& x, const Dims& w, const Ints& strides, const Ints& pads, const Ints& dilations,
              int64_t groups, bool last) {
  int64_t nd = x.size() - 2;
  PD_CHECK(nd >= 1 && nd <= 3 && w.size() == x.size(), InvalidArgument,
           "[conv] expected input and filter of one rank between 3 and 5, got shapes ", common::ShapeText(x), " and ",
           common::ShapeText(w));
  Dim c = last ? x.back() : x[1];
  PD_CHECK(groups > 0 && !common::CertainlyDiffer(c, w[1] * Dim(groups)), InvalidArgument,
           "[conv] expected input channels equal to filter channels ", common::DimText(w[1]), " * groups ", groups,
           ", got ", common::DimText(c), " for input shape ", common::ShapeText(x), " and filter shape ",
           common::ShapeText(w));
  PD_CHECK(!w[0].known() || w[0].raw() % groups == 0, InvalidArgument,
           "[conv] expected output channels divisible by groups ", groups, ", got ", common::DimText(w[0]));
  Dims out;
  out.push_back(x[0]);
  if (!last) out.push_back(w[0]);
  for (int64_t i = 0; i < nd; ++i) {
    Dim in = Spatial(x, i, last) + Dim(pads[2 * i] + pads[2 * i + 1]);
    Dim field(FieldOf("conv", w, i, dilations[i]));
    PD_CHECK(!in.known() || in.raw() >= field.raw(), InvalidArgument,
             "[conv] expected the padded input to hold the filter of extent ", field.raw(), ", got ",
             common::DimText(in), " for input shape ", common::ShapeText(x));
    out.push_back(common::Div(common::Sub(in, field), Dim(strides[i])) + Dim(1));
  }
  if (last) out.push_back(w[0]);
  return out;
}

// The packed form of a parameter is kept, so a workspace has no room for it; that of another weight comes from the
// allocator.
constexpr cpu::WeightKey kOfParameter{1};

// What a convolution from x to y takes of a workspace.
int64_t ScratchOf(cpu::ConvUse use, DataType t, const Dims& x, const Dims& w, const Dims& y, const Ints& strides,
                  const Ints& pads, const Ints& dilations, int64_t groups, bool last) {
  cpu::ConvDesc d =
      Describe(common::ToInts(x), common::ToInts(w), common::ToInts(y), strides, pads, dilations, groups, last);
  if (use == cpu::ConvUse::kForward) d.weight_key = kOfParameter;
  return cpu::ConvScratch(use, t, d);
}

cpu::WeightKey KeyOf(const Tensor& w) {
  if (!w.is_contiguous() || !w->is_parameter) return {};
  return {w->storage()->id(), w->storage()->version(), w->offset()};
}

}  // namespace

Ints ResolvePaddings(const char* op, const Dims& x, const Dims& w, const Ints& strides, const Ints& paddings,
                     const std::string& algorithm, const Ints& dilations, bool last) {
  int64_t nd = x.size() - 2;
  PD_CHECK(nd >= 1 && nd <= 3 && w.size() == x.size(), InvalidArgument, "[", op,
           "] expected input and filter of one rank between 3 and 5, got shapes ", common::ShapeText(x), " and ",
           common::ShapeText(w));
  PD_CHECK(strides.size() == nd && dilations.size() == nd, InvalidArgument, "[", op, "] expected ", nd,
           " strides and dilations, got ", strides.size(), " and ", dilations.size());
  CheckWindow(op, "strides", strides, 1);
  CheckWindow(op, "dilations", dilations, 1);
  Ints out(2 * nd, 0);
  if (algorithm == "VALID") return out;
  if (algorithm == "SAME") {
    for (int64_t i = 0; i < nd; ++i) {
      const int64_t field = FieldOf(op, w, i, dilations[i]);
      // With a stride of 1 the extent does not matter, which a program may not know.
      const int64_t in = strides[i] == 1 ? 1 : Spatial(x, i, last).value();
      const int64_t o = (in + strides[i] - 1) / strides[i];
      int64_t total = std::max<int64_t>((o - 1) * strides[i] + field - in, 0);
      out[2 * i] = total / 2;
      out[2 * i + 1] = total - total / 2;
    }
    return out;
  }
  PD_CHECK(algorithm == "EXPLICIT", InvalidArgument, "[", op,
           "] expected padding_algorithm EXPLICIT, SAME or VALID, got ", algorithm);
  PD_CHECK(paddings.size() == nd || paddings.size() == 2 * nd, InvalidArgument, "[", op, "] expected ", nd, " or ",
           2 * nd, " paddings, got ", common::ShapeText(paddings));
  CheckWindow(op, "paddings", paddings, 0);
  for (int64_t i = 0; i < nd; ++i) {
    out[2 * i] = paddings.size() == nd ? paddings[i] : paddings[2 * i];
    out[2 * i + 1] = paddings.size() == nd ? paddings[i] : paddings[2 * i + 1];
  }
  return out;
}

void conv_nd_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& pads, const Ints& dilations,
                   int64_t groups, bool last, Meta& out) {
  PD_CHECK(x.dtype == w.dtype, InvalidArgument, "[conv] expected input and filter of one dtype, got ", NameOf(x.dtype),
           " and ", NameOf(w.dtype));
  out = {ConvDims(x.dims, w.dims, strides, pads, dilations, groups, last), x.dtype};
}
void conv_nd_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& pads, const Ints& dilations,
                    int64_t groups, bool last, Tensor& out) {
  if (out.numel() == 0) return;
  cpu::ConvDesc d = Describe(x.dims(), w.dims(), out.dims(), strides, pads, dilations, groups, last);
  if (const DeviceForms* forms = FormsHere())
    return forms->Convolve(ConvPass::kForward, x.dtype(), d, x.raw_data(), w.raw_data(), out.raw_data());
  d.weight_key = KeyOf(w);
  cpu::ConvForward(x.dtype(), d, x.raw_data(), w.raw_data(), nullptr, out.raw_data());
}
int64_t conv_nd_workspace(const Meta& x, const Meta& w, const Ints& strides, const Ints& pads, const Ints& dilations,
                          int64_t groups, bool last) {
  const Dims y = ConvDims(x.dims, w.dims, strides, pads, dilations, groups, last);
  return ScratchOf(cpu::ConvUse::kForward, x.dtype, x.dims, w.dims, y, strides, pads, dilations, groups, last);
}
void conv_grad_input_infer(const Meta& dy, const Meta&, const IntArray& shape, const Ints&, const Ints&, const Ints&,
                           int64_t, bool, Meta& out) {
  out = {ShapeArg("conv_grad_input", shape), dy.dtype};
}
void conv_grad_input_kernel(const Tensor& dy, const Tensor& w, const Ints&, const Ints& strides, const Ints& pads,
                            const Ints& dilations, int64_t groups, bool last, Tensor& out) {
  if (out.numel() == 0) return;
  const cpu::ConvDesc d = Describe(out.dims(), w.dims(), dy.dims(), strides, pads, dilations, groups, last);
  if (const DeviceForms* forms = FormsHere())
    return forms->Convolve(ConvPass::kGradInput, dy.dtype(), d, dy.raw_data(), w.raw_data(), out.raw_data());
  cpu::ConvGradInput(dy.dtype(), d, dy.raw_data(), w.raw_data(), out.raw_data());
}
int64_t conv_grad_input_workspace(const Meta& dy, const Meta& w, const Ints& shape, const Ints& strides,
                                  const Ints& pads, const Ints& dilations, int64_t groups, bool last) {
  return ScratchOf(cpu::ConvUse::kGradInput, dy.dtype, common::ToDims(shape), w.dims, dy.dims, strides, pads, dilations,
                   groups, last);
}
void conv_grad_filter_infer(const Meta& x, const Meta&, const Ints& shape, const Ints&, const Ints&, const Ints&,
                            int64_t, bool, Meta& out) {
  out = {common::ToDims(shape), x.dtype};
}
void conv_grad_filter_kernel(const Tensor& x, const Tensor& dy, const Ints&, const Ints& strides, const Ints& pads,
                             const Ints& dilations, int64_t groups, bool last, Tensor& out) {
  if (out.numel() == 0) return;
  const cpu::ConvDesc d = Describe(x.dims(), out.dims(), dy.dims(), strides, pads, dilations, groups, last);
  if (const DeviceForms* forms = FormsHere())
    return forms->Convolve(ConvPass::kGradWeight, x.dtype(), d, x.raw_data(), dy.raw_data(), out.raw_data());
  cpu::ConvGradWeight(x.dtype(), d, x.raw_data(), dy.raw_data(), out.raw_data(), nullptr);
}
int64_t conv_grad_filter_workspace(const Meta& x, const Meta& dy, const Ints& shape, const Ints& strides,
                                   const Ints& pads, const Ints& dilations, int64_t groups, bool last) {
  return ScratchOf(cpu::ConvUse::kGradWeight, x.dtype, x.dims, common::ToDims(shape), dy.dims, strides, pads, dilations,
                   groups, last);
}

void conv_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings, const std::string& algorithm,
                const Ints& dilations, int64_t groups, const std::string& format, Meta& out) {
  bool last = common::ChannelsLast(format);
  conv_nd_infer(x, w, strides, ResolvePaddings("conv", x.dims, w.dims, strides, paddings, algorithm, dilations, last),
                dilations, groups, last, out);
}
void conv_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& paddings,
                 const std::string& algorithm, const Ints& dilations, int64_t groups, const std::string& format,
                 Tensor& out) {
  bool last = common::ChannelsLast(format);
  conv_nd_kernel(x, w, strides,
                 ResolvePaddings("conv", x.extents(), w.extents(), strides, paddings, algorithm, dilations, last),
                 dilations, groups, last, out);
}
int64_t conv_workspace(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                       const std::string& algorithm, const Ints& dilations, int64_t groups, const std::string& format) {
  const bool last = common::ChannelsLast(format);
  return conv_nd_workspace(x, w, strides,
                           ResolvePaddings("conv", x.dims, w.dims, strides, paddings, algorithm, dilations, last),
                           dilations, groups, last);
}
int64_t conv_grad_workspace(const Meta& x, const Meta& w, const Meta& dy, const Ints& strides, const Ints& paddings,
                            const std::string& algorithm, const Ints& dilations, int64_t groups,
                            const std::string& format) {
  const bool last = common::ChannelsLast(format);
  const Ints pads = ResolvePaddings("conv", x.dims, w.dims, strides, paddings, algorithm, dilations, last);
  return std::max(conv_grad_input_workspace(dy, w, common::ToInts(x.dims), strides, pads, dilations, groups, last),
                  conv_grad_filter_workspace(x, dy, common::ToInts(w.dims), strides, pads, dilations, groups, last));
}
namespace {

// The epilogue that ends in an activation; false where there is none of the name.
bool Ends(const std::string& activation, cpu::ConvEpilogue* e) {
  if (activation == "relu")
    e->act = cpu::ConvAct::kRelu;
  else if (activation == "relu6")
    e->act = cpu::ConvAct::kRelu6;
  else if (activation == "silu" || activation == "swish")
    e->act = cpu::ConvAct::kSilu;
  else if (activation == "sigmoid")
    e->act = cpu::ConvAct::kSigmoid;
  else if (activation == "hardswish")
    e->act = cpu::ConvAct::kHardSwish;
  else
    return activation.empty();
  return true;
}

}  // namespace

bool FusedConvolution(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& residual, const Ints& strides,
                      const Ints& paddings, const std::string& algorithm, const Ints& dilations, int64_t groups,
                      const std::string& format, const std::string& activation, Tensor& out) {
  const bool blocked = format == kBlockedFormat, last = !blocked && common::ChannelsLast(format);
  if (x.dtype() != DataType::FLOAT32) return false;
  if (bias.defined() && (bias.dtype() != DataType::FLOAT32 || bias.numel() != w.dim(0))) return false;
  Meta plain = x.meta(), result;
  if (blocked) plain.dims = UnblockedDims(plain.dims, Dim(w.dim(1) * groups));
  conv_infer(plain, w.meta(), strides, paddings, algorithm, dilations, groups, blocked ? "NCHW" : format, result);
  const Ints xs = common::ToInts(plain.dims), ys = common::ToInts(result.dims);
  if (residual.defined()) {
    if (residual.dtype() != DataType::FLOAT32 || residual.dims() != out.dims()) return false;
    if (common::ToInts(blocked ? BlockedDims(result.dims) : result.dims) != out.dims()) return false;
  }
  cpu::ConvEpilogue e;
  if (!Ends(activation, &e)) return false;
  const Ordered x_order(x), w_order(w), b_order(bias), r_order(residual);
  const Tensor &xc = x_order, &wc = w_order, &b = b_order, &r = r_order;
  if (r.defined()) e.residual = r.raw_data();
  cpu::ConvDesc d =
      Describe(xs, w.dims(), ys, strides,
               ResolvePaddings("conv", plain.dims, w.extents(), strides, paddings, algorithm, dilations, last),
               dilations, groups, last);
  d.x_blocked = blocked && x.ndim() == 5;
  d.y_blocked = blocked;
  d.weight_key = KeyOf(w);
  return cpu::ConvForwardFused(d, e, xc.raw_data(), wc.raw_data(), b.defined() ? b.raw_data() : nullptr,
                               out.raw_data());
}
void conv_gd_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                   const std::string& algorithm, int64_t groups, const Ints& dilations, const std::string& format,
                   Meta& out) {
  conv_infer(x, w, strides, paddings, algorithm, dilations, groups, format, out);
}
void conv_gd_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& paddings,
                    const std::string& algorithm, int64_t groups, const Ints& dilations, const std::string& format,
                    Tensor& out) {
  conv_kernel(x, w, strides, paddings, algorithm, dilations, groups, format, out);
}

int64_t fused_conv_workspace(const Meta& x, const Meta& w, const Meta* bias, const Meta* residual, const Ints& strides,
                             const Ints& paddings, const std::string& algorithm, const Ints& dilations, int64_t groups,
                             const std::string& format, const std::string& activation) {
  const bool blocked = format == kBlockedFormat, last = !blocked && common::ChannelsLast(format);
  cpu::ConvEpilogue e;
  if (x.dtype != DataType::FLOAT32 || !Ends(activation, &e))
    return blocked ? 0 : conv_workspace(x, w, strides, paddings, algorithm, dilations, groups, format);
  Dims plain = x.dims;
  if (blocked) plain = UnblockedDims(plain, w.dims[1] * Dim(groups));
  const Ints pads = ResolvePaddings("conv", plain, w.dims, strides, paddings, algorithm, dilations, last);
  const Dims y = ConvDims(plain, w.dims, strides, pads, dilations, groups, last);
  cpu::ConvDesc d = Describe(common::ToInts(plain), common::ToInts(w.dims), common::ToInts(y), strides, pads, dilations,
                             groups, last);
  d.x_blocked = blocked && x.dims.size() == 5;
  d.y_blocked = blocked;
  d.weight_key = kOfParameter;
  if (residual) e.residual = residual;  // that there is one
  return cpu::ConvScratch(cpu::ConvUse::kFused, x.dtype, d, e, bias != nullptr);
}
int64_t conv_gd_workspace(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                          const std::string& algorithm, int64_t groups, const Ints& dilations,
                          const std::string& format) {
  return conv_workspace(x, w, strides, paddings, algorithm, dilations, groups, format);
}
int64_t conv_gd_grad_workspace(const Meta& x, const Meta& w, const Meta& dy, const Ints& strides, const Ints& paddings,
                               const std::string& algorithm, int64_t groups, const Ints& dilations,
                               const std::string& format) {
  return conv_grad_workspace(x, w, dy, strides, paddings, algorithm, dilations, groups, format);
}

void conv_transpose_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                          const Ints& output_padding, const IntArray& output_size, const std::string& algorithm,
                          int64_t groups, const Ints& dilations, const std::string& format, Meta& out) {
  bool last = common::ChannelsLast(format);
  int64_t nd = x.dims.size() - 2;
  PD_CHECK(nd >= 1 && nd <= 3 && w.dims.size() == x.dims.size(), InvalidArgument,
           "[conv_transpose] expected input and filter of one rank between 3 and 5, got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(w.dims));
  PD_CHECK(groups > 0 && (!w.dims[0].known() || w.dims[0].raw() % groups == 0), InvalidArgument,
           "[conv_transpose] expected input channels divisible by groups ", groups, ", got ",
           common::DimText(w.dims[0]));
  CheckWindow("conv_transpose", "output_padding", output_padding, 0);
  for (int64_t i = 0; i < std::min<int64_t>(nd, output_padding.size()); ++i)
    PD_CHECK(output_padding[i] < strides[i] || output_padding[i] == 0, InvalidArgument,
             "[conv_transpose] expected an output_padding below the stride ", strides[i], " on axis ", i, ", got ",
             output_padding[i]);
  PD_CHECK(!common::CertainlyDiffer(last ? x.dims.back() : x.dims[1], w.dims[0]), InvalidArgument,
           "[conv_transpose] expected input channels equal to the filter's ", common::DimText(w.dims[0]),
           ", got input shape ", common::ShapeText(x.dims));
  Ints pads = ResolvePaddings("conv_transpose", x.dims, w.dims, strides, paddings, algorithm, dilations, last);
  PD_CHECK(x.dtype == w.dtype, InvalidArgument, "[conv_transpose] expected input and filter of one dtype, got ",
           NameOf(x.dtype), " and ", NameOf(w.dtype));
  out = {{}, x.dtype};
  out.dims.push_back(x.dims[0]);
  Dim oc = w.dims[1] * Dim(groups);
  if (!last) out.dims.push_back(oc);
  for (int64_t i = 0; i < nd; ++i) {
    const bool given = output_size.size() == nd;
    Dim in = Spatial(x.dims, i, last);
    const int64_t extra = FieldOf("conv_transpose", w.dims, i, dilations[i]) - pads[2 * i] - pads[2 * i + 1] +
                          (i < output_padding.size() ? output_padding[i] : 0);
    const bool none = in.known() && in.raw() == 0;
    const Dim steps = none ? Dim(0) : common::Sub(in, Dim(1)) * Dim(strides[i]);
    const int64_t more = none ? extra - strides[i] : extra;
    PD_CHECK(given || !steps.known() || steps.raw() >= -more, InvalidArgument,
             "[conv_transpose] expected paddings that leave a non-negative extent, got ", pads[2 * i], " and ",
             pads[2 * i + 1], " for input shape ", common::ShapeText(x.dims));
    if (!given) {
      out.dims.push_back(more >= 0 ? steps + Dim(more) : common::Sub(steps, Dim(-more)));
      continue;
    }
    // The extents that a convolution takes to the input's.
    const Int size = output_size[i];
    PD_CHECK(none || !steps.known() || !size.known() ||
                 (size.value() - more >= steps.raw() && size.value() - more - strides[i] < steps.raw()),
             InvalidArgument, "[conv_transpose] expected an output_size from ", steps.raw() + more, " to ",
             steps.raw() + more + strides[i] - 1, " on axis ", i, ", got ", size.value());
    out.dims.push_back(size.extent());
  }
  if (last) out.dims.push_back(oc);
}
void conv_transpose_infer(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                          const Ints& output_padding, const Ints& output_size, const std::string& algorithm,
                          int64_t groups, const Ints& dilations, const std::string& format, Meta& out) {
  conv_transpose_infer(x, w, strides, paddings, output_padding, IntArray(output_size), algorithm, groups, dilations,
                       format, out);
}
void conv_transpose_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& paddings, const Ints&,
                           const Ints&, const std::string& algorithm, int64_t groups, const Ints& dilations,
                           const std::string& format, Tensor& out) {
  if (out.numel() == 0) return;
  bool last = common::ChannelsLast(format);
  Ints pads =
      ResolvePaddings("conv_transpose", x.extents(), w.extents(), strides, paddings, algorithm, dilations, last);
  const cpu::ConvDesc d = Describe(out.dims(), w.dims(), x.dims(), strides, pads, dilations, groups, last);
  if (const DeviceForms* forms = FormsHere())
    return forms->Convolve(ConvPass::kGradInput, x.dtype(), d, x.raw_data(), w.raw_data(), out.raw_data());
  cpu::ConvTransposeForward(x.dtype(), d, x.raw_data(), w.raw_data(), nullptr, out.raw_data());
}
int64_t conv_transpose_workspace(const Meta& x, const Meta& w, const Ints& strides, const Ints& paddings,
                                 const Ints& output_padding, const Ints& output_size, const std::string& algorithm,
                                 int64_t groups, const Ints& dilations, const std::string& format) {
  const bool last = common::ChannelsLast(format);
  Meta y;
  conv_transpose_infer(x, w, strides, paddings, output_padding, output_size, algorithm, groups, dilations, format, y);
  return ScratchOf(cpu::ConvUse::kTranspose, x.dtype, y.dims, w.dims, x.dims, strides,
                   ResolvePaddings("conv_transpose", x.dims, w.dims, strides, paddings, algorithm, dilations, last),
                   dilations, groups, last);
}
int64_t conv_transpose_grad_workspace(const Meta& x, const Meta& w, const Meta& dy, const Ints& strides,
                                      const Ints& paddings, const Ints&, const Ints&, const std::string& algorithm,
                                      int64_t groups, const Ints& dilations, const std::string& format) {
  const bool last = common::ChannelsLast(format);
  const Ints pads = ResolvePaddings("conv_transpose", dy.dims, w.dims, strides, paddings, algorithm, dilations, last);
  return std::max(conv_nd_workspace(dy, w, strides, pads, dilations, groups, last),
                  conv_grad_filter_workspace(dy, x, common::ToInts(w.dims), strides, pads, dilations, groups, last));
}

}  // namespace phi
