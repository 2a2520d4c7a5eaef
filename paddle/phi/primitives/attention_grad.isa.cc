// SPDX-License-Identifier: Apache-2.0
// The gradient of attention, one key head after another: its keys and values packed, the probabilities computed again.
#include "paddle/phi/primitives/attention_rows.inc.h"

namespace phi::PD_ISA {
namespace {

using GradArgs = ::phi::cpu::AttentionGradArgs;

constexpr int64_t kKeys = 128;

template <class V>
struct Backward {
  using T = typename V::T;
  static constexpr int64_t kPanel = Product<V>::kPanel;
  const GradArgs& g;
  const Args& a;
  const int64_t es = ElemSize(a.type), d = Up(a.dim, kPanel), vd = Up(a.vdim, kPanel);
  T *keys, *values, *key_rows, *dk, *dv, *q, *dout, *out, *p, *dp, *dq, *tmp;
  int64_t used;

  Backward(const GradArgs& args, T* scratch) : g(args), a(args.a) {
    Arena<T> m{scratch};
    const int64_t nk = Up(a.nk, kPanel);
    keys = m.Take(nk * a.dim);
    values = m.Take(nk * a.vdim);
    key_rows = m.Take(a.nk * d);
    dk = m.Take(a.nk * d);
    dv = m.Take(a.nk * vd);
    q = m.Take(kQueries * d);
    dout = m.Take(kQueries * vd);
    out = m.Take(vd);
    p = m.Take(kQueries * kKeys);
    dp = m.Take(kQueries * kKeys);
    dq = m.Take(kQueries * d);
    tmp = m.Take(kPanel * (a.dim + a.vdim) + kKeys);
    used = m.p - scratch;
  }

  void Head(int64_t b, int64_t kv) {
    PackTransposed<V>(a.type, At(a.k, es, b, 0, kv), a.k.row * es, a.nk, a.dim, keys, tmp);
    PackTransposed<V>(a.type, At(a.v, es, b, 0, kv), a.v.row * es, a.nk, a.vdim, values, tmp);
    LoadRows(a.type, At(a.k, es, b, 0, kv), a.k.row * es, a.nk, a.dim, d, key_rows);
    for (int64_t i = 0; i < a.nk * d; ++i) dk[i] = 0;
    for (int64_t i = 0; i < a.nk * vd; ++i) dv[i] = 0;
    const int64_t group = a.heads / a.kv_heads;
    for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
      for (int64_t q0 = 0; q0 < a.nq; q0 += kQueries) Block(b, h, q0);
    for (int64_t j = 0; j < a.nk; ++j) {
      const int64_t row = (b * a.nk + j) * a.kv_heads + kv;
      if (g.dk) StoreTile(a.type, dk + j * d, a.dim, static_cast<char*>(g.dk) + row * a.dim * es);
      if (g.dv) StoreTile(a.type, dv + j * vd, a.vdim, static_cast<char*>(g.dv) + row * a.vdim * es);
    }
  }

  void Block(int64_t b, int64_t h, int64_t q0) {
    const int64_t rows = Least(kQueries, a.nq - q0), seen = KeysSeen(a, q0, rows);
    LoadQueries(a, b, h, q0, rows, d, q);
    LoadRows(a.type, At(g.dout, es, b, q0, h), g.dout.row * es, rows, a.vdim, vd, dout);
    const double* lse = g.lse + (b * a.heads + h) * a.nq + q0;
    T inner[kQueries];  // out . dout
    for (int64_t i = 0; i < rows; ++i) {
      LoadTile(a.type, At(g.out, es, b, q0 + i, h), 1, a.vdim, out);
      const T* r = dout + i * vd;
      T s[16] = {};
      int64_t j = 0;
      for (; j + 16 <= a.vdim; j += 16)
        for (int l = 0; l < 16; ++l) s[l] += out[j + l] * r[j + l];
      for (int l = 0; j < a.vdim; ++j, ++l) s[l] += out[j] * r[j];
      for (int w = 8; w; w /= 2)
        for (int l = 0; l < w; ++l) s[l] += s[l + w];
      inner[i] = s[0];
    }
    for (int64_t k0 = 0; k0 < seen; k0 += kKeys) {
      const int64_t n = Least(kKeys, seen - k0), lanes = Up(n, kLanes);
      Multiply<V, false>({q, d, 1, keys + k0 * a.dim, kPanel, kPanel * a.dim, p, kKeys}, rows, n, a.dim);
      Multiply<V, false>({dout, vd, 1, values + k0 * a.vdim, kPanel, kPanel * a.vdim, dp, kKeys}, rows, n, a.vdim);
      for (int64_t i = 0; i < rows; ++i) {
        T *s = p + i * kKeys, *e = dp + i * kKeys;
        Hide(a, b, h, q0 + i, k0, n, s, tmp);
        const T top = static_cast<T>(lse[i]), rest = static_cast<T>(lse[i] - static_cast<double>(top));
        Exponentials(s, lanes, top, rest == rest ? rest : T(0));
        const T by = inner[i];
        if (a.keep) {
          const uint8_t* m = Keep(a, b, h, q0 + i, k0);
          const T up = static_cast<T>(a.keep_scale);
          for (int64_t j = 0; j < n; ++j) {
            const T kept = m[j] ? up : T(0);
            e[j] = s[j] * (e[j] * kept - by);
            s[j] *= kept;
          }
        } else {
          for (int64_t j = 0; j < n; ++j) e[j] = s[j] * (e[j] - by);
        }
      }
      if (g.dv) Multiply<V, true>({p, 1, kKeys, dout, vd, kPanel, dv + k0 * vd, vd}, n, vd, rows);
      if (g.dk) Multiply<V, true>({dp, 1, kKeys, q, d, kPanel, dk + k0 * d, d}, n, d, rows);
      const Product<V> to_queries{dp, kKeys, 1, key_rows + k0 * d, d, kPanel, dq, d};
      if (g.dq && k0)
        Multiply<V, true>(to_queries, rows, d, n);
      else if (g.dq)
        Multiply<V, false>(to_queries, rows, d, n);
    }
    if (!g.dq) return;
    for (int64_t i = 0; i < rows; ++i) {
      T* r = dq + i * d;
      const T scale = seen ? static_cast<T>(a.scale) : T(0);
      for (int64_t j = 0; j < a.dim; ++j) r[j] = seen ? r[j] * scale : T(0);
      StoreTile(a.type, r, a.dim, static_cast<char*>(g.dq) + ((b * a.nq + q0 + i) * a.heads + h) * a.dim * es);
    }
  }
};

template <class V>
void RunBackward(const GradArgs& g, int64_t lo, int64_t hi, void* scratch) {
  Backward<V> run(g, static_cast<typename V::T*>(scratch));
  for (int64_t u = lo; u < hi; ++u) run.Head(u / g.a.kv_heads, u % g.a.kv_heads);
}

}  // namespace

int64_t AttentionGradBytes(const GradArgs& g) {
  return g.a.type == kF64 ? Backward<VecD>(g, nullptr).used * 8 : Backward<VecF>(g, nullptr).used * 4;
}

// Heads [lo, hi) of batch * kv_heads.
void AttentionGradTasks(const GradArgs& g, int64_t lo, int64_t hi, void* scratch) {
  if (g.a.type == kF64)
    RunBackward<VecD>(g, lo, hi, scratch);
  else
    RunBackward<VecF>(g, lo, hi, scratch);
}

}  // namespace phi::PD_ISA
