// SPDX-License-Identifier: Apache-2.0
// The short-time Fourier transform, written on frames and one transform of them.
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

Tensor stft_compose(const Tensor& x, const Tensor& window, int64_t n_fft, int64_t hop, bool normalized, bool onesided) {
  Tensor frames = transpose_of(frame(x, n_fft, hop, -1)) * window;
  return transpose_of(fft_r2c(frames, Ints{frames.ndim() - 1}, normalized ? "ortho" : "backward", true, onesided));
}

}  // namespace paddle
