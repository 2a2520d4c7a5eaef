// SPDX-License-Identifier: Apache-2.0
// A convolution of stride 1 with few output channels, which the libraries would pad to whole vectors of channels.
#pragma once

#include <stdint.h>

namespace phi::cpu {

// One group, two spatial dims, float32, channels first. The padded image is [ic, ph, pw], ph = oh + kh - 1 and
// pw = ow + kw - 1; the stored image [ic, h, w] starts at row `top` and column `left` of it (negative: it is cut).
struct DirectConv {
  int64_t ic, oc, h, w, kh, kw, oh, ow, top, left, ph, pw;
};

// Output channels are computed in blocks of this many; the weight is [ceil(oc / block)][ic][kh][kw][block], zero
// filled.
inline constexpr int64_t kDirectBlock = 6;
// Floats one image range needs as scratch.
inline int64_t DirectScratch(const DirectConv& a) {
  return a.ic * a.ph * a.pw + 192 + a.kw + kDirectBlock * (a.oh * a.pw + 64);
}

}  // namespace phi::cpu
