// SPDX-License-Identifier: Apache-2.0
// BLAS and LAPACK as the build has them: MKL and, for float32 products, oneDNN; in a portable build OpenBLAS.
#pragma once

#include <complex>
#include <cstdint>

#include "paddle/common/error.h"

#ifdef PD_PORTABLE
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>
#include <lapacke.h>
// The name in the library of a function of BLAS or LAPACKE: PD_BLAS(cblas_dgemm)(...).
#define PD_BLAS(name) scipy_##name
#else
#define MKL_Complex8 std::complex<float>
#define MKL_Complex16 std::complex<double>
#include <dnnl.h>
#include <mkl_cblas.h>
#include <mkl_lapacke.h>
#include <mkl_service.h>
#define PD_BLAS(name) name
#endif

namespace phi::cpu {

#ifdef PD_PORTABLE
// OpenBLAS has one thread: its own ones know nothing of OpenMP's. Large products are shared out here.
inline void BlasSetThreads(int) {}
inline int BlasSetThreadsLocal(int) { return 0; }

// C = alpha * op(A) * op(B) + beta * C in row order.
void Sgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
           int64_t ldb, float beta, float* c, int64_t ldc);
void Dgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
           const double* b, int64_t ldb, double beta, double* c, int64_t ldc);
#else
inline void BlasSetThreads(int n) { mkl_set_num_threads(n); }
// Of the calling thread; gives what it was. 0: as the process.
inline int BlasSetThreadsLocal(int n) { return mkl_set_num_threads_local(n); }

inline void Sgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                  const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  const dnnl_status_t st = dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  PD_CHECK(st != dnnl_out_of_memory, ResourceExhausted, "[matmul] out of memory");
  PD_CHECK(st == dnnl_success, Internal, "[matmul] oneDNN failed with status ", static_cast<int>(st));
}
inline void Dgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
                  const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, lda, b,
              ldb, beta, c, ldc);
}
#endif

}  // namespace phi::cpu
