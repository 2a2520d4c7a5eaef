// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: products of halves whose rows or columns lie together at multiples of 16 bytes, by
// tensor cores, from compute capability 8.0 on. A block of four warps makes 128 x 64 elements, a warp 64 x 32 of them,
// while the next tile is copied to the block's memory. Two or three blocks share a multiprocessor, by registers: 16
// multiplications need six reads of the block's memory there, where a warp of 32 x 32 has eight reads for as many.
#pragma once

namespace {
namespace flat {

constexpr int kRows = 128, kColumns = 64, kStep = 32, kThreads = 128;
constexpr int kHigh = 64;  // rows of a warp, which has 32 columns

// A tile of n rows: [i][k] where neighbours lie along k, else [k][i]; 8 halves beside each line keep banks apart. Of
// lines along k a thread copies one chunk of eight halves in each of `chunks` rows, of those along i all its chunks of
// one line.
template <int n, bool along_k>
struct Tile {
  static constexpr int pitch = (along_k ? kStep : n) + 8, size = (along_k ? n : kStep) * pitch,
                       chunks = n * kStep / 8 / kThreads, threads = (along_k ? kStep : n / chunks) / 8,
                       apart = along_k ? kThreads / threads * pitch : n / chunks;  // halves between its chunks
};

// What a thread copies of the tiles of one operand: along k from an address a chunk, along i from one that walks.
template <int n, bool along_k>
struct Copier {
  typedef Tile<n, along_k> To;
  static constexpr int kAddresses = along_k ? To::chunks : 1;
  const char* from[kAddresses];
  i64 step;  // bytes from one tile to the next
  u32 to;
  int bytes[To::chunks];  // of each chunk: none where its rows are not there

  // Copies the first tile, which has the first `there` of k, zeros beside them.
  template <class S>
  MEMBER void Start(S* tile, const void* x, i64 base, i64 step_i, i64 step_k, int first, int ni, int there) {
    const int line = Thread() / To::threads, eight = Thread() % To::threads * 8, k = along_k ? eight : line;
    to = static_cast<u32>(reinterpret_cast<unsigned long>(tile + line * To::pitch + eight));
    step = 2 * kStep * step_k;
#pragma unroll
    for (int c = 0; c < To::chunks; ++c) {
      const int i = first + (along_k ? line + c * (kThreads / To::threads) : eight + c * To::apart);
      bytes[c] = i < ni ? 16 : 0;
      const char* const at = static_cast<const char*>(x) + (base + (bytes[c] ? i : first) * step_i + k * step_k) * 2;
      Copy(c, 0, at, k < there ? bytes[c] : 0);
      if (c < kAddresses) from[c] = at + there * step_k * 2;
    }
  }
  MEMBER void Copy(int c, u32 at, const char* x, int n_bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + at + c * To::apart * 2), "l"(x),
                 "r"(n_bytes)
                 : "memory");
  }
  // Copies the next tile; along k, the one that comes `ahead` after those passed.
  MEMBER void Copy(u32 at, int ahead) {
#pragma unroll
    for (int c = 0; c < To::chunks; ++c)
      Copy(c, at, along_k ? from[c] + ahead * 2 * kStep : from[0] + c * To::apart * 2, bytes[c]);
    if (!along_k) from[0] += step;
  }
  MEMBER void Pass(int tiles) {
#pragma unroll
    for (int c = 0; along_k && c < kAddresses; ++c) from[c] += tiles * 2 * kStep;
  }
};

// Where the row lies that a lane reads of the matrices at (i, 0): those of i and i + 8 with k, then with k + 8;
// `swapped`: k and k + 8 first.
template <int n, bool along_k, class S>
INLINE u32 RowOf(S* tile, bool swapped, int i) {
  const int l = Thread() % 32, one = l / 8 % 2 * 8, two = l / 16 * 8;
  const int di = swapped ? two : one, dk = swapped ? one : two;
  const int at = along_k ? (i + di + l % 8) * Tile<n, true>::pitch + dk : (dk + l % 8) * Tile<n, false>::pitch + i + di;
  return static_cast<u32>(reinterpret_cast<unsigned long>(tile + at));
}
// Bytes from there to the matrices `di` rows and `dk` of k further.
template <int n, bool along_k>
INLINE u32 Further(int di, int dk) {
  return 2 * (along_k ? di * Tile<n, true>::pitch + dk : dk * Tile<n, false>::pitch + di);
}

template <class T>
INLINE u32 Two(float low, float high) {
  T* const as = nullptr;
  return Narrow(low, as).bits | static_cast<u32>(Narrow(high, as).bits) << 16;
}

template <bool ka, bool kb, class T>
INLINE void Step(u32 a, u32 b, float (&d)[kHigh / 16][4][4]) {
#pragma unroll
  for (int q = 0; q < kStep; q += 16) {
    u32 ra[kHigh / 16][4], rb[4];
#pragma unroll
    for (int i = 0; i < kHigh / 16; ++i) LoadMatrices<ka>(a + Further<kRows, ka>(16 * i, q), ra[i]);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      LoadMatrices<kb>(b + Further<kColumns, kb>(16 * j, q), rb);
#pragma unroll
      for (int i = 0; i < kHigh / 16; ++i) {
        Multiply(d[i][2 * j], ra[i], rb[0], rb[1], static_cast<T*>(nullptr));
        Multiply(d[i][2 * j + 1], ra[i], rb[2], rb[3], static_cast<T*>(nullptr));
      }
    }
  }
}

#define ARRIVED                                        \
  asm volatile("cp.async.wait_group 0;" ::: "memory"); \
  __nvvm_bar_sync(0);
#define SENT asm volatile("cp.async.commit_group;" ::: "memory");

// Rounds of some tiles, of which an even number was passed, so that addresses within are known.
template <int round, bool ka, bool kb, class T>
INLINE void Rounds(int& whole, Copier<kRows, ka>& left, Copier<kColumns, kb>& right, u32 stage, u32 a, u32 b,
                   float (&d)[kHigh / 16][4][4]) {
  for (; whole >= round; whole -= round) {
#pragma unroll
    for (int s = 0; s < round; ++s) {
      ARRIVED
      left.Copy(s % 2 ? 0 : stage, s);
      right.Copy(s % 2 ? 0 : stage, s);
      SENT Step<ka, kb, T>(a + s % 2 * stage, b + s % 2 * stage, d);
    }
    left.Pass(round);
    right.Pass(round);
  }
}

template <bool ka, bool kb, class T, class S>
INLINE void Product(const T* a, const T* b, T* c, const T* bias, S* tiles, const i64* p) {
  constexpr u32 room = Tile<kRows, ka>::size + Tile<kColumns, kb>::size, stage = 2 * room;
  const int warp = Thread() / 32, row = warp / 2 * kHigh, column = warp % 2 * 32, l = Thread() % 32;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kAll]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Work w = WorkOf<kRows, kColumns>(block, a, b, p);
    Copier<kRows, ka> left;
    Copier<kColumns, kb> right;
    // The first tile may lack some of k; the others are whole.
    const int lacking = w.k % kStep, first = lacking ? lacking : kStep;
    left.Start(tiles, a, w.a.base, p[kA + kStepI], p[kA + kStepK], w.row, w.m, first);
    right.Start(tiles + Tile<kRows, ka>::size, b, w.b.base, p[kB + kStepI], p[kB + kStepK], w.column, w.n, first);
    SENT const u32 from_a = RowOf<kRows, ka>(tiles, false, row),
                   from_b = RowOf<kColumns, kb>(tiles + Tile<kRows, ka>::size, true, column);
    float d[kHigh / 16][4][4] = {};
    int whole = (w.k - first) / kStep;  // tiles that are still to be copied
    Rounds<16, ka, kb, T>(whole, left, right, stage, from_a, from_b, d);
    Rounds<4, ka, kb, T>(whole, left, right, stage, from_a, from_b, d);
    for (u32 now = 0; whole >= 0; --whole, now = stage - now) {
      ARRIVED
      if (whole) {
        left.Copy(stage - now, 0), right.Copy(stage - now, 0);
        left.Pass(1), right.Pass(1);
      }
      SENT flat::Step<ka, kb, T>(from_a + now, from_b + now, d);
    }
#pragma unroll
    for (int i = 0; i < kHigh / 16; ++i)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int y = w.row + row + 16 * i + l / 4 + 8 * e;
        T* const to = c + w.c.base + static_cast<i64>(y) * w.n;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const int x = w.column + column + 8 * j + l % 4 * 2;
          float v[2] = {d[i][j][2 * e], d[i][j][2 * e + 1]};
          if (y >= w.m || x >= w.n) continue;
          if (p[kHasBias]) {
            v[0] += Wide(bias[x]);
            if (x + 1 < w.n) v[1] += Wide(bias[x + 1]);
          }
          if (w.n % 2 == 0) {  // both are there, at a multiple of 4 bytes
            *reinterpret_cast<u32*>(to + x) = Two<T>(v[0], v[1]);
          } else {
            to[x] = Narrow(v[0], static_cast<T*>(nullptr));
            if (x + 1 < w.n) to[x + 1] = Narrow(v[1], static_cast<T*>(nullptr));
          }
        }
      }
    __nvvm_bar_sync(0);
  }
}

}  // namespace flat
}  // namespace

#define FLAT(name, T, layout, ka, kb)                                                                  \
  KERNEL device_flat_##layout##_##name(const T* a, const T* b, T* c, const T* bias, NUMBERS) {         \
    SHARED short tiles[2 * (flat::Tile<flat::kRows, ka>::size + flat::Tile<flat::kColumns, kb>::size)] \
        __attribute__((aligned(16)));                                                                  \
    const i64 n[] = NUMBERS_OF;                                                                        \
    flat::Product<ka, kb>(a, b, c, bias, tiles, n);                                                    \
  }
// Layouts say of each operand whether neighbours lie along k.
#define FLATS(name, T)            \
  FLAT(name, T, 00, false, false) \
  FLAT(name, T, 01, false, true)  \
  FLAT(name, T, 10, true, false)  \
  FLAT(name, T, 11, true, true)
FLATS(f16, Half)
FLATS(bf16, Bfloat)
#undef NUMBERS
#undef NUMBERS_OF
