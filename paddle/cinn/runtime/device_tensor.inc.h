// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: products of matrices by tensor cores, from compute capability 8.0 on. A block of eight
// warps makes 128 x 128 elements, a warp 64 x 32 of them.
#pragma once

namespace {

typedef u32 Chunk __attribute__((ext_vector_type(4)));
constexpr int kTile = 128, kDeep = 32, kPitch = kDeep + 8, kLong = kTile + 8, kRoom = kTile * kPitch;

// Eight neighbours along k (kind of `flat`: 1) or along i (2) that lie together at a multiple of 16 bytes; 0: no such
// promise.
INLINE Chunk Neighbours(const Operand& o, bool along_k, int flat, int i, int k, int ni, int nk) {
  if (flat && (along_k ? i < ni && k + 8 <= nk : k < nk && i + 8 <= ni))
    return *reinterpret_cast<const Chunk*>(static_cast<const short*>(o.data) + o.base + i * o.p[kStepI] +
                                           k * o.p[kStepK]);
  Chunk c = {};
#pragma nounroll  // one element after another: addresses of all at once would take too many registers
  for (int e = 0; e < 8; e += 2) {
    const int di = along_k ? 0 : 1, dk = 1 - di;
    const unsigned short low = Fetch<unsigned short>(o, i + e * di, k + e * dk, ni, nk);
    const unsigned short high = Fetch<unsigned short>(o, i + (e + 1) * di, k + (e + 1) * dk, ni, nk);
    c = Chunk{c[1], c[2], c[3], low | static_cast<u32>(high) << 16};
  }
  return c;
}
// A tile is [i][k] where neighbours lie along k, else [k][i].
INLINE void Load(const Operand& o, bool along_k, int flat, int i, int k, int ni, int nk, Chunk (&c)[2]) {
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    const int e = Thread() + 256 * v;
    c[v] = along_k ? Neighbours(o, true, flat, i + e / 4, k + e % 4 * 8, ni, nk)
                   : Neighbours(o, false, flat, i + e % 16 * 8, k + e / 16, ni, nk);
  }
}
template <class S>
INLINE void Keep(S* tile, bool along_k, const Chunk (&c)[2]) {
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    const int e = Thread() + 256 * v, at = along_k ? e / 4 * kPitch + e % 4 * 8 : e / 16 * kLong + e % 16 * 8;
    *reinterpret_cast<__attribute__((address_space(3))) Chunk*>(tile + at) = c[v];
  }
}
// Four 8 x 8 matrices, of which a lane reads a row at `from`.
template <bool along_k>
INLINE void LoadMatrices(u32 from, u32 (&r)[4]) {
  if (along_k)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
// Four 8 x 8 matrices at (i, k): those of i and i + 8 with k, then with k + 8; `swapped`: k and k + 8 first.
template <class S>
INLINE void Matrices(S* tile, bool along_k, bool swapped, int i, int k, u32 (&r)[4]) {
  const int l = Thread() % 32, one = l / 8 % 2 * 8, two = l / 16 * 8;
  const int di = swapped ? two : one, dk = swapped ? one : two;
  const int at = along_k ? (i + di + l % 8) * kPitch + k + dk : (k + dk + l % 8) * kLong + i + di;
  const u32 from = static_cast<u32>(reinterpret_cast<unsigned long>(tile + at));
  along_k ? LoadMatrices<true>(from, r) : LoadMatrices<false>(from, r);
}
#define MULTIPLY(shape, in)                                        \
  asm volatile("mma.sync.aligned." shape ".row.col.f32." in "." in \
               ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "      \
               "{%0,%1,%2,%3};"                                    \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
INLINE void Multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1, Half*) { MULTIPLY("m16n8k16", "f16"); }
INLINE void Multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1, Bfloat*) { MULTIPLY("m16n8k16", "bf16"); }
INLINE void Multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1, float*) { MULTIPLY("m16n8k8", "tf32"); }

template <class T>
INLINE void PutAll(const Work& w, T* c, const T* bias, const float (&d)[4][4][4], int row, int column, const i64* p) {
  const int l = Thread() % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        Put(c, bias, w.c, w.m, w.n, w.row + row + 16 * i + l / 4 + e / 2 * 8,
            w.column + column + 8 * j + l % 4 * 2 + e % 2, d[i][j][e], p);
}

template <class T, class S>
INLINE void Tensor(const T* a, const T* b, T* c, const T* bias, S* tiles, const i64* p) {
  const int warp = Thread() / 32, row = warp / 4 * 64, column = warp % 4 * 32;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kAll]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Work w = WorkOf<kTile, kTile>(block, a, b, p);
    const int fa = static_cast<int>(p[53]), fb = static_cast<int>(p[54]);
    const bool ka = p[kA + kStepK] == 1, kb = p[kB + kStepK] == 1;
    float d[4][4][4] = {};
    Chunk ca[2], cb[2];
    Load(w.a, ka, fa, w.row, 0, w.m, w.k, ca);
    Load(w.b, kb, fb, w.column, 0, w.n, w.k, cb);
    Keep(tiles, ka, ca);
    Keep(tiles + kRoom, kb, cb);
    __nvvm_bar_sync(0);
    int now = 0;
    for (int k = 0; k < w.k; k += kDeep, now ^= 2 * kRoom) {
      const bool more = k + kDeep < w.k;
      if (more) {
        Load(w.a, ka, fa, w.row, k + kDeep, w.m, w.k, ca);
        Load(w.b, kb, fb, w.column, k + kDeep, w.n, w.k, cb);
      }
#pragma unroll
      for (int q = 0; q < kDeep; q += 16) {
        u32 ra[4][4], rb[2][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) Matrices(tiles + now, ka, false, row + 16 * i, q, ra[i]);
#pragma unroll
        for (int j = 0; j < 2; ++j) Matrices(tiles + now + kRoom, kb, true, column + 16 * j, q, rb[j]);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j)
            Multiply(d[i][j], ra[i], rb[j / 2][j % 2 * 2], rb[j / 2][j % 2 * 2 + 1], static_cast<T*>(nullptr));
      }
      if (more) {
        Keep(tiles + (now ^ 2 * kRoom), ka, ca);
        Keep(tiles + (now ^ 2 * kRoom) + kRoom, kb, cb);
      }
      __nvvm_bar_sync(0);
    }
    PutAll(w, c, bias, d, row, column, p);
  }
}

// float32 rounded to the 10 bits of mantissa that tensor cores take.
INLINE u32 Rounded(float x) {
  const u32 b = __builtin_bit_cast(u32, x);
  return x != x ? b : (b + 0x1000) & ~0x1fffu;
}
template <class A>
INLINE void Tf32(const float* a, const float* b, float* c, const float* bias, A (&ta)[16][136], A (&tb)[16][136],
                 const i64* p) {
  const int t = Thread(), warp = t / 32, l = t % 32, row = warp / 4 * 64, column = warp % 4 * 32;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kAll]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Work w = WorkOf<kTile, kTile>(block, a, b, p);
    const bool across = w.a.p[kStepK] == 1, along = w.b.p[kStepK] == 1;
    float d[4][4][4] = {};
    for (int k = 0; k < w.k; k += 16) {
#pragma unroll
      for (int v = 0; v < 8; ++v) {
        const int e = t + 256 * v;
        const int ia = across ? e / 16 : e % 128, ka = across ? e % 16 : e / 128;
        ta[ka][ia] = Rounded(Fetch<float>(w.a, w.row + ia, k + ka, w.m, w.k));
        const int ib = along ? e / 16 : e % 128, kb = along ? e % 16 : e / 128;
        tb[kb][ib] = Rounded(Fetch<float>(w.b, w.column + ib, k + kb, w.n, w.k));
      }
      __nvvm_bar_sync(0);
#pragma unroll
      for (int q = 0; q < 16; q += 8) {
        const int x = l / 4, y = q + l % 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int r = row + 16 * i + x;
          const u32 ra[4] = {ta[y][r], ta[y][r + 8], ta[y + 4][r], ta[y + 4][r + 8]};
#pragma unroll
          for (int j = 0; j < 4; ++j)
            Multiply(d[i][j], ra, tb[y][column + 8 * j + x], tb[y + 4][column + 8 * j + x],
                     static_cast<float*>(nullptr));
        }
      }
      __nvvm_bar_sync(0);
    }
    PutAll(w, c, bias, d, row, column, p);
  }
}

}  // namespace

#define NUMBERS EIGHT(p), EIGHT(q), EIGHT(r), EIGHT(s), EIGHT(t), EIGHT(u), EIGHT(v)
#define ALL(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7
#define NUMBERS_OF \
  { ALL(p), ALL(q), ALL(r), ALL(s), ALL(t), ALL(u), ALL(v) }

#define PLAIN(name, T)                                                              \
  KERNEL device_gemm_##name(const T* a, const T* b, T* c, const T* bias, NUMBERS) { \
    typedef WideOf<T>::type W;                                                      \
    SHARED W ta[16][68], tb[16][68];                                                \
    const i64 n[] = NUMBERS_OF;                                                     \
    Plain(a, b, c, bias, ta, tb, n);                                                \
  }
PLAIN(f32, float)
PLAIN(f64, double)
PLAIN(f16, Half)
PLAIN(bf16, Bfloat)
#define TENSOR(name, T)                                                            \
  KERNEL device_mma_##name(const T* a, const T* b, T* c, const T* bias, NUMBERS) { \
    SHARED short tiles[4 * kRoom] __attribute__((aligned(16)));                    \
    const i64 n[] = NUMBERS_OF;                                                    \
    Tensor(a, b, c, bias, tiles, n);                                               \
  }
TENSOR(f16, Half)
TENSOR(bf16, Bfloat) KERNEL device_mma_f32(const float* a, const float* b, float* c, const float* bias, NUMBERS) {
  SHARED u32 ta[16][136], tb[16][136];
  const i64 n[] = NUMBERS_OF;
  Tf32(a, b, c, bias, ta, tb, n);
}
