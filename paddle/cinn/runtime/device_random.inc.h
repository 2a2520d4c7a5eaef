// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: random numbers by Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011). A thread of a draw has the subsequence of its number, and takes a block of four numbers a round.
#pragma once

typedef unsigned long u64;

struct Four {
  u32 x[4];
};
INLINE Four Philox(u64 seed, u64 subsequence, u64 block) {
  u32 c0 = static_cast<u32>(block), c1 = static_cast<u32>(block >> 32);
  u32 c2 = static_cast<u32>(subsequence), c3 = static_cast<u32>(subsequence >> 32);
  u32 k0 = static_cast<u32>(seed), k1 = static_cast<u32>(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 p = static_cast<u64>(0xD2511F53u) * c0, q = static_cast<u64>(0xCD9E8D57u) * c2;
    const u32 n0 = static_cast<u32>(q >> 32) ^ c1 ^ k0, n2 = static_cast<u32>(p >> 32) ^ c3 ^ k1;
    c0 = n0, c1 = static_cast<u32>(q), c2 = n2, c3 = static_cast<u32>(p);
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// Parameters of all draws, after the result: `base` may be null (phi::DrawKey), `threads` divide the numbers of the
// result, of which there are n.
#define DRAW_PARAMS const u64 *base, i64 n, i64 threads, u64 seed, u64 offset
#define DRAW_KEY                 \
  if (base) {                    \
    seed = base[0];              \
    offset += base[1];           \
  }                              \
  const u64 first = offset / 4;

// In (0, 1], as cuRAND makes them.
INLINE float Unit(u32 x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
INLINE double Unit(u32 x, u32 y) {
  return static_cast<double>(x ^ (static_cast<u64>(y) << 21)) * 0x1p-53 + 0x1p-54;
}
// Numbers of a block in a type: four float32, two float64.
template <class T>
struct Units;
template <>
struct Units<float> {
  static constexpr int kCount = 4;
  static INLINE void Of(const Four& f, float* u) {
#pragma unroll
    for (int k = 0; k < 4; ++k) u[k] = Unit(f.x[k]);
  }
  static INLINE void Normal(const Four& f, float* z) {
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const float turn = static_cast<float>(f.x[k + 1]) * 1.46291807e-09f + 7.31459035e-10f;  // 2 pi / 2^32
      const float far = phi::device_math::sqrt(-2.0f * phi::device_math::log(Unit(f.x[k])));
      z[k] = phi::device_math::sin(turn) * far;
      z[k + 1] = phi::device_math::cos(turn) * far;
    }
  }
};
template <>
struct Units<double> {
  static constexpr int kCount = 2;
  static INLINE void Of(const Four& f, double* u) {
#pragma unroll
    for (int k = 0; k < 2; ++k) u[k] = Unit(f.x[2 * k], f.x[2 * k + 1]);
  }
  static INLINE void Normal(const Four& f, double* z) {
    const double far = phi::device_math::sqrt(-2.0 * phi::device_math::log(Unit(f.x[0], f.x[1])));
    const double turn = 6.283185307179586 * Unit(f.x[2], f.x[3]);
    z[0] = phi::device_math::sin(turn) * far;
    z[1] = phi::device_math::cos(turn) * far;
  }
};

// result[k * threads + thread] of each round = Make(four numbers, k).
template <int kCount, class T, class Make>
INLINE void Spread(T* out, i64 n, i64 threads, u64 seed, u64 first, Make make) {
  for (i64 thread = First(); thread < threads; thread += Step()) {
    u64 block = first;
    for (i64 at = thread; at < n; at += kCount * threads, ++block) {
      const Four f = Philox(seed, static_cast<u64>(thread), block);
      T made[kCount];
      make(f, made);
#pragma unroll
      for (int k = 0; k < kCount; ++k)
        if (at + k * threads < n) out[at + k * threads] = made[k];
    }
  }
}

template <class T>
INLINE void Uniform(T* out, DRAW_PARAMS, double low, double high) {
  DRAW_KEY
  typedef typename WideOf<T>::type W;
  const W from = static_cast<W>(low), range = static_cast<W>(high) - from;
  Spread<Units<W>::kCount>(out, n, threads, seed, first, [=](const Four& f, T* made) {
    W u[Units<W>::kCount];
    Units<W>::Of(f, u);
#pragma unroll
    for (int k = 0; k < Units<W>::kCount; ++k)
      made[k] = Narrow(u[k] == W(1) ? from : u[k] * range + from, static_cast<T*>(nullptr));
  });
}
template <class T>
INLINE void Normal(T* out, DRAW_PARAMS, double mean, double deviation) {
  DRAW_KEY
  typedef typename WideOf<T>::type W;
  const W m = static_cast<W>(mean), d = static_cast<W>(deviation);
  Spread<Units<W>::kCount>(out, n, threads, seed, first, [=](const Four& f, T* made) {
    W z[Units<W>::kCount];
    Units<W>::Normal(f, z);
#pragma unroll
    for (int k = 0; k < Units<W>::kCount; ++k) made[k] = Narrow(z[k] * d + m, static_cast<T*>(nullptr));
  });
}
template <class T>
INLINE void Exponential(T* out, DRAW_PARAMS, double rate, double) {
  DRAW_KEY
  typedef typename WideOf<T>::type W;
  constexpr W kHalf = sizeof(W) == 8 ? W(0x1p-53) : W(0x1p-24);  // half of the distance of 1 from the next number
  const W scale = W(-1) / static_cast<W>(rate);
  Spread<Units<W>::kCount>(out, n, threads, seed, first, [=](const Four& f, T* made) {
    W u[Units<W>::kCount];
    Units<W>::Of(f, u);
#pragma unroll
    for (int k = 0; k < Units<W>::kCount; ++k)
      made[k] = Narrow(scale * (u[k] < W(1) - kHalf ? phi::device_math::log(u[k]) : -kHalf), static_cast<T*>(nullptr));
  });
}
template <class T>
INLINE void Truncated(T* out, DRAW_PARAMS, double a, double b, double mean, double deviation, double lower,
                      double upper) {
  DRAW_KEY
  typedef typename WideOf<T>::type W;
  const W from = static_cast<W>(a), range = static_cast<W>(b) - from;
  constexpr W kLast = sizeof(W) == 8 ? W(1) - W(0x1p-53) : W(1) - W(0x1p-24);  // the inverse of 1 is infinite
  Spread<Units<W>::kCount>(out, n, threads, seed, first, [=](const Four& f, T* made) {
    W u[Units<W>::kCount];
    Units<W>::Of(f, u);
#pragma unroll
    for (int k = 0; k < Units<W>::kCount; ++k) {
      W at = u[k] * range + from;
      at = at > kLast ? kLast : at < -kLast ? -kLast : at;
      double z;
      // The library has no functions beside kernels.
      [[clang::always_inline]] z = phi::device_math::erfinv(static_cast<double>(at));
      z = 1.4142135623730951 * z * deviation + mean;
      z = z < lower ? lower : z > upper ? upper : z;
      made[k] = Narrow(static_cast<W>(z), static_cast<T*>(nullptr));
    }
  });
}
#define EACH_FLOAT(M) M(f32, float) M(f64, double) M(f16, Half) M(bf16, Bfloat)
#define DRAWS(name, T)                                                                                         \
  KERNEL device_uniform_##name(T* out, DRAW_PARAMS, double a, double b) {                                      \
    Uniform(out, base, n, threads, seed, offset, a, b);                                                        \
  }                                                                                                            \
  KERNEL device_normal_##name(T* out, DRAW_PARAMS, double a, double b) {                                       \
    Normal(out, base, n, threads, seed, offset, a, b);                                                         \
  }                                                                                                            \
  KERNEL device_exponential_##name(T* out, DRAW_PARAMS, double a, double b) {                                  \
    Exponential(out, base, n, threads, seed, offset, a, b);                                                    \
  }                                                                                                            \
  KERNEL device_truncated_##name(T* out, DRAW_PARAMS, double a, double b, double mean, double deviation,       \
                                 double lower, double upper) {                                                 \
    Truncated(out, base, n, threads, seed, offset, a, b, mean, deviation, lower, upper);                       \
  }
EACH_FLOAT(DRAWS)

// low + remainders of numbers of 32 or 64 bits.
template <class T>
INLINE void Integer(T* out, DRAW_PARAMS, i64 low, u64 range, i64 wide) {
  DRAW_KEY
  if (wide)
    Spread<2>(out, n, threads, seed, first, [=](const Four& f, T* made) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const u64 drawn = static_cast<u64>(f.x[2 * k]) << 32 | f.x[2 * k + 1];
        made[k] = static_cast<T>(static_cast<u64>(low) + (range ? drawn % range : drawn));
      }
    });
  else
    Spread<4>(out, n, threads, seed, first, [=](const Four& f, T* made) {
#pragma unroll
      for (int k = 0; k < 4; ++k) made[k] = static_cast<T>(low + f.x[k] % static_cast<u32>(range));
    });
}
#define INTEGERS(name, T)                                                              \
  KERNEL device_integer_##name(T* out, DRAW_PARAMS, i64 low, u64 range, i64 wide) {    \
    Integer(out, base, n, threads, seed, offset, low, range, wide);                    \
  }
INTEGERS(i32, int) INTEGERS(i64, i64)

// f(i, bits) for each of n elements, of which four neighbours belong to a thread.
template <class F>
INLINE void InFours(DRAW_PARAMS, F f) {
  DRAW_KEY
  for (i64 part = First(); part * 4 < n; part += Step()) {
    const Four bits = Philox(seed, static_cast<u64>(part % threads), first + static_cast<u64>(part / threads));
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (part * 4 + k < n) f(part * 4 + k, bits.x[k]);
  }
}

// out or keep may be null.
template <class T>
INLINE void Dropout(const T* x, T* out, unsigned char* keep, DRAW_PARAMS, double probability, double factor) {
  typedef typename WideOf<T>::type W;
  const float limit = static_cast<float>(probability);
  const W times = static_cast<W>(factor);
  InFours(base, n, threads, seed, offset, [&](i64 i, u32 bits) {
    const bool kept = Unit(bits) < limit;
    if (keep) keep[i] = kept;
    if (out) out[i] = Narrow(kept ? Wide(x[i]) * times : W(0), static_cast<T*>(nullptr));
  });
}
#define DROPOUT(name, T)                                                                                     \
  KERNEL device_dropout_##name(const T* x, T* out, unsigned char* keep, DRAW_PARAMS, double probability,     \
                               double factor) {                                                              \
    Dropout(x, out, keep, base, n, threads, seed, offset, probability, factor);                              \
  }
EACH_FLOAT(DROPOUT)
