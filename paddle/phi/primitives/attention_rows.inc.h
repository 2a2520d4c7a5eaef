// SPDX-License-Identifier: Apache-2.0
// What the forward and backward loops of attention share: packing a head, masks, the exponentials of a row.
#pragma once

#include "paddle/phi/backends/cpu/attention_args.inc.h"
#include "paddle/phi/primitives/attention_tile.inc.h"
#include "paddle/phi/primitives/softmax_exp.inc.h"

namespace phi::PD_ISA {
namespace {

using Args = ::phi::cpu::AttentionArgs;
using Rows = ::phi::cpu::AttentionRows;

constexpr int64_t kQueries = 64, kLanes = 32;

constexpr int64_t Up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }
template <class T>
constexpr T kLowest = -static_cast<T>(__builtin_inff());

inline const char* At(const Rows& r, int64_t size, int64_t b, int64_t i, int64_t h) {
  return static_cast<const char*>(r.p) + (b * r.batch + i * r.row + h * r.head) * size;
}

// Takes its pieces from the front of the scratch memory.
template <class T>
struct Arena {
  T* p;
  T* Take(int64_t n) {
    T* r = p;
    p += Up(n, 64 / sizeof(T));
    return r;
  }
};

// Rows [0, n) of a head as panels of transposed keys: panel j has keys [j * panel, (j + 1) * panel).
template <class V>
void PackTransposed(int t, const char* p, int64_t row_bytes, int64_t n, int64_t cols, typename V::T* d, typename V::T* tmp) {
  using T = typename V::T;
  constexpr int64_t panel = Product<V>::kPanel;
  const bool direct = t == (sizeof(T) == 4 ? kF32 : kF64);
  for (int64_t i = 0; i < n; i += panel, d += panel * cols, p += panel * row_bytes) {
    const int64_t rows = Least(panel, n - i);
    if (direct) {
      TransposePanel(reinterpret_cast<const T*>(p), row_bytes / static_cast<int64_t>(sizeof(T)), rows, cols, panel, d);
    } else {
      LoadRows(t, p, row_bytes, rows, cols, cols, tmp);
      TransposePanel(tmp, cols, rows, cols, panel, d);
    }
  }
}

template <class T>
void LoadQueries(const Args& a, int64_t b, int64_t h, int64_t q0, int64_t rows, int64_t ld, T* d) {
  const int64_t es = ElemSize(a.type);
  LoadRows(a.type, At(a.q, es, b, q0, h), a.q.row * es, rows, a.dim, ld, d);
  const T scale = static_cast<T>(a.scale);
  for (int64_t i = 0; i < rows * ld; ++i) d[i] *= scale;
}

template <class T>
inline T Highest(const T* x, int64_t n) {  // n is a multiple of kLanes
  T m[kLanes];
  for (int l = 0; l < kLanes; ++l) m[l] = x[l];
  for (int64_t i = kLanes; i < n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) m[l] = x[i + l] > m[l] ? x[i + l] : m[l];
  T r = kLowest<T>;
  for (int l = 0; l < kLanes; ++l) r = m[l] > r ? m[l] : r;
  return r;
}

// x = exp(x - shift - rest), where shift may be large and rest what it leaves out; the sum.
template <class T>
inline T Exponentials(T* x, int64_t n, T shift, T rest = 0) {  // n is a multiple of kLanes
  T s[kLanes] = {};
  for (int64_t i = 0; i < n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) {
      const T e = ExpNonPositive((x[i + l] - shift) - rest);
      x[i + l] = e;
      s[l] += e;
    }
  for (int w = kLanes / 2; w; w /= 2)
    for (int l = 0; l < w; ++l) s[l] += s[l + w];
  return s[0];
}

// The mask and the causal edge on the scores of row q and keys [k0, k0 + n); what lies behind up to the lane is hidden.
template <class T>
inline void Hide(const Args& a, int64_t b, int64_t h, int64_t q, int64_t k0, int64_t n, T* s, T* tmp) {
  if (a.mask) {
    const int64_t es = ElemSize(a.mask_type), step = a.mask_strides[3];
    const char* p = static_cast<const char*>(a.mask) +
                    (b * a.mask_strides[0] + h * a.mask_strides[1] + q * a.mask_strides[2] + k0 * step) * es;
    if (a.mask_type == kBool) {
      const uint8_t* m = reinterpret_cast<const uint8_t*>(p);
      for (int64_t i = 0; i < n; ++i) s[i] = m[i * step] ? s[i] : kLowest<T>;
    } else {
      const T* m = tmp;
      if (step == 1 && a.mask_type == (sizeof(T) == 4 ? kF32 : kF64))
        m = reinterpret_cast<const T*>(p);
      else
        LoadTile(a.mask_type, p, step, n, tmp);
      for (int64_t i = 0; i < n; ++i) s[i] += m[i];
    }
  }
  int64_t seen = n;
  if (a.causal) {
    seen = q + a.offset + 1 - k0;
    seen = seen < 0 ? 0 : Least(seen, n);
  }
  for (int64_t i = seen; i < Up(n, kLanes); ++i) s[i] = kLowest<T>;
}

inline const uint8_t* Keep(const Args& a, int64_t b, int64_t h, int64_t q, int64_t k0) {
  return a.keep + ((b * a.heads + h) * a.nq + q) * a.nk + k0;
}

// Keys that some row of [q0, q0 + rows) sees.
inline int64_t KeysSeen(const Args& a, int64_t q0, int64_t rows) {
  if (!a.causal) return a.nk;
  const int64_t n = q0 + rows + a.offset;
  return n < 0 ? 0 : Least(n, a.nk);
}

}  // namespace
}  // namespace phi::PD_ISA
