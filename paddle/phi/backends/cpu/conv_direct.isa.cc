// SPDX-License-Identifier: Apache-2.0
// The direct convolution of conv_direct.h: vectors run along the rows of a padded image, row ends included.
#include "paddle/phi/backends/cpu/conv_direct.h"
#include "paddle/phi/primitives/simd.inc.h"

namespace phi::PD_ISA {
namespace {

using V = VecF;
constexpr int kW = V::W, kV = kW == 16 ? 4 : 2;
constexpr int64_t kB = ::phi::cpu::kDirectBlock;

// B channels x kN vectors of outputs from position q on; out rows are `stride` apart.
template <int B, int kN>
inline void Tile(const ::phi::cpu::DirectConv& a, const float* image, const float* weight, const float* bias, int64_t q,
                 float* out, int64_t stride) {
  V acc[B][kN];
  for (int b = 0; b < B; ++b)
    for (int v = 0; v < kN; ++v) acc[b][v] = V::Set(bias ? bias[b] : 0.0f);
  const float* w = weight;
  for (int64_t c = 0; c < a.ic; ++c)
    for (int64_t i = 0; i < a.kh; ++i) {
      const float* p = image + (c * a.ph + i) * a.pw + q;
      for (int64_t j = 0; j < a.kw; ++j, ++p, w += kB) {
        V x[kN];
        for (int v = 0; v < kN; ++v) x[v] = V::Load(p + v * kW);
        for (int b = 0; b < B; ++b) {
          const V s = V::Set(w[b]);
          for (int v = 0; v < kN; ++v) acc[b][v].Fma(x[v], s);
        }
      }
    }
  for (int b = 0; b < B; ++b)
    for (int v = 0; v < kN; ++v) acc[b][v].Store(out + b * stride + q + v * kW);
}

template <int B>
void Block(const ::phi::cpu::DirectConv& a, const float* image, const float* weight, const float* bias, float* out,
           float* y) {
  const int64_t n = (a.oh - 1) * a.pw + a.ow, stride = a.oh * a.pw + 64;
  int64_t q = 0;
  for (; q + (kV - 1) * kW < n; q += kV * kW) Tile<B, kV>(a, image, weight, bias, q, out, stride);
  for (; q < n; q += kW) Tile<B, 1>(a, image, weight, bias, q, out, stride);
  for (int b = 0; b < B; ++b)
    for (int64_t r = 0; r < a.oh; ++r)
      memcpy(y + (b * a.oh + r) * a.ow, out + b * stride + r * a.pw, a.ow * sizeof(float));
}

}  // namespace

// Images [begin, end) of x [n, ic, h, w] to y [n, oc, oh, ow].
void ConvDirectF32(const ::phi::cpu::DirectConv& a, const float* x, const float* weight, const float* bias, float* y,
                   float* scratch, int64_t begin, int64_t end) {
  const int64_t padded = a.ic * a.ph * a.pw + 128 + a.kw;
  float *image = scratch, *out = scratch + padded + 64;
  memset(image, 0, padded * sizeof(float));
  const int64_t r0 = a.top < 0 ? -a.top : 0, r1 = a.h < a.ph - a.top ? a.h : a.ph - a.top;
  const int64_t c0 = a.left < 0 ? -a.left : 0, c1 = a.w < a.pw - a.left ? a.w : a.pw - a.left;
  for (int64_t n = begin; n < end; ++n) {
    if (c1 > c0)
      for (int64_t c = 0; c < a.ic; ++c)
        for (int64_t r = r0; r < r1; ++r)
          memcpy(image + (c * a.ph + r + a.top) * a.pw + c0 + a.left, x + ((n * a.ic + c) * a.h + r) * a.w + c0,
                 (c1 - c0) * sizeof(float));
    for (int64_t o = 0; o < a.oc; o += kB) {
      const float* w = weight + o * a.ic * a.kh * a.kw;
      const float* bo = bias ? bias + o : nullptr;
      float* yo = y + (n * a.oc + o) * a.oh * a.ow;
      switch (a.oc - o < kB ? a.oc - o : kB) {
        case 1: Block<1>(a, image, w, bo, out, yo); break;
        case 2: Block<2>(a, image, w, bo, out, yo); break;
        case 3: Block<3>(a, image, w, bo, out, yo); break;
        case 4: Block<4>(a, image, w, bo, out, yo); break;
        case 5: Block<5>(a, image, w, bo, out, yo); break;
        default: Block<6>(a, image, w, bo, out, yo);
      }
    }
  }
}

}  // namespace phi::PD_ISA
