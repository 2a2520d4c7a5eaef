// SPDX-License-Identifier: Apache-2.0
// Pooling loops of float and double. Planes are pooled row by row: rows first (contiguous), then along the row.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // gcc 12: its own AVX-512 intrinsics
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "paddle/phi/backends/cpu/pool_impl.h"
#include "paddle/phi/backends/cpu/threads.inc.h"

namespace phi::PD_ISA {
namespace {

using Args = ::phi::cpu::PoolArgs;
#define PD_IVDEP _Pragma("GCC ivdep")

inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t CeilDiv(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// NaN wins, and the earlier of two.
template <class T>
inline bool Better(T v, T m) {
  return (v > m) | ((v != v) & (m == m));
}
template <class T>
inline T MaxOf(T m, T v) {
  return (v > m) | (v != v) ? v : m;
}
// y is the maximum of a window that holds v.
template <class T>
inline bool Same(T v, T y) {
  return (v == y) | (v != v);
}

// Input positions first, first + step, ... < end of output o on axis i.
struct Window {
  int64_t first, end, step;
  int64_t count() const {
    if (first >= end) return 0;
    return step == 1 ? end - first : (end - first + step - 1) / step;
  }
};
inline Window WindowOf(const Args& a, int i, int64_t o) {
  if (a.adaptive) return {o * a.in[i] / a.out[i], ((o + 1) * a.in[i] + a.out[i] - 1) / a.out[i], 1};
  const int64_t d = a.dilation[i], at = o * a.stride[i] - a.pad[i];
  return {at < 0 ? at + CeilDiv(-at, d) * d : at, Min(at + (a.k[i] - 1) * d + 1, a.in[i]), d};
}
// Extent of the window in the divisor when padding counts.
inline int64_t PaddedExtent(const Args& a, int i, int64_t o) {
  const int64_t at = o * a.stride[i] - a.pad[i];
  return Min(at + a.k[i], a.in[i] + a.pad_hi[i]) - at;
}

// Outputs [lo, hi) of the last axis for which position o * stride - pad + j * dilation lies inside the input.
inline void Inside(const Args& a, int64_t j, int64_t* lo, int64_t* hi) {
  if (a.row_lo) {
    *lo = a.row_lo[j], *hi = a.row_hi[j];
    return;
  }
  const int64_t off = j * a.dilation[2] - a.pad[2], s = a.stride[2];
  *lo = Min(Max(CeilDiv(-off, s), 0), a.out[2]);
  *hi = Max(Min(CeilDiv(a.in[2] - off, s), a.out[2]), *lo);
}

template <class T>
inline T* Buffer(int64_t n) {
  return static_cast<T*>(::phi::cpu::PoolBuffer(n * static_cast<int64_t>(sizeof(T))));
}

// ---- rows -----------------------------------------------------------------------------------------------------------

struct MaxOp {
  template <class T>
  static T Join(T m, T v) {
    return MaxOf(m, v);
  }
  template <class T>
  static T Identity() {
    return -static_cast<T>(__builtin_inf());
  }
  template <class T>
  static T Empty(const Args& a) {
    return static_cast<T>(a.lowest);
  }
};
struct SumOp {
  template <class T>
  static T Join(T m, T v) {
    return m + v;
  }
  template <class T>
  static T Identity() {
    return 0;
  }
  template <class T>
  static T Empty(const Args&) {
    return 0;
  }
};

template <class Op, class T>
void JoinRows(const T* p, int64_t step, int64_t rows, int64_t n, T* __restrict o) {
  if (rows == 2) {
    const T* q = p + step;
    PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(p[i], q[i]);
    return;
  }
  if (rows == 3) {
    const T *q = p + step, *r = q + step;
    PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(Op::Join(p[i], q[i]), r[i]);
    return;
  }
  memcpy(o, p, n * sizeof(T));
  for (int64_t k = 1; k < rows; ++k) {
    const T* q = p + k * step;
    PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(o[i], q[i]);
  }
}

template <class Op, int S, class T>
void Along2(const T* p, int64_t n, T* __restrict o) {
  PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(p[i * S], p[i * S + 1]);
}
template <class Op, int S, class T>
void Along3(const T* p, int64_t n, T* __restrict o) {
  PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(Op::Join(p[i * S], p[i * S + 1]), p[i * S + 2]);
}
template <class Op, class T>
void JoinStrided(const T* p, int64_t s, int64_t n, T* __restrict o) {
  if (s == 1) {
    PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(o[i], p[i]);
  } else if (s == 2) {
    PD_IVDEP for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(o[i], p[i * 2]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = Op::Join(o[i], p[i * s]);
  }
}
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

// Outputs whose whole window lies inside the row.
inline void Interior(const Args& a, int64_t* lo, int64_t* hi) {
  int64_t l, h;
  Inside(a, 0, lo, &h);
  Inside(a, a.k[2] - 1, &l, hi);
  *hi = Max(*hi, *lo);
  if (h < *hi) *hi = Max(h, *lo);
}

template <class Op, class T>
T JoinWindow(const Args& a, const T* p, const Window& w) {
  if (w.first >= w.end) return Op::template Empty<T>(a);
  T m = p[w.first];
  for (int64_t q = w.first + w.step; q < w.end; q += w.step) m = Op::Join(m, p[q]);
  return m;
}

// o[i] = the join of window i of the row p.
template <class Op, class T>
void Along(const Args& a, const T* p, T* o) {
  const int64_t n = a.out[2], s = a.stride[2];
  if (a.adaptive || n < 4) {
    for (int64_t i = 0; i < n; ++i) o[i] = JoinWindow<Op>(a, p, WindowOf(a, 2, i));
    return;
  }
  if (a.k[2] < 2 || a.k[2] > 3 || s > 2 || a.dilation[2] != 1) {
    for (int64_t i = 0; i < n; ++i) o[i] = Op::template Identity<T>();
    for (int64_t j = 0; j < a.k[2]; ++j) {
      int64_t lo, hi;
      Inside(a, j, &lo, &hi);
      JoinStrided<Op>(p + lo * s + j * a.dilation[2] - a.pad[2], s, hi - lo, o + lo);
    }
    if (a.empty_row_windows)
      for (int64_t i = 0; i < n; ++i)
        if (WindowOf(a, 2, i).count() == 0) o[i] = Op::template Empty<T>(a);
    return;
  }
  int64_t lo, hi;
  Interior(a, &lo, &hi);
  const T* q = p + lo * s - a.pad[2];
  if (a.k[2] == 2)
    s == 1 ? Along2<Op, 1>(q, hi - lo, o + lo) : Along2<Op, 2>(q, hi - lo, o + lo);
  else
    s == 1 ? Along3<Op, 1>(q, hi - lo, o + lo) : Along3<Op, 2>(q, hi - lo, o + lo);
  for (int64_t i = 0; i < lo; ++i) o[i] = JoinWindow<Op>(a, p, WindowOf(a, 2, i));
  for (int64_t i = hi; i < n; ++i) o[i] = JoinWindow<Op>(a, p, WindowOf(a, 2, i));
}

// Windows of two columns that tile the rows of a plane without depth: pooled rows may be laid end to end.
inline bool TiledRows(const Args& a) {
  return !a.adaptive && a.pad[2] == 0 && a.dilation[2] == 1 && a.k[2] == 2 && a.stride[2] == 2 &&
         a.in[2] == 2 * a.out[2] && a.in[0] == 1 && a.out[0] == 1;
}

// out(y, joined rows, rows held, factor of the divisor) is called for groups of output rows that have one divisor.
template <class Op, class T, class Out>
void Plane(const Args& a, const T* x, T* y, T* tmp, const Out& out) {
  const int64_t w = a.in[2];
  const int64_t batch = TiledRows(a) ? Max(1, 512 / w) : 1;
  int64_t held = 0, held_rows = 0;
  T* from = y;
  auto flush = [&] {
    if (held) out(from, tmp, held, held_rows);
    from += held * a.out[2];
    held = 0;
  };
  for (int64_t od = 0; od < a.out[0]; ++od) {
    const Window wd = WindowOf(a, 0, od);
    const int64_t nd = wd.count();
    for (int64_t oh = 0; oh < a.out[1]; ++oh) {
      const Window wh = WindowOf(a, 1, oh);
      const int64_t nh = wh.count();
      int64_t rows = nd * nh;
      if (!a.exclusive && !a.adaptive) rows = PaddedExtent(a, 0, od) * PaddedExtent(a, 1, oh);
      if (held == batch || (held && (rows != held_rows || nh == 0))) flush();
      if (nd * nh == 0) {
        for (int64_t i = 0; i < a.out[2]; ++i) from[i] = Op::template Empty<T>(a);
        from += a.out[2];
        continue;
      }
      const T* row = x + (wd.first * a.in[1] + wh.first) * w;
      held_rows = rows;
      if (nd * nh == 1 && batch == 1) {
        out(from, row, 1, rows);
        from += a.out[2];
        continue;
      }
      T* t = tmp + held * w;
      JoinRows<Op>(row, wh.step * w, nh, w, t);
      for (int64_t d = wd.first + wd.step; d < wd.end; d += wd.step)
        for (int64_t h = wh.first; h < wh.end; h += wh.step) {
          const T* q = x + (d * a.in[1] + h) * w;
          PD_IVDEP for (int64_t i = 0; i < w; ++i) t[i] = Op::Join(t[i], q[i]);
        }
      ++held;
    }
  }
  flush();
}

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

template <class T>
void MaxMaskPlane(const Args& a, const T* x, T* y, int32_t* pos) {
  for (int64_t od = 0; od < a.out[0]; ++od) {
    const Window wd = WindowOf(a, 0, od);
    for (int64_t oh = 0; oh < a.out[1]; ++oh, y += a.out[2], pos += a.out[2]) {
      const Window wh = WindowOf(a, 1, oh);
      for (int64_t i = 0; i < a.out[2]; ++i) {
        y[i] = static_cast<T>(a.lowest);
        pos[i] = -1;
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
      PD_IVDEP for (int64_t i = lo; i < hi; ++i) pos[i] = Same(q[2 * i], y[i]) ? b + static_cast<int32_t>(2 * i) : pos[i];
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
    const __m512 yy =
        _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_maskz_loadu_ps(my, y + i)));
    const __m512 gg =
        _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_maskz_loadu_ps(my, dy + i)));
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

// ---- channels last --------------------------------------------------------------------------------------------------

struct Task {
  int64_t n, c0, c1;
};
// Images, cut by channel blocks when there are few of them.
inline int64_t Blocks(const Args& a) {
  const int64_t threads = ::phi::cpu::MaxThreads();
  return a.n >= threads ? 1 : Max(1, Min(threads, a.c / 16));
}
inline Task TaskOf(const Args& a, int64_t blocks, int64_t i) {
  const int64_t b = i % blocks;
  return {i / blocks, a.c * b / blocks, a.c * (b + 1) / blocks};
}

// f(n, c0, c1, od, oh, ow) for every output of every task.
template <class F>
void EachOutput(const Args& a, const F& f) {
  const int64_t blocks = Blocks(a);
  const int64_t work = a.out[0] * a.out[1] * a.out[2] * a.k[0] * a.k[1] * a.k[2] * (a.c / blocks + 1);
  ParFor(a.n * blocks, 1 + 32768 / (work + 1), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const Task t = TaskOf(a, blocks, i);
      f(t);
    }
  });
}

// g(position in the plane) over the window, in order.
template <class G>
inline void EachInput(const Args& a, int64_t od, int64_t oh, int64_t ow, const G& g) {
  const Window wd = WindowOf(a, 0, od), wh = WindowOf(a, 1, oh), ww = WindowOf(a, 2, ow);
  for (int64_t d = wd.first; d < wd.end; d += wd.step)
    for (int64_t h = wh.first; h < wh.end; h += wh.step)
      for (int64_t w = ww.first; w < ww.end; w += ww.step) g((d * a.in[1] + h) * a.in[2] + w);
}

template <class F>
inline void EachPosition(const Args& a, const F& f) {
  int64_t o = 0;
  for (int64_t d = 0; d < a.out[0]; ++d)
    for (int64_t h = 0; h < a.out[1]; ++h)
      for (int64_t w = 0; w < a.out[2]; ++w, ++o) f(o, d, h, w);
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
inline void ClearChannels(T* p, int64_t positions, int64_t c, int64_t m) {
  if (m == c) {
    memset(p, 0, positions * c * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < positions; ++i) memset(p + i * c, 0, m * sizeof(T));
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

// ---- averages -------------------------------------------------------------------------------------------------------

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

inline bool Whole(const Args& a) {
  for (int i = 0; i < 3; ++i) {
    if (a.out[i] != 1) return false;
    const Window w = WindowOf(a, i, 0);
    if (w.first != 0 || w.end != a.in[i] || w.step != 1) return false;
  }
  return true;
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
void AvgGradPlane(const Args& a, const T* dy, T* __restrict dx, T* __restrict tmp, T* __restrict g, RowScales<T>& scales) {
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

// ---- over the planes ------------------------------------------------------------------------------------------------

inline int64_t PlaneGrain(const Args& a) {
  return 1 + 32768 / (a.in[0] * a.in[1] * a.in[2] + a.out[0] * a.out[1] * a.out[2] * a.k[2] + 1);
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
  const bool tiles = TiledRows(a) && a.k[0] == 1 && a.pad[0] == 0 && a.pad[1] == 0 && a.dilation[1] == 1 && a.k[1] == 2 &&
                     a.stride[1] == 2 && a.in[1] == a.out[1] * 2;
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

void PoolMaxF32(const Args& a, const float* x, float* y, int32_t* mask) { MaxAll(a, x, y, mask); }
void PoolMaxF64(const Args& a, const double* x, double* y, int32_t* mask) { MaxAll(a, x, y, mask); }
void PoolMaxGradF32(const Args& a, const float* x, const float* y, const float* dy, float* dx) {
  MaxGradAll(a, x, y, dy, dx);
}
void PoolMaxGradF64(const Args& a, const double* x, const double* y, const double* dy, double* dx) {
  MaxGradAll(a, x, y, dy, dx);
}
void PoolAvgF32(const Args& a, const float* x, float* y) { AvgAll(a, x, y); }
void PoolAvgF64(const Args& a, const double* x, double* y) { AvgAll(a, x, y); }
void PoolAvgGradF32(const Args& a, const float* dy, float* dx) { AvgGradAll(a, dy, dx); }
void PoolAvgGradF64(const Args& a, const double* dy, double* dx) { AvgGradAll(a, dy, dx); }

}  // namespace phi::PD_ISA
