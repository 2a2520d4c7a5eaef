// SPDX-License-Identifier: Apache-2.0
// Matrix products the libraries serve badly: tiny ones, integer ones, and the half-precision tiles around float32 ones.
#include "paddle/phi/primitives/copy_tile.inc.h"

namespace phi::PD_ISA {
namespace {

template <class V>
struct SmallArgs {
  using T = typename V::T;
  const T* a;
  int64_t ai, ak;  // strides of A along rows and along the summed axis
  const T* b;
  int64_t ldb;
  T* c;
  int64_t ldc, k, cols;
  T alpha, beta;
};

template <class V, int MR, int NV>
inline void Block(const SmallArgs<V>& s, int64_t i, int64_t j) {
  using T = typename V::T;
  V acc[MR][NV];
  for (int r = 0; r < MR; ++r)
    for (int q = 0; q < NV; ++q) acc[r][q] = V::Set(0);
  const T* a = s.a + i * s.ai;
  const T* b = s.b + j;
  for (int64_t p = 0; p < s.k; ++p, a += s.ak, b += s.ldb) {
    V vb[NV];
    for (int q = 0; q < NV; ++q) vb[q] = V::Load(b + q * V::W);
    for (int r = 0; r < MR; ++r) {
      const V va = V::Set(a[r * s.ai]);
      for (int q = 0; q < NV; ++q) acc[r][q].Fma(va, vb[q]);
    }
  }
  const bool plain = s.alpha == T(1) && s.beta == T(0);
  for (int r = 0; r < MR; ++r) {
    T* c = s.c + (i + r) * s.ldc + j;
    const int64_t width = s.cols - j < NV * V::W ? s.cols - j : NV * V::W;
    if (plain && width == NV * V::W) {
      for (int q = 0; q < NV; ++q) acc[r][q].Store(c + q * V::W);
      continue;
    }
    T tmp[NV * V::W];
    for (int q = 0; q < NV; ++q) acc[r][q].Store(tmp + q * V::W);
    if (s.beta == T(0)) {
      for (int64_t x = 0; x < width; ++x) c[x] = s.alpha * tmp[x];
    } else {
      for (int64_t x = 0; x < width; ++x) c[x] = s.alpha * tmp[x] + s.beta * c[x];
    }
  }
}

template <class V, int NV>
inline void Columns(const SmallArgs<V>& s, int64_t m, int64_t j) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) Block<V, 4, NV>(s, i, j);
  switch (m - i) {
    case 3: return Block<V, 3, NV>(s, i, j);
    case 2: return Block<V, 2, NV>(s, i, j);
    case 1: return Block<V, 1, NV>(s, i, j);
    default: return;
  }
}

constexpr int kPack = 8192;

template <class V>
inline void Small(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const typename V::T* a, int64_t lda,
                  const typename V::T* b, int64_t ldb, double beta, typename V::T* c, int64_t ldc) {
  using T = typename V::T;
  SmallArgs<V> s{a, ta ? 1 : lda, ta ? lda : 1, b, ldb, c, ldc, k, n, T(alpha), T(beta)};
  const int64_t np = (n + V::W - 1) / V::W * V::W;
  if (np * k > kPack) {  // a narrow product: plain loops
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += a[i * s.ai + p * s.ak] * (tb ? b[j * ldb + p] : b[p * ldb + j]);
        T& d = c[i * ldc + j];
        d = beta == 0 ? s.alpha * sum : s.alpha * sum + s.beta * d;
      }
    return;
  }
  alignas(64) T pack[kPack];
  if (tb || np != n) {
    for (int64_t p = 0; p < k; ++p) {
      T* d = pack + p * np;
      if (tb)
        for (int64_t j = 0; j < n; ++j) d[j] = b[j * ldb + p];
      else
        for (int64_t j = 0; j < n; ++j) d[j] = b[p * ldb + j];
      for (int64_t j = n; j < np; ++j) d[j] = 0;
    }
    s.b = pack;
    s.ldb = np;
  }
  int64_t j = 0;
  for (; j + 2 * V::W <= np; j += 2 * V::W) Columns<V, 2>(s, m, j);
  if (j < np) Columns<V, 1>(s, m, j);
}

// Unsigned arithmetic wraps; the bit patterns of signed results are the same.
template <class T, class U>
void IntGemm(int ta, int tb, int64_t m, int64_t n, int64_t k, int64_t alpha, const T* a, int64_t lda, const T* b,
             int64_t ldb, int64_t beta, T* c, int64_t ldc) {
  constexpr int64_t kCols = 512;
  const int64_t work = n * k > 0 ? 65536 / (n * k) + 1 : 1;
  ParFor(m, work, [&](int64_t lo, int64_t hi) {
    U acc[kCols];
    for (int64_t i = lo; i < hi; ++i) {
      for (int64_t j0 = 0; j0 < n; j0 += kCols) {
        const int64_t w = n - j0 < kCols ? n - j0 : kCols;
        for (int64_t j = 0; j < w; ++j) acc[j] = 0;
        if (!tb) {
          for (int64_t p = 0; p < k; ++p) {
            const U x = static_cast<U>(ta ? a[p * lda + i] : a[i * lda + p]);
            const T* br = b + p * ldb + j0;
            for (int64_t j = 0; j < w; ++j) acc[j] += x * static_cast<U>(br[j]);
          }
        } else {
          for (int64_t j = 0; j < w; ++j) {
            const T* br = b + (j0 + j) * ldb;
            U sum = 0;
            if (!ta) {
              const T* ar = a + i * lda;
              for (int64_t p = 0; p < k; ++p) sum += static_cast<U>(ar[p]) * static_cast<U>(br[p]);
            } else {
              for (int64_t p = 0; p < k; ++p) sum += static_cast<U>(a[p * lda + i]) * static_cast<U>(br[p]);
            }
            acc[j] = sum;
          }
        }
        T* cr = c + i * ldc + j0;
        for (int64_t j = 0; j < w; ++j) {
          U v = static_cast<U>(alpha) * acc[j];
          if (beta) v += static_cast<U>(beta) * static_cast<U>(cr[j]);
          cr[j] = static_cast<T>(v);
        }
      }
    }
  });
}

}  // namespace

void GemmSmallF32(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const float* a, int64_t lda,
                  const float* b, int64_t ldb, double beta, float* c, int64_t ldc) {
  Small<Vec8F>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void GemmSmallF64(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
                  const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  Small<Vec4D>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void GemmInt(int t, int ta, int tb, int64_t m, int64_t n, int64_t k, int64_t alpha, const void* a, int64_t lda,
             const void* b, int64_t ldb, int64_t beta, void* c, int64_t ldc) {
  switch (t) {
#define PD_INT_CASE(code, T, U)                                                                                      \
  case code:                                                                                                         \
    return IntGemm<T, U>(ta, tb, m, n, k, alpha, static_cast<const T*>(a), lda, static_cast<const T*>(b), ldb, beta, \
                         static_cast<T*>(c), ldc);
    PD_INT_CASE(kU8, uint8_t, uint32_t)
    PD_INT_CASE(kI8, int8_t, uint32_t)
    PD_INT_CASE(kI16, int16_t, uint32_t)
    PD_INT_CASE(kI32, int32_t, uint32_t)
    PD_INT_CASE(kI64, int64_t, uint64_t)
#undef PD_INT_CASE
    default: return;
  }
}

// rows x cols of half type t at row stride ld, to a dense float32 tile of row stride `ldd`.
void WidenBlock(int t, const void* src, int64_t ld, int64_t rows, int64_t cols, float* dst, int64_t ldd) {
  const uint16_t* s = static_cast<const uint16_t*>(src);
  for (int64_t i = 0; i < rows; ++i) Widen(t, s + i * ld, cols, dst + i * ldd);
}
// dst = alpha * src (+ beta * dst), narrowed.
void NarrowBlock(int t, const float* src, int64_t lds, int64_t rows, int64_t cols, float alpha, float beta, void* dst,
                 int64_t ld) {
  uint16_t* d = static_cast<uint16_t*>(dst);
  if (alpha == 1 && beta == 0) {
    for (int64_t i = 0; i < rows; ++i) Narrow(t, src + i * lds, cols, d + i * ld);
    return;
  }
  float x[256], y[256];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; j += 256) {
      const int64_t w = cols - j < 256 ? cols - j : 256;
      uint16_t* p = d + i * ld + j;
      for (int64_t q = 0; q < w; ++q) x[q] = alpha * src[i * lds + j + q];
      if (beta != 0) {
        Widen(t, p, w, y);
        for (int64_t q = 0; q < w; ++q) x[q] += beta * y[q];
      }
      Narrow(t, x, w, p);
    }
  }
}

// y[n0..n1) += a[k] * B[k, n] for half matrices too thin to be worth a tile: m rows, B as stored (not transposed).
void HalfThinNN(int t, int64_t m, int64_t n0, int64_t n1, int64_t k, const float* a, int64_t lda, const void* b,
                int64_t ldb, float* c, int64_t ldc) {
  const uint16_t* bp = static_cast<const uint16_t*>(b);
  float tile[4][512];
  for (int64_t j = n0; j < n1; j += 512) {
    const int64_t w = n1 - j < 512 ? n1 - j : 512;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t q = 0; q < w; ++q) c[i * ldc + j + q] = 0;
    for (int64_t p = 0; p < k; p += 4) {
      const int64_t pn = k - p < 4 ? k - p : 4;
      for (int64_t r = 0; r < pn; ++r) Widen(t, bp + (p + r) * ldb + j, w, tile[r]);
      for (int64_t i = 0; i < m; ++i) {
        float* cr = c + i * ldc + j;
        if (pn == 4) {
          const float a0 = a[i * lda + p], a1 = a[i * lda + p + 1], a2 = a[i * lda + p + 2], a3 = a[i * lda + p + 3];
          for (int64_t q = 0; q < w; ++q)
            cr[q] = cr[q] + (a0 * tile[0][q] + a1 * tile[1][q]) + (a2 * tile[2][q] + a3 * tile[3][q]);
        } else {
          for (int64_t r = 0; r < pn; ++r)
            for (int64_t q = 0; q < w; ++q) cr[q] += a[i * lda + p + r] * tile[r][q];
        }
      }
    }
  }
}
// The same with B stored [n, k].
void HalfThinNT(int t, int64_t m, int64_t n0, int64_t n1, int64_t k, const float* a, int64_t lda, const void* b,
                int64_t ldb, float* c, int64_t ldc) {
  const uint16_t* bp = static_cast<const uint16_t*>(b);
  float tile[512];
  for (int64_t j = n0; j < n1; ++j) {
    for (int64_t i = 0; i < m; ++i) c[i * ldc + j] = 0;
    for (int64_t p = 0; p < k; p += 512) {
      const int64_t w = k - p < 512 ? k - p : 512;
      Widen(t, bp + j * ldb + p, w, tile);
      for (int64_t i = 0; i < m; ++i) {
        const float* ar = a + i * lda + p;
        float s[16] = {0};
        int64_t q = 0;
        for (; q + 16 <= w; q += 16)
          for (int l = 0; l < 16; ++l) s[l] += ar[q + l] * tile[q + l];
        float sum = 0;
        for (; q < w; ++q) sum += ar[q] * tile[q];
        for (int l = 0; l < 8; ++l) s[l] += s[l + 8];
        c[i * ldc + j] += sum + ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
      }
    }
  }
}

}  // namespace phi::PD_ISA
