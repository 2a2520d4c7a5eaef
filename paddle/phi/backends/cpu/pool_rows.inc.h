// SPDX-License-Identifier: Apache-2.0
// What pooling kernels share. Planes are pooled row by row: the rows of a window first (contiguous), then along the row.
#pragma once

#include "paddle/phi/backends/cpu/pool_impl.h"
#include "paddle/phi/backends/cpu/threads.inc.h"
#include "paddle/phi/primitives/simd.inc.h"

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

inline bool Whole(const Args& a) {
  for (int i = 0; i < 3; ++i) {
    if (a.out[i] != 1) return false;
    const Window w = WindowOf(a, i, 0);
    if (w.first != 0 || w.end != a.in[i] || w.step != 1) return false;
  }
  return true;
}

inline int64_t PlaneGrain(const Args& a) {
  return 1 + 32768 / (a.in[0] * a.in[1] * a.in[2] + a.out[0] * a.out[1] * a.out[2] * a.k[2] + 1);
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

using Lanes = float __attribute__((vector_size(64), aligned(4), may_alias));
inline Lanes JoinLanes(MaxOp, Lanes m, Lanes v) { return ((v > m) | (v != v)) ? v : m; }
inline Lanes JoinLanes(SumOp, Lanes m, Lanes v) { return m + v; }

// Windows of float tensors whose 16 channels lie side by side: each is joined in a register. done(od, oh, ow, joined)
// gives what is stored.
template <class Op, class Done>
void SixteenLast(const Args& a, const float* x, float* y, const Done& done) {
  const int64_t w = a.in[2], is = a.in[0] * a.in[1] * w, os = a.out[0] * a.out[1] * a.out[2];
  ParFor(a.n, 1 + 4096 / (is + os * a.k[1] * a.k[2] + 1), [&](int64_t b, int64_t e) {
    for (int64_t n = b; n < e; ++n) {
      auto* out = reinterpret_cast<Lanes*>(y) + n * os;
      const auto* in = reinterpret_cast<const Lanes*>(x) + n * is;
      for (int64_t od = 0; od < a.out[0]; ++od) {
        const Window wd = WindowOf(a, 0, od);
        for (int64_t oh = 0; oh < a.out[1]; ++oh) {
          const Window wh = WindowOf(a, 1, oh);
          for (int64_t ow = 0; ow < a.out[2]; ++ow, ++out) {
            const Window ww = WindowOf(a, 2, ow);
            if (wd.first >= wd.end || wh.first >= wh.end || ww.first >= ww.end) {
              *out = Lanes{} + Op::template Empty<float>(a);
              continue;
            }
            Lanes m = Lanes{} + Op::template Identity<float>();
            for (int64_t d = wd.first; d < wd.end; d += wd.step)
              for (int64_t h = wh.first; h < wh.end; h += wh.step) {
                const Lanes* row = in + (d * a.in[1] + h) * w;
                for (int64_t i = ww.first; i < ww.end; i += ww.step) m = JoinLanes(Op(), m, row[i]);
              }
            *out = done(od, oh, ow, m);
          }
        }
      }
    }
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

}  // namespace
}  // namespace phi::PD_ISA
