// SPDX-License-Identifier: Apache-2.0
// What the parts of the convolution share: the oneDNN entry points.
#pragma once

#include "paddle/phi/backends/cpu/conv.h"
#include "paddle/phi/core/workspace.h"

namespace phi::cpu {

enum class ConvKind : int32_t { kForward, kGradInput, kGradWeight };

// Runs one convolution through oneDNN (t is FLOAT32 or BFLOAT16); false where it has no fast implementation. x, w and y
// are the tensors of the description: kForward reads x, w, bias and writes y, kGradInput reads y, w and writes x,
// kGradWeight reads x, y and writes w and bias. bias may be null. The description has been checked and nothing is
// empty. An epilogue that is not empty is part of the computation (kForward only).
bool ConvOnednn(ConvKind kind, DataType t, const ConvDesc& d, void* x, void* w, void* bias, void* y,
                const ConvEpilogue& epilogue = {});

// Bytes of CallMemory that ConvOnednn takes, less those of a weight that it keeps; -1 where it returns false.
int64_t ConvOnednnScratch(ConvKind kind, DataType t, const ConvDesc& d, bool bias, const ConvEpilogue& epilogue = {});

// kForward from x to y and kGradInput from y to x where there are so few channels that oneDNN would mostly multiply
// padding: `from` and `to` are the two tensors. False where it is not the better way.
bool ConvDirect(ConvKind kind, const ConvDesc& d, const float* from, const float* w, const float* bias, float* to);
// Bytes of CallMemory that it takes; -1 where it returns false.
int64_t ConvDirectScratch(ConvKind kind, const ConvDesc& d);

// Whether a convolution of float32 is matrix products of its tensors as they are, and the better way; takes no memory.
bool IsPointwise(ConvKind kind, const ConvDesc& d);
// It: kForward reads the bias, which may be null; kGradWeight does not write one.
void ConvPointwise(ConvKind kind, const ConvDesc& d, float* x, float* w, const float* bias, float* y);

// The same by im2col and Gemm, for f32 f64 c64 c128; bias is not handled.
void ConvGeneric(ConvKind kind, DataType t, const ConvDesc& d, void* x, void* w, void* y);
// Bytes of CallMemory that it takes.
int64_t ConvGenericScratch(DataType t, const ConvDesc& d);

inline int64_t SpatialIn(const ConvDesc& d) {
  int64_t v = 1;
  for (int i = 0; i < d.nd; ++i) v *= d.in[i];
  return v;
}
inline int64_t SpatialOut(const ConvDesc& d) {
  int64_t v = 1;
  for (int i = 0; i < d.nd; ++i) v *= d.out[i];
  return v;
}
inline int64_t KernelSize(const ConvDesc& d) {
  int64_t v = 1;
  for (int i = 0; i < d.nd; ++i) v *= d.k[i];
  return v;
}

}  // namespace phi::cpu
