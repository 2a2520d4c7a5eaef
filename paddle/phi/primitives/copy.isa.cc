// SPDX-License-Identifier: Apache-2.0
// The innermost two dims of a strided copy: rows, strided rows, and transposition in registers.
#include "paddle/phi/primitives/copy_tile.inc.h"
#include "paddle/phi/primitives/transpose_tile.inc.h"

namespace phi::PD_ISA {
namespace {

struct B16 {
  uint64_t a, b;
};

template <class T>
inline void RowCopy(int64_t n, const T* s, int64_t ss, T* d, int64_t ds) {
  if (ds == 1) {
    if (ss == 1) {
      memcpy(d, s, n * sizeof(T));
    } else if (ss == 0) {
      const T v = *s;
      for (int64_t i = 0; i < n; ++i) d[i] = v;
    } else if (ss == -1) {  // vectors whose lanes are reversed
      for (int64_t i = 0; i < n; ++i) d[i] = s[-i];
    } else {
      for (int64_t i = 0; i < n; ++i) d[i] = s[i * ss];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = s[i * ss];
  }
}

// d[i][j] = s[j][i] for a tile with unit strides along s's i and d's j.
inline void Tile(const uint32_t* s, int64_t ss, uint32_t* d, int64_t ds) {
  transpose8x8_32(reinterpret_cast<const char*>(s), ss * 4, reinterpret_cast<char*>(d), ds * 4);
}
inline void Tile(const uint64_t* s, int64_t ss, uint64_t* d, int64_t ds) {
  transpose4x4_64(reinterpret_cast<const char*>(s), ss * 8, reinterpret_cast<char*>(d), ds * 8);
}
inline void Tile(const uint16_t* s, int64_t ss, uint16_t* d, int64_t ds) {
  transpose8x8_16(reinterpret_cast<const char*>(s), ss * 2, reinterpret_cast<char*>(d), ds * 2);
}
inline void Tile(const uint8_t* s, int64_t ss, uint8_t* d, int64_t ds) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) d[i * ds + j] = s[j * ss + i];
}
inline void Tile(const B16* s, int64_t ss, B16* d, int64_t ds) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) d[i * ds + j] = s[j * ss + i];
}

// d[i, j] (stride d0, 1) = s[i, j] (stride 1, s1).
template <class T>
void Transpose(int64_t n0, int64_t n1, const T* s, int64_t s1, T* d, int64_t d0) {
  constexpr int64_t E = sizeof(T) >= 8 ? 4 : 8;
  constexpr int64_t B = 64 / sizeof(T) < 2 * E ? 2 * E : 64 / sizeof(T);  // a cache line of s per row of the block
  for (int64_t i0 = 0; i0 < n0; i0 += B) {
    const int64_t ie = n0 - i0 < B ? n0 - i0 : B;
    for (int64_t j0 = 0; j0 < n1; j0 += E) {
      const int64_t je = n1 - j0 < E ? n1 - j0 : E;
      int64_t i = 0;
      if (je == E)
        for (; i + E <= ie; i += E) Tile(s + (i0 + i) + j0 * s1, s1, d + (i0 + i) * d0 + j0, d0);
      for (; i < ie; ++i)
        for (int64_t j = 0; j < je; ++j) d[(i0 + i) * d0 + j0 + j] = s[(i0 + i) + (j0 + j) * s1];
    }
  }
}

template <class T>
void Copy2(int64_t n0, int64_t n1, const void* sv, int64_t s0, int64_t s1, void* dv, int64_t d0, int64_t d1) {
  const T* s = static_cast<const T*>(sv);
  T* d = static_cast<T*>(dv);
  if (s0 == 1 && d1 == 1 && s1 != 1 && n0 >= 4 && n1 >= 4) return Transpose(n0, n1, s, s1, d, d0);
  for (int64_t i = 0; i < n0; ++i) RowCopy(n1, s + i * s0, s1, d + i * d0, d1);
}

template <class T>
void FillRow(int64_t n, T* d, int64_t ds, T v) {
  if (ds == 1)
    for (int64_t i = 0; i < n; ++i) d[i] = v;
  else
    for (int64_t i = 0; i < n; ++i) d[i * ds] = v;
}

}  // namespace

void CopyBlock2(int size, int64_t n0, int64_t n1, const void* s, int64_t s0, int64_t s1, void* d, int64_t d0,
                int64_t d1) {
  switch (size) {
    case 1: return Copy2<uint8_t>(n0, n1, s, s0, s1, d, d0, d1);
    case 2: return Copy2<uint16_t>(n0, n1, s, s0, s1, d, d0, d1);
    case 4: return Copy2<uint32_t>(n0, n1, s, s0, s1, d, d0, d1);
    case 8: return Copy2<uint64_t>(n0, n1, s, s0, s1, d, d0, d1);
    case 16: return Copy2<B16>(n0, n1, s, s0, s1, d, d0, d1);
    default: return;
  }
}

void FillBlock(int size, int64_t n, void* d, int64_t ds, const void* v) {
  switch (size) {
    case 1: return FillRow(n, static_cast<uint8_t*>(d), ds, *static_cast<const uint8_t*>(v));
    case 2: return FillRow(n, static_cast<uint16_t*>(d), ds, *static_cast<const uint16_t*>(v));
    case 4: return FillRow(n, static_cast<uint32_t*>(d), ds, *static_cast<const uint32_t*>(v));
    case 8: return FillRow(n, static_cast<uint64_t*>(d), ds, *static_cast<const uint64_t*>(v));
    case 16: return FillRow(n, static_cast<B16*>(d), ds, *static_cast<const B16*>(v));
    default: return;
  }
}

}  // namespace phi::PD_ISA
