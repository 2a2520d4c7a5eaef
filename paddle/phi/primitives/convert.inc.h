// SPDX-License-Identifier: Apache-2.0
// Loops that convert contiguous arrays between element types; half and float8 only from and to float.
#pragma once

#include "paddle/phi/primitives/math_base.inc.h"
#include "paddle/phi/primitives/simd.inc.h"

namespace phi {
namespace PD_ISA {

#define PD_LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i)

template <class From, class To>
static void convert_loop(const void* src, void* dst, int64_t n) {
  const From* s = static_cast<const From*>(src);
  To* d = static_cast<To*>(dst);
  PD_LOOP d[i] = cast<To>(s[i]);
}
// A stored bool is any byte: nonzero is true.
template <class To>
static void convert_from_bool(const void* src, void* dst, int64_t n) {
  const uint8_t* s = static_cast<const uint8_t*>(src);
  To* d = static_cast<To*>(dst);
  PD_LOOP d[i] = cast<To>(static_cast<int32_t>((0u - s[i]) >> 31));  // not a comparison: gcc keeps those scalar
}

// Byte-wide arithmetic is done in int lanes by the compiler; sub-word float work here is on uint32.
static void f16_to_f32(const void* src, void* dst, int64_t n) {
  F16ToF32(static_cast<const uint16_t*>(src), n, static_cast<float*>(dst));
}
static void f32_to_f16(const void* src, void* dst, int64_t n) {
  F32ToF16(static_cast<const float*>(src), n, static_cast<uint16_t*>(dst));
}
static void bf16_to_f32(const void* src, void* dst, int64_t n) {
  const uint16_t* s = static_cast<const uint16_t*>(src);
  float* d = static_cast<float*>(dst);
  PD_LOOP d[i] = from_bits(static_cast<uint32_t>(s[i]) << 16);
}
static void f32_to_bf16(const void* src, void* dst, int64_t n) {
  const float* s = static_cast<const float*>(src);
  uint16_t* d = static_cast<uint16_t*>(dst);
  PD_LOOP {
    uint32_t u = bits(s[i]);
    uint32_t r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    uint32_t q = (u >> 16) | 0x40u;
    d[i] = static_cast<uint16_t>(select(s[i] != s[i], q, r));
  }
}
static void e4m3_to_f32(const void* src, void* dst, int64_t n) {
  const uint8_t* s = static_cast<const uint8_t*>(src);
  float* d = static_cast<float*>(dst);
  PD_LOOP {
    uint32_t v = s[i], a = v & 0x7fu;
    uint32_t small = bits(static_cast<float>(static_cast<int32_t>(a)) * 0x1p-9f);
    uint32_t r = select(a == 0x7fu, 0x7fc00000u, select(a < 8u, small, (a << 20) + (120u << 23)));
    d[i] = from_bits(r | ((v & 0x80u) << 24));
  }
}
static void e5m2_to_f32(const void* src, void* dst, int64_t n) {
  const uint8_t* s = static_cast<const uint8_t*>(src);
  float* d = static_cast<float*>(dst);
  PD_LOOP {
    uint32_t v = s[i], a = v & 0x7fu;
    uint32_t small = bits(static_cast<float>(static_cast<int32_t>(a)) * 0x1p-16f);
    uint32_t special = 0x7f800000u | (a << 21) | select(a > 0x7cu, 0x400000u, 0u);
    uint32_t r = select(a >= 0x7cu, special, select(a < 4u, small, (a << 21) + (112u << 23)));
    d[i] = from_bits(r | ((v & 0x80u) << 24));
  }
}
// kShift: mantissa bits dropped; values below kMinNormal are counted in units of the smallest number by adding kMagic.
template <int kShift, uint32_t kBias, uint32_t kMax, uint32_t kMaxCode, uint32_t kNan, uint32_t kMinNormal,
          uint32_t kMagic>
static void f32_to_f8(const void* src, void* dst, int64_t n) {
  uint32_t code[512];  // the narrowing is a loop of its own: gcc vectorises neither when they are one
  for (int64_t done = 0; done < n; done += 512) {
    const float* s = static_cast<const float*>(src) + done;
    uint8_t* d = static_cast<uint8_t*>(dst) + done;
    int64_t m = n - done < 512 ? n - done : 512;
    for (int64_t i = 0; i < m; ++i) {
      uint32_t u = bits(s[i]), a = u & 0x7fffffffu;
      uint32_t normal = (a + ((1u << (kShift - 1)) - 1u) + ((a >> kShift) & 1u) - (kBias << 23)) >> kShift;
      uint32_t small = bits(from_bits(a) + from_bits(kMagic)) - kMagic;
      uint32_t r = select(a < kMinNormal, small, select(a >= kMax, kMaxCode, normal));
      r = select(a > 0x7f800000u, kNan, r);
      code[i] = r | ((u >> 24) & 0x80u);
    }
    for (int64_t i = 0; i < m; ++i) d[i] = static_cast<uint8_t>(code[i]);
  }
}

#undef PD_LOOP

}  // namespace PD_ISA
}  // namespace phi
