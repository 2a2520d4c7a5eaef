// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: batch normalisation in two passes each way: the sums of channels, and what follows
// from them. The elements of channels are divided among blocks; sums are float64, as on the CPU.
#pragma once

template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T v[V];
};

// x [n, c, spatial], where a block has one of `parts` of a channel; or with `lanes`, a power of two, x [n, spatial, c],
// where it has as many neighbouring channels, of a part of the rows.
struct Channels {
  i64 n, c, spatial, parts, lanes;
  MEMBER double count() const { return static_cast<double>(n) * static_cast<double>(spatial); }
};

// What a thread of a block has: a part of a channel, or with `idle` none; V elements at a time.
template <int kPack, bool kLanes>
struct OfBlock {
  static constexpr int V = kPack;
  const Channels& s;
  i64 part, channel;
  int row, rows;  // of the threads of the channel
  bool idle;
  explicit MEMBER OfBlock(const Channels& channels) : s(channels) {
    const i64 block = __nvvm_read_ptx_sreg_ctaid_x(), tile = block / s.parts;
    part = block - tile * s.parts;
    const int lanes = kLanes ? static_cast<int>(s.lanes) : 1;
    row = Thread() / lanes, rows = kThreads / lanes;
    channel = kLanes ? tile * lanes + Thread() % lanes : tile;
    idle = kLanes && channel >= s.c;
    if (idle) channel = 0;
  }
  MEMBER bool first() const { return !idle && row == 0 && part == 0; }
  template <class T>
  MEMBER double FirstOf(const T* x) const {
    return static_cast<double>(Wide(x[kLanes ? channel : channel * s.spatial]));
  }
  // f(position) of each pack.
  template <class F>
  MEMBER void Each(F f) const {
    const i64 line = kLanes ? s.spatial : s.spatial / V, all = s.n * line;
    const i64 low = all * part / s.parts + row, high = idle ? 0 : all * (part + 1) / s.parts;
    const bool narrow = all < (i64(1) << 31);
#pragma unroll 1
    for (i64 g = low; g < high; g += rows) {
      if constexpr (kLanes) {
        f(g * s.c + channel);
      } else {
        const i64 at = narrow ? static_cast<i64>(static_cast<u32>(g) / static_cast<u32>(line)) : g / line;
        f((at * s.c + channel) * s.spatial + (g - at * line) * V);
      }
    }
  }
  // Sums over the threads of the channel, for all of them.
  MEMBER void Total(double& a, double& b, double* room) const {
    const int me = Thread(), lanes = kThreads / rows;
    room[me] = a, room[kThreads + me] = b;
    __nvvm_bar_sync(0);
#pragma unroll 1
    for (int half = kThreads / 2; half >= lanes; half /= 2) {
      if (me < half) room[me] += room[me + half], room[kThreads + me] += room[kThreads + me + half];
      __nvvm_bar_sync(0);
    }
    a = room[me % lanes], b = room[kThreads + me % lanes];
    __nvvm_bar_sync(0);
  }
  // The sums of all `held` parts.
  MEMBER void Collect(const double* sums, i64 held, double& a, double& b, double* room) const {
    a = b = 0;
    for (i64 p = row; p < held; p += rows) a += sums[p * 2 * s.c + channel], b += sums[(p * 2 + 1) * s.c + channel];
    Total(a, b, room);
  }
};
// sums[part, 0 or 1, channel]: of x less the channel's first element, and of the squares; with g: of g, and of g times
// x less the channel's mean.
template <class B, class T, class W>
INLINE void ChannelSums(const T* x, const T* g, const W* mean, double* sums, double* room, const Channels& s) {
  typedef Pack<T, B::V> P;
  const B mine(s);
  const double shift = g ? static_cast<double>(mean[mine.channel]) : mine.FirstOf(x);
  double a = 0, b = 0;
  mine.Each([&](i64 at) {
    const P p = *reinterpret_cast<const P*>(x + at);
    P q = p;
    if (g) q = *reinterpret_cast<const P*>(g + at);
#pragma unroll
    for (int k = 0; k < B::V; ++k) {
      const double d = static_cast<double>(Wide(p.v[k])) - shift, e = g ? static_cast<double>(Wide(q.v[k])) : d;
      a += e;
      b += e * d;
    }
  });
  mine.Total(a, b, room);
  if (mine.idle || mine.row) return;
  sums[mine.part * 2 * s.c + mine.channel] = a;
  sums[(mine.part * 2 + 1) * s.c + mine.channel] = b;
}

// The first of `parts` rows of n sums = the sum of all.
KERNEL device_channel_totals(double* sums, i64 n, i64 parts) {
  for (i64 i = First(); i < n; i += Step()) {
    double a = sums[i];
    for (i64 p = 1; p < parts; ++p) a += sums[p * n + i];
    sums[i] = a;
  }
}

// out = x normalised, scaled and shifted; `held` 0: by the given mean and variance. Else these take the rest of
// themselves and `rest` of the channel's.
template <class B, class T, class W>
INLINE void ChannelNorm(const T* x, const double* sums, const W* scale, const W* bias, W* mean, W* variance, T* out,
                        W* saved_mean, W* saved_inverse, double* room, const Channels& s, i64 held, double momentum,
                        double rest, double epsilon) {
  typedef Pack<T, B::V> P;
  const B mine(s);
  const i64 c = mine.channel;
  double m, v;
  if (held) {
    mine.Collect(sums, held, m, v, room);
    m /= s.count();
    v = v / s.count() - m * m;
    v = v < 0 ? 0 : v;
    m += mine.FirstOf(x);
    if (mine.first()) {
      mean[c] = static_cast<W>(static_cast<double>(mean[c]) * momentum + m * rest);
      variance[c] = static_cast<W>(static_cast<double>(variance[c]) * momentum + v * rest);
    }
  } else {
    m = static_cast<double>(mean[c]), v = static_cast<double>(variance[c]);
  }
  const double inverse = 1 / phi::device_math::sqrt(v + epsilon);
  if (mine.first()) {
    saved_mean[c] = static_cast<W>(m);
    saved_inverse[c] = static_cast<W>(inverse);
  }
  const double factor = scale ? inverse * static_cast<double>(scale[c]) : inverse;
  const W by = static_cast<W>(factor), more = static_cast<W>((bias ? static_cast<double>(bias[c]) : 0) - m * factor);
  mine.Each([&](i64 at) {
    P p = *reinterpret_cast<const P*>(x + at);
#pragma unroll
    for (int k = 0; k < B::V; ++k) p.v[k] = Narrow(Wide(p.v[k]) * by + more, static_cast<T*>(nullptr));
    *reinterpret_cast<P*>(out + at) = p;
  });
}

// The gradients of x, scale and bias, of which each may be null; statistics that are `given` have none.
template <class B, class T, class W>
INLINE void ChannelGrad(const T* x, const T* g, const double* sums, const W* scale, const W* mean, const W* inverse,
                        T* dx, W* dscale, W* dbias, double* room, const Channels& s, i64 held, i64 given) {
  typedef Pack<T, B::V> P;
  const B mine(s);
  const i64 c = mine.channel;
  const double inv = static_cast<double>(inverse[c]), factor = scale ? inv * static_cast<double>(scale[c]) : inv;
  double a = 0, b = 0;
  if (held) mine.Collect(sums, held, a, b, room);
  if (held && mine.first()) {
    if (dscale) dscale[c] = static_cast<W>(b * inv);
    if (dbias) dbias[c] = static_cast<W>(a);
  }
  if (!dx) return;
  const double of_x = given ? 0 : -factor * inv * inv * b / s.count();
  const double more = given ? 0 : -factor * a / s.count() - of_x * static_cast<double>(mean[c]);
  const W by_g = static_cast<W>(factor), by_x = static_cast<W>(of_x), shift = static_cast<W>(more);
  mine.Each([&](i64 at) {
    P q = *reinterpret_cast<const P*>(g + at), p = q;
    if (!given) p = *reinterpret_cast<const P*>(x + at);
#pragma unroll
    for (int k = 0; k < B::V; ++k) {
      const W v = Wide(q.v[k]) * by_g;
      q.v[k] = Narrow(given ? v : v + Wide(p.v[k]) * by_x + shift, static_cast<T*>(nullptr));
    }
    *reinterpret_cast<P*>(dx + at) = q;
  });
}

// f(form): by the lanes, and whether packs are whole and lie at multiples of their size.
template <class B>
struct Form {
  typedef B type;
};
template <class T, class F>
INLINE void ByForm(i64 lanes, i64 packed, F f) {
  if (lanes) return f(Form<OfBlock<1, true>>());
  if (packed) return f(Form<OfBlock<16 / sizeof(T), false>>());
  f(Form<OfBlock<1, false>>());
}
#define CHANNELS i64 n, i64 c, i64 spatial, i64 parts, i64 lanes, i64 packed
#define BY_FORM(T, call)                                             \
  SHARED double shared_room[2 * kThreads];                           \
  double* const room = (double*)shared_room;                         \
  const Channels s{n, c, spatial, parts, lanes};                     \
  ByForm<T>(                                                         \
      lanes, packed, [&](auto form) __attribute__((always_inline)) { \
        typedef typename decltype(form)::type B;                     \
        call;                                                        \
      });
#define CHANNEL_NORM(name, T, W)                                                                                       \
  KERNEL device_channel_sums_##name(const T* x, const T* g, const W* mean, double* sums, CHANNELS){BY_FORM(            \
      T, ChannelSums<B>(x, g, mean, sums, room,                                                                        \
                        s))} KERNEL device_channel_norm_##name(const T* x, const double* sums, const W* scale,         \
                                                               const W* bias, W* mean, W* variance, T* out,            \
                                                               W* saved_mean, W* saved_inverse, CHANNELS, i64 held,    \
                                                               double momentum, double rest, double epsilon){BY_FORM(  \
      T, ChannelNorm<B>(x, sums, scale, bias, mean, variance, out, saved_mean, saved_inverse, room, s, held, momentum, \
                        rest, epsilon))} KERNEL device_channel_grad_##name(const T* x, const T* g, const double* sums, \
                                                                           const W* scale, const W* mean,              \
                                                                           const W* inverse, T* dx, W* dscale,         \
                                                                           W* dbias, CHANNELS, i64 held, i64 given) {  \
    BY_FORM(T, ChannelGrad<B>(x, g, sums, scale, mean, inverse, dx, dscale, dbias, room, s, held, given))              \
  }
CHANNEL_NORM(f32, float, float)
CHANNEL_NORM(f64, double, double)
CHANNEL_NORM(f16, Half, float)
CHANNEL_NORM(bf16, Bfloat, float)
