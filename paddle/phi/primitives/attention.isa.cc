// SPDX-License-Identifier: Apache-2.0
// Attention in blocks of queries and keys: the scores of one block at a time, softmax as they come (online).
#include "paddle/phi/primitives/attention_rows.inc.h"

namespace phi::PD_ISA {
namespace {

constexpr int64_t kKeys = 256;

template <class V>
struct Forward {
  using T = typename V::T;
  static constexpr int64_t kPanel = Product<V>::kPanel;
  const Args& a;
  const int64_t es = ElemSize(a.type), vd = Up(a.vdim, kPanel), width = Least(kKeys, Up(a.nk, kLanes));
  T *keys, *values, *queries, *scores, *acc, *tmp;
  int64_t used;

  // `few`: the scores of all keys at once, and no packed keys and values.
  Forward(const Args& args, T* scratch, bool few) : a(args) {
    Arena<T> m{scratch};
    keys = m.Take(few ? 0 : Up(a.nk, kPanel) * a.dim);
    values = m.Take(few ? 0 : a.nk * vd);
    queries = m.Take(kQueries * a.dim);
    scores = m.Take(few ? a.nq * Up(a.nk, kLanes) : kQueries * width);
    acc = m.Take(kQueries * vd);
    tmp = m.Take(kPanel * a.dim + kKeys + a.vdim);
    used = m.p - scratch;
  }

  void Pack(int64_t b, int64_t kv) {
    PackTransposed<V>(a.type, At(a.k, es, b, 0, kv), a.k.row * es, a.nk, a.dim, keys, tmp);
    LoadRows(a.type, At(a.v, es, b, 0, kv), a.v.row * es, a.nk, a.vdim, vd, values);
  }

  void Block(int64_t b, int64_t h, int64_t q0, char* out, double* lse) {
    const int64_t rows = Least(kQueries, a.nq - q0), seen = KeysSeen(a, q0, rows);
    LoadQueries(a, b, h, q0, rows, a.dim, queries);
    T max[kQueries], sum[kQueries];
    for (int64_t i = 0; i < rows; ++i) max[i] = kLowest<T>, sum[i] = 0;
    for (int64_t k0 = 0; k0 < seen; k0 += kKeys) {
      const int64_t n = Least(kKeys, seen - k0);
      Multiply<V, false>({queries, a.dim, 1, keys + k0 * a.dim, kPanel, kPanel * a.dim, scores, width}, rows, n, a.dim);
      for (int64_t i = 0; i < rows; ++i) {
        T* s = scores + i * width;
        Hide(a, b, h, q0 + i, k0, n, s, tmp);
        const T top = Highest(s, Up(n, kLanes)), now = top > max[i] ? top : max[i];
        const T shift = now == kLowest<T> ? T(0) : now, fade = ExpNonPositive(max[i] - shift);
        sum[i] = sum[i] * fade + Exponentials(s, Up(n, kLanes), shift);
        max[i] = now;
        if (k0 && fade != T(1))
          for (int64_t j = 0; j < vd; ++j) acc[i * vd + j] *= fade;
        if (a.keep) {
          const uint8_t* m = Keep(a, b, h, q0 + i, k0);
          const T by = static_cast<T>(a.keep_scale);
          for (int64_t j = 0; j < n; ++j) s[j] = m[j] ? s[j] * by : T(0);
        }
      }
      const Product<V> product{scores, width, 1, values + k0 * vd, vd, kPanel, acc, vd};
      if (k0)
        Multiply<V, true>(product, rows, vd, n);
      else
        Multiply<V, false>(product, rows, vd, n);
    }
    if (seen == 0)
      for (int64_t i = 0; i < rows * vd; ++i) acc[i] = 0;
    for (int64_t i = 0; i < rows; ++i) {
      T* r = acc + i * vd;
      const T inverse = T(1) / sum[i];
      for (int64_t j = 0; j < a.vdim; ++j) r[j] *= inverse;
      StoreTile(a.type, r, a.vdim, out + ((b * a.nq + q0 + i) * a.heads + h) * a.vdim * es);
      if (lse)
        lse[(b * a.heads + h) * a.nq + q0 + i] =
            static_cast<double>(max[i]) + __builtin_log(static_cast<double>(sum[i]));
    }
  }

  // Few queries: keys and values are read where they are, once.
  void Few(int64_t b, int64_t h, char* out, double* lse) {
    T* s = scores;
    const int64_t kv = h / (a.heads / a.kv_heads), ld = Up(a.nk, kLanes), per = Least(kPanel, a.nk);
    const bool direct = a.type == (sizeof(T) == 4 ? kF32 : kF64);
    LoadQueries(a, b, h, 0, a.nq, a.dim, queries);
    for (int64_t k0 = 0; k0 < a.nk; k0 += per) {
      const int64_t n = Least(per, a.nk - k0);
      const char* p = At(a.k, es, b, k0, kv);
      int64_t step = a.k.row;
      if (!direct) LoadRows(a.type, p, a.k.row * es, n, a.dim, a.dim, tmp), step = a.dim;
      const T* k = direct ? reinterpret_cast<const T*>(p) : tmp;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < a.nq; ++i) s[i * ld + k0 + j] = Dot(queries + i * a.dim, k + j * step, a.dim);
    }
    for (int64_t i = 0; i < a.nq; ++i) {
      T *r = s + i * ld, *o = acc + i * vd;
      for (int64_t k0 = 0; k0 < a.nk; k0 += kKeys) Hide(a, b, h, i, k0, Least(kKeys, a.nk - k0), r + k0, tmp);
      const T top = Highest(r, ld), shift = top == kLowest<T> ? T(0) : top, sum = Exponentials(r, ld, shift),
              inverse = T(1) / sum;
      for (int64_t j = 0; j < ld; ++j) r[j] *= inverse;
      if (a.keep) {
        const uint8_t* m = Keep(a, b, h, i, 0);
        for (int64_t j = 0; j < a.nk; ++j) r[j] = m[j] ? r[j] * static_cast<T>(a.keep_scale) : T(0);
      }
      for (int64_t j = 0; j < vd; ++j) o[j] = 0;
      if (lse) lse[(b * a.heads + h) * a.nq + i] = static_cast<double>(top) + __builtin_log(static_cast<double>(sum));
    }
    for (int64_t k0 = 0; k0 < a.nk; k0 += per) {
      const int64_t n = Least(per, a.nk - k0);
      const char* p = At(a.v, es, b, k0, kv);
      for (int64_t j = 0; j < n; ++j, p += a.v.row * es) {
        if (!direct) LoadTile(a.type, p, 1, a.vdim, tmp);
        const T* v = direct ? reinterpret_cast<const T*>(p) : tmp;
        for (int64_t i = 0; i < a.nq; ++i) {
          const T w = s[i * ld + k0 + j];
          T* o = acc + i * vd;
#pragma GCC ivdep
          for (int64_t e = 0; e < a.vdim; ++e) o[e] = __builtin_fma(w, v[e], o[e]);
        }
      }
    }
    for (int64_t i = 0; i < a.nq; ++i)
      StoreTile(a.type, acc + i * vd, a.vdim, out + ((b * a.nq + i) * a.heads + h) * a.vdim * es);
  }

  static T Dot(const T* x, const T* y, int64_t n) {
    constexpr int L = 2 * V::W;
    V s[2] = {V::Set(0), V::Set(0)};
    int64_t i = 0;
    for (; i + L <= n; i += L)
      for (int q = 0; q < 2; ++q) s[q].Fma(V::Load(x + i + q * V::W), V::Load(y + i + q * V::W));
    T t[L];
    for (int q = 0; q < 2; ++q) s[q].Store(t + q * V::W);
    for (int l = 0; i < n; ++i, ++l) t[l] += x[i] * y[i];
    for (int w = L / 2; w; w /= 2)
      for (int l = 0; l < w; ++l) t[l] += t[l + w];
    return t[0];
  }
};

// Tasks of one head alternate between its first and last blocks, so that equal shares of a causal head cost the same.
template <class V>
void RunForward(const Args& a, int64_t lo, int64_t hi, char* out, double* lse, typename V::T* scratch) {
  Forward<V> f(a, scratch, false);
  const int64_t blocks = Up(a.nq, kQueries) / kQueries;
  int64_t packed = -1;
  for (int64_t t = lo; t < hi; ++t) {
    const int64_t unit = t / blocks, j = t % blocks, b = unit / a.heads, h = unit % a.heads;
    const int64_t kv = h / (a.heads / a.kv_heads), which = b * a.kv_heads + kv;
    if (which != packed) f.Pack(b, kv);
    packed = which;
    f.Block(b, h, (j % 2 ? blocks - 1 - j / 2 : j / 2) * kQueries, out, lse);
  }
}

}  // namespace

int64_t AttentionBlocks(int64_t nq) { return Up(nq, kQueries) / kQueries; }

int64_t AttentionBytes(const Args& a, bool few) {
  return a.type == kF64 ? Forward<VecD>(a, nullptr, few).used * 8 : Forward<VecF>(a, nullptr, few).used * 4;
}

void AttentionTasks(const Args& a, int64_t lo, int64_t hi, void* out, double* lse, void* scratch) {
  if (a.type == kF64)
    RunForward<VecD>(a, lo, hi, static_cast<char*>(out), lse, static_cast<double*>(scratch));
  else
    RunForward<VecF>(a, lo, hi, static_cast<char*>(out), lse, static_cast<float*>(scratch));
}

// Heads [lo, hi) of batch * heads, few queries each.
void AttentionFew(const Args& a, int64_t lo, int64_t hi, void* out, double* lse, void* scratch) {
  if (a.type == kF64) {
    Forward<VecD> f(a, static_cast<double*>(scratch), true);
    for (int64_t u = lo; u < hi; ++u) f.Few(u / a.heads, u % a.heads, static_cast<char*>(out), lse);
  } else {
    Forward<VecF> f(a, static_cast<float*>(scratch), true);
    for (int64_t u = lo; u < hi; ++u) f.Few(u / a.heads, u % a.heads, static_cast<char*>(out), lse);
  }
}

}  // namespace phi::PD_ISA
