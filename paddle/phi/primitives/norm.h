// SPDX-License-Identifier: Apache-2.0
// Layer, RMS, batch, group and instance normalisation with gradients, on contiguous pointers.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/wide_bytes.h"

namespace phi::cpu {

// t: type of x and out (f32 f64 f16 bf16). param_t: type of scale/bias and their gradients: t, or FLOAT32 with half t.
// Saved statistics (mean, variance, inverse deviation) have StatType(t).

// Bytes of CallMemory that the norms of n elements and their gradients take at most, with `params` elements of scale.
inline int64_t RowNormBytes(DataType t, int64_t params) { return 2 * WideBytes(t, params); }
inline int64_t RowNormGradBytes(DataType t, int64_t n, int64_t params) {
  return 3 * (WideBytes(t, n) + WideBytes(t, params));
}
inline int64_t BatchNormBytes(DataType t, int64_t n) { return 2 * WideBytes(t, n); }
inline int64_t BatchNormGradBytes(DataType t, int64_t n) { return 3 * WideBytes(t, n); }
inline int64_t GroupNormBytes(DataType t, int64_t n, int64_t params, bool channels_last) {
  const int64_t turned = channels_last ? Workspace::Piece(n * SizeOf(StatType(t))) : 0;
  return 2 * (WideBytes(t, n) + WideBytes(t, params) + turned);
}
inline int64_t GroupNormGradBytes(DataType t, int64_t n, int64_t params, bool channels_last) {
  return GroupNormBytes(t, n, params, channels_last) / 2 * 3;
}

// Over the last `cols` of x [rows, cols]. scale, bias [cols], mean, variance [rows] may be null. variance is the biased
// one.
void LayerNorm(DataType t, DataType param_t, const void* x, int64_t rows, int64_t cols, const void* scale,
               const void* bias, double eps, void* out, void* mean, void* variance);
// dx, dscale, dbias may each be null. mean, variance as saved.
void LayerNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t rows, int64_t cols,
                   const void* scale, const void* mean, const void* variance, double eps, void* dx, void* dscale,
                   void* dbias);
// inv_rms [rows] of StatType may be null on output.
void RmsNorm(DataType t, DataType param_t, const void* x, int64_t rows, int64_t cols, const void* scale,
             const void* bias, double eps, void* out, void* inv_rms);
// sum = x + y and its layer norm, or with `rms` its RMS norm, over the last `cols`; f32 and f64, scale and bias of the
// same type.
void AddNorm(DataType t, const void* x, const void* y, int64_t rows, int64_t cols, const void* scale, const void* bias,
             double eps, bool rms, void* sum, void* out);
void RmsNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t rows, int64_t cols,
                 const void* scale, const void* inv_rms, void* dx, void* dscale, void* dbias);

// x [n, c, spatial] or with channels_last [n, spatial, c]. scale, bias may be null. Training: batch mean and biased
// variance -> save_mean [c], save_inv_std [c]; running = momentum * running + (1 - momentum) * batch (biased variance),
// running may be null. Params and statistics are StatType(t).
void BatchNormTrain(DataType t, const void* x, int64_t n, int64_t c, int64_t spatial, bool channels_last,
                    const void* scale, const void* bias, double eps, double momentum, void* running_mean,
                    void* running_var, void* out, void* save_mean, void* save_inv_std);
void BatchNormInfer(DataType t, const void* x, int64_t n, int64_t c, int64_t spatial, bool channels_last,
                    const void* scale, const void* bias, const void* mean, const void* var, double eps, void* out);
// use_global_stats: mean and inv_std are constants (dx = dout * scale * inv_std). dx, dscale, dbias may each be null.
void BatchNormGrad(DataType t, const void* x, const void* dout, int64_t n, int64_t c, int64_t spatial,
                   bool channels_last, const void* scale, const void* mean, const void* inv_std, bool use_global_stats,
                   void* dx, void* dscale, void* dbias);

// groups divides c; instance norm is groups == c. mean, variance [n, groups] of StatType may be null on output.
void GroupNorm(DataType t, DataType param_t, const void* x, int64_t n, int64_t c, int64_t spatial, int64_t groups,
               bool channels_last, const void* scale, const void* bias, double eps, void* out, void* mean,
               void* variance);
void GroupNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t n, int64_t c, int64_t spatial,
                   int64_t groups, bool channels_last, const void* scale, const void* mean, const void* variance,
                   double eps, void* dx, void* dscale, void* dbias);

}  // namespace phi::cpu
