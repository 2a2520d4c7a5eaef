// SPDX-License-Identifier: Apache-2.0
// Transposition in registers: dst[r][c] = src[c][r] of a square tile whose rows lie src_row and dst_row bytes apart.
#pragma once

#include "paddle/phi/primitives/simd.inc.h"

namespace phi::PD_ISA {

#ifdef PD_PORTABLE

// Whole rows are written, so that the compiler keeps the tile in registers.
template <class T, int N>
static inline void transpose_tile(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  T tile[N][N], turned[N];
  for (int r = 0; r < N; ++r) memcpy(tile[r], src + r * src_row, sizeof tile[r]);
  for (int c = 0; c < N; ++c) {
    for (int r = 0; r < N; ++r) turned[r] = tile[r][c];
    memcpy(dst + c * dst_row, turned, sizeof turned);
  }
}
static inline void transpose8x8_16(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  transpose_tile<uint16_t, 8>(src, src_row, dst, dst_row);
}
static inline void transpose8x8_32(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  transpose_tile<uint32_t, 8>(src, src_row, dst, dst_row);
}
static inline void transpose4x4_64(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  transpose_tile<uint64_t, 4>(src, src_row, dst, dst_row);
}

#else

static inline void transpose8x8_16(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  __m128i r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i * src_row));
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    r[4 * i] = _mm_unpacklo_epi32(t[4 * i], t[4 * i + 2]);
    r[4 * i + 1] = _mm_unpackhi_epi32(t[4 * i], t[4 * i + 2]);
    r[4 * i + 2] = _mm_unpacklo_epi32(t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm_unpackhi_epi32(t[4 * i + 1], t[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + 2 * i * dst_row), _mm_unpacklo_epi64(r[i], r[i + 4]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + (2 * i + 1) * dst_row), _mm_unpackhi_epi64(r[i], r[i + 4]));
  }
}
static inline void transpose8x8_32(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(src + i * src_row));
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(reinterpret_cast<float*>(dst + i * dst_row), _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(reinterpret_cast<float*>(dst + (i + 4) * dst_row), _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
static inline void transpose4x4_64(const char* src, int64_t src_row, char* dst, int64_t dst_row) {
  __m256d r[4], t[4];
  for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(reinterpret_cast<const double*>(src + i * src_row));
  t[0] = _mm256_unpacklo_pd(r[0], r[1]);
  t[1] = _mm256_unpackhi_pd(r[0], r[1]);
  t[2] = _mm256_unpacklo_pd(r[2], r[3]);
  t[3] = _mm256_unpackhi_pd(r[2], r[3]);
  for (int i = 0; i < 2; ++i) {
    _mm256_storeu_pd(reinterpret_cast<double*>(dst + i * dst_row), _mm256_permute2f128_pd(t[i], t[i + 2], 0x20));
    _mm256_storeu_pd(reinterpret_cast<double*>(dst + (i + 2) * dst_row), _mm256_permute2f128_pd(t[i], t[i + 2], 0x31));
  }
}

#endif

}  // namespace phi::PD_ISA
