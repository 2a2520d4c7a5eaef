// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra on batches of row-major contiguous matrices, through LAPACK.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// t is f32 f64 c64 c128; other types throw Unimplemented. Every matrix argument is a batch of contiguous row-major
// matrices. Outputs never alias inputs unless stated. An error names the batch item: a singular (or indefinite) matrix
// is InvalidArgument, an algorithm that does not converge PreconditionNotMet. Where an algorithm could hang on NaN or
// infinity, such input is an error too.

// a [n,n] Hermitian positive definite -> out = L (upper: U), the other triangle zero.
void Cholesky(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* out);
// Solves A X = B given the Cholesky factor; b, x [n,nrhs].
void CholeskySolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool upper, const void* factor, const void* b,
                   void* x);
// a [m,n] -> packed LU [m,n], pivots [min(m,n)] 1-based int32 as LAPACK's, info [batch]. Singular input is not an error
// here.
void LuFactor(DataType t, int64_t batch, int64_t m, int64_t n, const void* a, void* lu, int32_t* pivots, int32_t* info);
// Solves op(A) X = B from LuFactor's output (m == n). trans: 0, 1 = transposed, 2 = conjugate transposed.
void LuSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, int trans, const void* lu, const int32_t* pivots,
             const void* b, void* x);
// Expands packed lu and pivots: p [m,m], l [m,min], u [min,n]; each may be null.
void LuUnpack(DataType t, int64_t batch, int64_t m, int64_t n, const void* lu, const int32_t* pivots, void* p, void* l,
              void* u);
// Solves A X = B, a [n,n], b [n,nrhs].
void Solve(DataType t, int64_t batch, int64_t n, int64_t nrhs, const void* a, const void* b, void* x);
void Inverse(DataType t, int64_t batch, int64_t n, const void* a, void* out);
// Determinant [batch] of type t; n == 0 gives 1.
void Det(DataType t, int64_t batch, int64_t n, const void* a, void* out);
// The gradient of Det [n,n] given det [batch] and g [batch]: g conj(det) A^-H, from cofactors where A is singular.
void DetGrad(DataType t, int64_t batch, int64_t n, const void* a, const void* det, const void* g, void* out);
// sign [batch] of type t, logabs [batch] of the real type. Singular: sign 0, logabs -inf.
void SlogDet(DataType t, int64_t batch, int64_t n, const void* a, void* sign, void* logabs);
// a [m,n] -> q [m,k], r [k,n] with k = complete ? m : min(m,n) (r is [min,n] when only r is wanted: q null).
void Qr(DataType t, int64_t batch, int64_t m, int64_t n, bool complete, const void* a, void* q, void* r);
// a [m,n] -> u [m, full ? m : k], s [k] real, vh [full ? n : k, n], k = min(m,n). u and vh both null: values only.
void Svd(DataType t, int64_t batch, int64_t m, int64_t n, bool full, const void* a, void* u, void* s, void* vh);
// Hermitian a [n,n] (triangle by `upper`) -> w [n] real ascending, v [n,n] columns (null: values only).
void Eigh(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* w, void* v);
// General a [n,n] -> w [n] complex, v [n,n] complex columns of unit norm (null: values only).
void Eig(DataType t, int64_t batch, int64_t n, const void* a, void* w, void* v);
// Least squares: a [m,n], b [m,nrhs] -> x [n,nrhs]. driver: "gels" (full rank), "gelsy", "gelsd", "gelss".
// rank [batch] int32 and s [batch, min(m,n)] real may be null (rank needs a driver other than gels, s gelsd or gelss).
void Lstsq(DataType t, int64_t batch, int64_t m, int64_t n, int64_t nrhs, const char* driver, double rcond,
           const void* a, const void* b, void* x, int32_t* rank, void* s);
// op(A) X = B (left) or X op(A) = B; a triangular [n,n], b and x [n,nrhs] (left) or [nrhs,n]. x may equal b.
void TriangularSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool left, bool upper, int trans,
                     bool unit_diagonal, const void* a, const void* b, void* x);

}  // namespace phi::cpu
