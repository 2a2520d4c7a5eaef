// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: attention and its gradient without the matrix of scores. Softmax is taken as the keys
// come (online); the gradient computes the probabilities again. A row of queries, or of keys, belongs to `lanes`
// neighbouring threads, each of which holds eight of its elements; what it meets passes through shared memory.
#pragma once

namespace {
namespace attend {

// Numbers; device_forms.cc has the same. Strides are those of batch, row and head, of a mask those of batch,
// head, row and key.
enum { kHeads, kKeyHeads, kNq, kNk, kDim, kValueDim, kScale, kCausal, kOffset, kQ, kKey = 12, kValue = 15, kMask = 18 };
enum { kMaskBy = 19, kKept = 23, kKeptBy, kBlocks, kOut, kGrad = 29 };
constexpr int kPer = 8, kAtOnce = 8;

// For rows of up to D elements. Two tiles fill at most 32 KiB.
template <class T, int D>
struct Sizes {
  typedef typename WideOf<T>::type W;
  static constexpr int lanes = D / kPer, rows = kThreads / lanes, most = 16384 / (D * static_cast<int>(sizeof(W))),
                       tile = most < 32 ? most : 32;
};

INLINE double NumberAt(const i64* p, int k) { return __builtin_bit_cast(double, p[k]); }
INLINE float Other(float v, int by) {
  return __builtin_bit_cast(float, __nvvm_shfl_sync_bfly_i32(~0u, __builtin_bit_cast(int, v), by, 31));
}
INLINE double Other(double v, int by) {
  const i64 b = __builtin_bit_cast(i64, v);
  const int low = __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(b), by, 31);
  const int high = __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(b >> 32), by, 31);
  return __builtin_bit_cast(double, static_cast<i64>(high) << 32 | static_cast<u32>(low));
}
template <int lanes, class W>
INLINE W Sum(W v) {
#pragma unroll
  for (int by = lanes / 2; by; by /= 2) v += Other(v, by);
  return v;
}

struct Head {
  i64 b, h, kv;
};
template <class T>
INLINE const T* Of(const T* x, const i64* by, i64 b, i64 h) {
  return x + b * by[0] + h * by[2];
}

// A thread's part of a row.
template <int lanes, class T, class W>
INLINE void Part(const T* x, int n, bool there, W by, W (&to)[kPer]) {
  const int lane = Thread() % lanes;
#pragma unroll
  for (int i = 0; i < kPer; ++i) to[i] = there && lane + lanes * i < n ? Wide(x[lane + lanes * i]) * by : W(0);
}
template <int lanes, class T, class W>
INLINE void PutPart(T* x, int n, const W (&from)[kPer], W by) {
  const int lane = Thread() % lanes;
#pragma unroll
  for (int i = 0; i < kPer; ++i)
    if (lane + lanes * i < n) x[lane + lanes * i] = Narrow(from[i] * by, static_cast<T*>(nullptr));
}
// Rows [first, n) of x, as many as the tile has, of `dim` elements; zeros beside them.
template <class T, class A, class W, int R, int D>
INLINE void Fill(A (&tile)[R][D], const T* x, i64 step, int first, int n, int dim, W by) {
  for (int e = Thread(); e < R * D; e += kThreads) {
    const int r = e / D, d = e % D;
    tile[r][d] = first + r < n && d < dim ? Wide(x[(first + r) * step + d]) * by : W(0);
  }
}
template <int lanes, class A, class W, int D>
INLINE W Product(const W (&x)[kPer], A (&row)[D]) {
  const int lane = Thread() % lanes;
  W s = 0;
#pragma unroll
  for (int i = 0; i < kPer; ++i) s = __builtin_elementwise_fma(x[i], static_cast<W>(row[lane + lanes * i]), s);
  return Sum<lanes>(s);
}
template <int lanes, class A, class W, int D>
INLINE void Add(W (&to)[kPer], W by, A (&row)[D]) {
  const int lane = Thread() % lanes;
#pragma unroll
  for (int i = 0; i < kPer; ++i) to[i] = __builtin_elementwise_fma(by, static_cast<W>(row[lane + lanes * i]), to[i]);
}

// The score with the mask; minus infinity where the key is hidden.
template <class W>
INLINE W Seen(W s, const void* mask, const Head& at, int row, int key, const i64* p) {
  const W hidden = -phi::device_math::limits<W>::inf;
  if (row >= p[kNq] || key >= p[kNk] || (p[kCausal] && key > row + p[kOffset])) return hidden;
  const i64* by = p + kMaskBy;
  const i64 m = at.b * by[0] + at.h * by[1] + row * by[2] + key * by[3];
  switch (p[kMask]) {
    case 1: return static_cast<const unsigned char*>(mask)[m] ? s : hidden;
    case 2: return s + static_cast<W>(static_cast<const float*>(mask)[m]);
    case 3: return s + static_cast<W>(static_cast<const double*>(mask)[m]);
    case 4: return s + static_cast<W>(Wide(static_cast<const Half*>(mask)[m]));
    case 5: return s + static_cast<W>(Wide(static_cast<const Bfloat*>(mask)[m]));
    default: return s;
  }
}
// What dropout multiplies a probability by.
template <class W>
INLINE W Kept(const unsigned char* keep, const Head& at, int row, int key, const i64* p) {
  if (!p[kKept]) return 1;
  if (row >= p[kNq] || key >= p[kNk]) return 0;
  const i64 m = ((at.b * p[kHeads] + at.h) * p[kNq] + row) * p[kNk] + key;
  return keep[m] ? static_cast<W>(NumberAt(p, kKeptBy)) : W(0);
}
// How many keys are seen by rows before `end`.
INLINE int Reach(int end, const i64* p) {
  const i64 n = p[kNk], far = end + p[kOffset];
  return static_cast<int>(!p[kCausal] || far >= n ? n : far > 0 ? far : 0);
}
INLINE Head HeadOf(i64 n, const i64* p) {
  const i64 b = n / p[kHeads], h = n - b * p[kHeads];
  return {b, h, h / (p[kHeads] / p[kKeyHeads])};
}

template <int D, class T, class A, int R>
INLINE void Forward(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep, T* out,
                    double* lse, A (&ks)[R][D], A (&vs)[R][D], const i64* p) {
  typedef Sizes<T, D> S;
  typedef typename S::W W;
  constexpr int lanes = S::lanes;
  const W lowest = -phi::device_math::limits<W>::inf;
  const int nq = static_cast<int>(p[kNq]), nk = static_cast<int>(p[kNk]), dim = static_cast<int>(p[kDim]),
            vdim = static_cast<int>(p[kValueDim]);
  const i64 tiles = (nq + S::rows - 1) / S::rows;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Head at = HeadOf(block / tiles, p);
    const int first = static_cast<int>(block % tiles) * S::rows, row = first + Thread() / lanes;
    const T *keys = Of(k, p + kKey, at.b, at.kv), *values = Of(v, p + kValue, at.b, at.kv);
    W x[kPer], acc[kPer] = {}, top = lowest, total = 0;
    Part<lanes>(Of(q, p + kQ, at.b, at.h) + row * p[kQ + 1], dim, row < nq, static_cast<W>(NumberAt(p, kScale)), x);
    const int reach = Reach(first + S::rows < nq ? first + S::rows : nq, p);
    for (int k0 = 0; k0 < reach; k0 += R) {
      __nvvm_bar_sync(0);
      Fill(ks, keys, p[kKey + 1], k0, nk, dim, W(1));
      Fill(vs, values, p[kValue + 1], k0, nk, vdim, W(1));
      __nvvm_bar_sync(0);
#pragma nounroll
      for (int j = 0; j < R; j += kAtOnce) {
        W s[kAtOnce], now = top;
#pragma unroll
        for (int c = 0; c < kAtOnce; ++c) {
          s[c] = Seen(Product<lanes>(x, ks[j + c]), mask, at, row, k0 + j + c, p);
          now = s[c] > now ? s[c] : now;
        }
        const W shift = now == lowest ? W(0) : now, fade = phi::device_math::exp(top - shift);
        top = now;
        total *= fade;
#pragma unroll
        for (int i = 0; i < kPer; ++i) acc[i] *= fade;
#pragma unroll
        for (int c = 0; c < kAtOnce; ++c) {
          const W w = phi::device_math::exp(s[c] - shift);
          total += w;
          Add<lanes>(acc, w * Kept<W>(keep, at, row, k0 + j + c, p), vs[j + c]);
        }
      }
    }
    if (row < nq) {
      PutPart<lanes>(out + ((at.b * nq + row) * p[kHeads] + at.h) * vdim, vdim, acc, nk ? W(1) / total : W(0));
      if (Thread() % lanes == 0)
        lse[(at.b * p[kHeads] + at.h) * nq + row] =
            static_cast<double>(top) + phi::device_math::log(static_cast<double>(total));
    }
    __nvvm_bar_sync(0);
  }
}

// delta[b, h, row] = the sum of out * dout: a warp a row.
template <class T>
INLINE void Delta(const T* out, const T* dout, double* delta, const i64* p) {
  typedef typename WideOf<T>::type W;
  const i64 rows = p[kBlocks], step = Step() / 32;
  for (i64 r = First() / 32; r < rows; r += step) {
    const Head at = HeadOf(r / p[kNq], p);
    const i64 row = r % p[kNq];
    const T *o = Of(out, p + kOut, at.b, at.h) + row * p[kOut + 1],
            *g = Of(dout, p + kGrad, at.b, at.h) + row * p[kGrad + 1];
    W s = 0;
    for (int d = Thread() % 32; d < p[kValueDim]; d += 32) s = __builtin_elementwise_fma(Wide(o[d]), Wide(g[d]), s);
    s = Sum<32>(s);
    if (Thread() % 32 == 0) delta[r] = static_cast<double>(s);
  }
}

template <int D, class T, class A, int R>
INLINE void GradQuery(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep,
                      const double* lse, const double* delta, const T* dout, T* dq, A (&ks)[R][D], A (&vs)[R][D],
                      const i64* p) {
  typedef Sizes<T, D> S;
  typedef typename S::W W;
  constexpr int lanes = S::lanes;
  const int nq = static_cast<int>(p[kNq]), nk = static_cast<int>(p[kNk]), dim = static_cast<int>(p[kDim]),
            vdim = static_cast<int>(p[kValueDim]);
  const W scale = static_cast<W>(NumberAt(p, kScale));
  const i64 tiles = (nq + S::rows - 1) / S::rows;
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const Head at = HeadOf(block / tiles, p);
    const int first = static_cast<int>(block % tiles) * S::rows, row = first + Thread() / lanes;
    const T *keys = Of(k, p + kKey, at.b, at.kv), *values = Of(v, p + kValue, at.b, at.kv);
    W x[kPer], g[kPer], acc[kPer] = {};
    Part<lanes>(Of(q, p + kQ, at.b, at.h) + row * p[kQ + 1], dim, row < nq, scale, x);
    Part<lanes>(Of(dout, p + kGrad, at.b, at.h) + row * p[kGrad + 1], vdim, row < nq, W(1), g);
    const i64 place = (at.b * p[kHeads] + at.h) * nq + (row < nq ? row : 0);
    const double sums = lse[place];
    const W mean = static_cast<W>(delta[place]);
    const int reach = Reach(first + S::rows < nq ? first + S::rows : nq, p);
    for (int k0 = 0; k0 < reach; k0 += R) {
      __nvvm_bar_sync(0);
      Fill(ks, keys, p[kKey + 1], k0, nk, dim, W(1));
      Fill(vs, values, p[kValue + 1], k0, nk, vdim, W(1));
      __nvvm_bar_sync(0);
#pragma unroll 2
      for (int j = 0; j < R; ++j) {
        const W s = Seen(Product<lanes>(x, ks[j]), mask, at, row, k0 + j, p);
        const W d = Product<lanes>(g, vs[j]) * Kept<W>(keep, at, row, k0 + j, p);
        const W w = phi::device_math::exp(static_cast<W>(static_cast<double>(s) - sums));
        Add<lanes>(acc, w * (d - mean), ks[j]);
      }
    }
    if (row < nq) PutPart<lanes>(dq + ((at.b * nq + row) * p[kHeads] + at.h) * dim, dim, acc, scale);
    __nvvm_bar_sync(0);
  }
}

// Rows are keys, and tiles hold queries and their gradients.
template <int D, class T, class A, int R>
INLINE void GradKey(const T* q, const T* k, const T* v, const void* mask, const unsigned char* keep, const double* lse,
                    const double* delta, const T* dout, T* dk, T* dv, A (&qs)[R][D], A (&gs)[R][D], const i64* p) {
  typedef Sizes<T, D> S;
  typedef typename S::W W;
  constexpr int lanes = S::lanes;
  const int nq = static_cast<int>(p[kNq]), nk = static_cast<int>(p[kNk]), dim = static_cast<int>(p[kDim]),
            vdim = static_cast<int>(p[kValueDim]);
  const i64 tiles = (nk + S::rows - 1) / S::rows, shared = p[kHeads] / p[kKeyHeads];
  for (i64 block = __nvvm_read_ptx_sreg_ctaid_x(); block < p[kBlocks]; block += __nvvm_read_ptx_sreg_nctaid_x()) {
    const i64 head = block / tiles, b = head / p[kKeyHeads], kv = head - b * p[kKeyHeads];
    const int first = static_cast<int>(block % tiles) * S::rows, key = first + Thread() / lanes;
    W x[kPer], y[kPer], to_key[kPer] = {}, to_value[kPer] = {};
    Part<lanes>(Of(k, p + kKey, b, kv) + key * p[kKey + 1], dim, key < nk, W(1), x);
    Part<lanes>(Of(v, p + kValue, b, kv) + key * p[kValue + 1], vdim, key < nk, W(1), y);
    const i64 least = p[kCausal] ? first - p[kOffset] : 0;
    const int from = static_cast<int>(least < 0 ? 0 : least < nq ? least : nq);
    for (i64 h = kv * shared; h < (kv + 1) * shared; ++h) {
      const Head at = {b, h, kv};
      for (int q0 = from; q0 < nq; q0 += R) {
        __nvvm_bar_sync(0);
        Fill(qs, Of(q, p + kQ, b, h), p[kQ + 1], q0, nq, dim, static_cast<W>(NumberAt(p, kScale)));
        Fill(gs, Of(dout, p + kGrad, b, h), p[kGrad + 1], q0, nq, vdim, W(1));
        __nvvm_bar_sync(0);
        const int rows = q0 + R < nq ? R : nq - q0;
#pragma nounroll
        for (int j = 0; j < rows; ++j) {
          const i64 place = (b * p[kHeads] + h) * nq + q0 + j;
          const W s = Seen(Product<lanes>(x, qs[j]), mask, at, q0 + j, key, p);
          const W by = Kept<W>(keep, at, q0 + j, key, p), d = Product<lanes>(y, gs[j]) * by;
          const W w = phi::device_math::exp(static_cast<W>(static_cast<double>(s) - lse[place]));
          Add<lanes>(to_value, w * by, gs[j]);
          Add<lanes>(to_key, w * (d - static_cast<W>(delta[place])), qs[j]);
        }
      }
    }
    if (key < nk) {
      const i64 place = (b * nk + key) * p[kKeyHeads] + kv;
      if (dk) PutPart<lanes>(dk + place * dim, dim, to_key, W(1));
      if (dv) PutPart<lanes>(dv + place * vdim, vdim, to_value, W(1));
    }
    __nvvm_bar_sync(0);
  }
}

}  // namespace attend
}  // namespace

#define NUMBERS EIGHT(p), EIGHT(q), EIGHT(r), EIGHT(s)
#define NUMBERS_OF \
  { ALL(p), ALL(q), ALL(r), ALL(s) }
#define ATTENTION(name, T, D)                                                                                   \
  KERNEL device_attention_##D##_##name(const T* a, const T* b, const T* c, const void* mask,                    \
                                       const unsigned char* keep, T* out, double* lse, NUMBERS) {               \
    typedef attend::Sizes<T, D> S;                                                                              \
    SHARED S::W one[S::tile][D], two[S::tile][D];                                                               \
    const i64 n[] = NUMBERS_OF;                                                                                 \
    attend::Forward(a, b, c, mask, keep, out, lse, one, two, n);                                                \
  }                                                                                                             \
  KERNEL device_attention_query_##D##_##name(const T* a, const T* b, const T* c, const void* mask,              \
                                             const unsigned char* keep, const double* lse, const double* delta, \
                                             const T* dout, T* dq, NUMBERS) {                                   \
    typedef attend::Sizes<T, D> S;                                                                              \
    SHARED S::W one[S::tile][D], two[S::tile][D];                                                               \
    const i64 n[] = NUMBERS_OF;                                                                                 \
    attend::GradQuery(a, b, c, mask, keep, lse, delta, dout, dq, one, two, n);                                  \
  }                                                                                                             \
  KERNEL device_attention_key_##D##_##name(const T* a, const T* b, const T* c, const void* mask,                \
                                           const unsigned char* keep, const double* lse, const double* delta,   \
                                           const T* dout, T* dk, T* dv, NUMBERS) {                              \
    typedef attend::Sizes<T, D> S;                                                                              \
    SHARED S::W one[S::tile][D], two[S::tile][D];                                                               \
    const i64 n[] = NUMBERS_OF;                                                                                 \
    attend::GradKey(a, b, c, mask, keep, lse, delta, dout, dk, dv, one, two, n);                                \
  }
#define ATTENTIONS(name, T)                                                                   \
  ATTENTION(name, T, 64)                                                                      \
  ATTENTION(name, T, 128)                                                                     \
  ATTENTION(name, T, 256)                                                                     \
  KERNEL device_attention_delta_##name(const T* out, const T* dout, double* delta, NUMBERS) { \
    const i64 n[] = NUMBERS_OF;                                                               \
    attend::Delta(out, dout, delta, n);                                                       \
  }
ATTENTIONS(f32, float)
ATTENTIONS(f64, double)
ATTENTIONS(f16, Half)
ATTENTIONS(bf16, Bfloat)
