// SPDX-License-Identifier: Apache-2.0
// The softmax of attention scores: scaled, masked, causal; half rows pass through float32.
#include "paddle/phi/primitives/copy_tile.inc.h"
#include "paddle/phi/primitives/softmax_exp.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T>
inline T Highest(const T* x, int64_t n) {
  constexpr int L = 32;
  T m[L];
  for (int l = 0; l < L; ++l) m[l] = T(-__builtin_inff());
  int64_t i = 0;
  for (; i + L <= n; i += L)
    for (int l = 0; l < L; ++l) m[l] = x[i + l] > m[l] ? x[i + l] : m[l];
  for (int l = 0; i + l < n; ++l) m[l] = x[i + l] > m[l] ? x[i + l] : m[l];
  T r = m[0];
  for (int l = 1; l < L; ++l) r = m[l] > r ? m[l] : r;
  return r;
}

// The sum has 32 lanes whatever the instruction set.
template <class T>
inline void SoftRow(T* x, int64_t n, T max) {
  constexpr int L = 32;
  T s[L];
  for (int l = 0; l < L; ++l) s[l] = 0;
  int64_t i = 0;
  for (; i + L <= n; i += L)
    for (int l = 0; l < L; ++l) {
      const T e = ExpNonPositive(x[i + l] - max);
      x[i + l] = e;
      s[l] += e;
    }
  for (int l = 0; i + l < n; ++l) {
    x[i + l] = ExpNonPositive(x[i + l] - max);
    s[l] += x[i + l];
  }
  for (int w = L / 2; w; w /= 2)
    for (int l = 0; l < w; ++l) s[l] += s[l + w];
  const T inv = T(1) / s[0];
  for (i = 0; i < n; ++i) x[i] *= inv;
}

// tmp has room for 2 * nk.
template <class T>
void Rows(int t, const char* x, int64_t lo, int64_t hi, int64_t heads, int64_t nq, int64_t nk, T scale,
          const char* mask, int64_t mb, int64_t mh, bool causal, char* out, T* tmp) {
  const int64_t es = ElemSize(t);
  for (int64_t r = lo; r < hi; ++r) {
    const int64_t q = r % nq, h = r / nq % heads, b = r / nq / heads;
    int64_t w = causal ? q + (nk - nq) + 1 : nk;
    w = w < 0 ? 0 : w > nk ? nk : w;
    LoadTile(t, x + r * nk * es, 1, w, tmp);
    if (mask) {
      LoadTile(t, mask + (b * mb + h * mh + q * nk) * es, 1, w, tmp + nk);
#pragma GCC ivdep
      for (int64_t i = 0; i < w; ++i) tmp[i] = tmp[i] * scale + tmp[nk + i];
    } else {
      for (int64_t i = 0; i < w; ++i) tmp[i] *= scale;
    }
    const T max = Highest(tmp, w);
    if (max == T(-__builtin_inff())) {  // all hidden, or nothing but NaN
      for (int64_t i = 0; i < w; ++i) tmp[i] = tmp[i] == tmp[i] ? T(0) : tmp[i];
    } else {
      SoftRow(tmp, w, max);
    }
    for (int64_t i = w; i < nk; ++i) tmp[i] = 0;
    StoreTile(t, tmp, nk, out + r * nk * es);
  }
}

}  // namespace

void MaskedSoftmaxRows(int t, const void* x, int64_t lo, int64_t hi, int64_t heads, int64_t nq, int64_t nk,
                       double scale, const void* mask, int64_t mb, int64_t mh, bool causal, void* out, void* tmp) {
  const char *xs = static_cast<const char*>(x), *ms = static_cast<const char*>(mask);
  if (t == kF64)
    Rows<double>(t, xs, lo, hi, heads, nq, nk, scale, ms, mb, mh, causal, static_cast<char*>(out),
                 static_cast<double*>(tmp));
  else
    Rows<float>(t, xs, lo, hi, heads, nq, nk, static_cast<float>(scale), ms, mb, mh, causal, static_cast<char*>(out),
                static_cast<float*>(tmp));
}

}  // namespace phi::PD_ISA
