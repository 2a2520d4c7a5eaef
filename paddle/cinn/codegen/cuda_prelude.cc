// SPDX-License-Identifier: Apache-2.0
// The device functions of generated CUDA text; the meaning of each is that of ir/interp.cc.
#include "paddle/cinn/codegen/cuda_text.h"

namespace cinn {

// Two literals, because compilers limit the length of one.
const char* CudaPrelude() {
  static const std::string text = std::string(R"cuda(namespace cinn {
#define CINN_INF_F32 __int_as_float(0x7f800000)
#define CINN_NAN_F32 __int_as_float(0x7fc00000)
#define CINN_INF_F64 __longlong_as_double(0x7ff0000000000000LL)
#define CINN_NAN_F64 __longlong_as_double(0x7ff8000000000000LL)
typedef unsigned short half_bits;
template <int N>
struct Meta {
  long long v[N];
};

// ---- storage ----
__device__ inline float from_bfloat16(half_bits v) { return __int_as_float((int)((unsigned)v << 16)); }
__device__ inline half_bits to_bfloat16(float v) {
  const unsigned u = (unsigned)__float_as_int(v);
  if (v != v) return (half_bits)((u >> 16) | 0x40);
  return (half_bits)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
#ifdef __CUDA_ARCH__
__device__ inline float from_float16(half_bits v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v));
  return r;
}
__device__ inline half_bits to_float16(float v) {
  half_bits r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
}
#endif

// ---- conversions: out of range and NaN give the smallest integer ----
__device__ inline int to_int32(double v) {
  return v > -2147483649.0 && v < 2147483648.0 ? (int)v : (int)0x80000000u;
}
__device__ inline long long to_int64(double v) {
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (long long)v : (long long)0x8000000000000000ull;
}
__device__ inline int to_int32(float v) { return v >= -2147483648.0f && v < 2147483648.0f ? (int)v : (int)0x80000000u; }
__device__ inline long long to_int64(float v) {
  return v >= -9223372036854775808.0f && v < 9223372036854775808.0f ? (long long)v : (long long)0x8000000000000000ull;
}

// ---- integers: wrapping; x / 0 = 0, wide shifts have results ----
template <class T> struct Unsigned;
template <> struct Unsigned<int> { typedef unsigned type; };
template <> struct Unsigned<long long> { typedef unsigned long long type; };
#define CINN_WRAP(name, op)                                          \
  template <class T>                                                 \
  __device__ inline T name(T a, T b) {                               \
    typedef typename Unsigned<T>::type U;                            \
    return (T)((U)a op (U)b);                                        \
  }
CINN_WRAP(wrap_add, +)
CINN_WRAP(wrap_sub, -)
CINN_WRAP(wrap_mul, *)
#undef CINN_WRAP
template <class T> __device__ inline T wrap_neg(T a) { return wrap_sub((T)0, a); }
template <class T> __device__ inline T wrap_abs(T a) { return a < 0 ? wrap_neg(a) : a; }
template <class T> __device__ inline T int_div(T a, T b) { return b == 0 ? 0 : b == -1 ? wrap_neg(a) : a / b; }
template <class T> __device__ inline T int_fmod(T a, T b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class T> __device__ inline T int_mod(T a, T b) {
  const T r = int_fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <class T> __device__ inline T int_floor_divide(T a, T b) {
  const T r = int_fmod(a, b), q = int_div(a, b);
  return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
template <class T> __device__ inline T int_pow(T a, T b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  T r = 1;
  for (; b; b >>= 1, a = wrap_mul(a, a))
    if (b & 1) r = wrap_mul(r, a);
  return r;
}
template <class T> __device__ inline T shift_left(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return (U)b >= 8 * sizeof(T) ? 0 : (T)((U)a << b);
}
template <class T> __device__ inline T shift_right(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return (U)b >= 8 * sizeof(T) ? (a < 0 ? -1 : 0) : a >> b;
}

// ---- any number: NaN wins in maximum and minimum and loses in the others ----
template <class T> __device__ inline T maximum(T a, T b) { return a != a || a > b ? a : b; }
template <class T> __device__ inline T minimum(T a, T b) { return a != a || a < b ? a : b; }
template <class T> __device__ inline T fmaximum(T a, T b) { return b != b || a > b ? a : b; }
template <class T> __device__ inline T fminimum(T a, T b) { return b != b || a < b ? a : b; }
template <class T> __device__ inline T sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a; }
)cuda") + R"cuda(
// ---- floats ----
#define CINN_FLOATS(T, f)                                                            \
  __device__ inline T mod(T a, T b) {                                                \
    const T r = fmod##f(a, b);                                                       \
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;                                 \
  }                                                                                  \
  __device__ inline T floor_divide(T a, T b) {                                       \
    const T m = fmod##f(a, b);                                                       \
    T d = (a - m) / b;                                                               \
    if (m != 0 && (m < 0) != (b < 0)) d -= 1;                                        \
    T r = floor##f(d);                                                               \
    if (d - r > (T)0.5) r += 1;                                                      \
    return b == 0 ? a / b : d == 0 ? copysign##f((T)0, a / b) : r;                   \
  }                                                                                  \
  __device__ inline T sigmoid(T a) {                                                 \
    const T e = exp##f(-fabs##f(a));                                                 \
    return (a >= 0 ? (T)1 : e) / ((T)1 + e);                                         \
  }
CINN_FLOATS(float, f)
CINN_FLOATS(double, )
#undef CINN_FLOATS

// Reflection below 0, recurrence up to 12, then the asymptotic series.
__device__ inline double digamma(double x) {
  if (x != x || x == CINN_INF_F64) return x;
  if (x == 0) return copysign(CINN_INF_F64, -x);
  double r = 0;
  if (x < 0) {
    if (x == floor(x)) return CINN_NAN_F64;
    r = -3.14159265358979312 / tan(3.14159265358979312 * (x - rint(x)));
    x = 1 - x;
  }
  for (; x < 12; x += 1) r -= 1 / x;
  const double w = 1 / x, z = w * w;
  const double s = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return r + (log(x) - 0.5 * w - s);
}
// exp(-|x|) I_n(x): the product while neither part leaves its range, then the asymptotic series.
template <int n>
__device__ inline double bessel_ie(double x) {
  const double a = fabs(x);
  double s = 1;
  if (a <= 40) {
    s = (n == 0 ? cyl_bessel_i0(a) : cyl_bessel_i1(a)) * exp(-a);
  } else if (a == CINN_INF_F64) {
    s = 0;
  } else if (a == a) {
    double t = 1;
    for (int k = 1; k < 24; ++k) {
      t *= ((2 * k - 1) * (2 * k - 1) - 4.0 * n) / (8.0 * k * a);
      s += t;
    }
    s /= sqrt(6.28318530717958648 * a);
  }
  return a != a ? a : n == 1 ? copysign(s, x) : s;
}
__device__ inline double i0e(double x) { return bessel_ie<0>(x); }
__device__ inline double i1e(double x) { return bessel_ie<1>(x); }
__device__ inline float digamma(float x) { return (float)digamma((double)x); }
__device__ inline float i0e(float x) { return (float)bessel_ie<0>(x); }
__device__ inline float i1e(float x) { return (float)bessel_ie<1>(x); }

// ---- reductions ----
struct Sum {
  static __device__ inline double of(double a, double b) { return a + b; }
  static __device__ inline long long of(long long a, long long b) { return wrap_add(a, b); }
};
struct Prod {
  static __device__ inline double of(double a, double b) { return a * b; }
  static __device__ inline long long of(long long a, long long b) { return wrap_mul(a, b); }
};
struct Max {
  template <class T> static __device__ inline T of(T a, T b) { return maximum(a, b); }
};
struct Min {
  template <class T> static __device__ inline T of(T a, T b) { return minimum(a, b); }
};
// The value of all threads of a block, for each of them: halving within warps, then one warp after another.
template <class Kind, class T>
__device__ inline T block_reduce(T v) {
  __shared__ T parts[32];
  for (int d = 16; d > 0; d >>= 1) v = Kind::of(v, __shfl_down_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = parts[0];
  for (int w = 1; w < (int)(blockDim.x / 32); ++w) v = Kind::of(v, parts[w]);
  __syncthreads();
  return v;
}
template <class Kind>
__device__ inline bool block_reduce(bool v) { return block_reduce<Kind, int>(v) != 0; }
}  // namespace cinn
)cuda";
  return text.c_str();
}

std::vector<std::string> CudaCompileOptions() { return {"--std=c++17", "--fmad=false"}; }

}  // namespace cinn
