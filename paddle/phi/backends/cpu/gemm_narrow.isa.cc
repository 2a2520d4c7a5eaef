// SPDX-License-Identifier: Apache-2.0
// float32 matrix products that are too narrow for oneDNN's tiles: one thread, whole rows of C in registers, the last
// columns under a mask in half a vector where that is enough.
#include "paddle/phi/backends/cpu/threads.inc.h"
#include "paddle/phi/primitives/transpose_tile.inc.h"

namespace phi::PD_ISA {

#ifdef __AVX512F__
namespace {

struct Args {
  const float* a;
  int64_t ai, ak;  // steps of A along rows and along the summed axis
  const float* b;
  int64_t ldb;
  const float* bias;  // of one row, or null
  bool add;           // to what C holds
  float* c;
  int64_t ldc, k;
};

// MR rows of C from (i, j) on: NZ whole vectors of columns, then those of `mask`, in half a vector if `Half`.
template <int MR, int NZ, bool Half>
inline void Block(const Args& s, int64_t i, int64_t j, __mmask16 mask) {
  const auto load = [mask](const float* p) {
    if constexpr (Half)
      return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), p);
    else
      return _mm512_maskz_loadu_ps(mask, p);
  };
  using Tail = decltype(load(nullptr));
  __m512 z[MR][NZ ? NZ : 1];
  Tail t[MR];
#pragma GCC unroll 8
  for (int r = 0; r < MR; ++r) {
    for (int q = 0; q < NZ; ++q) z[r][q] = s.bias ? _mm512_loadu_ps(s.bias + j + q * 16) : _mm512_setzero_ps();
    t[r] = s.bias ? load(s.bias + j + NZ * 16) : Tail{};
  }
  const float* a = s.a + i * s.ai;
  const float* b = s.b + j;
  const int64_t ai = s.ai, ak = s.ak, ldb = s.ldb;
  for (int64_t p = s.k; p > 0; --p, a += ak, b += ldb) {
    __m512 bz[NZ ? NZ : 1];
    for (int q = 0; q < NZ; ++q) bz[q] = _mm512_loadu_ps(b + q * 16);
    const Tail bt = load(b + NZ * 16);
#pragma GCC unroll 8
    for (int r = 0; r < MR; ++r) {
      for (int q = 0; q < NZ; ++q) z[r][q] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * ai]), bz[q], z[r][q]);
      if constexpr (Half)
        t[r] = _mm256_fmadd_ps(_mm256_set1_ps(a[r * ai]), bt, t[r]);
      else
        t[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * ai]), bt, t[r]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < MR; ++r) {
    float* c = s.c + (i + r) * s.ldc + j;
    if (s.add) {
      for (int q = 0; q < NZ; ++q) z[r][q] += _mm512_loadu_ps(c + q * 16);
      t[r] += load(c + NZ * 16);
    }
    for (int q = 0; q < NZ; ++q) _mm512_storeu_ps(c + q * 16, z[r][q]);
    if constexpr (Half)
      _mm256_mask_storeu_ps(c + NZ * 16, static_cast<__mmask8>(mask), t[r]);
    else
      _mm512_mask_storeu_ps(c + NZ * 16, mask, t[r]);
  }
}

template <int NZ, bool Half>
void Columns(const Args& s, int64_t m, int64_t j, __mmask16 mask) {
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) Block<8, NZ, Half>(s, i, j, mask);
  switch (m - i) {
    case 7: return Block<7, NZ, Half>(s, i, j, mask);
    case 6: return Block<6, NZ, Half>(s, i, j, mask);
    case 5: return Block<5, NZ, Half>(s, i, j, mask);
    case 4: return Block<4, NZ, Half>(s, i, j, mask);
    case 3: return Block<3, NZ, Half>(s, i, j, mask);
    case 2: return Block<2, NZ, Half>(s, i, j, mask);
    case 1: return Block<1, NZ, Half>(s, i, j, mask);
    default: return;
  }
}

void Rows(const Args& s, int64_t m, int64_t n) {
  for (int64_t j = 0; j < n;) {
    const int64_t left = n - j, w = left <= 48 ? left : 32;
    const int64_t whole = (w - 1) / 16, tail = w - whole * 16;
    const auto mask = static_cast<__mmask16>((1u << tail) - 1);
    switch (whole * 2 + (tail <= 8)) {
      case 0: Columns<0, false>(s, m, j, mask); break;
      case 1: Columns<0, true>(s, m, j, mask); break;
      case 2: Columns<1, false>(s, m, j, mask); break;
      case 3: Columns<1, true>(s, m, j, mask); break;
      case 4: Columns<2, false>(s, m, j, mask); break;
      default: Columns<2, true>(s, m, j, mask); break;
    }
    j += w;
  }
}

constexpr int64_t kCols = 112;       // more columns than this fill oneDNN's tiles
constexpr int64_t kPack = 8192;      // elements of a transposed B
constexpr int64_t kRows = 128;       // of A at a time, which every block of columns reads
constexpr int64_t kDepth = 256;      // of the summed axis at a time, whose sums are added up
constexpr int64_t kVector = 65536;   // elements of a matrix that oneDNN multiplies better with one vector
constexpr int64_t kGrain = 1500000;  // multiplications that are worth another thread

// pack[p][j] = b[j][p]
void Transpose(const float* b, int64_t ldb, int64_t n, int64_t k, float* pack, int64_t np) {
  const int64_t n8 = n / 8 * 8, k8 = k / 8 * 8;
  for (int64_t j = 0; j < n8; j += 8) {
    for (int64_t p = 0; p < k8; p += 8)
      transpose8x8_32(reinterpret_cast<const char*>(b + j * ldb + p), ldb * 4,
                      reinterpret_cast<char*>(pack + p * np + j), np * 4);
    for (int64_t p = k8; p < k; ++p)
      for (int64_t q = j; q < j + 8; ++q) pack[p * np + q] = b[q * ldb + p];
  }
  for (int64_t j = n8; j < n; ++j)
    for (int64_t p = 0; p < k; ++p) pack[p * np + j] = b[j * ldb + p];
}

}  // namespace
#endif

// C = op(A) * op(B) + (bias, or C if `add`, or 0). False where it has not been computed: another way is better.
bool GemmNarrowF32(int ta, int tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                   int64_t ldb, const float* bias, bool add, float* c, int64_t ldc) {
#ifdef __AVX512F__
  if (n == 1) {  // as a product of one row
    if (!ta || m == 1 || m > kCols || m * k > kVector || ldc != 1 || bias || (!tb && ldb != 1)) return false;
    return GemmNarrowF32(0, 0, 1, m, k, b, k, a, lda, bias, add, c, m);
  }
  if (n > kCols || (tb && (n * k > kPack || m < 4))) return false;
  // Threads share out rows; where there are too few for them, oneDNN splits the sums.
  const int64_t blocks = (m + 7) / 8;
  if (m * n * k / kGrain > blocks && ::phi::cpu::MaxThreads() > blocks) return false;
  alignas(64) float pack[kPack];
  if (tb) {
    Transpose(b, ldb, n, k, pack, n);
    b = pack;
    ldb = n;
  }
  const int64_t ai = ta ? 1 : lda, ak = ta ? lda : 1;
  ParFor(blocks, 1 + kGrain / (8 * n * k), [&](int64_t lo, int64_t hi) {
    const int64_t end = hi * 8 < m ? hi * 8 : m;
    for (int64_t i = lo * 8; i < end; i += kRows) {
      const int64_t rows = end - i < kRows ? end - i : kRows;
      for (int64_t p = 0; p < k; p += kDepth) {
        const bool more = p > 0;
        Rows({a + i * ai + p * ak, ai, ak, b + p * ldb, ldb, more ? nullptr : bias, add || more, c + i * ldc, ldc,
              k - p < kDepth ? k - p : kDepth},
             rows, n);
      }
    }
  });
  return true;
#else
  (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)b, (void)ldb, (void)bias, (void)add, (void)c,
      (void)ldc;
  return false;
#endif
}

}  // namespace phi::PD_ISA
