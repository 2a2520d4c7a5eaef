// SPDX-License-Identifier: Apache-2.0
// Matrix products on raw pointers: one call for every element type, tiny sizes without library overhead.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// Row-major C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C; with beta == 0, C is not read (NaN there does not
// matter). ta/tb: 0 (false) as stored, 1 (true) transposed, 2 conjugate transposed; lda/ldb/ldc are row strides of the
// stored matrices. k == 0 gives beta * C. Types: f32 f64 c64 c128 f16 bf16 i32 i64 and u8 i8 i16 bool (f16/bf16
// accumulate in f32; integers wrap). Others throw Unimplemented.
void Gemm(DataType t, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const void* a, int64_t lda,
          const void* b, int64_t ldb, double beta, void* c, int64_t ldc);

// The same for `batch` matrices at element strides sa, sb, sc (0 = the same matrix for every item; sc must not be 0).
void GemmBatched(DataType t, int ta, int tb, int64_t batch, int64_t m, int64_t n, int64_t k, double alpha,
                 const void* a, int64_t lda, int64_t sa, const void* b, int64_t ldb, int64_t sb, double beta, void* c,
                 int64_t ldc, int64_t sc);

// out[..., m, n] (contiguous, batch dims broadcast) = op(x)[..., m, k] * op(y)[..., k, n]. x and y have at least 2 dims
// and any strides (those that BLAS cannot take are copied once). tx/ty as in Gemm, on the last two dims. Throws
// InvalidArgument if the shapes do not fit. If accumulate, adds to out.
void Matmul(DataType t, const void* x, Ints x_shape, Ints x_strides, int tx, const void* y, Ints y_shape,
            Ints y_strides, int ty, void* out, bool accumulate = false);

// out[m,n] = x[m,k] * w[k,n] + bias[n] (bias may be null), all contiguous.
void Linear(DataType t, int64_t m, int64_t n, int64_t k, const void* x, const void* w, const void* bias, void* out);

}  // namespace phi::cpu
