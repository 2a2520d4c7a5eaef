// SPDX-License-Identifier: Apache-2.0
// LAPACK's four spellings of every routine as overloads on the element type, real and complex names unified.
// Those that end in T work in column order: on memory in row order they see the transposed matrix.
#pragma once

#include "paddle/phi/backends/cpu/blas.h"

namespace phi::cpu::lapack {

using C8 = std::complex<float>;
using C16 = std::complex<double>;
template <class T>
struct RealT {
  using type = T;
};
template <class R>
struct RealT<std::complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealT<T>::type;

#define PD_ALL(R, C) \
  R(float, s)        \
  R(double, d)       \
  C(C8, c)           \
  C(C16, z)
#define PD_SAME(M) PD_ALL(M, M)

#define PD_DEF(T, p)                                                                                           \
  inline int PotrfT(char u, int n, T* a) { return PD_BLAS(LAPACKE_##p##potrf)(LAPACK_COL_MAJOR, u, n, a, n); } \
  inline int GetrfT(int m, int n, T* a, int* piv) {                                                            \
    return PD_BLAS(LAPACKE_##p##getrf)(LAPACK_COL_MAJOR, m, n, a, m, piv);                                     \
  }                                                                                                            \
  inline int GetriT(int n, T* a, const int* piv) {                                                             \
    return PD_BLAS(LAPACKE_##p##getri)(LAPACK_COL_MAJOR, n, a, n, piv);                                        \
  }                                                                                                            \
  inline int GeqrfT(int m, int n, T* a, T* tau) {                                                              \
    return PD_BLAS(LAPACKE_##p##geqrf)(LAPACK_COL_MAJOR, m, n, a, m, tau);                                     \
  }                                                                                                            \
  inline int GesddT(char j, int m, int n, T* a, Real<T>* s, T* u, int ldu, T* vt, int ldvt) {                  \
    return PD_BLAS(LAPACKE_##p##gesdd)(LAPACK_COL_MAJOR, j, m, n, a, m, s, u, ldu, vt, ldvt);                  \
  }                                                                                                            \
  inline int Gels(int m, int n, int r, T* a, T* b) {                                                           \
    return PD_BLAS(LAPACKE_##p##gels)(LAPACK_ROW_MAJOR, 'N', m, n, r, a, n, b, r);                             \
  }                                                                                                            \
  inline int Gelsy(int m, int n, int r, T* a, T* b, int* jpvt, Real<T> rc, int* rank) {                        \
    return PD_BLAS(LAPACKE_##p##gelsy)(LAPACK_ROW_MAJOR, m, n, r, a, n, b, r, jpvt, rc, rank);                 \
  }                                                                                                            \
  inline int Gelsd(int m, int n, int r, T* a, T* b, Real<T>* s, Real<T> rc, int* rank) {                       \
    return PD_BLAS(LAPACKE_##p##gelsd)(LAPACK_ROW_MAJOR, m, n, r, a, n, b, r, s, rc, rank);                    \
  }                                                                                                            \
  inline int Gelss(int m, int n, int r, T* a, T* b, Real<T>* s, Real<T> rc, int* rank) {                       \
    return PD_BLAS(LAPACKE_##p##gelss)(LAPACK_ROW_MAJOR, m, n, r, a, n, b, r, s, rc, rank);                    \
  }
PD_SAME(PD_DEF)
#undef PD_DEF

#define PD_REAL(T, p)                                                                                              \
  inline int OrgqrT(int m, int n, int k, T* a, const T* tau) {                                                     \
    return PD_BLAS(LAPACKE_##p##orgqr)(LAPACK_COL_MAJOR, m, n, k, a, m, tau);                                      \
  }                                                                                                                \
  inline int HeevdT(char j, char u, int n, T* a, Real<T>* w) {                                                     \
    return PD_BLAS(LAPACKE_##p##syevd)(LAPACK_COL_MAJOR, j, u, n, a, n, w);                                        \
  }                                                                                                                \
  inline void Trsm(CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, int m, int n, const T* a, int lda, \
                   T* b) {                                                                                         \
    PD_BLAS(cblas_##p##trsm)(CblasRowMajor, s, u, t, d, m, n, T(1), a, lda, b, n);                                 \
  }
#define PD_CPLX(T, p)                                                                                              \
  inline int OrgqrT(int m, int n, int k, T* a, const T* tau) {                                                     \
    return PD_BLAS(LAPACKE_##p##ungqr)(LAPACK_COL_MAJOR, m, n, k, a, m, tau);                                      \
  }                                                                                                                \
  inline int HeevdT(char j, char u, int n, T* a, Real<T>* w) {                                                     \
    return PD_BLAS(LAPACKE_##p##heevd)(LAPACK_COL_MAJOR, j, u, n, a, n, w);                                        \
  }                                                                                                                \
  inline void Trsm(CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, int m, int n, const T* a, int lda, \
                   T* b) {                                                                                         \
    const T one(1);                                                                                                \
    PD_BLAS(cblas_##p##trsm)(CblasRowMajor, s, u, t, d, m, n, &one, a, lda, b, n);                                 \
  }
PD_ALL(PD_REAL, PD_CPLX)
#undef PD_REAL
#undef PD_CPLX
#undef PD_SAME
#undef PD_ALL

// Eigenvalues w and unit eigenvectors v (columns, may be null); a is overwritten.
inline int Geev(int n, C8* a, C8* w, C8* v) {
  return PD_BLAS(LAPACKE_cgeev)(LAPACK_ROW_MAJOR, 'N', v ? 'V' : 'N', n, a, n, w, nullptr, n, v, n);
}
inline int Geev(int n, C16* a, C16* w, C16* v) {
  return PD_BLAS(LAPACKE_zgeev)(LAPACK_ROW_MAJOR, 'N', v ? 'V' : 'N', n, a, n, w, nullptr, n, v, n);
}
inline int GeevReal(int n, float* a, float* wr, float* wi, float* v) {
  return PD_BLAS(LAPACKE_sgeev)(LAPACK_ROW_MAJOR, 'N', v ? 'V' : 'N', n, a, n, wr, wi, nullptr, n, v, n);
}
inline int GeevReal(int n, double* a, double* wr, double* wi, double* v) {
  return PD_BLAS(LAPACKE_dgeev)(LAPACK_ROW_MAJOR, 'N', v ? 'V' : 'N', n, a, n, wr, wi, nullptr, n, v, n);
}

}  // namespace phi::cpu::lapack
