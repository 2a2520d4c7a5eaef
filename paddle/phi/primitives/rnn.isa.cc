// SPDX-License-Identifier: Apache-2.0
// Loops of recurrent layers: products with a matrix that is packed once and used at every step, and the cells.
#include "paddle/phi/primitives/math.inc.h"
#include "paddle/phi/primitives/simd.inc.h"

namespace phi::PD_ISA {
namespace {

constexpr int kRows = VecF::W == 16 ? 12 : 6;

// Panels of 2 vectors: [panel][k][2 * W], the last one padded with zeros.
template <class V>
void Pack(const typename V::T* b, int64_t rs, int64_t cs, int64_t k, int64_t n, typename V::T* out) {
  constexpr int kWide = 2 * V::W;
  for (int64_t j = 0; j < n; j += kWide) {
    const int64_t w = n - j < kWide ? n - j : kWide;
    for (int64_t p = 0; p < k; ++p, out += kWide) {
      const typename V::T* row = b + p * rs + j * cs;
      for (int64_t q = 0; q < w; ++q) out[q] = row[q * cs];
      for (int64_t q = w; q < kWide; ++q) out[q] = 0;
    }
  }
}

// c[MR, width] += a * panel, with a packed as [k][MR].
template <class V, int MR>
void Tile(const typename V::T* a, const typename V::T* panel, int64_t k, typename V::T* c, int64_t ldc, int64_t width) {
  using T = typename V::T;
  V acc[MR][2];
  for (int r = 0; r < MR; ++r) acc[r][0] = acc[r][1] = V::Set(0);
  for (int64_t p = 0; p < k; ++p, a += MR, panel += 2 * V::W) {
    const V b0 = V::Load(panel), b1 = V::Load(panel + V::W);
    for (int r = 0; r < MR; ++r) {
      const V x = V::Set(a[r]);
      acc[r][0].Fma(x, b0);
      acc[r][1].Fma(x, b1);
    }
  }
  for (int r = 0; r < MR; ++r, c += ldc) {
    T tmp[2 * V::W];
    acc[r][0].Store(tmp);
    acc[r][1].Store(tmp + V::W);
    if (width == 2 * V::W) {
      for (int q = 0; q < 2 * V::W; ++q) c[q] += tmp[q];
    } else {
      for (int64_t q = 0; q < width; ++q) c[q] += tmp[q];
    }
  }
}

template <class V, int MR>
void Rows(const typename V::T* a, int64_t lda, const typename V::T* packed, int64_t k, int64_t n, typename V::T* c,
          int64_t ldc, typename V::T* turned) {
  constexpr int kWide = 2 * V::W;
  for (int r = 0; r < MR; ++r)
    for (int64_t p = 0; p < k; ++p) turned[p * MR + r] = a[r * lda + p];
  for (int64_t j = 0; j < n; j += kWide, packed += kWide * k)
    Tile<V, MR>(turned, packed, k, c + j, ldc, n - j < kWide ? n - j : kWide);
}

template <class V, int MR>
void RowsOf(int64_t m, const typename V::T* a, int64_t lda, const typename V::T* packed, int64_t k, int64_t n,
            typename V::T* c, int64_t ldc, typename V::T* turned) {
  if constexpr (MR > 1) {
    if (m < MR) return RowsOf<V, MR - 1>(m, a, lda, packed, k, n, c, ldc, turned);
  }
  Rows<V, MR>(a, lda, packed, k, n, c, ldc, turned);
}

template <class V>
void Product(const typename V::T* a, int64_t lda, int64_t m, const typename V::T* packed, int64_t k, int64_t n,
             typename V::T* c, int64_t ldc, typename V::T* turned) {
  for (int64_t blocks = (m + kRows - 1) / kRows; blocks > 0; --blocks) {
    const int64_t rows = (m + blocks - 1) / blocks;
    RowsOf<V, kRows>(rows, a, lda, packed, k, n, c, ldc, turned);
    a += rows * lda;
    c += rows * ldc;
    m -= rows;
  }
}

#define PD_LOOP _Pragma("GCC ivdep") for (int64_t j = 0; j < n; ++j)

// `gates` holds x's part and the recurrent one (GRU: the latter of the candidate in `aux`), and then what the gradient
// reads; `before` is the state before: c of LSTM, h of GRU.
template <class T>
void Cell(int mode, int64_t n, T* __restrict gates, const T* __restrict bias, T* __restrict aux, const T* before,
          T* h) {
  if (mode == 2) {
    T *gi = gates, *gf = gates + n, *gg = gates + 2 * n, *go = gates + 3 * n;
    PD_LOOP gi[j] = sigmoid(gi[j] + bias[j]);
    PD_LOOP gf[j] = sigmoid(gf[j] + bias[n + j]);
    PD_LOOP gg[j] = tanh(gg[j] + bias[2 * n + j]);
    PD_LOOP go[j] = sigmoid(go[j] + bias[3 * n + j]);
    PD_LOOP aux[j] = gf[j] * before[j] + gi[j] * gg[j];
    PD_LOOP h[j] = go[j] * tanh(aux[j]);
  } else if (mode == 3) {
    T *gr = gates, *gz = gates + n, *gc = gates + 2 * n;
    const T* brec = bias + 3 * n;
    PD_LOOP gr[j] = sigmoid(gr[j] + bias[j]);
    PD_LOOP gz[j] = sigmoid(gz[j] + bias[n + j]);
    PD_LOOP aux[j] = aux[j] + brec[j];
    PD_LOOP gc[j] = tanh(gc[j] + bias[2 * n + j] + gr[j] * aux[j]);
    PD_LOOP h[j] = (before[j] - gc[j]) * gz[j] + gc[j];
  } else if (mode == 1) {
    PD_LOOP {
      const T v = gates[j] + bias[j];
      h[j] = gates[j] = v > 0 || v != v ? v : T(0);
    }
  } else {
    PD_LOOP h[j] = gates[j] = tanh(gates[j] + bias[j]);
  }
}

// dh and dc come from the next step; they leave as what reaches the step before past the recurrent product.
template <class T>
void CellGrad(int mode, int64_t n, const T* __restrict gates, const T* __restrict aux, const T* before, const T* dout,
              T* __restrict dh, T* __restrict dc, T* __restrict dg, T* __restrict drec) {
  if (mode == 2) {
    const T *gi = gates, *gf = gates + n, *gg = gates + 2 * n, *go = gates + 3 * n;
    PD_LOOP {
      const T d = dout[j] + dh[j], i = gi[j], f = gf[j], g = gg[j], o = go[j], t = tanh(aux[j]);
      const T e = dc[j] + d * o * (T(1) - t * t);
      dg[j] = e * g * i * (T(1) - i);
      dg[n + j] = e * before[j] * f * (T(1) - f);
      dg[2 * n + j] = e * i * (T(1) - g * g);
      dg[3 * n + j] = d * t * o * (T(1) - o);
      dc[j] = e * f;
      dh[j] = 0;
    }
  } else if (mode == 3) {
    const T *gr = gates, *gz = gates + n, *gc = gates + 2 * n;
    PD_LOOP {
      const T d = dout[j] + dh[j], r = gr[j], z = gz[j], c = gc[j];
      const T e = d * (T(1) - z) * (T(1) - c * c);
      dg[j] = e * aux[j] * r * (T(1) - r);
      dg[n + j] = d * (before[j] - c) * z * (T(1) - z);
      dg[2 * n + j] = e;
      drec[j] = e * r;
      dh[j] = d * z;
    }
  } else {
    PD_LOOP {
      const T d = dout[j] + dh[j], v = gates[j];
      dg[j] = mode == 1 ? (v > 0 ? d : T(0)) : d * (T(1) - v * v);
      dh[j] = 0;
    }
  }
}

template <class T>
void ColumnSums(const T* x, int64_t rows, int64_t n, int64_t ld, T* __restrict out) {
  constexpr int64_t kWide = 64;
  for (int64_t at = 0; at < n; at += kWide) {
    const int64_t w = n - at < kWide ? n - at : kWide;
    T sum[kWide] = {};
    for (int64_t r = 0; r < rows; r += 256) {
      T part[kWide] = {};
      const int64_t end = r + 256 < rows ? r + 256 : rows;
      for (int64_t q = r; q < end; ++q)
        for (int64_t j = 0; j < w; ++j) part[j] += x[q * ld + at + j];
      for (int64_t j = 0; j < w; ++j) sum[j] += part[j];
    }
    for (int64_t j = 0; j < w; ++j) out[at + j] = sum[j];
  }
}

}  // namespace

#define PD_RNN(T, V, suffix)                                                                                     \
  void rnn_pack_##suffix(const T* b, int64_t rs, int64_t cs, int64_t k, int64_t n, T* out) {                     \
    Pack<V>(b, rs, cs, k, n, out);                                                                               \
  }                                                                                                              \
  void rnn_product_##suffix(const T* a, int64_t lda, int64_t m, const T* packed, int64_t k, int64_t n, T* c,     \
                            int64_t ldc, T* turned) {                                                            \
    Product<V>(a, lda, m, packed, k, n, c, ldc, turned);                                                         \
  }                                                                                                              \
  void rnn_cell_##suffix(int mode, int64_t n, T* gates, const T* bias, T* aux, const T* before, T* h) {          \
    Cell(mode, n, gates, bias, aux, before, h);                                                                  \
  }                                                                                                              \
  void rnn_cell_grad_##suffix(int mode, int64_t n, const T* gates, const T* aux, const T* before, const T* dout, \
                              T* dh, T* dc, T* dg, T* drec) {                                                    \
    CellGrad(mode, n, gates, aux, before, dout, dh, dc, dg, drec);                                               \
  }                                                                                                              \
  void rnn_sums_##suffix(const T* x, int64_t rows, int64_t n, int64_t ld, T* out) { ColumnSums(x, rows, n, ld, out); }

PD_RNN(float, VecF, f32)
PD_RNN(double, VecD, f64)

}  // namespace phi::PD_ISA
