// SPDX-License-Identifier: Apache-2.0
// + - * / and select of every instruction set agree bit for bit with C++ on one number at a time. The sign and the bits
// of a NaN are the processor's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "paddle/phi/primitives/isa.h"

#define PD_TEST_DECL(suffix)                                                                \
  PD_ISA_DECL(void, test_add_##suffix, (char* const* p, int64_t n, const double* attrs))    \
  PD_ISA_DECL(void, test_sub_##suffix, (char* const* p, int64_t n, const double* attrs))    \
  PD_ISA_DECL(void, test_mul_##suffix, (char* const* p, int64_t n, const double* attrs))    \
  PD_ISA_DECL(void, test_div_##suffix, (char* const* p, int64_t n, const double* attrs))    \
  PD_ISA_DECL(void, test_select_##suffix, (char* const* p, int64_t n, const double* attrs)) \
  PD_ISA_DECL(void, test_chain_##suffix, (char* const* p, int64_t n, const double* attrs))
PD_TEST_DECL(f32)
PD_TEST_DECL(f64)
PD_TEST_DECL(i32)
PD_TEST_DECL(i64)

namespace phi {
namespace {

using Loop = void (*)(char* const*, int64_t, const double*);

template <class T>
std::vector<T> Values(int64_t n) {
  std::mt19937_64 rng(5);
  std::vector<T> v(n);
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       T(1),
                       T(-1),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       Limits::infinity(),
                       T(-Limits::infinity()),
                       Limits::denorm_min(),
                       Limits::quiet_NaN(),
                       T(-T(0)),
                       T(3)};
  for (T& x : v) {
    if (rng() % 4 == 0)
      x = special[rng() % std::size(special)];
    else if constexpr (std::is_floating_point_v<T>)
      x = std::ldexp(static_cast<T>(rng() >> 11) * T(0x1p-53) - T(0.5), static_cast<int>(rng() % 60) - 30);
    else
      x = static_cast<T>(rng());
  }
  return v;
}

template <class T, class F>
void Check(Loop loop, const char* what, const F& f) {
  const int64_t n = 100 * 100 + 7;  // and an end that fills no vector
  const std::vector<T> all = Values<T>(2 * n);
  std::vector<T> got(n);
  char* const ptrs[3] = {reinterpret_cast<char*>(got.data()), reinterpret_cast<char*>(const_cast<T*>(all.data())),
                         reinterpret_cast<char*>(const_cast<T*>(all.data() + n))};
  loop(ptrs, n, nullptr);
  for (int64_t i = 0; i < n; ++i) {
    const T x = all[i], y = all[n + i], want = f(x, y);
    if (want != want)
      ASSERT_NE(got[i], got[i]) << what << " of " << x << " and " << y;
    else
      ASSERT_EQ(std::memcmp(&got[i], &want, sizeof want), 0)
          << what << " of " << x << " and " << y << ": " << got[i] << " " << want;
  }
}

// Integers wrap; a division by zero gives 0, that of the least one by -1 the least one.
template <class T>
struct Plain {
  using U = std::make_unsigned_t<T>;
  static T Add(T x, T y) { return static_cast<T>(U(x) + U(y)); }
  static T Sub(T x, T y) { return static_cast<T>(U(x) - U(y)); }
  static T Mul(T x, T y) { return static_cast<T>(U(x) * U(y)); }
  static T Div(T x, T y) { return y == 0 ? T(0) : y == -1 ? Sub(0, x) : static_cast<T>(x / y); }
};
template <class T>
struct PlainFloat {
  static T Add(T x, T y) { return x + y; }
  static T Sub(T x, T y) { return x - y; }
  static T Mul(T x, T y) { return x * y; }
  static T Div(T x, T y) { return x / y; }
};
template <>
struct Plain<float> : PlainFloat<float> {};
template <>
struct Plain<double> : PlainFloat<double> {};

#define PD_CHECK_ALL(T, suffix)                                                                                        \
  using P = Plain<T>;                                                                                                  \
  Check<T>(PD_ISA_CALL(test_add_##suffix), "add", P::Add);                                                             \
  Check<T>(PD_ISA_CALL(test_sub_##suffix), "sub", P::Sub);                                                             \
  Check<T>(PD_ISA_CALL(test_mul_##suffix), "mul", P::Mul);                                                             \
  Check<T>(PD_ISA_CALL(test_div_##suffix), "div", P::Div);                                                             \
  Check<T>(PD_ISA_CALL(test_select_##suffix), "select", [](T x, T y) { return x < y ? P::Sub(y, x) : P::Mul(x, x); }); \
  Check<T>(PD_ISA_CALL(test_chain_##suffix), "a chain",                                                                \
           [](T x, T y) { return P::Add(P::Mul(x, y), P::Mul(P::Sub(x, y), y)); });

TEST(Arithmetic, Float32){PD_CHECK_ALL(float, f32)} TEST(Arithmetic, Float64){
    PD_CHECK_ALL(double, f64)} TEST(Arithmetic, Int32){PD_CHECK_ALL(int32_t, i32)} TEST(Arithmetic, Int64) {
  PD_CHECK_ALL(int64_t, i64)
}

}  // namespace
}  // namespace phi
