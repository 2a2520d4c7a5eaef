// SPDX-License-Identifier: Apache-2.0
// When the direct convolution is taken, and its weight in the order the kernel reads.
#include "paddle/phi/backends/cpu/conv_direct.h"

#include <algorithm>

#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, ConvDirectF32,
            (const cpu::DirectConv& a, const float* x, const float* weight, const float* bias, float* y, float* scratch,
             int64_t begin, int64_t end))

namespace phi::cpu {

namespace {

// Describes the convolution to the kernel; false where that is not the better way. `work`: of one image.
bool Describe(ConvKind kind, const ConvDesc& d, DirectConv* convolution, int64_t* work) {
  if (d.nd != 2 || d.groups != 1 || d.channels_last || kind == ConvKind::kGradWeight) return false;
  const bool back = kind == ConvKind::kGradInput;  // the convolution of dy with the weight turned around
  DirectConv& a = *convolution;
  a.ic = back ? d.oc : d.ic, a.oc = back ? d.ic : d.oc;
  a.kh = d.k[0], a.kw = d.k[1];
  for (int i = 0; i < 2; ++i)
    if (d.stride[i] != 1 || d.dilation[i] != 1 || d.k[i] > 16) return false;
  if (a.oc > 12 || a.ic > 256) return false;
  const int64_t *in = back ? d.out : d.in, *out = back ? d.in : d.out;
  a.h = in[0], a.w = in[1], a.oh = out[0], a.ow = out[1];
  a.top = back ? a.kh - 1 - d.pad_lo[0] : d.pad_lo[0];
  a.left = back ? a.kw - 1 - d.pad_lo[1] : d.pad_lo[1];
  a.ph = a.oh + a.kh - 1, a.pw = a.ow + a.kw - 1;
  // The padded image stays in the second-level cache, and few of the vectors' outputs fall between rows.
  if (a.ph * a.pw > 65536 || a.ic * a.ph * a.pw > 262144 || a.ow < 4 * (a.kw - 1) - 4 || a.ow * a.oh < 64) return false;

  *work = a.oh * a.pw * a.ic * a.kh * a.kw * a.oc / 16;  // only images are shared out
  return d.n >= MaxThreads() || d.n * *work <= 131072;
}
int64_t Blocks(const DirectConv& a) { return (a.oc + kDirectBlock - 1) / kDirectBlock; }
int64_t PackedBytes(const DirectConv& a) { return Blocks(a) * kDirectBlock * a.ic * a.kh * a.kw * 4; }

}  // namespace

int64_t ConvDirectScratch(ConvKind kind, const ConvDesc& d) {
  DirectConv a;
  int64_t work = 0;
  return Describe(kind, d, &a, &work) ? Workspace::Piece(PackedBytes(a)) : -1;
}

bool ConvDirect(ConvKind kind, const ConvDesc& d, const float* from, const float* w, const float* bias, float* to) {
  DirectConv a;
  int64_t work = 0;
  if (!Describe(kind, d, &a, &work)) return false;
  const bool back = kind == ConvKind::kGradInput;
  const int64_t taps = a.kh * a.kw, blocks = Blocks(a);
  const CallMemory packed(PackedBytes(a));
  float* p = packed.as<float>();
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t c = 0; c < a.ic; ++c)
      for (int64_t t = 0; t < taps; ++t)
        for (int64_t o = b * kDirectBlock; o < (b + 1) * kDirectBlock; ++o)
          *p++ = o >= a.oc ? 0.0f : back ? w[(c * a.oc + o) * taps + taps - 1 - t] : w[(o * a.ic + c) * taps + t];
  const auto kernel = PD_ISA_CALL(ConvDirectF32);
  ParallelFor(0, d.n, 1 + 65536 / (work + 1), [&](int64_t b, int64_t e) {
    const Scratch s(DirectScratch(a) * 4);
    kernel(a, from, packed.as<float>(), bias, to, s.as<float>(), b, e);
  });
  return true;
}

}  // namespace phi::cpu
