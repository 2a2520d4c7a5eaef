// SPDX-License-Identifier: Apache-2.0
// Reduction kernels. The tree of additions follows from the shape alone: 64 lanes inside a block, blocks joined
// pairwise.
#pragma once

#include "paddle/phi/primitives/copy_tile.inc.h"
#include "paddle/phi/primitives/reduce_plan.inc.h"
#include "paddle/phi/primitives/softmax_exp.inc.h"

namespace phi::PD_ISA {
namespace {

constexpr int kLanes = 64;
constexpr int64_t kBlock = 16384;
constexpr int64_t kTile = 2048;
constexpr int kGroups = 256;    // row case: groups of blocks per output when outputs are few
constexpr int kColGroups = 16;  // column case
constexpr int64_t kFew = 8;

template <class T>
struct Lim {
  static T Lowest() { return T(-__builtin_inff()); }
  static T Highest() { return T(__builtin_inff()); }
};
template <>
struct Lim<int32_t> {
  static int32_t Lowest() { return INT32_MIN; }
  static int32_t Highest() { return INT32_MAX; }
};
template <>
struct Lim<int64_t> {
  static int64_t Lowest() { return INT64_MIN; }
  static int64_t Highest() { return INT64_MAX; }
};
// A value that is only zero or not: what any and all look at.
struct Truth {
  uint8_t v;
};
template <>
struct TypeCode<Truth> {
  static constexpr int value = kBool;
};
template <class S>
struct CastTo<Truth, S> {
  static Truth Do(S s) { return Truth{static_cast<uint8_t>(s != S(0))}; }
};
template <>
struct CastTo<Truth, Half> {
  static Truth Do(Half s) { return Truth{static_cast<uint8_t>((s.x & 0x7fff) != 0)}; }
};
template <>
struct CastTo<Truth, BHalf> {
  static Truth Do(BHalf s) { return Truth{static_cast<uint8_t>((s.x & 0x7fff) != 0)}; }
};
template <>
struct CastTo<Truth, Cx<float>> {
  static Truth Do(Cx<float> s) { return Truth{static_cast<uint8_t>(s.re != 0 || s.im != 0)}; }
};
template <>
struct CastTo<Truth, Cx<double>> {
  static Truth Do(Cx<double> s) { return Truth{static_cast<uint8_t>(s.re != 0 || s.im != 0)}; }
};

template <class T>
inline T One() {
  return T(1);
}
template <>
inline Cx<float> One<Cx<float>>() {
  return {1, 0};
}
template <>
inline Cx<double> One<Cx<double>>() {
  return {1, 0};
}
template <class T>
inline bool IsNan(T x) {
  return x != x;
}
template <class R>
inline bool IsNan(Cx<R> x) {
  return x.re != x.re || x.im != x.im;
}
template <class T>
inline bool NonZeroV(T x) {
  return x != T(0);
}
template <class R>
inline bool NonZeroV(Cx<R> x) {
  return x.re != 0 || x.im != 0;
}
template <class T>
inline T Norm2(T x) {
  return x * x;
}
template <class R>
inline Cx<R> Norm2(Cx<R> x) {
  return {x.re * x.re + x.im * x.im, 0};
}
template <class T>
inline T Abs(T x) {
  return x < T(0) ? T(-x) : x;
}
inline float Abs(float x) { return __builtin_fabsf(x); }
inline double Abs(double x) { return __builtin_fabs(x); }
inline Cx<float> Abs(Cx<float> x) { return {__builtin_hypotf(x.re, x.im), 0}; }
inline Cx<double> Abs(Cx<double> x) { return {__builtin_hypot(x.re, x.im), 0}; }

template <class T>
struct Add {
  static T Id() { return T{}; }
  static T Join(T a, T b) { return a + b; }
};
template <class T>
struct SumOp : Add<T> {
  static T Map(T x, T, double) { return x; }
};
template <class T>
struct SumSqOp : Add<T> {
  static T Map(T x, T, double) { return Norm2(x); }
};
template <class T>
struct SumAbsOp : Add<T> {
  static T Map(T x, T, double) { return Abs(x); }
};
template <class T>
struct SumPowOp : Add<T> {
  static T Map(T x, T, double p) { return static_cast<T>(__builtin_pow(static_cast<double>(Abs(x)), p)); }
};
template <class T>
struct CountOp : Add<T> {
  static T Map(T x, T, double) { return NonZeroV(x) ? One<T>() : T{}; }
};
template <class T>
struct NanSumOp : Add<T> {
  static T Map(T x, T, double) { return IsNan(x) ? T{} : x; }
};
template <class T>
struct ValidOp : Add<T> {
  static T Map(T x, T, double) { return IsNan(x) ? T{} : One<T>(); }
};
template <class T>
struct SumExpOp : Add<T> {
  static T Map(T x, T m, double) { return ExpNonPositive(x - m); }
};
template <class T>
struct SqDiffOp : Add<T> {
  static T Map(T x, T m, double) { return Norm2(x - m); }
};
template <class T>
struct ProdOp {
  static T Id() { return One<T>(); }
  static T Map(T x, T, double) { return x; }
  static T Join(T a, T b) { return a * b; }
};
template <class T>
struct MaxOp {
  static T Id() { return Lim<T>::Lowest(); }
  static T Map(T x, T, double) { return x; }
  static T Join(T a, T b) {
    const T r = a > b ? a : b;
    return a != a ? a : r;
  }
};
template <class T>
struct MinOp {
  static T Id() { return Lim<T>::Highest(); }
  static T Map(T x, T, double) { return x; }
  static T Join(T a, T b) {
    const T r = a < b ? a : b;
    return a != a ? a : r;
  }
};
template <class T>
struct MaxAbsOp : MaxOp<T> {
  static T Map(T x, T, double) { return Abs(x); }
};
template <class T>
struct MinAbsOp : MinOp<T> {
  static T Map(T x, T, double) { return Abs(x); }
};
struct AnyOp {
  static Truth Id() { return {0}; }
  static Truth Map(Truth x, Truth, double) { return x; }
  static Truth Join(Truth a, Truth b) { return {static_cast<uint8_t>(a.v | b.v)}; }
};
struct AllOp {
  static Truth Id() { return {1}; }
  static Truth Map(Truth x, Truth, double) { return x; }
  static Truth Join(Truth a, Truth b) { return {static_cast<uint8_t>(a.v & b.v)}; }
};

// Joins values pairwise in arrival order, like a binary counter.
template <class T, class Op>
struct Pairwise {
  T level[64];
  uint64_t count = 0;
  void Push(T v) {
    uint64_t c = count++;
    int l = 0;
    for (; c & 1; c >>= 1) v = Op::Join(level[l++], v);
    level[l] = v;
  }
  T Result() {
    bool any = false;
    T r = Op::Id();
    for (int l = 0; l < 64 && (count >> l); ++l)
      if (count >> l & 1) {
        r = any ? Op::Join(level[l], r) : level[l];
        any = true;
      }
    return r;
  }
};

template <class T, class Op>
inline void AccumLanes(T* __restrict lanes, const T* __restrict x, int64_t n, T param, double p) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Join(lanes[l], Op::Map(x[i + l], param, p));
  for (int l = 0; i + l < n; ++l) lanes[l] = Op::Join(lanes[l], Op::Map(x[i + l], param, p));
}

// Sums keep their lanes in registers: the same additions in the same order.
template <class T>
inline void SumLanes(T* __restrict lanes, const T* __restrict x, int64_t n) {
  typedef T V __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
  constexpr int kWidth = 64 / sizeof(T), kCount = kLanes / kWidth;
  V acc[kCount];
#pragma GCC unroll 16
  for (int k = 0; k < kCount; ++k) acc[k] = *reinterpret_cast<const V*>(lanes + k * kWidth);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 16
    for (int k = 0; k < kCount; ++k) acc[k] += *reinterpret_cast<const V*>(x + i + k * kWidth);
  }
#pragma GCC unroll 16
  for (int k = 0; k < kCount; ++k) *reinterpret_cast<V*>(lanes + k * kWidth) = acc[k];
  for (int l = 0; i + l < n; ++l) lanes[l] += x[i + l];
}

// One block of at most kBlock elements.
template <class T, class Op>
T Block(int in_t, const char* x, int64_t esize, int64_t stride, int64_t n, T param, double p) {
  const bool direct = in_t == TypeCode<T>::value && stride == 1;
  T buf[kTile];
  if (n <= 16) {
    const T* s = reinterpret_cast<const T*>(x);
    if (!direct) {
      LoadTile(in_t, x, stride, n, buf);
      s = buf;
    }
    T r = Op::Id();  // as in longer rows: a sum of negative zeros is 0
    for (int64_t i = 0; i < n; ++i) r = Op::Join(r, Op::Map(s[i], param, p));
    return r;
  }
  alignas(64) T lanes[kLanes];
  for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Id();
  if (direct) {
    if constexpr (__is_same(Op, SumOp<float>) || __is_same(Op, SumOp<double>)) {
      SumLanes(lanes, reinterpret_cast<const T*>(x), n);
    } else {
      AccumLanes<T, Op>(lanes, reinterpret_cast<const T*>(x), n, param, p);
    }
  } else {
    for (int64_t i = 0; i < n; i += kTile) {
      const int64_t w = n - i < kTile ? n - i : kTile;
      LoadTile(in_t, x + i * stride * esize, stride, w, buf);
      AccumLanes<T, Op>(lanes, buf, w, param, p);
    }
  }
  for (int w = kLanes / 2; w; w /= 2)
    for (int l = 0; l < w; ++l) lanes[l] = Op::Join(lanes[l], lanes[l + w]);
  return lanes[0];
}

struct Odometer {
  int nd;
  const int64_t *n, *s;
  int64_t at[16], offset;
  Odometer(int nd, const int64_t* n, const int64_t* s, int64_t pos) : nd(nd), n(n), s(s), offset(0) {
    for (int i = nd - 1; i >= 0; --i) {
      at[i] = pos % n[i];
      pos /= n[i];
      offset += at[i] * s[i];
    }
  }
  void Next() {
    for (int i = nd - 1; i >= 0; --i) {
      offset += s[i];
      if (++at[i] < n[i]) return;
      offset -= n[i] * s[i];
      at[i] = 0;
    }
  }
};

inline int64_t Product(int nd, const int64_t* n) {
  int64_t r = 1;
  for (int i = 0; i < nd; ++i) r *= n[i];
  return r;
}

// The innermost dim is reduced: outputs one by one, each a list of blocks.
template <class T, class Op>
void Rows(const ReducePlan& P) {
  const int64_t esize = ElemSize(P.in_t);
  const int64_t n = P.rn[P.nr - 1], stride = P.rs[P.nr - 1];
  const int64_t rows = Product(P.nr - 1, P.rn), per_row = (n + kBlock - 1) / kBlock, units = rows * per_row;
  const int64_t outs = Product(P.nk, P.kn);
  T* out = static_cast<T*>(P.out);
  const T* params = static_cast<const T*>(P.param);
  // Units [u0, u1) of the output that starts at x.
  const auto range = [&](const char* x, int64_t u0, int64_t u1, T param) {
    if (units == 1) return Block<T, Op>(P.in_t, x, esize, stride, n, param, P.p);
    Pairwise<T, Op> acc;
    Odometer row(P.nr - 1, P.rn, P.rs, u0 / per_row);
    int64_t b = u0 % per_row;
    for (int64_t u = u0; u < u1; ++u) {
      if (P.ended && (u - u0) % 1024 == 0 && P.ended(P.watch)) break;
      const int64_t from = b * kBlock, w = n - from < kBlock ? n - from : kBlock;
      acc.Push(Block<T, Op>(P.in_t, x + (row.offset + from * stride) * esize, esize, stride, w, param, P.p));
      if (++b == per_row) {
        b = 0;
        row.Next();
      }
    }
    return acc.Result();
  };
  if (outs < kFew && units > 1) {
    const int64_t groups = units < kGroups ? units : kGroups;
    T* part = static_cast<T*>(P.partial);
    const int64_t per = rows * n / groups;
    ParFor(outs * groups, 32768 / (per + 1) + 1, [&](int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i) {
        const int64_t o = i / groups, g = i % groups;
        Odometer k(P.nk, P.kn, P.ks, o), ko(P.nk, P.kn, P.ko, o);
        part[i] = range(P.x + k.offset * esize, units * g / groups, units * (g + 1) / groups,
                        params ? params[ko.offset] : T{});
      }
    });
    for (int64_t o = 0; o < outs; ++o) {
      Pairwise<T, Op> acc;
      for (int64_t g = 0; g < groups; ++g) acc.Push(part[o * groups + g]);
      out[Odometer(P.nk, P.kn, P.ko, o).offset] = acc.Result();
    }
    return;
  }
  ParFor(outs, 32768 / (rows * n + 1) + 1, [&](int64_t lo, int64_t hi) {
    Odometer k(P.nk, P.kn, P.ks, lo), ko(P.nk, P.kn, P.ko, lo);
    for (int64_t o = lo; o < hi; ++o, k.Next(), ko.Next()) {
      if (P.ended && (o - lo) % 1024 == 0 && P.ended(P.watch)) return;
      out[ko.offset] = range(P.x + k.offset * esize, 0, units, params ? params[ko.offset] : T{});
    }
  });
}

template <class T, class Op>
__attribute__((noinline)) void Join4(int64_t w, const T* a, const T* b, const T* c, const T* d, double p, T* acc) {
#pragma GCC ivdep
  for (int64_t j = 0; j < w; ++j) {
    const T ab = Op::Join(Op::Map(a[j], T{}, p), Op::Map(b[j], T{}, p));
    const T cd = Op::Join(Op::Map(c[j], T{}, p), Op::Map(d[j], T{}, p));
    acc[j] = Op::Join(acc[j], Op::Join(ab, cd));
  }
}
template <class T, class Op>
__attribute__((noinline)) void Join1(int64_t w, const T* s, const T* param, double p, T* acc) {
  if (param) {
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) acc[j] = Op::Join(acc[j], Op::Map(s[j], param[j], p));
  } else {
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) acc[j] = Op::Join(acc[j], Op::Map(s[j], T{}, p));
  }
}
template <class T, class Op>
inline void JoinAcc(int64_t w, const T* s, T* acc) {
#pragma GCC ivdep
  for (int64_t j = 0; j < w; ++j) acc[j] = Op::Join(acc[j], s[j]);
}

// acc[j] = Join(acc[j], Map(x[j])) over rows [r0, r1) of the reduced dims, in runs of 128 rows.
template <class T, class Op>
void AccumRows(const ReducePlan& P, const char* x, int64_t esize, int64_t stride, int64_t w, int64_t r0, int64_t r1,
               const T* param, T* total) {
  const bool direct = P.in_t == TypeCode<T>::value && stride == 1;
  T buf[kTile], run[kTile];
  for (int64_t j = 0; j < w; ++j) total[j] = Op::Id();
  Odometer row(P.nr, P.rn, P.rs, r0);
  for (int64_t r = r0; r < r1;) {
    if (P.ended && P.ended(P.watch)) return;
    const int64_t end = r1 - r < 128 ? r1 : r + 128;
    T* acc = r == r0 ? total : run;
    if (acc == run)
      for (int64_t j = 0; j < w; ++j) run[j] = Op::Id();
    for (; r < end;) {
      if (direct && !param && end - r >= 4) {  // four rows at a time: one pass over acc
        const T* s[4];
        for (int q = 0; q < 4; ++q, row.Next()) s[q] = reinterpret_cast<const T*>(x + row.offset * esize);
        Join4<T, Op>(w, s[0], s[1], s[2], s[3], P.p, acc);
        r += 4;
        continue;
      }
      const T* s = reinterpret_cast<const T*>(x + row.offset * esize);
      if (!direct) {
        LoadTile(P.in_t, x + row.offset * esize, stride, w, buf);
        s = buf;
      }
      Join1<T, Op>(w, s, param, P.p, acc);
      row.Next();
      ++r;
    }
    if (acc == run) JoinAcc<T, Op>(w, run, total);
  }
}

// In how many parts the rows of `items` columns, or tiles of them, are joined: by threads, then into one.
inline int64_t PartsOf(int64_t items, int64_t rows, int64_t most) {
  if (items >= kFew) return 1;
  const int64_t parts = most < 1 ? 1 : most > kColGroups ? kColGroups : most;
  return parts > rows ? rows : parts;
}

// A few columns, rows next to each other.
inline bool IsNarrow(const ReducePlan& P) {
  const int64_t width = P.kn[P.nk - 1];
  return width <= 16 && P.nr && P.ks[P.nk - 1] == 1 && P.rs[P.nr - 1] == width && P.rn[P.nr - 1] >= 64;
}

// run[q] = Join(run[q], Map(x[e])) for the `total` elements at x, of which `w` are a row.
template <class T, class Op>
void JoinRows(const ReducePlan& P, const char* x, int64_t total, int64_t w, const T* param, T* run) {
  const int64_t esize = ElemSize(P.in_t);
  T buf[kTile];
  int64_t e = 0;
  for (; e + w <= total;) {
    if (P.in_t == TypeCode<T>::value) {
      Join1<T, Op>(w, reinterpret_cast<const T*>(x) + e, param, P.p, run);
      e += w;
      continue;
    }
    const int64_t m = (total - e < kTile ? total - e : kTile) / w * w;
    LoadTile(P.in_t, x + e * esize, 1, m, buf);
    for (int64_t b = 0; b < m; b += w) Join1<T, Op>(w, buf + b, param, P.p, run);
    e += m;
  }
  if (e == total) return;
  LoadTile(P.in_t, x + e * esize, 1, total - e, buf);
  Join1<T, Op>(total - e, buf, param, P.p, run);
}

// IsNarrow: as many rows as 128 elements hold form one wide row.
template <class T, class Op>
void NarrowColumns(const ReducePlan& P) {
  const int k = P.nk - 1;
  const int64_t width = P.kn[k], ostride = P.ko[k], outer = Product(k, P.kn), rows = Product(P.nr, P.rn);
  const int64_t inner_rows = P.rn[P.nr - 1], per = inner_rows < 16384 ? inner_rows : 16384;
  const int64_t chunks = (inner_rows + per - 1) / per, lists = rows / inner_rows * chunks, fold = 128 / width;
  const int64_t w = fold * width, parts = PartsOf(outer, lists, lists);
  T* out = static_cast<T*>(P.out);
  const T* params = static_cast<const T*>(P.param);
  T* part = parts > 1 ? static_cast<T*>(P.partial) : nullptr;
  ParFor(outer * parts, 32768 / (rows * width / parts + 1) + 1, [&](int64_t lo, int64_t hi) {
    T acc[128], run[128], wide[128];
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t o = i / parts, g = i % parts;
      Odometer ki(k, P.kn, P.ks, o), ko(k, P.kn, P.ko, o);
      for (int64_t j = 0; j < width; ++j) acc[j] = Op::Id();
      for (int64_t q = 0; q < w; ++q) wide[q] = params ? params[ko.offset + q % width * ostride] : T{};
      for (int64_t u = lists * g / parts; u < lists * (g + 1) / parts; ++u) {
        if (P.ended && P.ended(P.watch)) return;
        const int64_t c0 = u % chunks * per, left = inner_rows - c0 < per ? inner_rows - c0 : per;
        Odometer ri(P.nr - 1, P.rn, P.rs, u / chunks);
        const char* x = P.x + (ki.offset + ri.offset + c0 * width) * ElemSize(P.in_t);
        for (int64_t q = 0; q < w; ++q) run[q] = Op::Id();
        JoinRows<T, Op>(P, x, left * width, w, params ? wide : nullptr, run);
        for (int64_t f = 0; f < fold; ++f) JoinAcc<T, Op>(width, run + f * width, acc);
      }
      for (int64_t j = 0; j < width; ++j) (part ? part[i * width + j] : out[ko.offset + j * ostride]) = acc[j];
    }
  });
  if (!part) return;
  for (int64_t o = 0; o < outer; ++o) {
    T* a = part + o * parts * width;
    for (int64_t g = 1; g < parts; ++g) JoinAcc<T, Op>(width, a + g * width, a);
    const int64_t oo = Odometer(k, P.kn, P.ko, o).offset;
    for (int64_t j = 0; j < width; ++j) out[oo + j * ostride] = a[j];
  }
}

// The innermost dim is kept: tiles of it, rows joined one below the other.
template <class T, class Op>
void Columns(const ReducePlan& P) {
  if (IsNarrow(P)) return NarrowColumns<T, Op>(P);
  const int64_t esize = ElemSize(P.in_t);
  const int k = P.nk - 1;
  const int64_t width = P.kn[k], stride = P.ks[k], ostride = P.ko[k];
  const int64_t tiles = (width + kTile - 1) / kTile, outer = Product(k, P.kn), rows = Product(P.nr, P.rn);
  const int64_t tw = width < kTile ? width : kTile, items = outer * tiles;
  const int64_t groups = PartsOf(items, rows, rows * tw / 65536);
  T* out = static_cast<T*>(P.out);
  const T* params = static_cast<const T*>(P.param);
  T* part = static_cast<T*>(P.partial);
  ParFor(items * groups, 32768 / (rows * tw / groups + 1) + 1, [&](int64_t lo, int64_t hi) {
    T acc[kTile], param[kTile];
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t g = i % groups, item = i / groups, j0 = item % tiles * kTile;
      const int64_t w = width - j0 < kTile ? width - j0 : kTile;
      Odometer ki(k, P.kn, P.ks, item / tiles), ko(k, P.kn, P.ko, item / tiles);
      const char* x = P.x + (ki.offset + j0 * stride) * esize;
      const int64_t oo = ko.offset + j0 * ostride;
      if (params)
        for (int64_t j = 0; j < w; ++j) param[j] = params[oo + j * ostride];
      T* dst = groups > 1 ? part + i * tw : acc;
      AccumRows<T, Op>(P, x, esize, stride, w, rows * g / groups, rows * (g + 1) / groups, params ? param : nullptr,
                       dst);
      if (groups == 1)
        for (int64_t j = 0; j < w; ++j) out[oo + j * ostride] = acc[j];
    }
  });
  if (groups == 1) return;
  for (int64_t item = 0; item < items; ++item) {
    const int64_t j0 = item % tiles * kTile, w = width - j0 < kTile ? width - j0 : kTile;
    const int64_t oo = Odometer(k, P.kn, P.ko, item / tiles).offset + j0 * ostride;
    T* a = part + item * groups * tw;
    for (int64_t g = 1; g < groups; ++g)
      for (int64_t j = 0; j < w; ++j) a[j] = Op::Join(a[j], a[g * tw + j]);
    for (int64_t j = 0; j < w; ++j) out[oo + j * ostride] = a[j];
  }
}

template <class T, class Op>
void RunOp(const ReducePlan& P) {
  if (P.nk == 0 || (P.nr && P.rs[P.nr - 1] <= P.ks[P.nk - 1])) return Rows<T, Op>(P);
  Columns<T, Op>(P);
}

}  // namespace
}  // namespace phi::PD_ISA
