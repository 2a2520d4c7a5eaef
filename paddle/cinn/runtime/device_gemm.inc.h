// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: products of matrices, and convolutions as products with the patches of a picture.
#pragma once

namespace {

constexpr int kNumbers = 56;
// Where an element (i, k) of an operand lies. kind 0: at strides; 3: each of i and k is split in two by a divisor
// first. 1 and 2: one of them is a pixel of the result and the other a tap of the filter, and what is read is what the
// tap sees (1), or what saw it (2).
struct Operand {
  const void* data;
  const i64* p;  // kind (+ 4: i is the tap), divisor of i, two strides, divisor of k, two strides, two of the batch
  const i64* g;  // the picture
  i64 base;
};
constexpr int kKind = 0, kDivI = kKind + 1, kStrideI = kDivI + 1, kStepI = kStrideI + 1, kDivK = kStepI + 1,
              kStrideK = kDivK + 1, kStepK = kStrideK + 1, kBatch0 = kStepK + 1, kBatch1 = kBatch0 + 1,
              kOperand = kBatch1 + 1;
constexpr int kM = 0, kN = kM + 1, kK = kN + 1, kInner = kK + 1, kA = kInner + 1, kB = kA + kOperand,
              kC = kB + kOperand, kHasBias = kC + 6, kAll = kHasBias + 1, kPicture = 30;
constexpr int kIn = 0, kTap = 3, kOut = 6, kBy = 9, kApart = 12, kPad = 15, kStrideN = 18, kStrideC = 19, kStrideX = 20;

INLINE i64 Place(const Operand& o, int i, int k, bool& there) {
  const i64* p = o.p;
  const int kind = static_cast<int>(p[kKind]);
  if (kind == 0) return o.base + i * p[kStepI] + k * p[kStepK];
  if (kind == 3) {
    const int di = static_cast<int>(p[kDivI]), dk = static_cast<int>(p[kDivK]);
    const int qi = i / di, qk = k / dk;
    return o.base + qi * p[kStrideI] + (i - qi * di) * p[kStepI] + qk * p[kStrideK] + (k - qk * dk) * p[kStepK];
  }
  const i64* g = o.g;
  int pixel = kind & 4 ? k : i, tap = kind & 4 ? i : k;
  i64 at = o.base;
#pragma unroll
  for (int a = 2; a >= 0; --a) {
    const int extent = static_cast<int>(kind & 2 ? g[kIn + a] : g[kOut + a]), taps = static_cast<int>(g[kTap + a]);
    const int position = pixel % extent, t = tap % taps;
    pixel /= extent;
    tap /= taps;
    int seen;
    if (kind & 2) {
      const int by = static_cast<int>(g[kBy + a]), far = position + static_cast<int>(g[kPad + a] - t * g[kApart + a]);
      seen = far / by;
      there &= far >= 0 & far - seen * by == 0 & seen < static_cast<int>(g[kOut + a]);
    } else {
      seen =
          position * static_cast<int>(g[kBy + a]) + t * static_cast<int>(g[kApart + a]) - static_cast<int>(g[kPad + a]);
      there &= seen >= 0 & seen < static_cast<int>(g[kIn + a]);
    }
    at += seen * g[kStrideX + a];
  }
  return at + pixel * g[kStrideN] + tap * g[kStrideC];
}
template <class T>
INLINE T Fetch(const Operand& o, int i, int k, int ni, int nk) {
  T zero = {};
  bool there = i < ni & k < nk;
  const i64 at = Place(o, i, k, there);
  const T v = static_cast<const T*>(o.data)[there ? at : 0];  // no thread leaves the others of its warp
  return there ? v : zero;
}
struct Result {
  i64 base;
  const i64* p;  // divisor of the row, two strides, stride of the column, two of the batch
};
INLINE i64 At(const Result& r, int row, int column) {
  const int d = static_cast<int>(r.p[0]), q = row / d;
  return r.base + q * r.p[1] + (row - q * d) * r.p[2] + column * r.p[3];
}
template <class T, class W>
INLINE void Put(T* c, const T* bias, const Result& r, int m, int n, int row, int column, W v, const i64* p) {
  if (row >= m || column >= n) return;
  if (p[kHasBias]) v += Wide(bias[column]);
  c[At(r, row, column)] = Narrow(v, static_cast<T*>(nullptr));
}
struct Work {
  Operand a, b;
  Result c;
  int m, n, k, row, column;
};
template <int kRows, int kColumns>
INLINE Work WorkOf(i64 block, const void* a, const void* b, const i64* p) {
  Work w;
  w.m = static_cast<int>(p[kM]);
  w.n = static_cast<int>(p[kN]);
  w.k = static_cast<int>(p[kK]);
  const i64 across = (w.n + kColumns - 1) / kColumns, down = (w.m + kRows - 1) / kRows;
  const i64 batch = block / (across * down), tile = block - batch * across * down;
  const i64 outer = batch / p[kInner], inner = batch - outer * p[kInner];
  w.row = static_cast<int>(tile / across) * kRows;
  w.column = static_cast<int>(tile % across) * kColumns;
  w.a = {a, p + kA, p + kPicture, outer * p[kA + kBatch0] + inner * p[kA + kBatch1]};
  w.b = {b, p + kB, p + kPicture, outer * p[kB + kBatch0] + inner * p[kB + kBatch1]};
  w.c = {outer * p[kC + 4] + inner * p[kC + 5], p + kC};
  return w;
}

// A tile of 64 x 64, 4 x 4 elements a thread. Products are summed by 64, which rounds less than one sum of all.
template <class T, class A>
INLINE void Plain(const T* a, const T* b, T* c, const T* bias, A (&ta)[16][68], A (&tb)[16][68], const i64* p) {
  const int t = Thread(), x = t % 16, y = t / 16;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kAll]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Work w = WorkOf<64, 64>(block, a, b, p);
    const bool across = w.a.p[kStepK] == 1, along = w.b.p[kStepK] == 1;
    typename WideOf<T>::type sum[4][4] = {}, part[4][4] = {};
    for (int k = 0; k < w.k; k += 16) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int e = t + 256 * r;
        const int ia = across ? e / 16 : e % 64, ka = across ? e % 16 : e / 64;
        ta[ka][ia] = Wide(Fetch<T>(w.a, w.row + ia, k + ka, w.m, w.k));
        const int ib = along ? e / 16 : e % 64, kb = along ? e % 16 : e / 64;
        tb[kb][ib] = Wide(Fetch<T>(w.b, w.column + ib, k + kb, w.n, w.k));
      }
      __nvvm_bar_sync(0);
#pragma unroll
      for (int q = 0; q < 16; ++q)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j)
            part[i][j] = __builtin_elementwise_fma(ta[q][4 * y + i], tb[q][4 * x + j], part[i][j]);
      __nvvm_bar_sync(0);
      if (k % 64 != 48 && k + 16 < w.k) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sum[i][j] += part[i][j];
          part[i][j] = 0;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) Put(c, bias, w.c, w.m, w.n, w.row + 4 * y + i, w.column + 4 * x + j, sum[i][j], p);
  }
}

}  // namespace
