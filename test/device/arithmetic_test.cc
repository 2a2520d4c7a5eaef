// SPDX-License-Identifier: Apache-2.0
// Every arithmetic opcode of the double against C++.
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "device/device.h"

namespace fakecuda::testing {
namespace {

using F16 = _Float16;

template <class T>
std::vector<T> Values(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v(256);
  for (T& x : v) {
    if constexpr (std::is_floating_point_v<T>) {
      x = static_cast<T>(static_cast<double>(static_cast<int64_t>(random())) * 1e-18);
    } else {
      const uint64_t bits = random();
      x = static_cast<T>(bits >> (bits % (8 * sizeof(T))));
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    using L = std::numeric_limits<T>;
    const T special[] = {
        0,        -T(0),           1,      -1,     L::infinity(), -L::infinity(), L::quiet_NaN(), L::max(),
        L::min(), L::denorm_min(), T(0.5), T(2.5), T(-3.5)};
    for (size_t i = 0; i < 169; ++i) v[i] = special[seed % 2 ? i / 13 : i % 13];
  } else {
    using L = std::numeric_limits<T>;
    const T special[] = {0, 1, static_cast<T>(-1), L::max(), L::min(), 2, 31, 32};
    for (size_t i = 0; i < 64; ++i) v[i] = special[seed % 2 ? i / 8 : i % 8];
  }
  return v;
}

template <class T>
bool Same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b != b;
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  } else {
    return a == b;
  }
}

class Arithmetic : public DeviceTest {
 protected:
  // `body` computes %d of %a, %b, %c as `f` does.
  template <class Out, class In>
  void Check(const std::string& body, const std::function<Out(In, In, In)>& f) {
    const auto a = Values<In>(1), b = Values<In>(2), c = Values<In>(3);
    const auto at = Alloc(a.size() * sizeof(Out));
    const CUfunction k = Load(Elementwise("  " + body, 8 * sizeof(In), 8 * sizeof(Out)));
    ASSERT_NE(k, nullptr) << body;
    ASSERT_EQ(Launch(k, 4, 64, nullptr, at, Upload(a), Upload(b), Upload(c)), CUDA_SUCCESS) << body;
    const auto got = Download<Out>(at, a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const Out want = f(a[i], b[i], c[i]);
      ASSERT_TRUE(Same(got[i], want)) << body << " of " << +a[i] << ", " << +b[i] << ", " << +c[i] << ": " << +got[i]
                                      << ", expected " << +want;
    }
  }
  template <class T>
  void Integers(const std::string& type) {
    using U = std::make_unsigned_t<T>;
    using W = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
    const auto op = [&](const std::string& name, T (*f)(T, T, T), const char* args = " %d, %a, %b;") {
      Check<T, T>(name + "." + type + args, f);
    };
    op("add", [](T a, T b, T) { return static_cast<T>(U(a) + U(b)); });
    op("sub", [](T a, T b, T) { return static_cast<T>(U(a) - U(b)); });
    op("mul.lo", [](T a, T b, T) { return static_cast<T>(W(a) * W(b)); });
    op("mul.hi", [](T a, T b, T) { return static_cast<T>((W(a) * W(b)) >> (8 * sizeof(T))); });
    op(
        "mad.lo", [](T a, T b, T c) { return static_cast<T>(U(static_cast<T>(W(a) * W(b))) + U(c)); },
        " %d, %a, %b, %c;");
    op("min", [](T a, T b, T) { return std::min(a, b); });
    op("max", [](T a, T b, T) { return std::max(a, b); });
    op("div", [](T a, T b, T) { return b == 0 ? static_cast<T>(~T(0)) : static_cast<T>(W(a) / W(b)); });
    op("rem", [](T a, T b, T) { return b == 0 ? a : static_cast<T>(W(a) % W(b)); });
    const std::string bits = "b" + std::to_string(8 * sizeof(T));
    Check<T, T>("and." + bits + " %d, %a, %b;", [](T a, T b, T) { return static_cast<T>(a & b); });
    Check<T, T>("or." + bits + " %d, %a, %b;", [](T a, T b, T) { return static_cast<T>(a | b); });
    Check<T, T>("xor." + bits + " %d, %a, %b;", [](T a, T b, T) { return static_cast<T>(a ^ b); });
    Check<T, T>("not." + bits + " %d, %a;", [](T a, T, T) { return static_cast<T>(~a); });
    Check<T, T>("setp.lt." + type + " %p, %a, %b;\n  selp." + bits + " %d, %a, %b, %p;",
                [](T a, T b, T) { return std::min(a, b); });
    Check<T, T>("setp.ge." + type + " %p|%q, %a, %b;\n  @%q mov." + bits + " %d, %a;\n  @!%q mov." + bits + " %d, %b;",
                [](T a, T b, T) { return std::min(a, b); });
  }
  template <class T>
  void Floats(const std::string& type) {
    const auto op = [&](const std::string& name, T (*f)(T, T, T), const char* args = " %d, %a, %b;") {
      Check<T, T>(name + "." + type + args, f);
    };
    op("add", [](T a, T b, T) { return a + b; });
    op("sub.rn", [](T a, T b, T) { return a - b; });
    op("mul", [](T a, T b, T) { return a * b; });
    op("div.rn", [](T a, T b, T) { return a / b; });
    op(
        "fma.rn", [](T a, T b, T c) { return std::fma(a, b, c); }, " %d, %a, %b, %c;");
    op(
        "sqrt.rn", [](T a, T, T) { return std::sqrt(a); }, " %d, %a;");
    op(
        "rcp.rn", [](T a, T, T) { return T(1) / a; }, " %d, %a;");
    op(
        "abs", [](T a, T, T) { return std::fabs(a); }, " %d, %a;");
    op(
        "neg", [](T a, T, T) { return -a; }, " %d, %a;");
    op("copysign", [](T a, T b, T) { return std::copysign(b, a); });
    op("min", [](T a, T b, T) {
      return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    });
    op("max", [](T a, T b, T) {
      return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    });
    for (const auto& [name, f] :
         std::vector<std::pair<std::string, bool (*)(T, T)>>{{"eq", [](T a, T b) { return a == b; }},
                                                             {"ne", [](T a, T b) { return a < b || a > b; }},
                                                             {"lt", [](T a, T b) { return a < b; }},
                                                             {"le", [](T a, T b) { return a <= b; }},
                                                             {"gt", [](T a, T b) { return a > b; }},
                                                             {"ge", [](T a, T b) { return a >= b; }},
                                                             {"equ", [](T a, T b) { return !(a < b || a > b); }},
                                                             {"neu", [](T a, T b) { return a != b; }},
                                                             {"ltu", [](T a, T b) { return !(a >= b); }},
                                                             {"leu", [](T a, T b) { return !(a > b); }},
                                                             {"gtu", [](T a, T b) { return !(a <= b); }},
                                                             {"geu", [](T a, T b) { return !(a < b); }},
                                                             {"num", [](T a, T b) { return a == a && b == b; }},
                                                             {"nan", [](T a, T b) { return a != a || b != b; }}}) {
      Check<uint32_t, T>("setp." + name + "." + type + " %p, %a, %b;\n  selp.u32 %d, 1, 0, %p;",
                         [f = f](T a, T b, T) { return uint32_t{f(a, b)}; });
      Check<uint32_t, T>("set." + name + ".u32." + type + " %d, %a, %b;",
                         [f = f](T a, T b, T) { return f(a, b) ? ~0u : 0u; });
    }
  }
};

TEST_F(Arithmetic, Integers) {
  Integers<uint16_t>("u16");
  Integers<int16_t>("s16");
  Integers<uint32_t>("u32");
  Integers<int32_t>("s32");
  Integers<uint64_t>("u64");
  Integers<int64_t>("s64");
}

TEST_F(Arithmetic, WideProducts) {
  Check<uint64_t, uint32_t>("mul.wide.u32 %d, %a, %b;",
                            [](uint32_t a, uint32_t b, uint32_t) { return uint64_t{a} * b; });
  Check<int64_t, int32_t>("mul.wide.s32 %d, %a, %b;", [](int32_t a, int32_t b, int32_t) { return int64_t{a} * b; });
  Check<uint32_t, uint16_t>("mul.wide.u16 %d, %a, %b;",
                            [](uint16_t a, uint16_t b, uint16_t) { return uint32_t{a} * b; });
  Check<int64_t, int32_t>("mov.u64 %z, 7;\n mad.wide.s32 %d, %a, %b, %z;",
                          [](int32_t a, int32_t b, int32_t) { return int64_t{a} * b + 7; });
  Check<int32_t, int32_t>("add.sat.s32 %d, %a, %b;", [](int32_t a, int32_t b, int32_t) {
    return static_cast<int32_t>(std::clamp<int64_t>(int64_t{a} + b, INT32_MIN, INT32_MAX));
  });
}

TEST_F(Arithmetic, Carries) {
  Check<uint32_t, uint32_t>("add.cc.u32 %x, %a, %b;\n addc.u32 %d, 0, 0;",
                            [](uint32_t a, uint32_t b, uint32_t) { return uint32_t{a + b < a}; });
  Check<uint32_t, uint32_t>("sub.cc.u32 %x, %a, %b;\n subc.u32 %d, %c, 0;",
                            [](uint32_t a, uint32_t b, uint32_t c) { return c - (a < b); });
  Check<uint32_t, uint32_t>(
      "mad.lo.cc.u32 %x, %a, %b, %c;\n madc.hi.u32 %d, %a, %b, 0;",
      [](uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>((uint64_t{a} * b + c) >> 32); });
}

TEST_F(Arithmetic, Bits) {
  Check<uint32_t, uint32_t>("shl.b32 %d, %a, %b;",
                            [](uint32_t a, uint32_t b, uint32_t) { return b > 31 ? 0 : a << b; });
  Check<uint32_t, uint32_t>("shr.u32 %d, %a, %b;",
                            [](uint32_t a, uint32_t b, uint32_t) { return b > 31 ? 0 : a >> b; });
  Check<int32_t, int32_t>("shr.s32 %d, %a, %b;",
                          [](int32_t a, int32_t b, int32_t) { return a >> std::min(uint32_t(b), 31u); });
  Check<uint32_t, uint32_t>("shf.l.wrap.b32 %d, %a, %b, %c;", [](uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>(((uint64_t{b} << 32 | a) << (c & 31)) >> 32);
  });
  Check<uint32_t, uint32_t>("shf.r.clamp.b32 %d, %a, %b, %c;", [](uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>((uint64_t{b} << 32 | a) >> std::min(c, 32u));
  });
  Check<uint32_t, uint32_t>("popc.b32 %d, %a;", [](uint32_t a, uint32_t, uint32_t) { return std::popcount(a); });
  Check<uint32_t, uint64_t>("popc.b64 %d, %a;", [](uint64_t a, uint64_t, uint64_t) { return std::popcount(a); });
  Check<uint32_t, uint32_t>("clz.b32 %d, %a;", [](uint32_t a, uint32_t, uint32_t) { return std::countl_zero(a); });
  Check<uint32_t, uint64_t>("clz.b64 %d, %a;", [](uint64_t a, uint64_t, uint64_t) { return std::countl_zero(a); });
  Check<uint32_t, uint32_t>("bfind.u32 %d, %a;", [](uint32_t a, uint32_t, uint32_t) {
    return 31u - static_cast<uint32_t>(std::countl_zero(a));
  });
  Check<uint32_t, uint32_t>("brev.b32 %x, %a;\n brev.b32 %d, %x;", [](uint32_t a, uint32_t, uint32_t) { return a; });
  Check<uint32_t, uint32_t>("bfe.u32 %d, %a, 5, 9;", [](uint32_t a, uint32_t, uint32_t) { return (a >> 5) & 511; });
  Check<int32_t, int32_t>("bfe.s32 %d, %a, 20, 12;", [](int32_t a, int32_t, int32_t) { return a >> 20; });
  Check<uint32_t, uint32_t>("bfi.b32 %d, %a, %b, 8, 16;",
                            [](uint32_t a, uint32_t b, uint32_t) { return (b & 0xff0000ff) | (a & 0xffff) << 8; });
  Check<uint32_t, uint32_t>("lop3.b32 %d, %a, %b, %c, 0xCA;",
                            [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
  Check<uint32_t, uint32_t>("prmt.b32 %d, %a, %b, 0x1274;", [](uint32_t a, uint32_t b, uint32_t) {
    return (b & 0xff) | (b >> 24) << 8 | ((a >> 16) & 0xff) << 16 | ((a >> 8) & 0xff) << 24;
  });
  Check<uint32_t, uint32_t>("prmt.b32 %d, %a, 0, 0x8880;", [](uint32_t a, uint32_t, uint32_t) {
    return static_cast<uint32_t>(static_cast<int8_t>(a));
  });
  Check<uint32_t, uint64_t>("mov.b64 {%x, %y}, %a;\n mov.u32 %d, %y;",
                            [](uint64_t a, uint64_t, uint64_t) { return static_cast<uint32_t>(a >> 32); });
  Check<uint64_t, uint32_t>("mov.b64 %d, {%a, %b};",
                            [](uint32_t a, uint32_t b, uint32_t) { return uint64_t{b} << 32 | a; });
  Check<uint32_t, uint32_t>("mov.b32 {%h, %g}, %a;\n mov.b32 %d, {%g, %h};",
                            [](uint32_t a, uint32_t, uint32_t) { return a >> 16 | a << 16; });
}

TEST_F(Arithmetic, Predicates) {
  Check<uint32_t, uint32_t>("setp.lt.u32 %p, %a, %b;\n setp.lt.and.u32 %q, %b, %c, !%p;\n selp.u32 %d, 1, 2, %q;",
                            [](uint32_t a, uint32_t b, uint32_t c) { return b < c && !(a < b) ? 1u : 2u; });
  Check<uint32_t, uint32_t>(
      "setp.lt.u32 %p, %a, %b;\n setp.eq.u32 %q, %b, %c;\n xor.pred %p, %p, %q;\n not.pred %p, %p;\n selp.u32 %d, 1, "
      "2, %p;",
      [](uint32_t a, uint32_t b, uint32_t c) { return (a < b) == (b == c) ? 1u : 2u; });
}

TEST_F(Arithmetic, Floats) {
  Floats<float>("f32");
  Floats<double>("f64");
}

TEST_F(Arithmetic, Roundings) {
  const auto in = [](int mode, auto f) {
    return [mode, f](float a, float b, float) {
      std::fesetround(mode);
      volatile float x = a, y = b;
      volatile float r = f(x, y);
      std::fesetround(FE_TONEAREST);
      return float(r);
    };
  };
  Check<float, float>("add.rz.f32 %d, %a, %b;",
                      in(FE_TOWARDZERO, [](volatile float& a, volatile float& b) { return a + b; }));
  Check<float, float>("mul.rp.f32 %d, %a, %b;",
                      in(FE_UPWARD, [](volatile float& a, volatile float& b) { return a * b; }));
  Check<float, float>("div.rm.f32 %d, %a, %b;",
                      in(FE_DOWNWARD, [](volatile float& a, volatile float& b) { return a / b; }));
  Check<float, float>("add.sat.f32 %d, %a, %b;", [](float a, float b, float) {
    const float s = a + b;
    return s > 0 ? std::min(s, 1.0f) : 0.0f;
  });
  Check<float, float>("mul.ftz.f32 %d, %a, 0f3F000000;", [](float a, float, float) {
    const float s = (std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a) * 0.5f;
    return std::fabs(s) < 0x1p-126f ? std::copysign(0.0f, s) : s;
  });
}

TEST_F(Arithmetic, Approximations) {
  const auto near = [this](const std::string& op, double (*f)(double)) {
    const auto a = Values<float>(5);
    const auto at = Alloc(a.size() * 4);
    Launch(Load(Elementwise("  " + op + ".approx.f32 %d, %a;")), 4, 64, nullptr, at, Upload(a), Upload(a), Upload(a));
    const auto got = Download<float>(at, a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const auto want = static_cast<float>(f(a[i]));
      if (want != want)
        EXPECT_NE(got[i], got[i]) << op;
      else if (std::isinf(want))
        EXPECT_EQ(got[i], want) << op;
      else
        EXPECT_NEAR(got[i], want, std::fabs(want) * 2e-6 + 1e-37) << op << " of " << a[i];
    }
  };
  near("ex2", [](double x) { return std::exp2(x); });
  near("lg2", [](double x) { return std::log2(x); });
  near("rcp", [](double x) { return 1 / x; });
  near("sqrt", [](double x) { return std::sqrt(x); });
  near("rsqrt", [](double x) { return 1 / std::sqrt(x); });
  near("tanh", [](double x) { return std::tanh(x); });
}

TEST_F(Arithmetic, Conversions) {
  Check<int32_t, float>("cvt.rzi.s32.f32 %d, %a;", [](float a, float, float) {
    return a != a ? 0 : a >= 0x1p31f ? INT32_MAX : a <= -0x1p31f ? INT32_MIN : static_cast<int32_t>(a);
  });
  Check<uint32_t, float>("cvt.rni.u32.f32 %d, %a;", [](float a, float, float) {
    const double r = std::nearbyint(a);
    return r != r || r < 0 ? 0u : r >= 0x1p32 ? ~0u : static_cast<uint32_t>(r);
  });
  Check<float, float>("cvt.rmi.f32.f32 %d, %a;", [](float a, float, float) { return std::floor(a); });
  Check<float, float>("cvt.rni.f32.f32 %d, %a;", [](float a, float, float) { return std::nearbyint(a); });
  Check<float, int32_t>("cvt.rn.f32.s32 %d, %a;", [](int32_t a, int32_t, int32_t) { return static_cast<float>(a); });
  Check<float, uint64_t>("cvt.rn.f32.u64 %d, %a;",
                         [](uint64_t a, uint64_t, uint64_t) { return static_cast<float>(a); });
  Check<double, int64_t>("cvt.rn.f64.s64 %d, %a;", [](int64_t a, int64_t, int64_t) { return static_cast<double>(a); });
  Check<double, float>("cvt.f64.f32 %d, %a;", [](float a, float, float) { return static_cast<double>(a); });
  Check<float, double>("cvt.rn.f32.f64 %d, %a;", [](double a, double, double) { return static_cast<float>(a); });
  Check<int64_t, int32_t>("cvt.s64.s32 %d, %a;", [](int32_t a, int32_t, int32_t) { return int64_t{a}; });
  Check<int32_t, int32_t>("cvt.s32.s8 %d, %a;",
                          [](int32_t a, int32_t, int32_t) { return int32_t{static_cast<int8_t>(a)}; });
  Check<uint32_t, int32_t>("cvt.sat.u8.s32 %d, %a;",
                           [](int32_t a, int32_t, int32_t) { return static_cast<uint32_t>(std::clamp(a, 0, 255)); });
  Check<uint16_t, float>("cvt.rn.f16.f32 %d, %a;", [](float a, float, float) {
    return a != a ? uint16_t{0x7fff} : std::bit_cast<uint16_t>(static_cast<F16>(a));
  });
  Check<float, uint16_t>("cvt.f32.f16 %d, %a;",
                         [](uint16_t a, uint16_t, uint16_t) { return static_cast<float>(std::bit_cast<F16>(a)); });
  Check<float, uint16_t>("cvt.f32.bf16 %d, %a;",
                         [](uint16_t a, uint16_t, uint16_t) { return std::bit_cast<float>(uint32_t{a} << 16); });
  const auto bf16 = [](float a) {
    const uint32_t u = std::bit_cast<uint32_t>(a);
    return a != a ? uint16_t{0x7fff} : static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  };
  Check<uint16_t, float>("cvt.rn.bf16.f32 %d, %a;", [=](float a, float, float) { return bf16(a); });
  Check<uint32_t, float>("cvt.rn.bf16x2.f32 %d, %a, %b;",
                         [=](float a, float b, float) { return uint32_t{bf16(a)} << 16 | bf16(b); });
}

TEST_F(Arithmetic, Halves) {
  const auto half = [](uint16_t v) { return static_cast<double>(std::bit_cast<F16>(v)); };
  const auto bits = [](double v) { return v != v ? uint16_t{0x7fff} : std::bit_cast<uint16_t>(static_cast<F16>(v)); };
  Check<uint16_t, uint16_t>("add.f16 %d, %a, %b;",
                            [=](uint16_t a, uint16_t b, uint16_t) { return bits(half(a) + half(b)); });
  Check<uint16_t, uint16_t>("mul.f16 %d, %a, %b;",
                            [=](uint16_t a, uint16_t b, uint16_t) { return bits(half(a) * half(b)); });
  // Sum and product are exact in the 64-bit fraction of long double but for values far apart.
  Check<uint16_t, uint16_t>("fma.rn.f16 %d, %a, %b, %c;", [=](uint16_t a, uint16_t b, uint16_t c) {
    const __float128 s = static_cast<__float128>(half(a)) * half(b) + half(c);
    return s != s ? uint16_t{0x7fff} : std::bit_cast<uint16_t>(static_cast<F16>(s));
  });
  Check<uint32_t, uint32_t>("add.f16x2 %d, %a, %b;", [=](uint32_t a, uint32_t b, uint32_t) {
    return uint32_t{bits(half(a & 0xffff) + half(b & 0xffff))} | uint32_t{bits(half(a >> 16) + half(b >> 16))} << 16;
  });
}

TEST_F(Arithmetic, UnknownIsRefused) {
  EXPECT_EQ(Refusal(Elementwise("  frobnicate.f32 %d, %a;")), "line 24: unknown instruction 'frobnicate.f32'");
  EXPECT_NE(Refusal(Elementwise("  add.e5m2 %d, %a, %b;")).find("line 24"), std::string::npos);
  EXPECT_NE(Refusal(Elementwise("  add.u64 %d, %a, %b;")).find("expected a register of 64 bits, got '%d' of 32"),
            std::string::npos);
  EXPECT_NE(Refusal(Elementwise("  bra NOWHERE;")).find("unknown label 'NOWHERE'"), std::string::npos);
  EXPECT_NE(Refusal(kHead + ".visible .entry k() { ret; ").find("expected '}'"), std::string::npos);
  EXPECT_NE(Refusal(".version 8.0\n.target sm_120\n.address_size 64\n").find("sm_120"), std::string::npos);
}

}  // namespace
}  // namespace fakecuda::testing
