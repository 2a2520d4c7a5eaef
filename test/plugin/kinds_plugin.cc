// SPDX-License-Identifier: Apache-2.0
// Kernels for the CPU that take every kind of argument, and registrations that are refused: layouts and dtypes that no
// tensor has, arguments of other kinds.
#include "paddle/phi/extension.h"

namespace {

int g_calls = 0;

template <typename T, typename Context>
void Pad(const Context& ctx, const phi::DenseTensor& x, const phi::IntArray& paddings, const std::string& mode,
         double value, const std::string& format, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(mode == "constant" && format == "NCDHW" && paddings.size() == 6 && paddings[0] == 1, "%s %s", mode, format);
  T* to = ctx.template Alloc<T>(out);
  std::fill(to, to + out->numel(), static_cast<T>(value));
  std::copy_n(x.data<T>(), x.numel(), to + 1);  // one element before a line of them
}

template <typename T, typename Context>
void Stack(const Context& ctx, const paddle::optional<std::vector<const phi::DenseTensor*>>& xs, int axis,
           phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(xs && axis == 0, "axis %d", axis);
  T* to = ctx.template Alloc<T>(out);
  for (const phi::DenseTensor* x : xs.get()) to = std::copy_n(x->data<T>(), x->numel(), to);
}

template <typename T, typename Context>
void Gaussian(const Context& ctx, const phi::IntArray&, float mean, float deviation, int seed, phi::DataType dtype,
              const phi::Place& place, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(place.is_host() && place.GetDeviceID() == 0 && dtype == out->dtype() && seed == 7);
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = static_cast<T>(mean + deviation * static_cast<float>(i));
}

// A bias that is absent may be taken so, not read.
template <typename T, typename Context>
void LayerNorm(const Context& ctx, const phi::DenseTensor& x, const phi::DenseTensor& scale,
               const phi::DenseTensor& bias, float, int, phi::DenseTensor* out, phi::DenseTensor* mean,
               phi::DenseTensor* variance) {
  ++g_calls;
  PD_CHECK(scale.numel() == bias.numel());
  for (phi::DenseTensor* t : {mean, variance})
    if (t) *ctx.template Alloc<float>(t) = 0;
  std::copy_n(x.data<T>(), x.numel(), ctx.template Alloc<T>(out));
}

// Numbers of 64 bits, taken as ones of 32.
template <typename T, typename Context>
void Unfold(const Context& ctx, const phi::DenseTensor& x, int axis, int size, int step, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(axis == 0 && size == 2 && step == 3, "step %d", step);
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = x.data<T>()[i / 2 * step + i % 2];
}
template <typename T, typename Context>
void AsStrided(const Context& ctx, const phi::DenseTensor& x, const std::vector<int>& dims,
               const std::vector<int>& strides, int offset, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(dims.size() == 1 && strides.size() == 1);
  T* to = ctx.template Alloc<T>(out);
  for (int i = 0; i < dims[0]; ++i) to[i] = x.data<T>()[offset + i * strides[0]];
}

template <typename T, typename Context>
void Unary(const Context&, const phi::DenseTensor&, phi::DenseTensor*) {}
template <typename T, typename Context>
void NumberAsText(const Context&, const phi::DenseTensor&, const std::string&, phi::DenseTensor*) {}
template <typename T, typename Context>
void DtypeAsFlags(const Context&, const phi::DenseTensor&, const std::vector<bool>&, phi::DenseTensor*) {}
template <typename T, typename Context>
void AxesAsTexts(const Context&, const phi::DenseTensor&, const std::vector<std::string>&, phi::DenseTensor*) {}
template <typename T, typename Context>
void OneAsList(const Context&, const std::vector<const phi::DenseTensor*>&, phi::DenseTensor*) {}

}  // namespace

extern "C" int plugin_calls() { return g_calls; }

PD_REGISTER_PLUGIN_KERNEL(pad3d, CPU, ANY, Pad, float) {}
PD_REGISTER_PLUGIN_KERNEL(stack, CPU, NCHW, Stack, float, bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double,
                          phi::dtype::float16, phi::dtype::bfloat16, phi::dtype::complex<float>,
                          phi::dtype::complex<double>) {}
PD_REGISTER_PLUGIN_KERNEL(gaussian, CPU, ALL_LAYOUT, Gaussian, float) {}
PD_REGISTER_PLUGIN_KERNEL(layer_norm, CPU, ALL_LAYOUT, LayerNorm, float) {}
PD_REGISTER_PLUGIN_KERNEL(tensor_unfold, CPU, ALL_LAYOUT, Unfold, float) {}
PD_REGISTER_PLUGIN_KERNEL(as_strided, CPU, ALL_LAYOUT, AsStrided, float) {}

PD_REGISTER_PLUGIN_KERNEL(exp, CPU, NHWC, Unary, float) {}
PD_REGISTER_PLUGIN_KERNEL(sin, CPU, NCDHW, Unary, float) {}
PD_REGISTER_PLUGIN_KERNEL(cos, CPU, NDHWC, Unary, float) {}
PD_REGISTER_PLUGIN_KERNEL(tan, CPU, STRIDED, Unary, float) {}
PD_REGISTER_PLUGIN_KERNEL(abs, CPU, ALL_LAYOUT, Unary, uint16_t, uint32_t, uint64_t) {}
PD_REGISTER_PLUGIN_KERNEL(softmax, CPU, ALL_LAYOUT, NumberAsText, float) {}
PD_REGISTER_PLUGIN_KERNEL(cast, CPU, ALL_LAYOUT, DtypeAsFlags, float) {}
PD_REGISTER_PLUGIN_KERNEL(transpose, CPU, ALL_LAYOUT, AxesAsTexts, float) {}
PD_REGISTER_PLUGIN_KERNEL(tanh, CPU, ALL_LAYOUT, OneAsList, float) {}
