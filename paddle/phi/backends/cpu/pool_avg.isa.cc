// SPDX-License-Identifier: Apache-2.0
// Average pooling loops of float and double.
#include "paddle/phi/backends/cpu/pool_rows.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T>
void SpreadAlong(const T* g, int64_t s, int64_t n, T* __restrict p) {
  if (s == 1) {
    PD_IVDEP for (int64_t i = 0; i < n; ++i) p[i] += g[i];
  } else if (s == 2) {
    PD_IVDEP for (int64_t i = 0; i < n; ++i) p[i * 2] += g[i];
  } else {
    for (int64_t i = 0; i < n; ++i) p[i * s] += g[i];
  }
}

// 1 / (elements the window counts); 0 for an empty one.
template <class T>
inline T Scale(const Args& a, int64_t od, int64_t oh, int64_t ow) {
  double d;
  if (a.divisor > 0)
    d = static_cast<double>(a.divisor);
  else if (a.exclusive || a.adaptive)
    d = static_cast<double>(WindowOf(a, 0, od).count() * WindowOf(a, 1, oh).count() * WindowOf(a, 2, ow).count());
  else
    d = static_cast<double>(PaddedExtent(a, 0, od) * PaddedExtent(a, 1, oh) * PaddedExtent(a, 2, ow));
  return d > 0 ? static_cast<T>(1.0 / d) : T(0);
}

template <class T>
inline T SumOf(const T* p, int64_t n) {
  constexpr int kLanes = 32;
  T s[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) s[k] += p[i + k];
  for (int k = 0; i < n; ++i, ++k) s[k] += p[i];
  for (int w = kLanes / 2; w > 0; w /= 2)
    for (int k = 0; k < w; ++k) s[k] += s[k + w];
  return s[0];
}

// What the elements of an output row are multiplied with; made anew only when the rows a window holds change.
template <class T>
class RowScales {
 public:
  RowScales(const Args& a, T* s) : a_(a), s_(s) {}
  const T* For(int64_t rows) {
    if (rows != rows_) {
      rows_ = rows;
      for (int64_t i = 0; i < a_.out[2]; ++i) {
        const double d = a_.divisor > 0 ? static_cast<double>(a_.divisor) : static_cast<double>(rows) * a_.row_count[i];
        s_[i] = d > 0 ? static_cast<T>(1.0 / d) : T(0);
      }
    }
    return s_;
  }

 private:
  const Args& a_;
  T* s_;
  int64_t rows_ = -1;
};

template <class T>
void AvgPlane(const Args& a, const T* x, T* y, T* tmp, RowScales<T>& scales) {
  const bool tiled = TiledRows(a);
  Plane<SumOp>(a, x, y, tmp, [&](T* __restrict o, const T* t, int64_t rows, int64_t held) {
    const T* s = scales.For(held);
    if (tiled) {
      const T one = s[0];
      PD_IVDEP for (int64_t i = 0; i < rows * a.out[2]; ++i) o[i] = (t[2 * i] + t[2 * i + 1]) * one;
      return;
    }
    Along<SumOp>(a, t, o);
    PD_IVDEP for (int64_t i = 0; i < a.out[2]; ++i) o[i] *= s[i];
  });
}

template <class T>
void AvgGradPlane(const Args& a, const T* dy, T* __restrict dx, T* __restrict tmp, T* __restrict g,
                  RowScales<T>& scales) {
  const int64_t w = a.in[2];
  const bool tiled = TiledRows(a);
  // Rows that one window each covers are written once; otherwise they are summed up from zero.
  const bool once = tiled && a.pad[1] == 0 && a.k[1] == a.stride[1] && a.in[1] == a.out[1] * a.stride[1];
  if (!once) memset(dx, 0, a.in[0] * a.in[1] * w * sizeof(T));
  for (int64_t od = 0; od < a.out[0]; ++od) {
    const Window wd = WindowOf(a, 0, od);
    for (int64_t oh = 0; oh < a.out[1]; ++oh, dy += a.out[2]) {
      const Window wh = WindowOf(a, 1, oh);
      const bool counted = a.exclusive || a.adaptive;
      const T* s = scales.For(counted ? wd.count() * wh.count() : PaddedExtent(a, 0, od) * PaddedExtent(a, 1, oh));
      if (tiled) {
        PD_IVDEP for (int64_t i = 0; i < a.out[2]; ++i) {
          const T v = dy[i] * s[i];
          tmp[2 * i] = v;
          tmp[2 * i + 1] = v;
        }
      } else {
        PD_IVDEP for (int64_t i = 0; i < a.out[2]; ++i) g[i] = dy[i] * s[i];
        memset(tmp, 0, w * sizeof(T));
        if (a.adaptive) {
          for (int64_t i = 0; i < a.out[2]; ++i) {
            const Window ww = WindowOf(a, 2, i);
            for (int64_t q = ww.first; q < ww.end; ++q) tmp[q] += g[i];
          }
        } else {
          for (int64_t j = 0; j < a.k[2]; ++j) {
            int64_t lo, hi;
            Inside(a, j, &lo, &hi);
            SpreadAlong(g + lo, a.stride[2], hi - lo, tmp + lo * a.stride[2] + j - a.pad[2]);
          }
        }
      }
      for (int64_t d = wd.first; d < wd.end; ++d)
        for (int64_t h = wh.first; h < wh.end; ++h) {
          T* __restrict row = dx + (d * a.in[1] + h) * w;
          if (once) {
            PD_IVDEP for (int64_t i = 0; i < w; ++i) row[i] = tmp[i];
          } else {
            PD_IVDEP for (int64_t i = 0; i < w; ++i) row[i] += tmp[i];
          }
        }
    }
  }
}

template <class T>
void AvgLast(const Args& a, const T* x, T* y) {
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  EachOutput(a, [&](const Task& t) {
    const int64_t m = t.c1 - t.c0;
    const T* xn = x + t.n * is * a.c + t.c0;
    EachPosition(a, [&](int64_t o, int64_t od, int64_t oh, int64_t ow) {
      T* __restrict yo = y + (t.n * os + o) * a.c + t.c0;
      memset(yo, 0, m * sizeof(T));
      EachInput(a, od, oh, ow, [&](int64_t p) {
        const T* xp = xn + p * a.c;
        PD_IVDEP for (int64_t i = 0; i < m; ++i) yo[i] += xp[i];
      });
      const T s = Scale<T>(a, od, oh, ow);
      for (int64_t i = 0; i < m; ++i) yo[i] *= s;
    });
  });
}

template <class T>
void AvgGradLast(const Args& a, const T* dy, T* dx) {
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  EachOutput(a, [&](const Task& t) {
    const int64_t m = t.c1 - t.c0;
    T* dn = dx + t.n * is * a.c + t.c0;
    ClearChannels(dn, is, a.c, m);
    EachPosition(a, [&](int64_t o, int64_t od, int64_t oh, int64_t ow) {
      const T* yo = dy + (t.n * os + o) * a.c + t.c0;
      const T s = Scale<T>(a, od, oh, ow);
      EachInput(a, od, oh, ow, [&](int64_t p) {
        T* __restrict dp = dn + p * a.c;
        PD_IVDEP for (int64_t i = 0; i < m; ++i) dp[i] += yo[i] * s;
      });
    });
  });
}

template <class T>
void AvgAll(const Args& a, const T* x, T* y) {
  if (a.last) return AvgLast(a, x, y);
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  const bool whole = Whole(a);
  ParFor(a.n * a.c, PlaneGrain(a), [&](int64_t b, int64_t e) {
    if (whole) {
      const T s = Scale<T>(a, 0, 0, 0);
      for (int64_t i = b; i < e; ++i) y[i] = SumOf(x + i * is, is) * s;
      return;
    }
    const int64_t rows = Max(a.in[2], 1024);
    T* tmp = Buffer<T>(rows + a.out[2]);
    RowScales<T> scales(a, tmp + rows);
    for (int64_t i = b; i < e; ++i) AvgPlane(a, x + i * is, y + i * os, tmp, scales);
  });
}

template <class T>
void AvgGradAll(const Args& a, const T* dy, T* dx) {
  if (a.last) return AvgGradLast(a, dy, dx);
  const int64_t is = a.in[0] * a.in[1] * a.in[2], os = a.out[0] * a.out[1] * a.out[2];
  const bool whole = Whole(a);
  ParFor(a.n * a.c, PlaneGrain(a), [&](int64_t b, int64_t e) {
    if (whole) {
      const T s = Scale<T>(a, 0, 0, 0);
      for (int64_t i = b; i < e; ++i) {
        const T g = dy[i] * s;
        for (int64_t j = 0; j < is; ++j) dx[i * is + j] = g;
      }
      return;
    }
    T* tmp = Buffer<T>(a.in[2] + 2 * a.out[2]);
    RowScales<T> scales(a, tmp + a.in[2] + a.out[2]);
    for (int64_t i = b; i < e; ++i) AvgGradPlane(a, dy + i * os, dx + i * is, tmp, tmp + a.in[2], scales);
  });
}

}  // namespace

void PoolAvgF32(const Args& a, const float* x, float* y) {
  if (a.last && a.c == 16)
    return SixteenLast<SumOp>(
        a, x, y, [&](int64_t od, int64_t oh, int64_t ow, Lanes sum) { return sum * Scale<float>(a, od, oh, ow); });
  AvgAll(a, x, y);
}
void PoolAvgF64(const Args& a, const double* x, double* y) { AvgAll(a, x, y); }
void PoolAvgGradF32(const Args& a, const float* dy, float* dx) { AvgGradAll(a, dy, dx); }
void PoolAvgGradF64(const Args& a, const double* dy, double* dx) { AvgGradAll(a, dy, dx); }

}  // namespace phi::PD_ISA
