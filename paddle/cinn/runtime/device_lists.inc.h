// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: choices along lines, searches, counts, places of chosen elements, columns of windows.
#pragma once

INLINE void AddTo(i64* to, i64 v) { __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(to), v); }

// The largest, or smallest, so far and where it last stood; NaN is more than any. A thread a line.
template <class T>
INLINE void Extremes(const T* x, T* out, void* indices, i64 lines, i64 n, i64 inner, i64 max, i64 narrow) {
  for (i64 line = First(); line < lines; line += Step()) {
    const i64 o = Divided(line, inner), base = o * n * inner + line - o * inner;
    i64 best = 0;
    for (i64 k = 0; k < n; ++k) {
      const auto v = Wide(x[base + k * inner]), old = Wide(x[base + best * inner]);
      if (k == 0 || v != v || (old == old && (max ? v >= old : v <= old))) best = k;
      out[base + k * inner] = x[base + best * inner];
      if (narrow)
        static_cast<int*>(indices)[base + k * inner] = static_cast<int>(best);
      else
        static_cast<i64*>(indices)[base + k * inner] = best;
    }
  }
}
#define EXTREMES(name, T)                                                                                              \
  KERNEL device_extremes_##name(const T* x, T* out, void* indices, i64 lines, i64 n, i64 inner, i64 max, i64 narrow) { \
    Extremes(x, out, indices, lines, n, inner, max, narrow);                                                           \
  }
EACH_NUMBER(EXTREMES)

// Logarithms of running sums of exponentials: max + log(sum).
template <class T>
INLINE void LogSums(const T* x, T* out, i64 lines, i64 n, i64 inner, i64 exclusive, i64 reverse) {
  typedef typename WideOf<T>::type W;
  using phi::device_math::exp;
  using phi::device_math::log;
  const W inf = static_cast<W>(__builtin_inf());
  for (i64 line = First(); line < lines; line += Step()) {
    const i64 o = Divided(line, inner), base = o * n * inner + line - o * inner;
    W most = -inf, sum = 0;
    for (i64 k = 0; k < n; ++k) {
      const i64 at = base + (reverse ? n - 1 - k : k) * inner;
      const W v = Wide(x[at]), before = sum == 0 ? -inf : most + log(sum);
      if (v != v || sum != sum) {
        sum = static_cast<W>(__builtin_nan(""));
      } else if (v > most) {
        sum = most == -inf ? W(1) : sum * exp(most - v) + W(1);
        most = v;
      } else if (v != -inf) {
        sum += v == most ? W(1) : exp(v - most);
      }
      out[at] = Narrow(exclusive ? before : sum == 0 ? -inf : most + log(sum), static_cast<T*>(nullptr));
    }
  }
}
#define LOG_SUMS(name, T)                                                                                     \
  KERNEL device_logsums_##name(const T* x, T* out, i64 lines, i64 n, i64 inner, i64 exclusive, i64 reverse) { \
    LogSums(x, out, lines, n, inner, exclusive, reverse);                                                     \
  }
LOG_SUMS(f32, float)
LOG_SUMS(f64, double)
LOG_SUMS(f16, Half)
LOG_SUMS(bf16, Bfloat)

// The gradient of it for x: the sums over j >= i of dout[j] * exp(out[i] - out[j]), by their recurrence.
template <class T>
INLINE void LogSumsGrad(const T* x, const T* out, const T* dout, T* dx, i64 lines, i64 n, i64 inner, i64 exclusive,
                        i64 reverse) {
  const T inf = static_cast<T>(__builtin_inf());
  for (i64 line = First(); line < lines; line += Step()) {
    const i64 o = Divided(line, inner), base = o * n * inner + line - o * inner;
    T sum = 0, later = 0;  // later: out[i + 1]
    for (i64 i = n - 1; i >= 0; --i) {
      const i64 at = base + (reverse ? n - 1 - i : i) * inner;
      const T v = x[at], now = out[at], from = exclusive ? later : now;
      const bool last = i == n - 1;
      const T ratio = v == -inf ? T(0) : phi::device_math::exp(v - from), before = sum;
      sum = dout[at] + (last || now == -inf ? T(0) * before : phi::device_math::exp(now - later) * before);
      dx[at] = exclusive ? last ? T(0) : ratio * before : ratio * sum;
      later = now;
    }
  }
}
#define LOG_SUMS_GRAD(name, T)                                                                                   \
  KERNEL device_logsums_grad_##name(const T* x, const T* out, const T* dout, T* dx, i64 lines, i64 n, i64 inner, \
                                    i64 exclusive, i64 reverse) {                                                \
    LogSumsGrad(x, out, dout, dx, lines, n, inner, exclusive, reverse);                                          \
  }
LOG_SUMS_GRAD(f32, float)
LOG_SUMS_GRAD(f64, double)

// Of lines in order, and where their elements stood: the last of the longest run of equals, the first of such runs.
template <class T>
INLINE void Runs(const T* x, const i64* at, T* out, i64* indices, i64 lines, i64 n, i64 inner) {
  for (i64 line = First(); line < lines; line += Step()) {
    const i64 o = Divided(line, inner), base = o * n * inner + line - o * inner;
    i64 last = 0, longest = 0, run = 0;
    auto before = Wide(x[base]);
    for (i64 i = 0; i < n; ++i) {
      const auto v = Wide(x[base + i * inner]);
      run = v == before || (v != v && before != before) ? run + 1 : 1;
      before = v;
      if (run > longest) longest = run, last = i;
    }
    out[line] = x[base + last * inner];
    indices[line] = at[base + last * inner];
  }
}
#define RUNS(name, T)                                                                                       \
  KERNEL device_runs_##name(const T* x, const i64* at, T* out, i64* indices, i64 lines, i64 n, i64 inner) { \
    Runs(x, at, out, indices, lines, n, inner);                                                             \
  }
EACH_NUMBER(RUNS)

// How many of n elements in order come before each value, with `right` those that equal it, too; NaN is the largest.
// `rows` sequences, each of which serves `each` values, or one for all.
template <class T>
INLINE void Search(const T* sorted, const T* values, void* out, i64 count, i64 rows, i64 n, i64 each, i64 right,
                   i64 narrow) {
  for (i64 i = First(); i < count; i += Step()) {
    const T* from = sorted + (rows == 1 ? 0 : Divided(i, each) * n);
    const auto v = Wide(values[i]);
    const bool nan = v != v;
    i64 low = 0, high = n;
    while (low < high) {
      const i64 middle = (low + high) / 2;
      const auto w = Wide(from[middle]);
      const bool less = w < v || (nan && w == w), more = v < w || (w != w && !nan);
      if (right ? !more : less)
        low = middle + 1;
      else
        high = middle;
    }
    if (narrow)
      static_cast<int*>(out)[i] = static_cast<int>(low);
    else
      static_cast<i64*>(out)[i] = low;
  }
}
#define SEARCH(name, T)                                                                                          \
  KERNEL device_search_##name(const T* sorted, const T* values, void* out, i64 count, i64 rows, i64 n, i64 each, \
                              i64 right, i64 narrow) {                                                           \
    Search(sorted, values, out, count, rows, n, each, right, narrow);                                            \
  }
EACH_NUMBER(SEARCH)

// What elements are placed in bins as.
INLINE float Placed(float v) { return v; }
template <class T>
INLINE double Placed(T v) {
  return static_cast<double>(v);
}
// The bin of each element among equal ones over [from, to], or `bins`: none.
template <class T>
INLINE void Bins(const T* x, i64* at, i64 n, i64 bins, double from, double to) {
  using P = decltype(Placed(Wide(x[0])));
  const P low = static_cast<P>(from), high = static_cast<P>(to);
  for (i64 i = First(); i < n; i += Step()) {
    const P v = Placed(Wide(x[i]));
    const bool in = v >= low && v <= high;
    const i64 bin = in ? static_cast<i64>((v - low) * static_cast<P>(bins) / (high - low)) : bins;
    at[i] = in && bin >= bins ? bins - 1 : bin;
  }
}
#define BINS(name, T)                                                                        \
  KERNEL device_bins_##name(const T* x, i64* at, i64 n, i64 bins, double low, double high) { \
    Bins(x, at, n, bins, low, high);                                                         \
  }
EACH_NUMBER(BINS)
// counts[at[i]] += 1 where that is one of n.
KERNEL device_tally(const i64* at, i64* counts, i64 count, i64 n) {
  for (i64 i = First(); i < count; i += Step())
    if (at[i] >= 0 && at[i] < n) AddTo(counts + at[i], 1);
}

// Shares of a sum over the width of a bin; few bins, so each thread adds them up.
KERNEL device_density(const double* sums, float* out, i64 n, double width) {
  double total = 0;
  for (i64 i = 0; i < n; ++i) total += sums[i];
  for (i64 i = First(); i < n; i += Step()) out[i] = static_cast<float>(sums[i] / total / width);
}

// Which of n elements are not 0, in pieces of kPiece that a thread counts; then running counts; then their places.
constexpr i64 kPiece = 64;
template <class T>
INLINE bool Holds(T x) {
  return Wide(x) != 0;
}
struct ComplexFloat {
  float re, im;
};
struct ComplexDouble {
  double re, im;
};
INLINE bool Holds(ComplexFloat x) { return x.re != 0 || x.im != 0; }
INLINE bool Holds(ComplexDouble x) { return x.re != 0 || x.im != 0; }
INLINE i64 End(i64 start, i64 n) { return start + kPiece < n ? start + kPiece : n; }
template <class T>
INLINE void CountChosen(const T* x, i64* counts, i64 n) {
  for (i64 p = First(); p * kPiece < n; p += Step()) {
    i64 sum = 0;
    for (i64 i = p * kPiece; i < End(p * kPiece, n); ++i) sum += Holds(x[i]);
    counts[p] = sum;
  }
}
template <class T>
INLINE void PlaceChosen(const T* x, const i64* starts, i64* at, i64 n) {
  for (i64 p = First(); p * kPiece < n; p += Step()) {
    i64 to = starts[p];
    for (i64 i = p * kPiece; i < End(p * kPiece, n); ++i)
      if (Holds(x[i])) at[to++] = i;
  }
}
#define CHOSEN(name, T)                                                                            \
  KERNEL device_chosen_count_##name(const T* x, i64* counts, i64 n) { CountChosen(x, counts, n); } \
  KERNEL device_chosen_places_##name(const T* x, const i64* starts, i64* at, i64 n) { PlaceChosen(x, starts, at, n); }
EACH_NUMBER(CHOSEN)
CHOSEN(b, bool)
CHOSEN(i8, signed char)
CHOSEN(u8, unsigned char)
CHOSEN(i16, short)
CHOSEN(c64, ComplexFloat)
CHOSEN(c128, ComplexDouble)
KERNEL device_piece_sums(const i64* x, i64* sums, i64 n) {
  for (i64 p = First(); p * kPiece < n; p += Step()) {
    i64 sum = 0;
    for (i64 i = p * kPiece; i < End(p * kPiece, n); ++i) sum += x[i];
    sums[p] = sum;
  }
}
// x = where each count begins, pieces beginning at `starts`; total (or null): where the last one ends.
KERNEL device_piece_starts(i64* x, const i64* starts, i64* total, i64 n) {
  for (i64 p = First(); p * kPiece < n; p += Step()) {
    i64 sum = starts ? starts[p] : 0;
    for (i64 i = p * kPiece; i < End(p * kPiece, n); ++i) {
      const i64 count = x[i];
      x[i] = sum;
      sum += count;
    }
    if (total && End(p * kPiece, n) == n) *total = sum;
  }
}
// out[i, a] = the position along axis a of the element at[i] of extents e; the last `rank` of them.
KERNEL device_unravel(const i64* at, i64* out, i64 n, i64 rank, EIGHT(e)) {
  const i64 es[] = EIGHT_OF(e);
  for (i64 i = First(); i < n; i += Step()) {
    i64 rest = at[i];
#pragma unroll
    for (int a = 7; a >= 0; --a) {
      if (a < 8 - rank) continue;
      const i64 q = Divided(rest, es[a]);
      out[i * rank + a - (8 - rank)] = rest - q * es[a];
      rest = q;
    }
  }
}

// Shifts of bits: what leaves a number, or by more than it has, is gone, or its sign.
template <class T, class U>
INLINE void Shift(const T* x, const T* y, T* out, i64 n, i64 left, i64 arithmetic) {
  constexpr T kBits = sizeof(T) * 8;
  for (i64 i = First(); i < n; i += Step()) {
    const bool far = y[i] < 0 || y[i] >= kBits;
    if (left)
      out[i] = far ? T(0) : static_cast<T>(static_cast<U>(x[i]) << y[i]);
    else if (arithmetic)
      out[i] = x[i] >> (far ? kBits - 1 : y[i]);
    else
      out[i] = far ? T(0) : static_cast<T>(static_cast<U>(x[i]) >> y[i]);
  }
}
KERNEL device_shift_i32(const int* x, const int* y, int* out, i64 n, i64 left, i64 arithmetic) {
  Shift<int, u32>(x, y, out, n, left, arithmetic);
}
KERNEL device_shift_i64(const i64* x, const i64* y, i64* out, i64 n, i64 left, i64 arithmetic) {
  Shift<i64, unsigned long>(x, y, out, n, left, arithmetic);
}

// Rows and columns of a triangle's elements, row by row: out [2, n]. A thread an element of the matrix.
INLINE i64 SumTo(i64 m, i64 most) {  // of the numbers up to m, each at most `most` and at least 0
  return m <= 0 ? 0 : m <= most ? m * (m + 1) / 2 : most * (most + 1) / 2 + (m - most) * most;
}
template <class T>
INLINE void TrianglePlaces(T* out, i64 total, i64 columns, i64 offset, i64 upper, i64 n) {
  for (i64 i = First(); i < total; i += Step()) {
    const i64 r = Divided(i, columns), c = i - r * columns;
    if (upper ? c < r + offset : c > r + offset) continue;
    const i64 before = upper ? r * columns - (SumTo(r + offset - 1, columns) - SumTo(offset - 1, columns))
                             : SumTo(r + offset, columns) - SumTo(offset, columns);
    const i64 first = upper && r + offset > 0 ? r + offset : 0, at = before + c - first;
    out[at] = static_cast<T>(r);
    out[n + at] = static_cast<T>(c);
  }
}
KERNEL device_triangle_places_i32(int* out, i64 total, i64 columns, i64 offset, i64 upper, i64 n) {
  TrianglePlaces(out, total, columns, offset, upper, n);
}
KERNEL device_triangle_places_i64(i64* out, i64 total, i64 columns, i64 offset, i64 upper, i64 n) {
  TrianglePlaces(out, total, columns, offset, upper, n);
}
// What lies on a diagonal of rows of `columns` elements becomes the element whose bytes are those of the two numbers:
// every `stride`-th, moved by `offset`, where that stays in its row.
#define DIAGONAL(size, T)                                                                                           \
  KERNEL device_diagonal_##size(T* out, i64 count, i64 stride, i64 columns, i64 offset, i64 n, i64 low, i64 high) { \
    const T v = OfBytes<T>(low, high);                                                                              \
    for (i64 k = First(); k < count; k += Step()) {                                                                 \
      const i64 i = k * stride, to = i + offset, column = i % columns + offset;                                     \
      if (column >= 0 && column < columns && to >= 0 && to < n) out[to] = v;                                        \
    }                                                                                                               \
  }
EACH_SIZE(DIAGONAL)

// Numbers from a, and to b, in equal steps.
template <class T>
INLINE T Rounded(double v, T*) {
  return static_cast<T>(v);
}
INLINE Half Rounded(double v, Half* t) { return Narrow(static_cast<float>(v), t); }
INLINE Bfloat Rounded(double v, Bfloat* t) { return Narrow(static_cast<float>(v), t); }
#define LINSPACE(name, T)                                                                                              \
  KERNEL device_linspace_##name(T* out, i64 n, double a, double b, double step) {                                      \
    for (i64 i = First(); i < n; i += Step())                                                                          \
      out[i] =                                                                                                         \
          Rounded(i < n / 2 || n == 1 ? a + step * static_cast<double>(i) : b - step * static_cast<double>(n - 1 - i), \
                  static_cast<T*>(nullptr));                                                                           \
  }
EACH_NUMBER(LINSPACE)

// Phases of real numbers, or of pairs.
template <class T>
INLINE void Angles(const T* x, T* out, i64 n, i64 pairs) {
  for (i64 i = First(); i < n; i += Step())
    out[i] = pairs          ? phi::device_math::atan2(x[2 * i + 1], x[2 * i])
             : x[i] != x[i] ? x[i]
             : x[i] < 0     ? static_cast<T>(3.141592653589793)
                            : T(0);
}
KERNEL device_angle_f32(const float* x, float* out, i64 n, i64 pairs) { Angles(x, out, n, pairs); }
KERNEL device_angle_f64(const double* x, double* out, i64 n, i64 pairs) { Angles(x, out, n, pairs); }

// Windows of planes [h, w] as columns: columns [planes, kh * kw, rows * cols]; and back, where they meet summed.
struct ColumnPlan {
  i64 h, w, kh, kw, sh, sw, top, left, dh, dw, rows, cols;
};
template <class T>
INLINE void ToColumns(const T* x, T* out, i64 n, const ColumnPlan& b) {
  for (i64 i = First(); i < n; i += Step()) {
    const i64 a = Divided(i, b.cols), c = i - a * b.cols, t = Divided(a, b.rows), r = a - t * b.rows,
              u = Divided(t, b.kw), kj = t - u * b.kw, plane = Divided(u, b.kh), ki = u - plane * b.kh;
    const i64 y = r * b.sh - b.top + ki * b.dh, z = c * b.sw - b.left + kj * b.dw;
    out[i] = y >= 0 && y < b.h && z >= 0 && z < b.w ? x[(plane * b.h + y) * b.w + z] : T(0);
  }
}
template <class T>
INLINE void FromColumns(const T* x, T* out, i64 n, const ColumnPlan& b) {
  for (i64 i = First(); i < n; i += Step()) {
    const i64 a = Divided(i, b.w), z = i - a * b.w, plane = Divided(a, b.h), y = a - plane * b.h;
    T sum = 0;
    for (i64 ki = 0; ki < b.kh; ++ki) {
      const i64 row = y + b.top - ki * b.dh, r = row / b.sh;
      if (row < 0 || r * b.sh != row || r >= b.rows) continue;
      for (i64 kj = 0; kj < b.kw; ++kj) {
        const i64 column = z + b.left - kj * b.dw, c = column / b.sw;
        if (column < 0 || c * b.sw != column || c >= b.cols) continue;
        sum += x[((plane * b.kh + ki) * b.kw + kj) * b.rows * b.cols + r * b.cols + c];
      }
    }
    out[i] = sum;
  }
}
#define COLUMNS(name, T)                                                                                              \
  KERNEL device_to_columns_##name(const T* x, T* out, i64 n, i64 h, i64 w, i64 kh, i64 kw, i64 sh, i64 sw, i64 top,   \
                                  i64 left, i64 dh, i64 dw, i64 rows, i64 cols) {                                     \
    ToColumns(x, out, n, {h, w, kh, kw, sh, sw, top, left, dh, dw, rows, cols});                                      \
  }                                                                                                                   \
  KERNEL device_from_columns_##name(const T* x, T* out, i64 n, i64 h, i64 w, i64 kh, i64 kw, i64 sh, i64 sw, i64 top, \
                                    i64 left, i64 dh, i64 dw, i64 rows, i64 cols) {                                   \
    FromColumns(x, out, n, {h, w, kh, kw, sh, sw, top, left, dh, dw, rows, cols});                                    \
  }
COLUMNS(f32, float)
COLUMNS(f64, double)

// Weights of 8 bits, or two of 4 in a byte, as numbers: rows [n, k] of them, or the columns of the result where it is
// `across`; a scale for each `group` of a row.
INLINE float Stored(const signed char* bytes, i64 j, i64 p, i64 k, i64 halves) {
  const signed char v = bytes[(halves ? j / 2 : j) * k + p];
  return static_cast<float>(!halves ? v : j % 2 ? v >> 4 : static_cast<signed char>(v << 4) >> 4);
}
KERNEL device_dequantize(const signed char* bytes, const float* scales, float* out, i64 total, i64 n, i64 k, i64 group,
                         i64 halves, i64 across) {
  for (i64 i = First(); i < total; i += Step()) {
    const i64 a = Divided(i, across ? n : k), b = i - a * (across ? n : k), j = across ? b : a, p = across ? a : b;
    out[i] = Stored(bytes, j, p, k, halves) * scales[Divided(p, group) * n + j];
  }
}

// out = x + y, or x * y.
#define COMBINE(name, T)                                                                                       \
  KERNEL device_combine_##name(const T* x, const T* y, T* out, i64 n, i64 multiply) {                          \
    for (i64 i = First(); i < n; i += Step())                                                                  \
      out[i] = Narrow(multiply ? Wide(x[i]) * Wide(y[i]) : Wide(x[i]) + Wide(y[i]), static_cast<T*>(nullptr)); \
  }
EACH_NUMBER(COMBINE)
// Rows of `width` elements over how many reached each, where that is more than one.
template <class T>
INLINE void OverCounts(T* out, const i64* counts, i64 n, i64 width) {
  for (i64 i = First(); i < n; i += Step())
    if (const i64 c = counts[Divided(i, width)]; c > 1) out[i] = out[i] / static_cast<T>(c);
}
KERNEL device_over_counts_f32(float* out, const i64* counts, i64 n, i64 width) { OverCounts(out, counts, n, width); }
KERNEL device_over_counts_f64(double* out, const i64* counts, i64 n, i64 width) { OverCounts(out, counts, n, width); }
KERNEL device_over_counts_i32(int* out, const i64* counts, i64 n, i64 width) { OverCounts(out, counts, n, width); }
KERNEL device_over_counts_i64(i64* out, const i64* counts, i64 n, i64 width) { OverCounts(out, counts, n, width); }
// Rows that nothing reached are 0.
template <class T>
INLINE void Unmet(T* out, const i64* counts, i64 n, i64 width) {
  for (i64 i = First(); i < n; i += Step())
    if (counts[Divided(i, width)] == 0) out[i] = 0;
}
KERNEL device_unmet_f32(float* out, const i64* counts, i64 n, i64 width) { Unmet(out, counts, n, width); }
KERNEL device_unmet_f64(double* out, const i64* counts, i64 n, i64 width) { Unmet(out, counts, n, width); }
KERNEL device_unmet_i32(int* out, const i64* counts, i64 n, i64 width) { Unmet(out, counts, n, width); }
KERNEL device_unmet_i64(i64* out, const i64* counts, i64 n, i64 width) { Unmet(out, counts, n, width); }

// Of LU factors [n, n] and their pivots, counted from 1: the determinant, or its sign and the logarithm of its size.
template <class T>
INLINE void Determinants(const T* lu, const int* pivots, T* out, T* logs, i64 matrices, i64 n) {
  for (i64 i = First(); i < matrices; i += Step()) {
    T value = 1, sum = 0;
    for (i64 j = 0; j < n; ++j)
      if (pivots[i * n + j] != j + 1) value = -value;
    for (i64 j = 0; j < n; ++j) {
      const T d = lu[(i * n + j) * n + j], size = phi::device_math::abs(d);
      if (logs)
        sum += phi::device_math::log(size), value = size == 0 ? T(0) : value * (d / size);
      else
        value *= d;
    }
    out[i] = value;
    if (logs) logs[i] = sum;
  }
}
KERNEL device_determinant_f32(const float* lu, const int* pivots, float* out, float* logs, i64 matrices, i64 n) {
  Determinants(lu, pivots, out, logs, matrices, n);
}
KERNEL device_determinant_f64(const double* lu, const int* pivots, double* out, double* logs, i64 matrices, i64 n) {
  Determinants(lu, pivots, out, logs, matrices, n);
}
// The same of pairs.
template <class T>
INLINE void PairDeterminants(const T* lu, const int* pivots, T* out, T* logs, i64 matrices, i64 n) {
  for (i64 i = First(); i < matrices; i += Step()) {
    T re = 1, im = 0, sum = 0;
    for (i64 j = 0; j < n; ++j)
      if (pivots[i * n + j] != j + 1) re = -re;
    for (i64 j = 0; j < n; ++j) {
      const T* d = lu + 2 * ((i * n + j) * n + j);
      T a = d[0], b = d[1];
      if (logs) {
        const T size = static_cast<T>(phi::device_math::abs(phi::device_math::cplx<double>{a, b}));
        sum += phi::device_math::log(size);
        a = size == 0 ? 0 : a / size, b = size == 0 ? 0 : b / size;
      }
      const T left = re;
      re = re * a - im * b, im = left * b + im * a;
    }
    out[2 * i] = re, out[2 * i + 1] = im;
    if (logs) logs[i] = sum;
  }
}
KERNEL device_determinant_c64(const float* lu, const int* pivots, float* out, float* logs, i64 matrices, i64 n) {
  PairDeterminants(lu, pivots, out, logs, matrices, n);
}
KERNEL device_determinant_c128(const double* lu, const int* pivots, double* out, double* logs, i64 matrices, i64 n) {
  PairDeterminants(lu, pivots, out, logs, matrices, n);
}
// One of the factors [rows, columns] that lu [m, n] holds: the lower with a diagonal of ones, the element whose bytes
// are those of the two numbers.
#define LU_PART(size, T)                                                                                        \
  KERNEL device_lu_part_##size(const T* lu, T* out, i64 total, i64 rows, i64 columns, i64 m, i64 n, i64 lower,  \
                               i64 low, i64 high) {                                                             \
    const T one = OfBytes<T>(low, high);                                                                        \
    for (i64 i = First(); i < total; i += Step()) {                                                             \
      const i64 a = Divided(i, columns), c = i - a * columns, matrix = Divided(a, rows), r = a - matrix * rows; \
      const bool stored = lower ? c < r : c >= r;                                                               \
      out[i] = stored ? lu[(matrix * m + r) * n + c] : lower && c == r ? one : T{};                             \
    }                                                                                                           \
  }
EACH_SIZE(LU_PART)
// How many of k sizes of each row exceed the absolute tolerance (of each, or one) and what the relative one says of the
// largest; with `standard` that is left out where the other is above 0, with `alone` always.
template <class T>
INLINE void Ranks(const T* values, const double* absolute, const double* relative, i64* out, i64 n, i64 k, double tol,
                  double rtol, i64 standard, i64 alone) {
  for (i64 i = First(); i < n; i += Step()) {
    T top = 0;
    for (i64 j = 0; j < k; ++j) {
      const T v = phi::device_math::abs(values[i * k + j]);
      top = v > top ? v : top;
    }
    const double a = absolute ? absolute[i] : tol,
                 r = relative            ? relative[i]
                     : standard && a > 0 ? 0
                                         : rtol,
                 scaled = static_cast<double>(top) * r, least = alone || scaled < a ? a : scaled;
    i64 count = 0;
    for (i64 j = 0; j < k; ++j) count += static_cast<double>(phi::device_math::abs(values[i * k + j])) > least;
    out[i] = count;
  }
}
KERNEL device_ranks_f32(const float* v, const double* a, const double* r, i64* out, i64 n, i64 k, double tol,
                        double rtol, i64 standard, i64 alone) {
  Ranks(v, a, r, out, n, k, tol, rtol, standard, alone);
}
KERNEL device_ranks_f64(const double* v, const double* a, const double* r, i64* out, i64 n, i64 k, double tol,
                        double rtol, i64 standard, i64 alone) {
  Ranks(v, a, r, out, n, k, tol, rtol, standard, alone);
}
