// SPDX-License-Identifier: Apache-2.0
// The number types of plugin kernels that C++ has no word for: float16, bfloat16 and complex, with arithmetic. Halves
// compute in float32 and round to nearest even; NaN stays NaN.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <type_traits>

namespace phi {
inline namespace capi {
namespace dtype {

namespace detail {
inline uint32_t FloatBits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof(u));
  return u;
}
inline float BitsFloat(uint32_t u) {
  float f;
  std::memcpy(&f, &u, sizeof(f));
  return f;
}
// IEEE binary16 and its conversions to and from binary32.
struct Half {
  static uint16_t From(float f) {
    const uint32_t u = FloatBits(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
    if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
    if (a < 0x38800000u) {  // a multiple of 2^-24; the sum rounds at that place
      const float magic = BitsFloat(0x3f000000u);
      return static_cast<uint16_t>(sign | (FloatBits(BitsFloat(a) + magic) - 0x3f000000u));
    }
    return static_cast<uint16_t>(sign | ((a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13));
  }
  static float To(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16, e = h >> 10 & 0x1fu, m = h & 0x3ffu;
    if (e == 0x1f) return BitsFloat(sign | 0x7f800000u | m << 13);
    if (e == 0) return BitsFloat(sign | FloatBits(static_cast<float>(m) * BitsFloat(0x33800000u)));
    return BitsFloat(sign | (e + 112) << 23 | m << 13);
  }
};
// The upper half of binary32.
struct Brain {
  static uint16_t From(float f) {
    const uint32_t u = FloatBits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(u >> 16 | 0x40u);
    return static_cast<uint16_t>((u + 0x7fffu + (u >> 16 & 1)) >> 16);
  }
  static float To(uint16_t h) { return BitsFloat(static_cast<uint32_t>(h) << 16); }
};
}  // namespace detail

// Every number converts to it, and it to every number where that is asked for; arithmetic, with another or with a
// number, gives one.
template <typename Format>
struct alignas(2) Float16Bits {
  uint16_t x;

  Float16Bits() = default;
  template <typename N, typename = typename std::enable_if<std::is_arithmetic<N>::value>::type>
  Float16Bits(N v) : x(Format::From(static_cast<float>(v))) {}  // NOLINT: numbers convert
  template <typename Other>
  explicit Float16Bits(const Float16Bits<Other>& v) : x(Format::From(static_cast<float>(v))) {}
  template <typename N, typename = typename std::enable_if<std::is_arithmetic<N>::value>::type>
  explicit operator N() const {
    return static_cast<N>(Format::To(x));
  }

  Float16Bits operator-() const {
    Float16Bits r;
    r.x = static_cast<uint16_t>(x ^ 0x8000u);
    return r;
  }
#define PD_CAPI_HALF(op)                                                                                           \
  friend Float16Bits operator op(Float16Bits a, Float16Bits b) {                                                   \
    return Float16Bits(static_cast<float>(a) op static_cast<float>(b));                                            \
  }                                                                                                                \
  template <typename N>                                                                                            \
  typename std::enable_if<std::is_arithmetic<N>::value || std::is_same<N, Float16Bits>::value, Float16Bits&>::type \
  operator op##=(N b) {                                                                                            \
    return *this = Float16Bits(static_cast<float>(*this) op static_cast<float>(b));                                \
  }
  PD_CAPI_HALF(+)
  PD_CAPI_HALF(-)
  PD_CAPI_HALF(*)
  PD_CAPI_HALF(/)
#undef PD_CAPI_HALF
#define PD_CAPI_HALF(op) \
  friend bool operator op(Float16Bits a, Float16Bits b) { return static_cast<float>(a) op static_cast<float>(b); }
  PD_CAPI_HALF(==)
  PD_CAPI_HALF(!=)
  PD_CAPI_HALF(<)
  PD_CAPI_HALF(<=)
  PD_CAPI_HALF(>)
  PD_CAPI_HALF(>=)
#undef PD_CAPI_HALF
  friend std::ostream& operator<<(std::ostream& to, Float16Bits v) { return to << static_cast<float>(v); }
};

using float16 = Float16Bits<detail::Half>;
using bfloat16 = Float16Bits<detail::Brain>;

inline bool isnan(float16 v) { return std::isnan(static_cast<float>(v)); }
inline bool isnan(bfloat16 v) { return std::isnan(static_cast<float>(v)); }
inline bool isinf(float16 v) { return std::isinf(static_cast<float>(v)); }
inline bool isinf(bfloat16 v) { return std::isinf(static_cast<float>(v)); }
inline bool isfinite(float16 v) { return std::isfinite(static_cast<float>(v)); }
inline bool isfinite(bfloat16 v) { return std::isfinite(static_cast<float>(v)); }

template <typename T>
struct complex {
  T real, imag;

  complex() = default;
  complex(T re, T im) : real(re), imag(im) {}
  complex(const std::complex<T>& v) : real(v.real()), imag(v.imag()) {}  // NOLINT: the same number
  template <typename N, typename = typename std::enable_if<std::is_convertible<N, T>::value>::type>
  complex(N v) : real(static_cast<T>(v)), imag(0) {}  // NOLINT: reals are numbers
  template <typename U>
  explicit complex(const complex<U>& v) : real(static_cast<T>(v.real)), imag(static_cast<T>(v.imag)) {}
  operator std::complex<T>() const { return {real, imag}; }  // NOLINT: the same number

  complex operator-() const { return {-real, -imag}; }
  friend complex operator+(complex a, complex b) { return {a.real + b.real, a.imag + b.imag}; }
  friend complex operator-(complex a, complex b) { return {a.real - b.real, a.imag - b.imag}; }
  friend complex operator*(complex a, complex b) { return std::complex<T>(a) * std::complex<T>(b); }
  friend complex operator/(complex a, complex b) { return std::complex<T>(a) / std::complex<T>(b); }
  complex& operator+=(complex b) { return *this = *this + b; }
  complex& operator-=(complex b) { return *this = *this - b; }
  complex& operator*=(complex b) { return *this = *this * b; }
  complex& operator/=(complex b) { return *this = *this / b; }
  friend bool operator==(complex a, complex b) { return a.real == b.real && a.imag == b.imag; }
  friend bool operator!=(complex a, complex b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& to, complex v) { return to << std::complex<T>(v); }
};

}  // namespace dtype

}  // namespace capi
}  // namespace phi

namespace std {
template <>
struct numeric_limits<phi::capi::dtype::float16> : numeric_limits<float> {
  using H = phi::capi::dtype::float16;
  static constexpr int digits = 11;
  static H max() { return H(65504.0f); }
  static H lowest() { return H(-65504.0f); }
  static H min() { return H(6.103515625e-05f); }
  static H epsilon() { return H(0.0009765625f); }
  static H infinity() { return H(numeric_limits<float>::infinity()); }
  static H quiet_NaN() { return H(numeric_limits<float>::quiet_NaN()); }
};
template <>
struct numeric_limits<phi::capi::dtype::bfloat16> : numeric_limits<float> {
  using H = phi::capi::dtype::bfloat16;
  static constexpr int digits = 8;
  static H max() { return H(3.3895313892515355e+38f); }
  static H lowest() { return H(-3.3895313892515355e+38f); }
  static H min() { return H(1.1754943508222875e-38f); }
  static H epsilon() { return H(0.0078125f); }
  static H infinity() { return H(numeric_limits<float>::infinity()); }
  static H quiet_NaN() { return H(numeric_limits<float>::quiet_NaN()); }
};
}  // namespace std
