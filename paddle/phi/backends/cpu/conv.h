// SPDX-License-Identifier: Apache-2.0
// Convolution of 1 to 3 spatial dims, its gradients, and transposed convolution, on raw contiguous pointers.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// Which contents a weight has: its storage, the count of writes to it, and where it begins there. Its packed form is
// kept under the key; storage 0: not kept.
struct WeightKey {
  uint64_t storage = 0, version = 0;
  int64_t offset = 0;
  bool operator==(const WeightKey&) const = default;
};

// One description serves the forward and both gradients. Tensors are contiguous:
//   x [n, ic, in...] or, with channels_last, [n, in..., ic];  y likewise with oc and out...
//   w [oc, ic / groups, k...] always (also with channels_last), bias [oc].
// out[i] must equal ConvOutSize(...). Padding may differ at the two ends and may be negative nowhere.
struct ConvDesc {
  int nd = 2;  // spatial dims, 1 to 3; the first nd entries of the arrays are used
  int64_t n = 1, ic = 1, oc = 1, groups = 1;
  int64_t in[3] = {1, 1, 1}, k[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad_lo[3] = {0, 0, 0}, pad_hi[3] = {0, 0, 0};
  bool channels_last = false;
  // Two spatial dims, ConvForwardFused only: the tensor is [n, ceil(c / 16), in..., 16], padded by zeros. y may be
  // blocked where x is not; the residual is as y.
  bool x_blocked = false, y_blocked = false;
  WeightKey weight_key;
};

// What a forward convolution does to its result before it is stored: y = act(conv + bias + residual).
enum class ConvAct : int32_t { kNone, kRelu, kRelu6, kSilu, kSigmoid, kHardSwish, kLeakyRelu };
struct ConvEpilogue {
  const void* residual = nullptr;  // of y's shape and layout
  ConvAct act = ConvAct::kNone;
  float alpha = 0;  // slope of kLeakyRelu
  bool empty() const { return !residual && act == ConvAct::kNone; }
};

int64_t ConvOutSize(int64_t in, int64_t k, int64_t stride, int64_t dilation, int64_t pad_lo, int64_t pad_hi);

// Types: f32 f64 f16 bf16 c64 c128; others throw Unimplemented. Inconsistent descriptions throw InvalidArgument.
void ConvForward(DataType t, const ConvDesc& d, const void* x, const void* w, const void* bias, void* y);
// The same with an epilogue; false, and nothing done, where no implementation fuses it (float32 only).
bool ConvForwardFused(const ConvDesc& d, const ConvEpilogue& e, const void* x, const void* w, const void* bias,
                      void* y);
void ConvGradInput(DataType t, const ConvDesc& d, const void* dy, const void* w, void* dx);
// dw and dbias may each be null.
void ConvGradWeight(DataType t, const ConvDesc& d, const void* x, const void* dy, void* dw, void* dbias);

// Transposed convolution: describe the *convolution whose input gradient it is*: its d.ic/d.in are the channels and
// size of the transposed output y, its d.oc/d.out those of the transposed input x. Weight [d.oc, d.ic / groups, k...],
// which is the layout of conv_transpose's filter [C_in, C_out / groups, k...]. bias [d.ic] may be null.
void ConvTransposeForward(DataType t, const ConvDesc& d, const void* x, const void* w, const void* bias, void* y);

// Bytes of a workspace that a call takes: of ConvForward, ConvForwardFused, ConvTransposeForward, ConvGradInput,
// ConvGradWeight. A weight whose packed form is kept (weight_key) takes none.
enum class ConvUse { kForward, kFused, kTranspose, kGradInput, kGradWeight };
int64_t ConvScratch(ConvUse use, DataType t, const ConvDesc& d, const ConvEpilogue& epilogue = {}, bool bias = false);

// Bytes of packed weights that may be kept (default 256 MB); least recently used ones go first.
void SetConvWeightCacheLimit(int64_t bytes);
void ClearConvCaches();

}  // namespace phi::cpu
