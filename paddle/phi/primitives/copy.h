// SPDX-License-Identifier: Apache-2.0
// Data movement that does not look at values: strided copy, fill, concat, pad, flip, roll, triangles.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// dst[i] = src[i] over `shape`; strides in elements, any sign, src may have 0 strides (broadcast). elem_size 1, 2, 4, 8
// or 16. Regions must not overlap unless they are the same with equal strides.
void CopyStrided(int64_t elem_size, Ints shape, const void* src, Ints src_strides, void* dst, Ints dst_strides);
// dst contiguous row-major.
void CopyToContiguous(int64_t elem_size, Ints shape, const void* src, Ints src_strides, void* dst);
// Contiguous bytes on several threads.
void CopyBytes(void* dst, const void* src, int64_t bytes);

void Fill(int64_t elem_size, int64_t n, void* dst, const void* value);
void Zero(void* dst, int64_t bytes);

// Contiguous parts [outer, sizes[i], inner] -> whole [outer, sum(sizes), inner]. Parts may be null where sizes[i] == 0.
void Concat(int64_t elem_size, std::span<const void* const> parts, Ints sizes, int64_t outer, int64_t inner,
            void* whole);

// Contiguous x and out of `shape`. Flip: axes distinct in [0, ndim). Roll: shifts[i] along axes[i], any sign.
void Flip(int64_t elem_size, const void* x, Ints shape, Ints axes, void* out);
void Roll(int64_t elem_size, const void* x, Ints shape, Ints shifts, Ints axes, void* out);

// Matrices [batch, rows, cols]; keeps elements with col - row <= diagonal (lower) or >= diagonal (upper); others become
// 0.
void Triangle(int64_t elem_size, const void* x, int64_t batch, int64_t rows, int64_t cols, int64_t diagonal, bool upper,
              void* out);

enum class PadMode : int8_t { kConstant, kReflect, kReplicate, kCircular };
// out[shape[i] + lo[i] + hi[i]]; pads may be negative (crop) with kConstant. Reflect needs lo, hi < shape[i].
// value: one element (kConstant; null = zeros).
void Pad(int64_t elem_size, const void* x, Ints shape, Ints lo, Ints hi, PadMode mode, const void* value, void* out);
// dx = sum of dout over the positions each x element was copied to. Types f32 f64 f16 bf16 c64 c128 i32 i64.
void PadGrad(DataType t, const void* dout, Ints shape, Ints lo, Ints hi, PadMode mode, void* dx);

// out [outer, n * repeats (or sum of repeats[i]), inner]: each of the n slices repeated.
void RepeatInterleave(int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner, Ints repeats,
                      void* out);

}  // namespace phi::cpu
