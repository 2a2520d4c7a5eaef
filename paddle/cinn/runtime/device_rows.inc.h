// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: copies, indexed reads and writes, scans along lines, ranks.
#pragma once

// A strided copy of up to 8 axes, outermost first: extents, strides of src, strides of dst.
template <class T>
INLINE void Copy(const T* src, T* dst, i64 n, const i64* e, const i64* s, const i64* d) {
  for (i64 i = First(); i < n; i += Step()) {
    i64 rest = i, from = 0, to = 0;
#pragma unroll  // else the numbers are copied to memory of each thread
    for (int a = 7; a > 0; --a) {
      if (e[a] == 1) continue;
      const i64 q = Divided(rest, e[a]), k = rest - q * e[a];
      from += k * s[a];
      to += k * d[a];
      rest = q;
    }
    dst[to + rest * d[0]] = src[from + rest * s[0]];
  }
}
struct Pair {
  i64 a, b;
};
#define COPY(size, T)                                                                    \
  KERNEL device_copy_##size(const T* src, T* dst, i64 n, EIGHT(e), EIGHT(s), EIGHT(d)) { \
    const i64 es[] = EIGHT_OF(e), ss[] = EIGHT_OF(s), ds[] = EIGHT_OF(d);                \
    Copy(src, dst, n, es, ss, ds);                                                       \
  }
// The element whose bytes are the first ones of two numbers.
template <class T>
INLINE T OfBytes(i64 low, i64 high) {
  const i64 both[] = {low, high};
  T v;
  __builtin_memcpy(&v, both, sizeof(T));
  return v;
}
#define EACH_SIZE(M) M(1, char) M(2, short) M(4, int) M(8, i64) M(16, Pair)
EACH_SIZE(COPY)

// at[i] = the row that column after column of indices names; the least i with an index outside goes to bad.
template <class I>
INLINE void Positions(const I* index, i64* at, i64* bad, i64 count, i64 stride, i64 n, i64 first, i64 wraps) {
  for (i64 i = First(); i < count; i += Step()) {
    i64 v = index[i * stride];
    if (v < (wraps ? -n : 0) || v >= n) {
      __nvvm_atom_min_gen_ll(reinterpret_cast<long long*>(bad), i);
      v = 0;
    }
    if (v < 0) v += n;
    at[i] = first ? v : at[i] * n + v;
  }
}
KERNEL device_positions_i32(const int* index, i64* at, i64* bad, i64 count, i64 stride, i64 n, i64 first, i64 wraps) {
  Positions(index, at, bad, count, stride, n, first, wraps);
}
KERNEL device_positions_i64(const i64* index, i64* at, i64* bad, i64 count, i64 stride, i64 n, i64 first, i64 wraps) {
  Positions(index, at, bad, count, stride, n, first, wraps);
}
// out = index, and 0 in the place of what lies outside of [low, n) and is not `except`, of which *outside gets one.
template <class I>
INLINE void Checked(const I* index, I* out, i64* outside, i64 count, i64 low, i64 n, i64 except) {
  for (i64 i = First(); i < count; i += Step()) {
    const i64 v = index[i];
    const bool fits = (v >= low && v < n) || v == except;
    if (!fits) __nvvm_atom_min_gen_ll(reinterpret_cast<long long*>(outside), v);
    out[i] = static_cast<I>(fits ? v : 0);
  }
}
KERNEL device_checked_i32(const int* index, int* out, i64* outside, i64 count, i64 low, i64 n, i64 except) {
  Checked(index, out, outside, count, low, n, except);
}
KERNEL device_checked_i64(const i64* index, i64* out, i64* outside, i64 count, i64 low, i64 n, i64 except) {
  Checked(index, out, outside, count, low, n, except);
}
// Of each entry of an index of extents e, where position at[i] along `axis` lies in a tensor of strides s.
KERNEL device_along(i64* at, i64 n, i64 axis, EIGHT(e), EIGHT(s)) {
  const i64 es[] = EIGHT_OF(e), ss[] = EIGHT_OF(s);
  for (i64 i = First(); i < n; i += Step()) {
    i64 rest = i, to = 0;
#pragma unroll
    for (int a = 7; a >= 0; --a) {
      const i64 q = rest / es[a];
      to += (a == axis ? at[i] : rest - q * es[a]) * ss[a];
      rest = q;
    }
    at[i] = to;
  }
}

// out[o, i] = x[o, at[i]], or back: out[o, at[i]] = x[o, i], the last of those that meet; rows of `inner` elements.
template <class T>
INLINE void Read(const T* x, const i64* at, T* out, i64 total, i64 n, i64 inner, i64 count) {
  for (i64 i = First(); i < total; i += Step()) {
    const i64 row = Divided(i, inner), o = Divided(row, count), from = at[row - o * count];
    out[i] = x[(o * n + from) * inner + i - row * inner];
  }
}
#define READ(size, T)                                                                                    \
  KERNEL device_read_##size(const T* x, const i64* at, T* out, i64 total, i64 n, i64 inner, i64 count) { \
    Read(x, at, out, total, n, inner, count);                                                            \
  }
EACH_SIZE(READ)

// out[o, at[i]] += src[o, i] in order of i. Each of `slices` threads of a column looks through all of at and adds to
// the rows that are its own, so a sum is taken by one thread. Mode 1 assigns instead, 2 keeps the least, 3 the largest.
template <class T>
INLINE void AddRows(const T* src, const i64* at, T* out, i64 columns, i64 n, i64 inner, i64 count, i64 slices, i64 skip,
                    i64 mode) {
  for (i64 i = First(); i < columns * slices; i += Step()) {
    const i64 slice = Divided(i, columns), column = i - slice * columns, o = Divided(column, inner),
              c = column - o * inner;
    const i64 low = n * slice / slices, high = n * (slice + 1) / slices;
    for (i64 k = 0; k < count; ++k) {
      const i64 r = at[k];
      if (r < low || r >= high || r == skip) continue;
      const T v = src[(o * count + k) * inner + c];
      T* to = out + (o * n + r) * inner + c;
      const T old = *to;
      if (mode < 2)
        *to = mode ? v : old + v;
      else if (old == old && !(mode == 2 ? v >= old : v <= old))
        *to = v;
    }
  }
}
// Sums of halves are taken in float32 and rounded once.
template <class T>
INLINE void Widen(const T* x, float* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = Wide(x[i]);
}
template <class T>
INLINE void Round(const float* x, T* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = Narrow(x[i], static_cast<T*>(nullptr));
}
KERNEL device_widen_f16(const Half* x, float* out, i64 n) { Widen(x, out, n); }
KERNEL device_widen_bf16(const Bfloat* x, float* out, i64 n) { Widen(x, out, n); }
KERNEL device_widen_f32(const float* x, double* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = x[i];
}
KERNEL device_round_f32(const double* x, float* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = static_cast<float>(x[i]);
}
KERNEL device_round_f16(const float* x, Half* out, i64 n) { Round(x, out, n); }
KERNEL device_round_bf16(const float* x, Bfloat* out, i64 n) { Round(x, out, n); }
// Numbers are multiplied with one factor and another by turns.
template <class T>
INLINE void Scale(const T* x, T* out, i64 n, double even, double odd) {
  for (i64 i = First(); i < n; i += Step()) out[i] = x[i] * static_cast<T>(i % 2 ? odd : even);
}
KERNEL device_scale_f32(const float* x, float* out, i64 n, double even, double odd) { Scale(x, out, n, even, odd); }
KERNEL device_scale_f64(const double* x, double* out, i64 n, double even, double odd) { Scale(x, out, n, even, odd); }
KERNEL device_zero(char* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) out[i] = 0;
}
// The element whose bytes are those of the two numbers, in order.
#define FILL(size, T)                                           \
  KERNEL device_fill_##size(T* out, i64 n, i64 low, i64 high) { \
    const T v = OfBytes<T>(low, high);                          \
    for (i64 i = First(); i < n; i += Step()) out[i] = v;       \
  }
EACH_SIZE(FILL)
// One triangle of each matrix becomes 0, with `unit` the diagonal the element whose bytes are those of the two numbers.
#define TRIANGLE(size, T)                                                                                     \
  KERNEL device_triangle_##size(T* p, i64 n, i64 rows, i64 columns, i64 upper, i64 unit, i64 low, i64 high) { \
    const T one = OfBytes<T>(low, high);                                                                      \
    for (i64 i = First(); i < n; i += Step()) {                                                               \
      const i64 of_all = Divided(i, columns), column = i - of_all * columns;                                  \
      const i64 row = of_all - Divided(of_all, rows) * rows;                                                  \
      if (unit && row == column)                                                                              \
        p[i] = one;                                                                                           \
      else if (upper ? column < row : column > row)                                                           \
        p[i] = T{};                                                                                           \
    }                                                                                                         \
  }
EACH_SIZE(TRIANGLE)

#define STEPS(name, T, W)                                                                         \
  KERNEL device_steps_##name(T* out, i64 n, i64 first, i64 step) {                                \
    const W a = __builtin_bit_cast(W, first), d = __builtin_bit_cast(W, step);                    \
    for (i64 i = First(); i < n; i += Step()) out[i] = static_cast<T>(a + static_cast<W>(i) * d); \
  }
STEPS(i32, int, unsigned long)
STEPS(i64, i64, unsigned long)
STEPS(f32, float, double)
STEPS(f64, double, double)

// last[at[i]] = the largest i.
KERNEL device_last(const i64* at, i64* last, i64 count) {
  for (i64 i = First(); i < count; i += Step()) __nvvm_atom_max_gen_ll(reinterpret_cast<long long*>(last + at[i]), i);
}
// out[o, at[i]] = src[o, i] for the i that are `last`; without that, the one element of src.
template <class T>
INLINE void Put(const T* src, const i64* at, const i64* last, T* out, i64 total, i64 n, i64 inner, i64 count) {
  for (i64 e = First(); e < total; e += Step()) {
    const i64 row = Divided(e, inner), c = e - row * inner, o = Divided(row, count), i = row - o * count, to = at[i];
    if (last && last[to] != i) continue;
    out[(o * n + to) * inner + c] = last ? src[e] : src[0];
  }
}
#define PUT(size, T)                                                                                          \
  KERNEL device_put_##size(const T* src, const i64* at, const i64* last, T* out, i64 total, i64 n, i64 inner, \
                           i64 count) {                                                                       \
    Put(src, at, last, out, total, n, inner, count);                                                          \
  }
EACH_SIZE(PUT)

#define ADD(name, T)                                                                                                  \
  KERNEL device_add_##name(const T* src, const i64* at, T* out, i64 columns, i64 n, i64 inner, i64 count, i64 slices, \
                           i64 skip, i64 mode) {                                                                      \
    AddRows<T>(src, at, out, columns, n, inner, count, slices, skip, mode);                                           \
  }
ADD(f32, float)
ADD(f64, double)
ADD(i32, int)
ADD(i64, i64)

// Running sums or products, a thread a line, in the CPU's order.
template <class T, bool kProduct>
INLINE void Scan(const T* x, T* out, i64 lines, i64 n, i64 inner, i64 exclusive, i64 reverse) {
  typedef typename WideOf<T>::type W;
  for (i64 line = First(); line < lines; line += Step()) {
    const i64 base = line / inner * n * inner + line % inner;
    W acc = kProduct ? 1 : 0;
    for (i64 k = 0; k < n; ++k) {
      const i64 at = base + (reverse ? n - 1 - k : k) * inner;
      const W v = Wide(x[at]), before = acc;
      acc = kProduct ? acc * v : acc + v;
      out[at] = Narrow(exclusive ? before : acc, static_cast<T*>(nullptr));
    }
  }
}
#define SCAN(name, T)                                                                                         \
  KERNEL device_cumsum_##name(const T* x, T* out, i64 lines, i64 n, i64 inner, i64 exclusive, i64 reverse) {  \
    Scan<T, false>(x, out, lines, n, inner, exclusive, reverse);                                              \
  }                                                                                                           \
  KERNEL device_cumprod_##name(const T* x, T* out, i64 lines, i64 n, i64 inner, i64 exclusive, i64 reverse) { \
    Scan<T, true>(x, out, lines, n, inner, exclusive, reverse);                                               \
  }
EACH_NUMBER(SCAN)

// The element of rank r < k of each line goes to place r: its value and where it stood. Equal elements keep their
// order; NaN is the largest. A thread an element, which is compared with all of its line.
template <class T>
INLINE void Rank(const T* x, T* values, i64* indices, i64 lines, i64 n, i64 inner, i64 k, i64 descending) {
  typedef typename WideOf<T>::type W;
  for (i64 i = First(); i < lines * n; i += Step()) {
    const i64 line = Divided(i, n), j = i - line * n, outer = Divided(line, inner), c = line - outer * inner;
    const T* from = x + outer * n * inner + c;
    const T kept = from[j * inner];
    const W v = Wide(kept);
    const bool nan = v != v;
    i64 rank = 0;
    for (i64 m = 0; m < n && rank < k; ++m) {
      const W w = Wide(from[m * inner]);
      const bool other = w != w;
      const bool less = other ? false : nan || w < v, more = nan ? false : other || w > v;
      rank += descending ? more || (!less && m < j) : less || (!more && m < j);
    }
    if (rank >= k) continue;
    const i64 to = (outer * k + rank) * inner + c;
    values[to] = kept;
    indices[to] = j;
  }
}
#define RANK(name, T)                                                                                                  \
  KERNEL device_rank_##name(const T* x, T* values, i64* indices, i64 lines, i64 n, i64 inner, i64 k, i64 descending) { \
    Rank(x, values, indices, lines, n, inner, k, descending);                                                          \
  }
EACH_NUMBER(RANK)
