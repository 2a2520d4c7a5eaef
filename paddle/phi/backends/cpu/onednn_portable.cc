// SPDX-License-Identifier: Apache-2.0
// A portable build has no oneDNN: what it may decline, it declines, and loops of our own and BLAS compute it.
#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/backends/cpu/gemm_impl.h"

namespace phi::cpu {

bool GemmBf16Onednn(const GemmArgs&) { return false; }

bool ConvOnednn(ConvKind, DataType, const ConvDesc&, void*, void*, void*, void*, const ConvEpilogue&) { return false; }
int64_t ConvOnednnScratch(ConvKind, DataType, const ConvDesc&, bool, const ConvEpilogue&) { return -1; }

// No weight has a packed form.
void SetConvWeightCacheLimit(int64_t) {}
void ClearConvCaches() {}

}  // namespace phi::cpu
