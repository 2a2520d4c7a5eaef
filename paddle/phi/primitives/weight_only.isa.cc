// SPDX-License-Identifier: Apache-2.0
// Inner products with rows of 8 and 4 bits.
#include "paddle/phi/primitives/simd.inc.h"

namespace phi::PD_ISA {
namespace {

constexpr int64_t kLanes = VecF::W;

int32_t Low(int32_t byte) { return static_cast<int32_t>(static_cast<uint32_t>(byte) << 28) >> 28; }

VecF LowHalves(VecI bytes) {
#ifdef __AVX512F__
  // Lanes of a table by their last four bits: one instruction in place of two shifts and a conversion.
  const __m512 numbers = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
  return {_mm512_permutexvar_ps(bytes.v, numbers)};
#else
  return bytes.LowHalves().ToFloat();
#endif
}

struct Rows {
  const int8_t* w;
  int64_t ld;  // bytes from row to row
  int64_t k, group;
  const float* scales;  // of the first column, those of the next group `columns` behind; of all columns of the rows
  int64_t columns;
  const float* x;
};

// The columns in R rows, one a row or, with half bytes, two: to out[0], out[1], ...
template <int R, bool Half>
void Dots(const Rows& s, int64_t valid, float* out) {
  constexpr int C = Half ? 2 * R : R;
  VecF total[C] = {};
  float rest[C] = {};
  const float* scale = s.scales;
  for (int64_t start = 0; start < s.k; start += s.group, scale += s.columns) {
    const int64_t end = s.group < s.k - start ? start + s.group : s.k;
    VecF part[C] = {};
    int64_t p = start;
#pragma GCC unroll 4
    for (; p + kLanes <= end; p += kLanes) {
      const VecF x = VecF::Load(s.x + p);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const VecI v = VecI::LoadBytes(s.w + r * s.ld + p);
        if constexpr (Half) {
          part[2 * r].Fma(LowHalves(v), x);
          part[2 * r + 1].Fma(v.HighHalves().ToFloat(), x);
        } else {
          part[r].Fma(v.ToFloat(), x);
        }
      }
    }
    if (p < end) {
      float last[C] = {};
      for (; p < end; ++p)
        for (int r = 0; r < R; ++r) {
          const int32_t v = s.w[r * s.ld + p];
          last[Half ? 2 * r : r] += static_cast<float>(Half ? Low(v) : v) * s.x[p];
          if constexpr (Half) last[2 * r + 1] += static_cast<float>(v >> 4) * s.x[p];
        }
      for (int c = 0; c < C; ++c) rest[c] += last[c] * scale[c];
    }
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) total[c].Fma(part[c], VecF::Set(scale[c]));
  }
  for (int c = 0; c < C && c < valid; ++c) {
    for (int64_t i = 0; i < kLanes; ++i) rest[c] += total[c].v[i];
    out[c] = rest[c];
  }
}
template <bool Half>
void AllRows(Rows s, int64_t rows, int64_t valid, float* out) {
  constexpr int kTogether = Half ? 2 : 4, kEach = Half ? 2 : 1;
  for (int64_t r = 0; r < rows;) {
    const bool several = r + kTogether <= rows;
    several ? Dots<kTogether, Half>(s, valid, out) : Dots<1, Half>(s, valid, out);
    const int64_t done = several ? kTogether : 1;
    r += done, s.w += done * s.ld;
    s.scales += done * kEach, out += done * kEach, valid -= done * kEach;
  }
}

int32_t PlainDot(const int8_t* x, const int8_t* w, int64_t k) {
  int32_t s = 0;
#pragma omp simd reduction(+ : s)
  for (int64_t p = 0; p < k; ++p) s += static_cast<int32_t>(x[p]) * w[p];
  return s;
}
#ifdef __AVX512F__
// The instruction takes one operand without a sign: x + 128, less 128 times the sum of w.
__attribute__((target("avx512vnni,avx512bw"))) int32_t VnniDot(const int8_t* x, const int8_t* w, int64_t k) {
  const __m512i shift = _mm512_set1_epi8(-128);
  __m512i products = _mm512_setzero_si512(), sums = products;
  int64_t p = 0;
  for (; p + 64 <= k; p += 64) {
    const __m512i b = _mm512_loadu_si512(w + p);
    products = _mm512_dpbusd_epi32(products, _mm512_xor_si512(_mm512_loadu_si512(x + p), shift), b);
    sums = _mm512_dpbusd_epi32(sums, shift, b);
  }
  return _mm512_reduce_add_epi32(_mm512_sub_epi32(products, sums)) + PlainDot(x + p, w + p, k - p);
}
#endif

}  // namespace

// The columns in rows [0, rows) of w, `k` bytes each, times x, and by their scales; of `valid` columns.
__attribute__((visibility("hidden"))) void quantized_dots(bool half_bytes, const int8_t* w, int64_t rows, int64_t k,
                                                          int64_t group, const float* scales, int64_t columns,
                                                          int64_t valid, const float* x, float* out);
void quantized_dots(bool half_bytes, const int8_t* w, int64_t rows, int64_t k, int64_t group, const float* scales,
                    int64_t columns, int64_t valid, const float* x, float* out) {
  const Rows s{w, k, k, group, scales, columns, x};
  half_bytes ? AllRows<true>(s, rows, valid, out) : AllRows<false>(s, rows, valid, out);
}

// The sum of products of k numbers of 8 bits, k below 2^16.
__attribute__((visibility("hidden"))) int32_t int8_dot(bool vnni, const int8_t* x, const int8_t* w, int64_t k);
int32_t int8_dot(bool vnni, const int8_t* x, const int8_t* w, int64_t k) {
#ifdef __AVX512F__
  if (vnni) return VnniDot(x, w, k);
#endif
  return PlainDot(x, w, k);
}

}  // namespace phi::PD_ISA
