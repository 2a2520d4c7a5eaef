// SPDX-License-Identifier: Apache-2.0
// Max pooling loops of float and double.
#include "paddle/phi/backends/cpu/pool_rows.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T>
void MaxPlane(const Args& a, const T* x, T* y, T* tmp) {
  const bool tiled = TiledRows(a);
  Plane<MaxOp>(a, x, y, tmp, [&](T* o, const T* t, int64_t rows, int64_t) {
    if (tiled)
      Along2<MaxOp, 2>(t, rows * a.out[2], o);
    else
      Along<MaxOp>(a, t, o);
  });
}

// best[i], pos[i] updated with the row `p`, whose first element is position `base` of the plane.
template <class T>
void BestAlong(const Args& a, const T* p, int32_t base, T* __restrict best, int32_t* __restrict pos) {
  if (a.adaptive) {
    for (int64_t i = 0; i < a.out[2]; ++i) {
      const Window w = WindowOf(a, 2, i);
      for (int64_t q = w.first; q < w.end; ++q)
        if (pos[i] < 0 || Better(p[q], best[i])) {
          best[i] = p[q];
          pos[i] = base + static_cast<int32_t>(q);
        }
    }
    return;
  }
  const int64_t s = a.stride[2];
  for (int64_t j = 0; j < a.k[2]; ++j) {
    int64_t lo, hi;
    Inside(a, j, &lo, &hi);
    const int64_t off = j * a.dilation[2] - a.pad[2];
    const T* q = p + off;
    auto step = [&](int64_t i, int64_t str) __attribute__((always_inline)) {
      const T v = q[i * str];
      const bool take = (pos[i] < 0) | Better(v, best[i]);
      best[i] = take ? v : best[i];
      pos[i] = take ? base + static_cast<int32_t>(i * str + off) : pos[i];
    };
    if (s == 1) {
      PD_IVDEP for (int64_t i = lo; i < hi; ++i) step(i, 1);
    } else if (s == 2) {
      PD_IVDEP for (int64_t i = lo; i < hi; ++i) step(i, 2);
    } else {
      for (int64_t i = lo; i < hi; ++i) step(i, s);
    }
  }
}

// Whether windows are best looked at column by column: a column serves one window or a few, and results are too far
// apart for vectors of them.
inline bool ByColumns(const Args& a) {
  if (a.adaptive) return a.out[2] > 0 && a.in[2] >= 2 * a.out[2];
  return a.stride[2] > 2 && a.dilation[2] == 1 && a.k[2] <= 2 * a.stride[2];
}

// One row of results: the best of each column, with the first row that has it, then those of each window. `best` and
// `at` have room for a row of the plane. Between equal columns the smaller position comes first in the window.
template <class T>
void MaxOfColumns(const Args& a, const T* x, const Window& wd, const Window& wh, T* __restrict best,
                  int32_t* __restrict at, T* y, int32_t* pos) {
  const int64_t width = a.in[2];
  bool any = false;
  for (int64_t d = wd.first; d < wd.end; d += wd.step)
    for (int64_t h = wh.first; h < wh.end; h += wh.step) {
      const int64_t row = (d * a.in[1] + h) * width;
      const int32_t base = static_cast<int32_t>(row);
      const T* p = x + row;
      if (!any) {
        for (int64_t i = 0; i < width; ++i) best[i] = p[i], at[i] = base + static_cast<int32_t>(i);
        any = true;
        continue;
      }
      PD_IVDEP for (int64_t i = 0; i < width; ++i) {
        const T v = p[i];
        const bool take = Better(v, best[i]);
        best[i] = take ? v : best[i];
        at[i] = take ? base + static_cast<int32_t>(i) : at[i];
      }
    }
  for (int64_t i = 0; i < a.out[2]; ++i) {
    const Window w = WindowOf(a, 2, i);
    if (!any || w.first >= w.end) continue;
    T m = best[w.first];
    int32_t k = at[w.first];
    for (int64_t q = w.first + 1; q < w.end; ++q) {
      const bool take = Better(best[q], m) | (Same(best[q], m) & !Better(m, best[q]) & (at[q] < k));
      m = take ? best[q] : m;
      k = take ? at[q] : k;
    }
    y[i] = m;
    pos[i] = k;
  }
}

template <class T>
void MaxMaskPlane(const Args& a, const T* x, T* y, int32_t* pos) {
  const bool by_columns = ByColumns(a);
  char* const room = by_columns ? Buffer<char>(a.in[2] * static_cast<int64_t>(sizeof(T) + sizeof(int32_t))) : nullptr;
  for (int64_t od = 0; od < a.out[0]; ++od) {
    const Window wd = WindowOf(a, 0, od);
    for (int64_t oh = 0; oh < a.out[1]; ++oh, y += a.out[2], pos += a.out[2]) {
      const Window wh = WindowOf(a, 1, oh);
      for (int64_t i = 0; i < a.out[2]; ++i) {
        y[i] = static_cast<T>(a.lowest);
        pos[i] = -1;
      }
      if (by_columns) {
        T* const best = reinterpret_cast<T*>(room);
        MaxOfColumns(a, x, wd, wh, best, reinterpret_cast<int32_t*>(best + a.in[2]), y, pos);
        continue;
      }
      for (int64_t d = wd.first; d < wd.end; d += wd.step)
        for (int64_t h = wh.first; h < wh.end; h += wh.step) {
          const int64_t at = (d * a.in[1] + h) * a.in[2];
          BestAlong(a, x + at, static_cast<int32_t>(at), y, pos);
        }
    }
  }
}

// Of the row below, for three adjacent columns and windows inside the row.
template <int S, class T>
void Find3(const T* q, int32_t base, int64_t n, const T* __restrict y, int32_t* __restrict pos) {
  PD_IVDEP for (int64_t i = 0; i < n; ++i) {
    const T v = y[i];
    const int32_t at = base + static_cast<int32_t>(S * i);
    int32_t p = pos[i];
    p = Same(q[S * i + 2], v) ? at + 2 : p;
    p = Same(q[S * i + 1], v) ? at + 1 : p;
    pos[i] = Same(q[S * i], v) ? at : p;
  }
}

// pos[i] = the earliest position of the window that holds y[i]. Rows are visited last to first.
template <class T>
void FindAlong(const Args& a, const T* p, int32_t base, const T* __restrict y, int32_t* __restrict pos) {
  if (a.adaptive) {
    for (int64_t i = 0; i < a.out[2]; ++i) {
      const Window w = WindowOf(a, 2, i);
      for (int64_t q = w.end - 1; q >= w.first; --q)
        if (Same(p[q], y[i])) pos[i] = base + static_cast<int32_t>(q);
    }
    return;
  }
  const int64_t s = a.stride[2];
  if (a.k[2] == 3 && a.dilation[2] == 1 && s <= 2) {
    int64_t lo, hi;
    Interior(a, &lo, &hi);
    const int64_t off = lo * s - a.pad[2];
    const int32_t b = base + static_cast<int32_t>(off);
    s == 1 ? Find3<1>(p + off, b, hi - lo, y + lo, pos + lo) : Find3<2>(p + off, b, hi - lo, y + lo, pos + lo);
    auto edge = [&](int64_t i) {
      const Window w = WindowOf(a, 2, i);
      for (int64_t q = w.end - 1; q >= w.first; --q)
        if (Same(p[q], y[i])) pos[i] = base + static_cast<int32_t>(q);
    };
    for (int64_t i = 0; i < lo; ++i) edge(i);
    for (int64_t i = hi; i < a.out[2]; ++i) edge(i);
    return;
  }
  for (int64_t j = a.k[2] - 1; j >= 0; --j) {
    int64_t lo, hi;
    Inside(a, j, &lo, &hi);
    const int64_t off = j * a.dilation[2] - a.pad[2];
    const T* q = p + off;
    const int32_t b = base + static_cast<int32_t>(off);
    if (s == 1) {
      PD_IVDEP for (int64_t i = lo; i < hi; ++i) pos[i] = Same(q[i], y[i]) ? b + static_cast<int32_t>(i) : pos[i];
    } else if (s == 2) {
      PD_IVDEP for (int64_t i = lo; i < hi; ++i) pos[i] =
          Same(q[2 * i], y[i]) ? b + static_cast<int32_t>(2 * i) : pos[i];
    } else {
      for (int64_t i = lo; i < hi; ++i) pos[i] = Same(q[s * i], y[i]) ? b + static_cast<int32_t>(s * i) : pos[i];
    }
  }
}

template <class T>
void MaxGradPlane(const Args& a, const T* x, const T* y, const T* dy, T* dx, int32_t* pos) {
  memset(dx, 0, a.in[0] * a.in[1] * a.in[2] * sizeof(T));
  for (int64_t od = 0; od < a.out[0]; ++od) {
    const Window wd = WindowOf(a, 0, od);
    for (int64_t oh = 0; oh < a.out[1]; ++oh, y += a.out[2], dy += a.out[2]) {
      const Window wh = WindowOf(a, 1, oh);
      const int64_t nd = wd.count(), nh = wh.count();
      for (int64_t i = 0; i < a.out[2]; ++i) pos[i] = -1;
      for (int64_t d = nd - 1; d >= 0; --d)
        for (int64_t h = nh - 1; h >= 0; --h) {
          const int64_t at = ((wd.first + d * wd.step) * a.in[1] + wh.first + h * wh.step) * a.in[2];
          FindAlong(a, x + at, static_cast<int32_t>(at), y, pos);
        }
      for (int64_t i = 0; i < a.out[2]; ++i)
        if (pos[i] >= 0) dx[pos[i]] += dy[i];
    }
  }
}

// Windows of 2 x 2 that tile the plane.
#ifdef __AVX512F__
inline void Grad2x2(const float* x, const float* y, const float* dy, float* dx, int64_t in_w, int64_t n) {
  const __m512i twice = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  auto first = [](unsigned m) { return m & ~((m & 0x5555u) << 1); };
  for (int64_t i = 0; i < n; i += 8) {
    const int64_t left = n - i < 8 ? n - i : 8;
    const __mmask8 my = static_cast<__mmask8>((1u << left) - 1);
    const __mmask16 mx = static_cast<__mmask16>((1u << (2 * left)) - 1);
    const __m512 yy = _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_maskz_loadu_ps(my, y + i)));
    const __m512 gg = _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_maskz_loadu_ps(my, dy + i)));
    const __m512 a = _mm512_maskz_loadu_ps(mx, x + 2 * i), b = _mm512_maskz_loadu_ps(mx, x + in_w + 2 * i);
    unsigned ma = _mm512_cmp_ps_mask(a, yy, _CMP_EQ_OQ) | _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    unsigned mb = _mm512_cmp_ps_mask(b, yy, _CMP_EQ_OQ) | _mm512_cmp_ps_mask(b, b, _CMP_UNORD_Q);
    const unsigned any = (ma | ma >> 1) & 0x5555u;
    mb &= ~(any | any << 1);
    _mm512_mask_storeu_ps(dx + 2 * i, mx, _mm512_maskz_mov_ps(static_cast<__mmask16>(first(ma)), gg));
    _mm512_mask_storeu_ps(dx + in_w + 2 * i, mx, _mm512_maskz_mov_ps(static_cast<__mmask16>(first(mb)), gg));
  }
}
#endif
template <class T>
inline void Grad2x2(const T* x, const T* y, const T* dy, T* __restrict dx, int64_t in_w, int64_t n) {
  const T* z = x + in_w;
  T* __restrict ez = dx + in_w;
  PD_IVDEP for (int64_t i = 0; i < n; ++i) {
    const T v = y[i], g = dy[i];
    const bool a = Same(x[2 * i], v), b = Same(x[2 * i + 1], v) & !a;
    const bool c = Same(z[2 * i], v) & !a & !b, d = Same(z[2 * i + 1], v) & !a & !b & !c;
    dx[2 * i] = a ? g : T(0);
    dx[2 * i + 1] = b ? g : T(0);
    ez[2 * i] = c ? g : T(0);
    ez[2 * i + 1] = d ? g : T(0);
  }
}

template <class T>
void MaxLast(const Args& a, const T* x, T* y, int32_t* mask) {
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  EachOutput(a, [&](const Task& t) {
    const T* xn = x + t.n * is * a.c + t.c0;
    const int64_t m = t.c1 - t.c0;
    EachPosition(a, [&](int64_t o, int64_t od, int64_t oh, int64_t ow) {
      T* __restrict yo = y + (t.n * os + o) * a.c + t.c0;
      int32_t* __restrict po = mask ? mask + (t.n * os + o) * a.c + t.c0 : nullptr;
      bool any = false;
      EachInput(a, od, oh, ow, [&](int64_t p) {
        const T* xp = xn + p * a.c;
        const int32_t at = static_cast<int32_t>(p);
        if (!any) {
          memcpy(yo, xp, m * sizeof(T));
          if (po)
            for (int64_t i = 0; i < m; ++i) po[i] = at;
          any = true;
        } else if (po) {
          PD_IVDEP for (int64_t i = 0; i < m; ++i) {
            const bool take = Better(xp[i], yo[i]);
            yo[i] = take ? xp[i] : yo[i];
            po[i] = take ? at : po[i];
          }
        } else {
          PD_IVDEP for (int64_t i = 0; i < m; ++i) yo[i] = MaxOf(yo[i], xp[i]);
        }
      });
      if (any) return;
      for (int64_t i = 0; i < m; ++i) yo[i] = static_cast<T>(a.lowest);
      if (po)
        for (int64_t i = 0; i < m; ++i) po[i] = -1;
    });
  });
}

template <class T>
void MaxGradLast(const Args& a, const T* x, const T* y, const T* dy, T* dx) {
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  EachOutput(a, [&](const Task& t) {
    const int64_t m = t.c1 - t.c0;
    T* __restrict left = Buffer<T>(m);
    const T* xn = x + t.n * is * a.c + t.c0;
    T* dn = dx + t.n * is * a.c + t.c0;
    ClearChannels(dn, is, a.c, m);
    EachPosition(a, [&](int64_t o, int64_t od, int64_t oh, int64_t ow) {
      const T* yo = y + (t.n * os + o) * a.c + t.c0;
      memcpy(left, dy + (t.n * os + o) * a.c + t.c0, m * sizeof(T));
      EachInput(a, od, oh, ow, [&](int64_t p) {
        const T* xp = xn + p * a.c;
        T* __restrict dp = dn + p * a.c;
        PD_IVDEP for (int64_t i = 0; i < m; ++i) {
          const bool same = Same(xp[i], yo[i]);
          dp[i] += same ? left[i] : T(0);
          left[i] = same ? T(0) : left[i];
        }
      });
    });
  });
}

template <class T>
T MaxOfPlane(const T* p, int64_t n) {
  constexpr int kLanes = 32;
  T m[kLanes];
  for (int k = 0; k < kLanes; ++k) m[k] = MaxOp::Identity<T>();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) m[k] = MaxOf(m[k], p[i + k]);
  for (int k = 0; i < n; ++i, ++k) m[k] = MaxOf(m[k], p[i]);
  for (int w = kLanes / 2; w > 0; w /= 2)
    for (int k = 0; k < w; ++k) m[k] = MaxOf(m[k], m[k + w]);
  return m[0];
}
// The earliest position that holds y, or -1.
template <class T>
int64_t FindInPlane(const T* p, int64_t n, T y) {
  for (int64_t i = 0; i < n; ++i)
    if (Same(p[i], y)) return i;
  return -1;
}

template <class T>
void MaxAll(const Args& a, const T* x, T* y, int32_t* mask) {
  if (a.last) return MaxLast(a, x, y, mask);
  const bool whole = Whole(a);
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  ParFor(a.n * a.c, PlaneGrain(a), [&](int64_t b, int64_t e) {
    if (whole) {
      for (int64_t i = b; i < e; ++i) {
        y[i] = MaxOfPlane(x + i * is, is);
        if (mask) mask[i] = static_cast<int32_t>(FindInPlane(x + i * is, is, y[i]));
      }
      return;
    }
    T* tmp = mask ? nullptr : Buffer<T>(Max(a.in[2], 1024));
    for (int64_t i = b; i < e; ++i) {
      if (mask)
        MaxMaskPlane(a, x + i * is, y + i * os, mask + i * os);
      else
        MaxPlane(a, x + i * is, y + i * os, tmp);
    }
  });
}

template <class T>
void MaxGradAll(const Args& a, const T* x, const T* y, const T* dy, T* dx) {
  if (a.last) return MaxGradLast(a, x, y, dy, dx);
  const bool whole = Whole(a);
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  const bool tiles = TiledRows(a) && a.k[0] == 1 && a.pad[0] == 0 && a.pad[1] == 0 && a.dilation[1] == 1 &&
                     a.k[1] == 2 && a.stride[1] == 2 && a.in[1] == a.out[1] * 2;
  ParFor(a.n * a.c, PlaneGrain(a), [&](int64_t b, int64_t e) {
    if (tiles) {  // every plane holds whole pairs of rows, so planes need no distinction
      for (int64_t r = b * a.out[1]; r < e * a.out[1]; ++r)
        Grad2x2(x + r * 2 * a.in[2], y + r * a.out[2], dy + r * a.out[2], dx + r * 2 * a.in[2], a.in[2], a.out[2]);
      return;
    }
    if (whole) {
      for (int64_t i = b; i < e; ++i) {
        memset(dx + i * is, 0, is * sizeof(T));
        const int64_t at = FindInPlane(x + i * is, is, y[i]);
        if (at >= 0) dx[i * is + at] = dy[i];
      }
      return;
    }
    int32_t* pos = Buffer<int32_t>(a.out[2]);
    for (int64_t i = b; i < e; ++i) MaxGradPlane(a, x + i * is, y + i * os, dy + i * os, dx + i * is, pos);
  });
}

}  // namespace

void PoolMaxF32(const Args& a, const float* x, float* y, int32_t* mask) {
  if (a.last && a.c == 16 && !mask)
    return SixteenLast<MaxOp>(a, x, y, [](int64_t, int64_t, int64_t, Lanes m) { return m; });
  MaxAll(a, x, y, mask);
}
void PoolMaxF64(const Args& a, const double* x, double* y, int32_t* mask) { MaxAll(a, x, y, mask); }
void PoolMaxGradF32(const Args& a, const float* x, const float* y, const float* dy, float* dx) {
  MaxGradAll(a, x, y, dy, dx);
}
void PoolMaxGradF64(const Args& a, const double* x, const double* y, const double* dy, double* dx) {
  MaxGradAll(a, x, y, dy, dx);
}

}  // namespace phi::PD_ISA
