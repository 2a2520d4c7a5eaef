// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: pooling over up to three axes with gradients, and sums of weighted elements along an
// axis (resampling).
#pragma once

namespace {

// Numbers of a pooling; device_forms.cc has the same. Axes are the last of three.
struct Windows {
  i64 c;
  int last, in[3], k[3], out[3], stride[3], pad[3], pad_end[3], dilation[3], adaptive, exclusive;
  i64 divisor;

  MEMBER int Least(int axis, int o) const {
    if (adaptive) return static_cast<i64>(o) * in[axis] / out[axis];
    const int at = o * stride[axis] - pad[axis], step = dilation[axis];
    return at < 0 ? at + (-at + step - 1) / step * step : at;
  }
  MEMBER int End(int axis, int o) const {
    if (adaptive) return (static_cast<i64>(o + 1) * in[axis] + out[axis] - 1) / out[axis];
    const int end = o * stride[axis] - pad[axis] + (k[axis] - 1) * dilation[axis] + 1;
    return end < in[axis] ? end : in[axis];
  }
  MEMBER int Step(int axis) const { return adaptive ? 1 : dilation[axis]; }
  // What an average counts along an axis: the elements inside, or those of the padding too.
  MEMBER int Counted(int axis, int o) const {
    const int at = o * stride[axis] - pad[axis];
    const int padded = (at + k[axis] < in[axis] + pad_end[axis] ? at + k[axis] : in[axis] + pad_end[axis]) - at;
    const int inside = End(axis, o) - Least(axis, o);
    return exclusive ? (inside > 0 ? inside : 0) : padded;
  }
  MEMBER int ByStride(int axis, int v) const {
    const int by = stride[axis];  // the same in all threads, and a division costs twenty instructions
    return by == 1 ? v : by == 2 ? v >> 1 : v / by;
  }
  // The windows that may hold position i of an axis; without dilation, those that do.
  MEMBER int FirstOf(int axis, int i) const {
    if (adaptive) return static_cast<i64>(i) * out[axis] / in[axis];
    const int v = i + pad[axis] - (k[axis] - 1) * dilation[axis];
    return v > 0 ? ByStride(axis, v + stride[axis] - 1) : 0;
  }
  MEMBER int EndOf(int axis, int i) const {
    const int end = adaptive ? static_cast<int>((static_cast<i64>(i + 1) * out[axis] + in[axis] - 1) / in[axis])
                             : ByStride(axis, i + pad[axis]) + 1;
    return end < out[axis] ? end : out[axis];
  }
  MEMBER int Inputs() const { return in[0] * in[1] * in[2]; }
  MEMBER int Outputs() const { return out[0] * out[1] * out[2]; }
  template <class T>
  MEMBER T Scale(int a, int b, int d) const {
    const i64 n = divisor > 0 ? divisor : static_cast<i64>(Counted(0, a)) * Counted(1, b) * Counted(2, d);
    return n > 0 ? static_cast<T>(1.0 / static_cast<double>(n)) : T(0);
  }
};

// Element i of a tensor of n positions a plane: where the plane begins, the distance of its positions, the position.
struct Spot {
  i64 first, step;
  int p;
};
INLINE Spot Place(const Windows& w, i64 i, i64 n, i64 other) {
  if (w.last) {
    const i64 row = Divided(i, w.c), c = i - row * w.c, b = Divided(row, n);
    return {b * other * w.c + c, w.c, static_cast<int>(row - b * n)};
  }
  const i64 plane = Divided(i, n);
  return {plane * other, 1, static_cast<int>(i - plane * n)};
}

// f(position, value) for the elements of window (a, b, c) of a plane, in order, until it answers false.
template <class T, class F>
INLINE void EachInside(const Windows& w, const T* x, const Spot& at, int a, int b, int c, F f) {
  for (int p = w.Least(0, a), pe = w.End(0, a); p < pe; p += w.Step(0))
    for (int q = w.Least(1, b), qe = w.End(1, b); q < qe; q += w.Step(1))
      for (int r = w.Least(2, c), re = w.End(2, c); r < re; r += w.Step(2)) {
        const int place = (p * w.in[1] + q) * w.in[2] + r;
        if (!f(place, Wide(x[at.first + place * at.step]))) return;
      }
}

template <class T>
INLINE void MaxWindow(const T* x, T* y, int* mask, i64 total, double lowest, const Windows& w) {
  typedef typename WideOf<T>::type W;
  for (i64 i = First(); i < total; i += Step()) {
    const Spot at = Place(w, i, w.Outputs(), w.Inputs());
    const int c = at.p % w.out[2], ab = at.p / w.out[2], b = ab % w.out[1], a = ab / w.out[1];
    W best = static_cast<W>(lowest);
    int found = -1;
    EachInside(w, x, at, a, b, c, [&](int p, W v) {
      if (found < 0 || v > best || (v != v && best == best)) best = v, found = p;
      return true;
    });
    y[i] = Narrow(best, static_cast<T*>(nullptr));
    if (mask) mask[i] = found;
  }
}
// at[i] = the first position of window i whose value is y's, or NaN; -1 where there is none.
template <class T>
INLINE void FindMax(const T* x, const T* y, int* found, i64 total, const Windows& w) {
  typedef typename WideOf<T>::type W;
  for (i64 i = First(); i < total; i += Step()) {
    const Spot at = Place(w, i, w.Outputs(), w.Inputs());
    const int c = at.p % w.out[2], ab = at.p / w.out[2], b = ab % w.out[1], a = ab / w.out[1];
    const W wanted = Wide(y[i]);
    int place = -1;
    EachInside(w, x, at, a, b, c, [&](int p, W v) {
      if (v == wanted || v != v) place = p;
      return place < 0;
    });
    found[i] = place;
  }
}
// scaled = dy times the factors of their windows.
template <class T, class W>
INLINE void ScaleWindows(const T* dy, W* scaled, i64 total, const Windows& w) {
  for (i64 i = First(); i < total; i += Step()) {
    const Spot at = Place(w, i, w.Outputs(), w.Inputs());
    const int c = at.p % w.out[2], ab = at.p / w.out[2], b = ab % w.out[1], a = ab / w.out[1];
    scaled[i] = Wide(dy[i]) * w.Scale<W>(a, b, c);
  }
}
// dx = the sum of dy over the windows that hold an element: where it is the one that was `found`, or, without that, of
// all of them, which have no dilation.
template <bool kFound, class D, class T>
INLINE void GatherWindows(const D* dy, const int* found, T* dx, i64 total, const Windows& w) {
  typedef typename WideOf<T>::type W;
  for (i64 i = First(); i < total; i += Step()) {
    const Spot at = Place(w, i, w.Inputs(), w.Outputs());
    const int r = at.p % w.in[2], pq = at.p / w.in[2], q = pq % w.in[1], p = pq / w.in[1];
    W sum = 0;
    for (int a = w.FirstOf(0, p), ae = w.EndOf(0, p); a < ae; ++a)
      for (int b = w.FirstOf(1, q), be = w.EndOf(1, q); b < be; ++b)
        for (int c = w.FirstOf(2, r), ce = w.EndOf(2, r); c < ce; ++c) {
          const i64 o = at.first + ((a * w.out[1] + b) * w.out[2] + c) * at.step;
          if (!kFound || found[o] == at.p) sum += Wide(dy[o]);
        }
    dx[i] = Narrow(sum, static_cast<T*>(nullptr));
  }
}
template <class T>
INLINE void MeanWindow(const T* x, T* y, i64 total, const Windows& w) {
  typedef typename WideOf<T>::type W;
  for (i64 i = First(); i < total; i += Step()) {
    const Spot at = Place(w, i, w.Outputs(), w.Inputs());
    const int c = at.p % w.out[2], ab = at.p / w.out[2], b = ab % w.out[1], a = ab / w.out[1];
    W sum = 0;
    EachInside(w, x, at, a, b, c, [&](int, W v) {
      sum += v;
      return true;
    });
    y[i] = Narrow(sum * w.Scale<W>(a, b, c), static_cast<T*>(nullptr));
  }
}

// out [outer, to, inner] from x [outer, from, inner]: row j is the sum of weight[e] times row at[e], over e from
// start[j] to start[j + 1].
template <class I, class O>
INLINE void Taps(const I* x, const i64* start, const i64* at, const double* weight, O* out, i64 total, i64 from, i64 to,
                 i64 inner) {
  typedef typename WideOf<I>::type W;
  for (i64 i = First(); i < total; i += Step()) {
    const i64 row = Divided(i, inner), c = i - row * inner, o = Divided(row, to), j = row - o * to;
    W sum = 0;
    for (i64 e = start[j]; e < start[j + 1]; ++e)
      sum += static_cast<W>(weight[e]) * Wide(x[(o * from + at[e]) * inner + c]);
    out[i] = Narrow(sum, static_cast<O*>(nullptr));
  }
}

}  // namespace

#define WINDOW_PARAMS                                                                                                 \
  i64 total, i64 c, i64 last, i64 i0, i64 i1, i64 i2, i64 k0, i64 k1, i64 k2, i64 o0, i64 o1, i64 o2, i64 s0, i64 s1, \
      i64 s2, i64 p0, i64 p1, i64 p2, i64 e0, i64 e1, i64 e2, i64 d0, i64 d1, i64 d2, i64 adaptive, i64 exclusive,    \
      i64 divisor
#define NARROW(x) \
  { static_cast<int>(x##0), static_cast<int>(x##1), static_cast<int>(x##2) }
#define WINDOWS                                                                                             \
  {                                                                                                         \
    c, static_cast<int>(last), NARROW(i), NARROW(k), NARROW(o), NARROW(s), NARROW(p), NARROW(e), NARROW(d), \
        static_cast<int>(adaptive), static_cast<int>(exclusive), divisor                                    \
  }
#define POOL(name, T)                                                                     \
  KERNEL device_pool_max_##name(const T* x, T* y, int* mask, WINDOW_PARAMS, i64 lowest) { \
    const Windows w = WINDOWS;                                                            \
    MaxWindow(x, y, mask, total, __builtin_bit_cast(double, lowest), w);                  \
  }                                                                                       \
  KERNEL device_pool_found_##name(const T* x, const T* y, int* found, WINDOW_PARAMS) {    \
    const Windows w = WINDOWS;                                                            \
    FindMax(x, y, found, total, w);                                                       \
  }                                                                                       \
  KERNEL device_pool_grad_##name(const T* dy, const int* found, T* dx, WINDOW_PARAMS) {   \
    const Windows w = WINDOWS;                                                            \
    GatherWindows<true>(dy, found, dx, total, w);                                         \
  }                                                                                       \
  KERNEL device_pool_scaled_##name(const T* dy, WideOf<T>::type* scaled, WINDOW_PARAMS) { \
    const Windows w = WINDOWS;                                                            \
    ScaleWindows(dy, scaled, total, w);                                                   \
  }                                                                                       \
  KERNEL device_pool_spread_##name(const WideOf<T>::type* scaled, T* dx, WINDOW_PARAMS) { \
    const Windows w = WINDOWS;                                                            \
    GatherWindows<false>(scaled, static_cast<const int*>(nullptr), dx, total, w);         \
  }                                                                                       \
  KERNEL device_pool_mean_##name(const T* x, T* y, WINDOW_PARAMS) {                       \
    const Windows w = WINDOWS;                                                            \
    MeanWindow(x, y, total, w);                                                           \
  }
POOL(f32, float)
POOL(f64, double)
POOL(f16, Half)
POOL(bf16, Bfloat)

#define TAPS(name, I, O)                                                                                          \
  KERNEL device_taps_##name(const I* x, const i64* start, const i64* at, const double* weight, O* out, i64 total, \
                            i64 from, i64 to, i64 inner) {                                                        \
    Taps(x, start, at, weight, out, total, from, to, inner);                                                      \
  }
TAPS(f32_f32, float, float)
TAPS(f64_f64, double, double)
TAPS(f16_f16, Half, Half)
TAPS(f16_f32, Half, float)
TAPS(f32_f16, float, Half)
TAPS(bf16_bf16, Bfloat, Bfloat)
TAPS(bf16_f32, Bfloat, float)
TAPS(f32_bf16, float, Bfloat)
