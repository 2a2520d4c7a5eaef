// SPDX-License-Identifier: Apache-2.0
// Gradients of Fourier transforms and framing: each transform's adjoint is another transform.
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

namespace {
// The normalization under which a transform the other way scales like this one.
std::string Swapped(const std::string& norm) {
  return norm == "backward" ? "forward" : norm == "forward" ? "backward" : norm;
}
// The half spectrum g with its values multiplied along `axis` by `middle`, except those that are their own mirror
// image.
Tensor Weigh(const Tensor& g, int64_t axis, int64_t extent, double middle) {
  const int64_t half = extent / 2 + 1, ends = extent % 2 == 0 && extent > 1 ? 2 : 1;
  if (half == ends) return g;
  const auto dtype = g.dtype() == phi::DataType::COMPLEX64 ? phi::DataType::FLOAT32 : phi::DataType::FLOAT64;
  std::vector<Tensor> parts = {full(Ints{1}, Scalar(1.0), dtype), full(Ints{half - ends}, Scalar(middle), dtype)};
  if (ends == 2) parts.push_back(parts[0]);
  Ints shape(g.ndim(), 1);
  shape[common::NormalizeAxis("fft", axis, g.ndim())] = half;
  return g * reshape(concat(parts, Scalar(0)), shape);
}
}  // namespace

int64_t extent_at(const Tensor& x, const Ints& axes) { return size_at(x, axes.back()); }
int64_t frame_extent(const Tensor& x, int64_t axis) { return size_at(x, axis == 0 ? 1 : -2); }

Tensor fft_c2c_backward(const Tensor& dout, const Ints& axes, const std::string& norm, bool forward) {
  return fft_c2c(dout, axes, Swapped(norm), !forward);
}
Tensor fft_r2c_backward(const Tensor& dout, const Ints& axes, const std::string& norm, bool forward, bool onesided,
                        int64_t extent) {
  if (!onesided) return real(fft_c2c(dout, axes, Swapped(norm), !forward));
  // The transform back to reals counts the inner half twice.
  return fft_c2r(Weigh(dout, axes.back(), extent, 0.5), axes, Swapped(norm), !forward, extent);
}
Tensor fft_c2r_backward(const Tensor& dout, const Ints& axes, const std::string& norm, bool forward) {
  return Weigh(fft_r2c(dout, axes, Swapped(norm), !forward, true), axes.back(), extent_at(dout, axes), 2.0);
}

Tensor frame_backward(const Tensor& dout, int64_t hop, int64_t axis, int64_t extent) {
  const int64_t length = frame_extent(dout, axis);
  // Frames further apart than they are long: the gap gets no gradient.
  Tensor g = dout;
  if (hop > length) {
    Ints p(2 * g.ndim(), 0);
    p[2 * (axis == 0 ? 1 : g.ndim() - 2) + 1] = hop - length;
    g = pad(g, p, Scalar(0.0));
  }
  g = overlap_add(g, hop, axis);
  const int64_t at = axis == 0 ? 0 : g.ndim() - 1, missing = extent - size_at(g, at);
  if (missing < 0) return slice(g, Ints{at}, Ints{0}, Ints{extent});
  if (missing == 0) return g;
  Ints p(2 * g.ndim(), 0);
  p[2 * at + 1] = missing;
  return pad(g, p, Scalar(0.0));
}
Tensor overlap_add_backward(const Tensor& dout, int64_t hop, int64_t axis, int64_t length) {
  return frame(dout, length, hop, axis);
}

Tensor stft_compose(const Tensor& x, const Tensor& window, int64_t n_fft, int64_t hop, bool normalized, bool onesided) {
  Tensor frames = transpose_of(frame(x, n_fft, hop, -1)) * window;
  return transpose_of(fft_r2c(frames, Ints{frames.ndim() - 1}, normalized ? "ortho" : "backward", true, onesided));
}

}  // namespace paddle
