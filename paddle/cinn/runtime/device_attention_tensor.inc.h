// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: attention of halves and its gradient by tensor cores, from compute capability 8.0 on.
// A block of eight warps has 128 rows, a warp 16 of them: queries, or keys for the gradients of key and value. What the
// rows meet, the columns, comes in tiles, of which the next one is copied while one is computed with. Scores and sums
// are float32; what is multiplied for a second time is rounded to the halves.
#pragma once

namespace {
namespace attend {

// kFlat: the number that says which of q, k, v and the result's gradient are flat; in its place the gradient's first
// kernel has another one.
constexpr int kFlat = kOut, kBlockRows = 128;
constexpr float kLog2e = 1.44269504f;

// `extra`: with a mask or dropout, which take registers.
template <int D, bool extra>
struct Tiles {
  static constexpr int columns = (D == 64 ? 64 : 32) / (extra ? 2 : 1), room = columns * (D + 8);
  // The block's rows, then two tiles of each of two operands.
  static constexpr int all = 4 * room > kBlockRows*(D + 8) ? 4 * room : kBlockRows*(D + 8);
};

// Rows [first, n) of x as halves, zeros beside them, on their way after this; `flat`: eight neighbours lie together at
// multiples of 16 bytes.
template <int D, int R, class S>
INLINE void Stage(S* tile, const unsigned short* x, i64 step, int first, int n, int dim, bool flat, int thread) {
  for (int e = thread; e < R * (D / 8); e += kThreads) {
    const int r = e / (D / 8), d = e % (D / 8) * 8, row = first + r;
    S* const to = tile + r * (D + 8) + d;
    if (flat) {
      const int left = row < n ? dim - d : 0, bytes = left > 8 ? 16 : left > 0 ? 2 * left : 0;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                   :
                   : "r"(static_cast<u32>(reinterpret_cast<unsigned long>(to))), "l"(bytes ? x + row * step + d : x),
                     "r"(bytes)
                   : "memory");
    } else {
      Chunk c = {};
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (row < n && d + i < dim) c[i / 2] |= static_cast<u32>(x[row * step + d + i]) << i % 2 * 16;
      *reinterpret_cast<__attribute__((address_space(3))) Chunk*>(to) = c;
    }
  }
}
// Copies whole tiles one after another: rows that are all there, of D flat elements.
template <int D, int R>
struct Walker {
  static constexpr int rows = kThreads / (D / 8);  // that the block copies at once
  const char* from;
  i64 apart;  // bytes from such rows to the next
  u32 to;
  template <class S>
  MEMBER Walker(S* tile, const unsigned short* x, i64 step, int first) {
    const int r = Thread() / (D / 8), d = Thread() % (D / 8) * 8;
    from = reinterpret_cast<const char*>(x + (first + r) * step + d);
    apart = 2 * rows * step;
    to = static_cast<u32>(reinterpret_cast<unsigned long>(tile + r * (D + 8) + d));
  }
  MEMBER void Copy(u32 at) {
#pragma unroll
    for (int r = 0; r < R; r += rows) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at + r * (D + 8) * 2), "l"(from) : "memory");
      from += apart;
    }
  }
};
INLINE void Sent() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until what this thread sent is there; with the barrier, what all have sent.
INLINE void Arrived() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __nvvm_bar_sync(0);
}
// Four 8 x 8 matrices at rows i and elements d: of i and i + 8 with d, then with d + 8; `swapped`: d and d + 8 first.
template <int D, bool turned, class S>
INLINE void Four(S* tile, bool swapped, int i, int d, u32 (&r)[4]) {
  const int l = Thread() % 32, one = l / 8 % 2 * 8, two = l / 16 * 8;
  const int at = (i + (swapped ? two : one) + l % 8) * (D + 8) + d + (swapped ? one : two);
  LoadMatrices<!turned>(static_cast<u32>(reinterpret_cast<unsigned long>(tile + at)), r);
}
INLINE u32 Two(float low, float high, Half*) {
  u32 r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
INLINE u32 Two(float low, float high, Bfloat*) {
  u32 r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
// The same number, of which the compiler does not know that it advances: for masks' and dropout's addresses it would
// keep one for each of a thread's scores, in registers.
INLINE int Hidden(int x) {
  int same;
  asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(x));
  return same;
}
INLINE float Exp2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
INLINE float Larger(float x, float y) { return __builtin_fmaxf(x, y); }
template <class T>
INLINE const unsigned short* Halves(const T* x) {
  return reinterpret_cast<const unsigned short*>(x);
}

// The warp's 16 of the block's rows, as left operands.
template <int D, class T, class S>
INLINE void Rows(S* tiles, const T* x, i64 step, int first, int n, int dim, bool flat, u32 (&to)[D / 16][4]) {
  __nvvm_bar_sync(0);
  Stage<D, kBlockRows>(tiles, Halves(x), step, first, n, dim, flat, Thread());
  Sent();
  Arrived();
#pragma unroll
  for (int d = 0; d < D / 16; ++d) Four<D, false>(tiles, false, Thread() / 32 * 16, 16 * d, to[d]);
}
// s += rows times the columns of a tile.
template <int D, class T, class S, int N>
INLINE void Scores(float (&s)[N][4], const u32 (&rows)[D / 16][4], S* tile) {
#pragma unroll
  for (int d = 0; d < D / 16; ++d)
#pragma unroll
    for (int j = 0; j < N / 2; ++j) {
      u32 r[4];
      Four<D, false>(tile, true, 16 * j, 16 * d, r);
      Multiply(s[2 * j], rows[d], r[0], r[1], static_cast<T*>(nullptr));
      Multiply(s[2 * j + 1], rows[d], r[2], r[3], static_cast<T*>(nullptr));
    }
}
// acc += s, rounded, times the rows of a tile.
template <int D, class T, class S, int N>
INLINE void Gather(float (&acc)[D / 8][4], const float (&s)[N][4], S* tile) {
  T* const as = nullptr;
#pragma unroll
  for (int j = 0; j < N / 2; ++j) {
    const float(&low)[4] = s[2 * j], (&high)[4] = s[2 * j + 1];
    const u32 w[4] = {Two(low[0], low[1], as), Two(low[2], low[3], as), Two(high[0], high[1], as),
                      Two(high[2], high[3], as)};
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      u32 r[4];
      Four<D, true>(tile, false, 16 * j, 16 * d, r);
      Multiply(acc[2 * d], w, r[0], r[1], as);
      Multiply(acc[2 * d + 1], w, r[2], r[3], as);
    }
  }
}
// The score as a row sees it.
template <bool extra>
INLINE float AsSeen(float s, const void* mask, const Head& at, int row, int key, const i64* p) {
  if (extra) return Seen(s, mask, at, row, key, p);
  const bool hidden = row >= p[kNq] || key >= p[kNk] || (p[kCausal] && key > row + p[kOffset]);
  return hidden ? -phi::device_math::limits<float>::inf : s;
}
// Whether the rows from `row` on, 16 of them, meet all keys of a tile; where rows are keys, all queries.
template <bool extra>
INLINE bool AllSeen(int row, int rows, int column, int count, int columns, bool of_keys, const i64* p) {
  if ((extra && p[kMask]) || row + 16 > rows || column + count > columns) return false;
  return !p[kCausal] || (of_keys ? row + 15 <= column + p[kOffset] : column + count - 1 <= row + p[kOffset]);
}
// Writes the warp's rows of a result [batch, n, heads, width].
template <int D, class T>
INLINE void PutRows(T* out, i64 b, i64 h, i64 heads, int row, int n, int width, const float (&acc)[D / 8][4],
                    const float (&by)[2]) {
  const int l = Thread() % 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int r = row + 8 * i;
    if (r >= n) continue;
    T* to = out + ((b * n + r) * heads + h) * width;
#pragma unroll
    for (int d = 0; d < D / 8; ++d) {
      const int c = 8 * d + l % 4 * 2;
      if (c + 2 <= width && width % 2 == 0 && reinterpret_cast<unsigned long>(out) % 4 == 0) {
        *reinterpret_cast<u32*>(to + c) =
            Two(acc[d][2 * i] * by[i], acc[d][2 * i + 1] * by[i], static_cast<T*>(nullptr));
        continue;
      }
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (c + e < width) to[c + e] = Narrow(acc[d][2 * i + e] * by[i], static_cast<T*>(nullptr));
    }
  }
}

// What the kernels read of their numbers.
struct Extents {
  float scale;
  int nq, nk, dim, vdim, flat;
  MEMBER explicit Extents(const i64* p)
      : scale(static_cast<float>(NumberAt(p, kScale))),
        nq(static_cast<int>(p[kNq])),
        nk(static_cast<int>(p[kNk])),
        dim(static_cast<int>(p[kDim])),
        vdim(static_cast<int>(p[kValueDim])),
        flat(static_cast<int>(p[kFlat])) {}
};

// A block's queries and their softmax under way: maxima are taken with the scores', which are in powers of 2, so that
// one instruction is an exponential.
template <int D, bool extra, class T, class S>
struct ForwardRows {
  typedef Tiles<D, extra> Room;
  static constexpr int C = Room::columns, room = Room::room;
  static constexpr float lowest = -phi::device_math::limits<float>::inf;
  const Extents n;
  const i64* const p;
  S* const tiles;
  const Head at;
  const unsigned short *const keys, *const values;
  const float scale;
  const int mine, row;  // the warp's first one, and the thread's
  u32 x[D / 16][4];
  float acc[D / 8][4] = {}, top[2] = {lowest, lowest}, total[2] = {}, shift[2];

  MEMBER ForwardRows(const Extents& n, const i64* p, S* tiles, const Head& at, const T* q, const T* k, const T* v,
                     int first)
      : n(n),
        p(p),
        tiles(tiles),
        at(at),
        keys(Halves(Of(k, p + kKey, at.b, at.kv))),
        values(Halves(Of(v, p + kValue, at.b, at.kv))),
        scale(n.scale * kLog2e),
        mine(first + 16 * (Thread() / 32)),
        row(mine + Thread() % 32 / 4) {
    Rows<D>(tiles, Of(q, p + kQ, at.b, at.h), p[kQ + 1], first, n.nq, n.dim, n.flat & 1, x);
  }
  MEMBER void Copy(int now, int k0) {
    // What addresses follow from is found anew for each tile, not held while tiles are computed with.
    const int nk = Hidden(n.nk), thread = Hidden(Thread());
    Stage<D, C>(tiles + now * room, keys, p[kKey + 1], k0, nk, n.dim, n.flat & 2, thread);
    Stage<D, C>(tiles + (now + 1) * room, values, p[kValue + 1], k0, nk, n.vdim, n.flat & 4, thread);
    Sent();
  }
  MEMBER void Raise(float (&best)[2]) {
    float fade[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int by = 1; by < 4; by *= 2) best[i] = Larger(best[i], Other(best[i], by));
      shift[i] = best[i] == lowest ? 0 : best[i];
      fade[i] = Exp2(top[i] - shift[i]);
      top[i] = best[i];
      total[i] *= fade[i];
    }
    if (fade[0] != 1 || fade[1] != 1) {
#pragma unroll
      for (int d = 0; d < D / 8; ++d)
#pragma unroll
        for (int e = 0; e < 4; ++e) acc[d][e] *= fade[e / 2];
    }
  }
  // Tiles that all of the block's rows see whole, while the next one is copied, which is whole, too.
  MEMBER void AddWhole(int& k0, int whole) {
    Walker<D, C> next_keys(tiles, keys, p[kKey + 1], C), next_values(tiles + room, values, p[kValue + 1], C);
    for (; k0 < whole; k0 += 2 * C) {
#pragma unroll
      for (int u = 0; u < 4; u += 2) {  // two, so that addresses are known
        Arrived();
        next_keys.Copy((u ^ 2) * room * 2);
        next_values.Copy((u ^ 2) * room * 2);
        Sent();
        float s[C / 8][4] = {}, best[2] = {lowest, lowest};
        Scores<D, T>(s, x, tiles + u * room);
#pragma unroll
        for (int j = 0; j < C / 8; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) best[e / 2] = Larger(best[e / 2], s[j][e]);
#pragma unroll
        for (int i = 0; i < 2; ++i) best[i] = Larger(best[i] * scale, top[i]);
        Raise(best);
#pragma unroll
        for (int j = 0; j < C / 8; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            s[j][e] = Exp2(__builtin_elementwise_fma(s[j][e], scale, -shift[e / 2]));
            total[e / 2] += s[j][e];
          }
        Gather<D, T>(acc, s, tiles + (u + 1) * room);
      }
    }
  }
  MEMBER void AddSeen(int k0, int reach, const void* mask, const unsigned char* keep) {
    const int l = Thread() % 32;
    for (int now = 0; k0 < reach; k0 += C, now ^= 2) {
      Arrived();
      if (k0 + C < reach) Copy(now ^ 2, k0 + C);
      const int at_key = Hidden(k0) + l % 4 * 2;
      float s[C / 8][4] = {}, best[2] = {top[0], top[1]};
      Scores<D, T>(s, x, tiles + now * room);
      const bool all = AllSeen<extra>(mine, n.nq, k0, C, n.nk, false, p);
#pragma unroll
      for (int j = 0; j < C / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float& z = s[j][e];
          z = all ? z * scale
                  : AsSeen<extra>(z * (scale / kLog2e), mask, at, row + e / 2 * 8, at_key + 8 * j + e % 2, p) * kLog2e;
          best[e / 2] = Larger(best[e / 2], z);
        }
      Raise(best);
#pragma unroll
      for (int j = 0; j < C / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float& z = s[j][e];
          z = Exp2(z - shift[e / 2]);
          total[e / 2] += z;
          if (extra && p[kKept]) z *= Kept<float>(keep, at, row + e / 2 * 8, at_key + 8 * j + e % 2, p);
        }
      Gather<D, T>(acc, s, tiles + (now + 1) * room);
    }
  }
  MEMBER void Put(T* out, double* lse) {
    float by[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float sum = total[i];
      sum += Other(sum, 1);
      sum += Other(sum, 2);
      by[i] = n.nk ? 1 / sum : 0;
      const int r = row + 8 * i;
      if (r < n.nq && Thread() % 32 % 4 == 0)
        lse[(at.b * p[kHeads] + at.h) * n.nq + r] =
            static_cast<double>(top[i]) / 1.4426950408889634 + phi::device_math::log(static_cast<double>(sum));
    }
    PutRows<D>(out, at.b, at.h, p[kHeads], row, n.nq, n.vdim, acc, by);
    Arrived();
  }
};

template <int D, bool extra, class T, class S>
INLINE void TensorForward(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep, T* out,
                          double* lse, S* tiles, const i64* p) {
  constexpr int C = Tiles<D, extra>::columns;
  const Extents n(p);
  const i64 blocks_of_head = (n.nq + kBlockRows - 1) / kBlockRows;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const int first = static_cast<int>(block % blocks_of_head) * kBlockRows;
    ForwardRows<D, extra, T, S> rows(n, p, tiles, HeadOf(block / blocks_of_head, p), q, k, v, first);
    const int reach = Reach(first + kBlockRows < n.nq ? first + kBlockRows : n.nq, p);
    __nvvm_bar_sync(0);
    rows.Copy(0, 0);
    int k0 = 0;
    if (!extra && rows.scale >= 0 && (n.flat & 6) == 6 && n.dim == D && n.vdim == D) {
      const int seen = p[kCausal] ? first + 1 + static_cast<int>(p[kOffset]) : n.nk;
      rows.AddWhole(k0, ((seen < n.nk ? seen : n.nk) / C - 1) / 2 * 2 * C);
    }
    rows.AddSeen(k0, reach, mask, keep);
    rows.Put(out, lse);
  }
}

// The gradient of query: rows are queries, of which the probabilities are computed again. Of key and of value: rows
// are keys, and columns the queries of all heads that share them.
enum class Side { kQuery, kKey, kValue };
template <Side side, int D, bool extra, class T, class S, class F>
struct GradRows {
  static constexpr bool of_keys = side != Side::kQuery, of_value = side == Side::kValue;
  typedef Tiles<D, extra> Room;
  static constexpr int C = Room::columns, room = Room::room;
  const T *const q, *const k, *const v, *const dout;
  S* const tiles;
  F* const sums;
  const i64* const p;
  const Extents n;
  const i64 b, h;
  const int mine, row;  // the warp's first one, and the thread's
  u32 x[D / 16][4], y[D / 16][4];
  float acc[D / 8][4] = {}, sum[2], mean[2];

  MEMBER GradRows(const T* q, const T* k, const T* v, const T* dout, S* tiles, F* sums, const i64* p, const Extents& n,
                  i64 b, i64 h, int first)
      : q(q),
        k(k),
        v(v),
        dout(dout),
        tiles(tiles),
        sums(sums),
        p(p),
        n(n),
        b(b),
        h(h),
        mine(first + 16 * (Thread() / 32)),
        row(mine + Thread() % 32 / 4) {
    if (of_keys) {
      Rows<D>(tiles, Of(k, p + kKey, b, h), p[kKey + 1], first, n.nk, n.dim, n.flat & 2, x);
      if (!of_value) Rows<D>(tiles, Of(v, p + kValue, b, h), p[kValue + 1], first, n.nk, n.vdim, n.flat & 4, y);
    } else {
      Rows<D>(tiles, Of(q, p + kQ, b, h), p[kQ + 1], first, n.nq, n.dim, n.flat & 1, x);
      Rows<D>(tiles, Of(dout, p + kGrad, b, h), p[kGrad + 1], first, n.nq, n.vdim, n.flat & 8, y);
    }
  }
  // Columns from c0 on of a head, with what they were divided by and their means where they are queries.
  MEMBER void Copy(int now, int c0, const Head& at, const double* lses, const double* deltas) {
    if (of_keys) {
      Stage<D, C>(tiles + now * room, Halves(Of(q, p + kQ, b, at.h)), p[kQ + 1], c0, n.nq, n.dim, n.flat & 1, Thread());
      Stage<D, C>(tiles + (now + 1) * room, Halves(Of(dout, p + kGrad, b, at.h)), p[kGrad + 1], c0, n.nq, n.vdim,
                  n.flat & 8, Thread());
      if (Thread() < C) {
        const bool there = c0 + Thread() < n.nq;
        sums[now * C + Thread()] = there ? static_cast<float>(lses[c0 + Thread()]) * kLog2e : 0;
        sums[(now + 1) * C + Thread()] = there ? static_cast<float>(deltas[c0 + Thread()]) : 0;
      }
    } else {
      Stage<D, C>(tiles + now * room, Halves(Of(k, p + kKey, b, at.kv)), p[kKey + 1], c0, n.nk, n.dim, n.flat & 2,
                  Thread());
      Stage<D, C>(tiles + (now + 1) * room, Halves(Of(v, p + kValue, b, at.kv)), p[kValue + 1], c0, n.nk, n.vdim,
                  n.flat & 4, Thread());
    }
    Sent();
  }
  MEMBER void TakeSums(const double* lses, const double* deltas) {
    sum[0] = sum[1] = mean[0] = mean[1] = 0;
    if (of_keys) return;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (row + 8 * i >= n.nq) continue;
      sum[i] = static_cast<float>(lses[row + 8 * i]) * kLog2e;
      mean[i] = static_cast<float>(deltas[row + 8 * i]);
    }
  }
  // Adds what a tile of columns, that begins at c0, gives.
  MEMBER void Add(int now, int c0, const Head& at, const void* mask, const unsigned char* keep) {
    const int l = Thread() % 32, column = Hidden(c0) + l % 4 * 2, rows = of_keys ? n.nk : n.nq;
    S *const one = tiles + now * room, *const two = one + room;
    float s[C / 8][4] = {};
    Scores<D, T>(s, x, one);
    auto each = [&](auto&& change) {
#pragma unroll
      for (int j = 0; j < C / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int in = 8 * j + l % 4 * 2 + e % 2;
          change(s[j][e], row + e / 2 * 8, column + 8 * j + e % 2, of_keys ? sums[now * C + in] : sum[e / 2]);
        }
    };
    if (AllSeen<extra>(mine, rows, c0, C, of_keys ? n.nq : n.nk, of_keys, p))
      each([&](float& z, int, int, float total) { z = Exp2(__builtin_elementwise_fma(z, n.scale * kLog2e, -total)); });
    else
      each([&](float& z, int r, int c, float total) {
        z = AsSeen<extra>(z * n.scale, mask, at, of_keys ? c : r, of_keys ? r : c, p);
        z = Exp2(__builtin_elementwise_fma(z, kLog2e, -total));
      });
    if (extra && of_value && p[kKept])
      each([&](float& z, int r, int c, float) { z *= Kept<float>(keep, at, c, r, p); });
    if (!of_value) {
      float g[C / 8][4] = {};
      Scores<D, T>(g, y, two);
#pragma unroll
      for (int j = 0; j < C / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int r = row + e / 2 * 8, in = 8 * j + l % 4 * 2 + e % 2, c = column + 8 * j + e % 2;
          if (extra && p[kKept]) g[j][e] *= Kept<float>(keep, at, of_keys ? c : r, of_keys ? r : c, p);
          s[j][e] *= g[j][e] - (of_keys ? sums[(now + 1) * C + in] : mean[e / 2]);
        }
    }
    Gather<D, T>(acc, s, of_value ? two : one);
  }
};

template <Side side, int D, bool extra, class T, class S, class F>
INLINE void TensorGrad(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep,
                       const double* lse, const double* delta, const T* dout, T* out, S* tiles, F* sums, const i64* p) {
  constexpr bool of_keys = side != Side::kQuery, of_value = side == Side::kValue;
  constexpr int C = Tiles<D, extra>::columns;
  const Extents n(p);
  const int rows = of_keys ? n.nk : n.nq;
  const i64 heads = of_keys ? p[kKeyHeads] : p[kHeads], shared = of_keys ? p[kHeads] / p[kKeyHeads] : 1;
  const i64 blocks_of_head = (rows + kBlockRows - 1) / kBlockRows;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const i64 head = block / blocks_of_head, b = head / heads, h = head - b * heads;
    const int first = static_cast<int>(block % blocks_of_head) * kBlockRows;
    GradRows<side, D, extra, T, S, F> mine(q, k, v, dout, tiles, sums, p, n, b, h, first);
    int from = 0, end = of_keys ? n.nq : n.nk;
    if (of_keys && p[kCausal]) {
      const i64 least = first - p[kOffset];
      from = static_cast<int>(least < 0 ? 0 : least < n.nq ? least : n.nq);
    }
    if (!of_keys) end = Reach(first + kBlockRows < n.nq ? first + kBlockRows : n.nq, p);
    for (i64 each = h * shared; each < (h + 1) * shared; ++each) {
      const Head at = {b, each, of_keys ? h : h / (p[kHeads] / p[kKeyHeads])};
      const double *lses = lse + (b * p[kHeads] + each) * n.nq, *deltas = delta + (b * p[kHeads] + each) * n.nq;
      mine.TakeSums(lses, deltas);
      __nvvm_bar_sync(0);
      if (from < end) mine.Copy(0, from, at, lses, deltas);
      int now = 0;
      for (int c0 = from; c0 < end; c0 += C, now ^= 2) {
        Arrived();
        if (c0 + C < end) mine.Copy(now ^ 2, c0 + C, at, lses, deltas);
        mine.Add(now, c0, at, mask, keep);
      }
    }
    const float by[2] = {of_value ? 1 : n.scale, of_value ? 1 : n.scale};
    PutRows<D>(out, b, h, heads, mine.row, rows, of_value ? n.vdim : n.dim, mine.acc, by);
    Arrived();
  }
}

}  // namespace attend
}  // namespace

#define TENSOR_GRADIENT(name, T, D, which, side, extra)                                                           \
  KERNEL device_attention_mma_##which##_##D##_##name(const T* a, const T* b, const T* c, const void* mask,        \
                                                     const unsigned char* keep, const double* lse,                \
                                                     const double* delta, const T* dout, T* out, NUMBERS) {       \
    typedef attend::Tiles<D, extra> Room;                                                                         \
    SHARED short tiles[Room::all] __attribute__((aligned(16)));                                                   \
    SHARED float sums[4 * Room::columns];                                                                         \
    const i64 n[] = NUMBERS_OF;                                                                                   \
    attend::TensorGrad<attend::Side::side, D, extra>(a, b, c, mask, keep, lse, delta, dout, out, tiles, sums, n); \
  }
#define TENSOR_FORWARD(name, T, D, which, extra)                                                               \
  KERNEL device_attention_mma##which##_##D##_##name(const T* a, const T* b, const T* c, const void* mask,      \
                                                    const unsigned char* keep, T* out, double* lse, NUMBERS) { \
    SHARED short tiles[attend::Tiles<D, extra>::all] __attribute__((aligned(16)));                             \
    const i64 n[] = NUMBERS_OF;                                                                                \
    attend::TensorForward<D, extra>(a, b, c, mask, keep, out, lse, tiles, n);                                  \
  }
#define TENSOR_ATTENTION(name, T, D)                     \
  TENSOR_FORWARD(name, T, D, , false)                    \
  TENSOR_FORWARD(name, T, D, _extra, true)               \
  TENSOR_GRADIENT(name, T, D, query, kQuery, false)      \
  TENSOR_GRADIENT(name, T, D, query_extra, kQuery, true) \
  TENSOR_GRADIENT(name, T, D, key, kKey, false)          \
  TENSOR_GRADIENT(name, T, D, key_extra, kKey, true)     \
  TENSOR_GRADIENT(name, T, D, value, kValue, false)      \
  TENSOR_GRADIENT(name, T, D, value_extra, kValue, true)
TENSOR_ATTENTION(f16, Half, 64)
TENSOR_ATTENTION(f16, Half, 128)
TENSOR_ATTENTION(bf16, Bfloat, 64)
TENSOR_ATTENTION(bf16, Bfloat, 128)
#undef NUMBERS
#undef NUMBERS_OF
