// SPDX-License-Identifier: Apache-2.0
// The vectors that kernels are written in, and float16: by AVX2 or AVX-512, in a portable build by the compiler's
// vectors.
#pragma once

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // gcc 12: its own AVX-512 intrinsics
#ifndef PD_PORTABLE
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

namespace phi::PD_ISA {
namespace {

#ifdef PD_PORTABLE

inline float RoundedOnce(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double RoundedOnce(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class E, int N>
struct Vec {
  using T = E;
  static constexpr int W = N;
  typedef E V __attribute__((vector_size(N * sizeof(E))));
  V v;
  static Vec Load(const E* p) {
    Vec r;
    memcpy(&r.v, p, sizeof r.v);
    return r;
  }
  static Vec Set(E x) { return {x - V{}}; }
  void Store(E* p) const { memcpy(p, &v, sizeof v); }
  // += a * b, rounded once
  void Fma(Vec a, Vec b) {
    V sum;
    for (int i = 0; i < N; ++i) sum[i] = RoundedOnce(a.v[i], b.v[i], v[i]);
    v = sum;
  }
};
using Vec8F = Vec<float, 8>;
using Vec4D = Vec<double, 4>;
using VecF = Vec8F;
using VecD = Vec4D;

struct VecI {
  typedef int32_t V __attribute__((vector_size(VecF::W * sizeof(int32_t))));
  V v;
  static VecI LoadBytes(const int8_t* p) {
    VecI r;
    for (int i = 0; i < VecF::W; ++i) r.v[i] = p[i];
    return r;
  }
  VecI LowHalves() const { return {(v << 28) >> 28}; }
  VecI HighHalves() const { return {v >> 4}; }
  VecF ToFloat() const { return {__builtin_convertvector(v, VecF::V)}; }
};

inline float FromBits(uint32_t u) { return __builtin_bit_cast(float, u); }
inline float F16ToF32(uint16_t h) {
  const uint32_t a = h & 0x7fffu, sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t normal = (a << 13) + (112u << 23), special = 0x7f800000u | (a << 13) | (a > 0x7c00u ? 0x400000u : 0u);
  const uint32_t small = __builtin_bit_cast(uint32_t, static_cast<float>(static_cast<int32_t>(a)) * 0x1p-24f);
  return FromBits(sign | (a >= 0x7c00u ? special : a < 0x400u ? small : normal));
}
inline uint16_t F32ToF16(float f) {
  const uint32_t u = __builtin_bit_cast(uint32_t, f), a = u & 0x7fffffffu;
  const uint32_t nan = 0x7e00u | ((a >> 13) & 0x3ffu);
  const uint32_t small = __builtin_bit_cast(uint32_t, FromBits(a) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (a + 0xfffu + ((a >> 13) & 1u) - (112u << 23)) >> 13;
  const uint32_t finite = a >= 0x477ff000u ? 0x7c00u : a < 0x38800000u ? small : normal;  // 65520 and above: infinity
  return static_cast<uint16_t>((u >> 16 & 0x8000u) | (a > 0x7f800000u ? nan : finite));
}
inline void F16ToF32(const uint16_t* __restrict s, int64_t n, float* __restrict d) {
  for (int64_t i = 0; i < n; ++i) d[i] = F16ToF32(s[i]);
}
inline void F32ToF16(const float* __restrict s, int64_t n, uint16_t* __restrict d) {
  for (int64_t i = 0; i < n; ++i) d[i] = F32ToF16(s[i]);
}

#else

struct Vec8F {
  using T = float;
  static constexpr int W = 8;
  __m256 v;
  static Vec8F Load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Vec8F Set(float x) { return {_mm256_set1_ps(x)}; }
  void Store(float* p) const { _mm256_storeu_ps(p, v); }
  void Fma(Vec8F a, Vec8F b) { v = _mm256_fmadd_ps(a.v, b.v, v); }
};
struct Vec4D {
  using T = double;
  static constexpr int W = 4;
  __m256d v;
  static Vec4D Load(const double* p) { return {_mm256_loadu_pd(p)}; }
  static Vec4D Set(double x) { return {_mm256_set1_pd(x)}; }
  void Store(double* p) const { _mm256_storeu_pd(p, v); }
  void Fma(Vec4D a, Vec4D b) { v = _mm256_fmadd_pd(a.v, b.v, v); }
};

#ifdef __AVX512F__
struct VecF {
  using T = float;
  static constexpr int W = 16;
  __m512 v;
  static VecF Load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static VecF Set(float x) { return {_mm512_set1_ps(x)}; }
  void Store(float* p) const { _mm512_storeu_ps(p, v); }
  void Fma(VecF a, VecF b) { v = _mm512_fmadd_ps(a.v, b.v, v); }
};
struct VecD {
  using T = double;
  static constexpr int W = 8;
  __m512d v;
  static VecD Load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static VecD Set(double x) { return {_mm512_set1_pd(x)}; }
  void Store(double* p) const { _mm512_storeu_pd(p, v); }
  void Fma(VecD a, VecD b) { v = _mm512_fmadd_pd(a.v, b.v, v); }
};
struct VecI {
  __m512i v;
  static VecI LoadBytes(const int8_t* p) {
    return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VecI LowHalves() const { return {_mm512_srai_epi32(_mm512_slli_epi32(v, 28), 28)}; }
  VecI HighHalves() const { return {_mm512_srai_epi32(v, 4)}; }
  VecF ToFloat() const { return {_mm512_cvtepi32_ps(v)}; }
};
#else
using VecF = Vec8F;
using VecD = Vec4D;
struct VecI {
  __m256i v;
  static VecI LoadBytes(const int8_t* p) {
    return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  VecI LowHalves() const { return {_mm256_srai_epi32(_mm256_slli_epi32(v, 28), 28)}; }
  VecI HighHalves() const { return {_mm256_srai_epi32(v, 4)}; }
  VecF ToFloat() const { return {_mm256_cvtepi32_ps(v)}; }
};
#endif

inline float F16ToF32(uint16_t h) { return _cvtsh_ss(h); }
inline uint16_t F32ToF16(float f) { return static_cast<uint16_t>(_cvtss_sh(f, 0)); }
inline void F16ToF32(const uint16_t* __restrict s, int64_t n, float* __restrict d) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(d + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(s + i))));
#endif
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i))));
  for (; i < n; ++i) d[i] = F16ToF32(s[i]);
}
inline void F32ToF16(const float* __restrict s, int64_t n, uint16_t* __restrict d) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(d + i), _mm512_cvtps_ph(_mm512_loadu_ps(s + i), 0));
#endif
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i), _mm256_cvtps_ph(_mm256_loadu_ps(s + i), 0));
  for (; i < n; ++i) d[i] = F32ToF16(s[i]);
}

#endif

}  // namespace
}  // namespace phi::PD_ISA
