// SPDX-License-Identifier: Apache-2.0
// Convolutions of one element as matrix products of the images as they are: a library would first turn images whose
// channels come first into blocks of channels.
#include <algorithm>

#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/backends/cpu/gemm.h"

namespace phi::cpu {

bool IsPointwise(ConvKind kind, const ConvDesc& d) {
  bool plain = !d.channels_last && d.groups == 1 && KernelSize(d) == 1;
  for (int i = 0; i < d.nd; ++i) plain = plain && d.stride[i] == 1 && d.pad_lo[i] == 0 && d.pad_hi[i] == 0;
  // Of smaller images there is little to turn, and blocks make the better products: images of 28 x 28 and more are 1.2
  // to 3 times as fast by products, 14 x 14 takes as long, and 7 x 7 takes 1.3 times as long.
  return plain && SpatialOut(d) >= (kind == ConvKind::kGradWeight ? 784 : 400);
}

void ConvPointwise(ConvKind kind, const ConvDesc& d, float* x, float* w, const float* bias, float* y) {
  const DataType t = DataType::FLOAT32;
  const int64_t size = SpatialOut(d), from = d.ic * size, to = d.oc * size;
  if (kind == ConvKind::kGradWeight) {
    for (int64_t n = 0; n < d.n; ++n)
      Gemm(t, 0, 1, d.oc, d.ic, size, 1, y + n * to, size, x + n * from, size, n > 0, w, d.ic);
    return;
  }
  if (kind == ConvKind::kGradInput)
    return GemmBatched(t, 1, 0, d.n, d.ic, size, d.oc, 1, w, d.ic, 0, y, size, to, 0, x, size, from);
  if (bias)
    ParallelFor(0, d.n * d.oc, std::max<int64_t>(1, kGrain / size), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) std::fill_n(y + i * size, size, bias[i % d.oc]);
    });
  GemmBatched(t, 0, 0, d.n, d.oc, size, d.ic, 1, w, d.ic, 0, x, size, from, bias != nullptr, y, size, to);
}

}  // namespace phi::cpu
