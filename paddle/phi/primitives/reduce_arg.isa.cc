// SPDX-License-Identifier: Apache-2.0
// argmax and argmin: a vectorised search for the extreme, then for its place.
#include "paddle/phi/primitives/copy_tile.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T, bool kMax>
inline bool Better(T a, T b) {  // a takes the place of b
  return (kMax ? a > b : a < b) | (a != a && b == b);
}

// First position of the extreme of a contiguous run; a NaN wins.
template <class T, bool kMax>
int64_t RunArg(const T* x, int64_t n) {
  constexpr int L = 32;
  T best = x[0];
  int64_t nan = x[0] != x[0];
  int64_t i = 0;
  if (n >= 2 * L) {
    T lane[L];
    for (int l = 0; l < L; ++l) lane[l] = x[l];
    int32_t bad[L];
    for (int l = 0; l < L; ++l) bad[l] = x[l] != x[l];
    for (i = L; i + L <= n; i += L)
      for (int l = 0; l < L; ++l) {
        const T v = x[i + l];
        bad[l] |= v != v;
        lane[l] = (kMax ? v > lane[l] : v < lane[l]) ? v : lane[l];
      }
    for (int l = 0; l < L; ++l) {
      nan |= bad[l];
      best = (kMax ? lane[l] > best : lane[l] < best) ? lane[l] : best;
    }
  }
  for (; i < n; ++i) {
    nan |= x[i] != x[i];
    best = (kMax ? x[i] > best : x[i] < best) ? x[i] : best;
  }
  if (nan) {
    for (i = 0; i < n; ++i)
      if (x[i] != x[i]) return i;
  }
  for (i = 0; i + 16 <= n; i += 16) {
    int hit = 0;
    for (int l = 0; l < 16; ++l) hit |= x[i + l] == best;
    if (hit) break;
  }
  for (; i < n; ++i)
    if (x[i] == best) return i;
  return 0;
}

template <class T, bool kMax>
void Arg(int t, const void* xv, int64_t outer, int64_t n, int64_t inner, int64_t* idx, void* values) {
  const int64_t es = ElemSize(t);
  const char* x = static_cast<const char*>(xv);
  char* vals = static_cast<char*>(values);
  const bool direct = t == TypeCode<T>::value;
  if (inner == 1) {
    constexpr int64_t kChunk = 4096;
    ParFor(outer, 32768 / (n + 1) + 1, [&](int64_t lo, int64_t hi) {
      T buf[kChunk];
      for (int64_t o = lo; o < hi; ++o) {
        const char* row = x + o * n * es;
        int64_t at = 0;
        if (direct) {
          at = RunArg<T, kMax>(reinterpret_cast<const T*>(row), n);
        } else {
          T best{};
          for (int64_t i = 0; i < n; i += kChunk) {
            const int64_t w = n - i < kChunk ? n - i : kChunk;
            LoadTile(t, row + i * es, 1, w, buf);
            const int64_t a = RunArg<T, kMax>(buf, w);
            if (i == 0 || Better<T, kMax>(buf[a], best)) {
              best = buf[a];
              at = i + a;
            }
          }
        }
        idx[o] = at;
        if (vals) memcpy(vals + o * es, row + at * es, es);
      }
    });
    return;
  }
  constexpr int64_t kCols = 256;
  const int64_t tiles = (inner + kCols - 1) / kCols, width = inner < kCols ? inner : kCols;
  ParFor(outer * tiles, 32768 / (n * width + 1) + 1, [&](int64_t lo, int64_t hi) {
    T best[kCols], buf[kCols];
    int64_t where[kCols];
    for (int64_t it = lo; it < hi; ++it) {
      const int64_t o = it / tiles, j0 = it % tiles * kCols, w = inner - j0 < kCols ? inner - j0 : kCols;
      const char* col = x + (o * n * inner + j0) * es;
      LoadTile(t, col, 1, w, best);
      for (int64_t j = 0; j < w; ++j) where[j] = 0;
      for (int64_t i = 1; i < n; ++i) {
        const T* s = reinterpret_cast<const T*>(col + i * inner * es);
        if (!direct) {
          LoadTile(t, s, 1, w, buf);
          s = buf;
        }
        for (int64_t j = 0; j < w; ++j) {
          const bool b = Better<T, kMax>(s[j], best[j]);
          best[j] = b ? s[j] : best[j];
          where[j] = b ? i : where[j];
        }
      }
      for (int64_t j = 0; j < w; ++j) {
        idx[o * inner + j0 + j] = where[j];
        if (vals) memcpy(vals + (o * inner + j0 + j) * es, col + (where[j] * inner + j) * es, es);
      }
    }
  });
}

template <class T>
void ArgEither(int t, int max, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t* idx, void* values) {
  if (max)
    Arg<T, true>(t, x, outer, n, inner, idx, values);
  else
    Arg<T, false>(t, x, outer, n, inner, idx, values);
}

}  // namespace

void ArgRun(int t, int max, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t* idx, void* values) {
  switch (t) {
    case kF16:
    case kBF16:
    case kF32: return ArgEither<float>(t, max, x, outer, n, inner, idx, values);
    case kF64: return ArgEither<double>(t, max, x, outer, n, inner, idx, values);
    case kI64: return ArgEither<int64_t>(t, max, x, outer, n, inner, idx, values);
    default: return ArgEither<int32_t>(t, max, x, outer, n, inner, idx, values);
  }
}

}  // namespace phi::PD_ISA
