// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: attention of halves by tensor cores, from compute capability 8.0 on. A block of eight
// warps has 128 queries, a warp 16 of them; scores and sums are float32, probabilities are rounded for the second
// product.
#pragma once

namespace {
namespace attend {

// kFlat: the number that says which of q, k and v are flat; only the gradient has another use of it.
constexpr int kFlat = kOut, kQueries = 128, kKeys = 64;

// Rows [first, n) of x as halves, zeros beside them; `flat`: eight neighbours lie together at multiples of 16 bytes.
template <int D, int R, class S>
INLINE void FillHalves(S* tile, const unsigned short* x, i64 step, int first, int n, int dim, bool flat) {
  for (int e = Thread(); e < R * (D / 8); e += kThreads) {
    const int r = e / (D / 8), d = e % (D / 8) * 8, row = first + r;
    const unsigned short* from = x + row * step + d;
    Chunk c = {};
    if (row < n && flat && d + 8 <= dim) {
      c = *reinterpret_cast<const Chunk*>(from);
    } else if (row < n) {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (d + i < dim) c[i / 2] |= static_cast<u32>(from[i]) << i % 2 * 16;
    }
    *reinterpret_cast<__attribute__((address_space(3))) Chunk*>(tile + r * (D + 8) + d) = c;
  }
}
// Four 8 x 8 matrices at rows i and elements d: of i and i + 8 with d, then with d + 8; `swapped`: d and d + 8 first.
template <int D, bool turned, class S>
INLINE void Four(S* tile, bool swapped, int i, int d, u32 (&r)[4]) {
  const int l = Thread() % 32, one = l / 8 % 2 * 8, two = l / 16 * 8;
  const int at = (i + (swapped ? two : one) + l % 8) * (D + 8) + d + (swapped ? one : two);
  const u32 from = static_cast<u32>(reinterpret_cast<unsigned long>(tile + at));
  if (turned)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
template <class T>
INLINE u32 Two(float low, float high) {
  T* const as = nullptr;
  return Narrow(low, as).bits | static_cast<u32>(Narrow(high, as).bits) << 16;
}
INLINE float Exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }

template <int D, class T, class S>
INLINE void TensorForward(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep, T* out,
                          double* lse, S* tiles, const i64* p) {
  const float lowest = -phi::device_math::limits<float>::inf, scale = static_cast<float>(NumberAt(p, kScale));
  const int nq = static_cast<int>(p[kNq]), nk = static_cast<int>(p[kNk]), dim = static_cast<int>(p[kDim]),
            vdim = static_cast<int>(p[kValueDim]), flat = static_cast<int>(p[kFlat]);
  const i64 blocks_of_head = (nq + kQueries - 1) / kQueries;
  const int l = Thread() % 32, warp = Thread() / 32;
  S *const ks = tiles, *const vs = tiles + kKeys * (D + 8);
  auto halves = [](const T* x) { return reinterpret_cast<const unsigned short*>(x); };
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Head at = HeadOf(block / blocks_of_head, p);
    const int first = static_cast<int>(block % blocks_of_head) * kQueries, row = first + 16 * warp + l / 4;
    const T *keys = Of(k, p + kKey, at.b, at.kv), *values = Of(v, p + kValue, at.b, at.kv);
    u32 x[D / 16][4];
    FillHalves<D, kQueries>(tiles, halves(Of(q, p + kQ, at.b, at.h)), p[kQ + 1], first, nq, dim, flat & 1);
    __nvvm_bar_sync(0);
#pragma unroll
    for (int d = 0; d < D / 16; ++d) Four<D, false>(tiles, false, 16 * warp, 16 * d, x[d]);
    float acc[D / 8][4] = {}, top[2] = {lowest, lowest}, total[2] = {};
    const int reach = Reach(first + kQueries < nq ? first + kQueries : nq, p);
    for (int k0 = 0; k0 < reach; k0 += kKeys) {
      __nvvm_bar_sync(0);
      FillHalves<D, kKeys>(ks, halves(keys), p[kKey + 1], k0, nk, dim, flat & 2);
      FillHalves<D, kKeys>(vs, halves(values), p[kValue + 1], k0, nk, vdim, flat & 4);
      __nvvm_bar_sync(0);
      float s[kKeys / 8][4] = {};
#pragma unroll
      for (int d = 0; d < D / 16; ++d)
#pragma unroll
        for (int j = 0; j < kKeys / 16; ++j) {
          u32 r[4];
          Four<D, false>(ks, true, 16 * j, 16 * d, r);
          Multiply(s[2 * j], x[d], r[0], r[1], static_cast<T*>(nullptr));
          Multiply(s[2 * j + 1], x[d], r[2], r[3], static_cast<T*>(nullptr));
        }
      // Where all keys of the tile are seen by all rows of the warp, nothing is looked up.
      const bool plain = !p[kMask] && k0 + kKeys <= nk && first + 16 * warp + 16 <= nq &&
                         (!p[kCausal] || k0 + kKeys - 1 <= first + 16 * warp + p[kOffset]);
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) s[j][e] *= scale;
      if (!plain) {
#pragma unroll
        for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            s[j][e] = Seen(s[j][e], mask, at, row + e / 2 * 8, k0 + 8 * j + l % 4 * 2 + e % 2, p);
      }
      float now[2] = {top[0], top[1]};
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) now[e / 2] = s[j][e] > now[e / 2] ? s[j][e] : now[e / 2];
      float shift[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int by = 1; by < 4; by *= 2) {
          const float other = Other(now[i], by);
          now[i] = other > now[i] ? other : now[i];
        }
        shift[i] = now[i] == lowest ? 0 : now[i];
        const float fade = Exp(top[i] - shift[i]);
        top[i] = now[i];
        total[i] *= fade;
#pragma unroll
        for (int d = 0; d < D / 8; ++d) acc[d][2 * i] *= fade, acc[d][2 * i + 1] *= fade;
      }
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float& z = s[j][e];
          z = Exp(z - shift[e / 2]);
          total[e / 2] += z;
          if (p[kKept]) z *= Kept<float>(keep, at, row + e / 2 * 8, k0 + 8 * j + l % 4 * 2 + e % 2, p);
        }
#pragma unroll
      for (int j = 0; j < kKeys / 16; ++j) {
        const u32 w[4] = {Two<T>(s[2 * j][0], s[2 * j][1]), Two<T>(s[2 * j][2], s[2 * j][3]),
                          Two<T>(s[2 * j + 1][0], s[2 * j + 1][1]), Two<T>(s[2 * j + 1][2], s[2 * j + 1][3])};
#pragma unroll
        for (int d = 0; d < D / 16; ++d) {
          u32 r[4];
          Four<D, true>(vs, false, 16 * j, 16 * d, r);
          Multiply(acc[2 * d], w, r[0], r[1], static_cast<T*>(nullptr));
          Multiply(acc[2 * d + 1], w, r[2], r[3], static_cast<T*>(nullptr));
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float sum = total[i];
      sum += Other(sum, 1);
      sum += Other(sum, 2);
      const int r = row + 8 * i;
      if (r >= nq) continue;
      const float by = nk ? 1 / sum : 0;
      T* to = out + ((at.b * nq + r) * p[kHeads] + at.h) * vdim;
#pragma unroll
      for (int d = 0; d < D / 8; ++d)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int c = 8 * d + l % 4 * 2 + e;
          if (c < vdim) to[c] = Narrow(acc[d][2 * i + e] * by, static_cast<T*>(nullptr));
        }
      if (l % 4 == 0)
        lse[(at.b * p[kHeads] + at.h) * nq + r] =
            static_cast<double>(top[i]) + phi::device_math::log(static_cast<double>(sum));
    }
    __nvvm_bar_sync(0);
  }
}

}  // namespace attend
}  // namespace

#define TENSOR_ATTENTION(name, T, D)                                                                  \
  KERNEL device_attention_mma_##D##_##name(const T* a, const T* b, const T* c, const void* mask,      \
                                           const unsigned char* keep, T* out, double* lse, NUMBERS) { \
    SHARED short tiles[attend::kQueries * (D + 8)] __attribute__((aligned(16)));                      \
    const i64 n[] = NUMBERS_OF;                                                                       \
    attend::TensorForward<D>(a, b, c, mask, keep, out, lse, tiles, n);                                \
  }
TENSOR_ATTENTION(f16, Half, 64)
TENSOR_ATTENTION(f16, Half, 128)
TENSOR_ATTENTION(bf16, Bfloat, 64)
TENSOR_ATTENTION(bf16, Bfloat, 128)
#undef NUMBERS
#undef NUMBERS_OF
