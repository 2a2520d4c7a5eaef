// SPDX-License-Identifier: Apache-2.0
// Small matrix products on packed operands, and the packing, for kernels that keep their blocks in cache.
#pragma once

#include "paddle/phi/primitives/copy_tile.inc.h"
#include "paddle/phi/primitives/transpose_tile.inc.h"

namespace phi::PD_ISA {
namespace {

// Rows of C in registers.
constexpr int kTileRows = VecF::W == 16 ? 8 : 4;

// A[i][p] at a[i * ai + p * ak]; B in panels of kPanel columns, panel j at b + j * panel, rows ldb apart; C row-major. The
// columns of B and C are padded to whole panels.
template <class V>
struct Product {
  using T = typename V::T;
  static constexpr int kPanel = 2 * V::W;
  const T* a;
  int64_t ai, ak;
  const T* b;
  int64_t ldb, panel;
  T* c;
  int64_t ldc;
};

template <class V, int M, bool kAdd>
inline void ProductTile(const Product<V>& s, const typename V::T* a, const typename V::T* b, typename V::T* c, int64_t k) {
  V acc[M][2];
  for (int r = 0; r < M; ++r)
    for (int q = 0; q < 2; ++q) acc[r][q] = kAdd ? V::Load(c + r * s.ldc + q * V::W) : V::Set(0);
  for (int64_t p = 0; p < k; ++p, a += s.ak, b += s.ldb) {
    const V b0 = V::Load(b), b1 = V::Load(b + V::W);
    for (int r = 0; r < M; ++r) {
      const V x = V::Set(a[r * s.ai]);
      acc[r][0].Fma(x, b0);
      acc[r][1].Fma(x, b1);
    }
  }
  for (int r = 0; r < M; ++r)
    for (int q = 0; q < 2; ++q) acc[r][q].Store(c + r * s.ldc + q * V::W);
}

// C[m, n] (+)= A[m, k] B[k, n], n rounded up to whole panels.
template <class V, bool kAdd>
inline void Multiply(const Product<V>& s, int64_t m, int64_t n, int64_t k) {
  for (int64_t j = 0; j < n; j += Product<V>::kPanel) {
    const auto* b = s.b + j / Product<V>::kPanel * s.panel;
    const auto* a = s.a;
    auto* c = s.c + j;
    int64_t i = 0;
    const auto step = [&](int rows) {
      a += rows * s.ai;
      c += rows * s.ldc;
      i += rows;
    };
    for (; i + kTileRows <= m; step(kTileRows)) ProductTile<V, kTileRows, kAdd>(s, a, b, c, k);
    if constexpr (kTileRows == 8)
      if (i + 4 <= m) ProductTile<V, 4, kAdd>(s, a, b, c, k), step(4);
    if (i + 2 <= m) ProductTile<V, 2, kAdd>(s, a, b, c, k), step(2);
    if (i < m) ProductTile<V, 1, kAdd>(s, a, b, c, k), step(1);
  }
}

// [rows, cols] at row stride lds, transposed into one panel [cols][panel]; missing rows become zeros.
template <class T>
inline void TransposePanel(const T* s, int64_t lds, int64_t rows, int64_t cols, int64_t panel, T* d) {
  constexpr int64_t N = sizeof(T) == 4 ? 8 : 4, size = sizeof(T);
  int64_t i = 0;
  for (; i + N <= rows; i += N) {
    int64_t p = 0;
    for (; p + N <= cols; p += N) {
      const char* from = reinterpret_cast<const char*>(s + i * lds + p);
      char* to = reinterpret_cast<char*>(d + p * panel + i);
      if constexpr (N == 8)
        transpose8x8_32(from, lds * size, to, panel * size);
      else
        transpose4x4_64(from, lds * size, to, panel * size);
    }
    for (; p < cols; ++p)
      for (int64_t r = i; r < i + N; ++r) d[p * panel + r] = s[r * lds + p];
  }
  for (; i < rows; ++i)
    for (int64_t p = 0; p < cols; ++p) d[p * panel + i] = s[i * lds + p];
  for (; i < panel; ++i)
    for (int64_t p = 0; p < cols; ++p) d[p * panel + i] = 0;
}

// Rows of type t to T at row stride ldd, zeros behind the last column.
template <class T>
inline void LoadRows(int t, const char* p, int64_t row_bytes, int64_t rows, int64_t cols, int64_t ldd, T* d) {
  for (int64_t i = 0; i < rows; ++i, d += ldd, p += row_bytes) {
    LoadTile(t, p, 1, cols, d);
    for (int64_t j = cols; j < ldd; ++j) d[j] = 0;
  }
}

}  // namespace
}  // namespace phi::PD_ISA
