// SPDX-License-Identifier: Apache-2.0
// Products through OpenBLAS, whose thread is the caller's: the longer side of C is shared out.
#include "paddle/phi/backends/cpu/blas.h"

#include <algorithm>
#include <climits>

#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {
namespace {

const bool g_one_thread = (scipy_openblas_set_num_threads(1), true);

constexpr int64_t kWork = 1000000;  // multiplications that are worth another thread

template <class T, class Call>
void Product(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, T* c,
             int64_t ldc, const Call& call) {
  for (int64_t v : {m, n, k, lda, ldb, ldc})
    PD_CHECK(v <= INT_MAX, InvalidArgument, "[matmul] expected extents below 2^31, got ", v);
  const bool rows = m >= n;
  const int64_t grain = std::max<int64_t>(16, kWork / std::max<int64_t>(1, (rows ? n : m) * k) + 1);
  ParallelFor(0, rows ? m : n, grain, [&](int64_t lo, int64_t hi) {
    if (rows)
      call(hi - lo, n, a + (ta ? lo : lo * lda), b, c + lo * ldc);
    else
      call(m, hi - lo, a, b + (tb ? lo * ldb : lo), c + lo);
  });
}

CBLAS_TRANSPOSE Trans(bool t) { return t ? CblasTrans : CblasNoTrans; }

}  // namespace

void Sgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
           int64_t ldb, float beta, float* c, int64_t ldc) {
  Product(ta, tb, m, n, k, a, lda, b, ldb, c, ldc,
          [&](int64_t mp, int64_t np, const float* ap, const float* bp, float* cp) {
            scipy_cblas_sgemm(CblasRowMajor, Trans(ta), Trans(tb), mp, np, k, alpha, ap, lda, bp, ldb, beta, cp, ldc);
          });
}

void Dgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
           const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  Product(ta, tb, m, n, k, a, lda, b, ldb, c, ldc,
          [&](int64_t mp, int64_t np, const double* ap, const double* bp, double* cp) {
            scipy_cblas_dgemm(CblasRowMajor, Trans(ta), Trans(tb), mp, np, k, alpha, ap, lda, bp, ldb, beta, cp, ldc);
          });
}

}  // namespace phi::cpu
