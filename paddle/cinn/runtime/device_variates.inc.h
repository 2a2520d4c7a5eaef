// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: draws of which each element has parameters of its own. An element has the subsequence
// of its number, and takes as many numbers as it needs.
#pragma once

// Blocks of an element are so far apart that no draw of another has one of them.
constexpr u64 kFarApart = 1ul << 40;

struct Source {
  u64 seed, subsequence, block;
  Four now;
  int left = 0;  // halves of `now` that are not used yet

  MEMBER void Next() {
    if (left == 0) {
      now = Philox(seed, subsequence, block);
      block += kFarApart;
      left = 2;
    } else {
      now.x[0] = now.x[2], now.x[1] = now.x[3];
    }
    --left;
  }
  template <class T>
  MEMBER T High() {
    Next();
    return sizeof(T) == 8 ? static_cast<T>(Unit(now.x[0], now.x[1])) : static_cast<T>(Unit(now.x[0]));
  }
  template <class T>
  MEMBER T Low() {
    return T(1) - High<T>();
  }
  template <class T>
  MEMBER T Normal() {
    const T far = phi::device_math::sqrt(T(-2) * phi::device_math::log(High<T>()));
    return far * phi::device_math::cos(static_cast<T>(6.283185307179586) * High<T>());
  }
  template <class T>
  static MEMBER T Log(T x) {
    return phi::device_math::log(x);
  }
  template <class T>
  static MEMBER T Pow(T x, T y) {
    return phi::device_math::pow(x, y);
  }
  template <class T>
  static MEMBER T Sqrt(T x) {
    return phi::device_math::sqrt(x);
  }
  static MEMBER double Log1p(double x) { return phi::device_math::log1p(x); }
  static MEMBER double Ceil(double x) { return phi::device_math::ceil(x); }
  static MEMBER double Floor(double x) { return phi::device_math::floor(x); }
  static MEMBER double Abs(double x) { return phi::device_math::abs(x); }
};

// Of element i: its number goes to *bad where that is the least one with such parameters, or `told` where that is not
// 0.
INLINE void TellBad(i64* bad, i64 i, i64 told) {
  __nvvm_atom_min_gen_ll(reinterpret_cast<long long*>(bad), told ? told : i);
}

// By the search through the distribution function, or for means of 10 and more by Hoermann's transformed rejection
// (PTRS, "The transformed rejection method for generating Poisson random variables", 1993).
INLINE double DrawPoisson(Source& s, double mean) {
  if (mean == 0) return 0;
  if (mean < 10) {
    double part = phi::device_math::exp(-mean), rest = s.High<double>(), k = 0;
    while (rest > part && part > 0) {
      rest -= part;
      part *= mean / ++k;
    }
    return k;
  }
  for (;;) {
    double draw = s.Low<double>();
    PD_AFTER(draw, mean);
    const double root = phi::device_math::sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b,
                 inverse = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2), log_mean = Source::Log(mean);
    const double u = draw - 0.5, v = s.High<double>(), us = 0.5 - Source::Abs(u);
    const double k = Source::Floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (!(k >= 0) || (us < 0.013 && v > us)) continue;
    const double factorial =
        (k + 0.5) * Source::Log(k + 1) - (k + 1) + 0.91893853320467274 + StirlingError(k);  // log(2 pi) / 2
    if (Source::Log(v * inverse / (a / (us * us) + b)) <= k * log_mean - mean - factorial) return k;
  }
}

// One draw an element.
#define EACH_ELEMENT                        \
  for (i64 i = First(); i < n; i += Step()) \
    if (Source s{seed, static_cast<u64>(i), first}; true)

template <class T>
INLINE void Poisson(const T* x, T* out, i64* bad, DRAW_PARAMS, i64 told) {
  DRAW_KEY
  EACH_ELEMENT {
    const double mean = static_cast<double>(Wide(x[i]));
    const bool fits = mean >= 0 && mean < 0x1p62;
    if (!fits) TellBad(bad, i, told);
    out[i] = Narrow(static_cast<typename WideOf<T>::type>(DrawPoisson(s, fits ? mean : 0)), static_cast<T*>(nullptr));
  }
}
template <class T>
INLINE void Gamma(const T* x, T* out, DRAW_PARAMS) {
  DRAW_KEY
  EACH_ELEMENT out[i] = DrawGamma(s, x[i], sizeof(T) == 8 ? static_cast<T>(0x1p-1022) : static_cast<T>(0x1p-126));
}
KERNEL device_gamma_f32(const float* x, float* out, DRAW_PARAMS) { Gamma(x, out, base, n, threads, seed, offset); }
KERNEL device_gamma_f64(const double* x, double* out, DRAW_PARAMS) { Gamma(x, out, base, n, threads, seed, offset); }
KERNEL device_binomial_f64(const double* count, const double* share, i64* out, i64* bad, DRAW_PARAMS, i64 told) {
  DRAW_KEY
  EACH_ELEMENT {
    const double trials = count[i], p = share[i];
    const bool fits = trials < 0x1p63 && p == p;
    if (!fits) TellBad(bad, i, told);
    out[i] = fits ? static_cast<i64>(DrawBinomial(s, trials, p)) : 0;
  }
}

template <class T>
INLINE void Bernoulli(const T* x, T* out, i64* bad, DRAW_PARAMS, i64 told) {
  typedef typename WideOf<T>::type W;
  InFours(base, n, threads, seed, offset, [&](i64 i, u32 bits) {
    const W p = Wide(x[i]);
    if (!(p >= 0 && p <= 1)) TellBad(bad, i, told);
    out[i] = Narrow(static_cast<W>(static_cast<W>(Unit(bits)) <= p ? 1 : 0), static_cast<T*>(nullptr));
  });
}
#define OF_ELEMENTS(name, T)                                                            \
  KERNEL device_poisson_##name(const T* x, T* out, i64* bad, DRAW_PARAMS, i64 told) {   \
    Poisson(x, out, bad, base, n, threads, seed, offset, told);                         \
  }                                                                                     \
  KERNEL device_bernoulli_##name(const T* x, T* out, i64* bad, DRAW_PARAMS, i64 told) { \
    Bernoulli(x, out, bad, base, n, threads, seed, offset, told);                       \
  }
EACH_FLOAT(OF_ELEMENTS)

// noise = its own number where x < 0, else 1; out = x * noise.
template <class T>
INLINE void LeakyNoise(const T* x, T* noise, T* out, i64 n) {
  for (i64 i = First(); i < n; i += Step()) {
    const typename WideOf<T>::type v = Wide(x[i]), factor = v < 0 ? Wide(noise[i]) : 1;
    noise[i] = Narrow(factor, static_cast<T*>(nullptr));
    out[i] = Narrow(v * factor, static_cast<T*>(nullptr));
  }
}
// Elements of rows of k divided by the sums of their rows, a thread a row.
template <class T>
INLINE void Shares(T* x, i64 rows, i64 k) {
  for (i64 row = First(); row < rows; row += Step()) {
    T sum = x[row * k];
    for (i64 i = 1; i < k; ++i) sum += x[row * k + i];
    for (i64 i = 0; i < k; ++i) x[row * k + i] /= sum;
  }
}
KERNEL device_shares_f32(float* x, i64 rows, i64 k) { Shares(x, rows, k); }
KERNEL device_shares_f64(double* x, i64 rows, i64 k) { Shares(x, rows, k); }

// keys = x / keys, the larger the sooner x's place is drawn, above 0 where x is.
template <class T, class W>
INLINE void Keys(const T* x, W* keys, i64* bad, i64 n, i64 told) {
  constexpr W kLeast = sizeof(W) == 8 ? static_cast<W>(0x1p-1022) : static_cast<W>(0x1p-126);
  for (i64 i = First(); i < n; i += Step()) {
    const W v = static_cast<W>(Wide(x[i])), key = v / keys[i];
    if (!(v >= 0 && v - v == 0)) TellBad(bad, i, told);
    keys[i] = !(v > 0) ? W(0) : key > kLeast ? key : kLeast;
  }
}
// out[row, j] names a key of its row that is above 0; row n + row is bad otherwise.
template <class W>
INLINE void Drawable(const W* keys, const i64* out, i64* bad, i64 rows, i64 k, i64 n, i64 all, i64 told) {
  for (i64 i = First(); i < rows * k; i += Step()) {
    const i64 row = i / k;
    if (!(keys[row * n + out[i]] > 0)) TellBad(bad, all + row, told);
  }
}
// sums[row, i] = the sum of x[row, 0] to x[row, i], a block a row.
SHARED double row_parts[kThreads];
template <class T>
INLINE void RunningSums(const T* x, double* sums, i64* bad, i64 rows, i64 n, i64 all, i64 told) {
  const int me = Thread();
  const i64 low = n * me / kThreads, high = n * (me + 1) / kThreads;
  for (i64 row = __nvvm_read_ptx_sreg_ctaid_x(); row < rows; row += __nvvm_read_ptx_sreg_nctaid_x()) {
    double sum = 0;
    for (i64 i = low; i < high; ++i) {
      const double v = static_cast<double>(Wide(x[row * n + i]));
      if (!(v >= 0 && v - v == 0)) TellBad(bad, row * n + i, told);
      sum += v;
    }
    row_parts[me] = sum;
    __nvvm_bar_sync(0);
    double run = 0;
    for (int t = 0; t < me; ++t) run += row_parts[t];
    if (me == kThreads - 1 && !(run + sum > 0)) TellBad(bad, all + row, told);
    for (i64 i = low; i < high; ++i) sums[row * n + i] = run += static_cast<double>(Wide(x[row * n + i]));
    __nvvm_bar_sync(0);
  }
}
// out[row, j] = where a number below the row's sum falls. As PaddlePaddle draws: rows have subsequences in turn, in
// units of 128.
template <class T>
INLINE void Falls(const T* x, const double* sums, i64* out, DRAW_PARAMS, i64 rows, i64 categories) {
  DRAW_KEY
  constexpr i64 kMostRows = 65535, kUnit = 128;
  const i64 k = n / rows, width = (k + kUnit - 1) / kUnit * kUnit;
  for (i64 i = First(); i < n; i += Step()) {
    const i64 row = i / k, round = row / kMostRows;
    const Four f = Philox(seed, static_cast<u64>((row - round * kMostRows) * width + i - row * k),
                          first + static_cast<u64>(round));
    const double* from = sums + row * categories;
    const double u = static_cast<double>(Unit(f.x[0])) * from[categories - 1];
    i64 low = -1, high = categories - 1;
    while (high - low > 1) {
      const i64 half = (low + high) / 2;
      if (from[half] < u)
        low = half;
      else
        high = half;
    }
    // Sums of neighbours are rounded: where none lies between, the number is not drawn.
    while (high > 0 && !(Wide(x[row * categories + high]) > 0)) --high;
    while (high < categories - 1 && !(Wide(x[row * categories + high]) > 0)) ++high;
    out[i] = high;
  }
}
#define OF_ROWS(name, T)                                                                                        \
  KERNEL device_leaky_noise_##name(const T* x, T* noise, T* out, i64 n) { LeakyNoise(x, noise, out, n); }       \
  KERNEL device_keys_##name(const T* x, typename WideOf<T>::type* keys, i64* bad, i64 n, i64 told) {            \
    Keys(x, keys, bad, n, told);                                                                                \
  }                                                                                                             \
  KERNEL device_running_sums_##name(const T* x, double* sums, i64* bad, i64 rows, i64 n, i64 all, i64 told) {   \
    RunningSums(x, sums, bad, rows, n, all, told);                                                              \
  }                                                                                                             \
  KERNEL device_falls_##name(const T* x, const double* sums, i64* out, DRAW_PARAMS, i64 rows, i64 categories) { \
    Falls(x, sums, out, base, n, threads, seed, offset, rows, categories);                                      \
  }
EACH_FLOAT(OF_ROWS)
KERNEL device_drawable_f32(const float* keys, const i64* out, i64* bad, i64 rows, i64 k, i64 n, i64 all, i64 told) {
  Drawable(keys, out, bad, rows, k, n, all, told);
}
KERNEL device_drawable_f64(const double* keys, const i64* out, i64* bad, i64 rows, i64 k, i64 n, i64 all, i64 told) {
  Drawable(keys, out, bad, rows, k, n, all, told);
}
