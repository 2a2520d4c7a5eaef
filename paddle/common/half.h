// SPDX-License-Identifier: Apache-2.0
// One-value conversions between float32 and the storage-only floats; bit for bit what Convert does to arrays.
#pragma once

#include <bit>

#include "paddle/common/dtype.h"

namespace phi {

inline float ToFloat(bfloat16 v) { return std::bit_cast<float>(static_cast<uint32_t>(v.x) << 16); }
inline bfloat16 ToBfloat16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  uint32_t r = f != f ? (u >> 16) | 0x40 : (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>(r)};
}

inline float ToFloat(float16 v) {
  uint32_t sign = static_cast<uint32_t>(v.x & 0x8000) << 16, a = v.x & 0x7fff;
  uint32_t normal = (a << 13) + (112u << 23);
  uint32_t special = 0x7f800000u | (a << 13) | (a > 0x7c00 ? 0x400000u : 0);
  uint32_t small = std::bit_cast<uint32_t>(static_cast<float>(a) * 0x1p-24f);
  return std::bit_cast<float>(sign | (a >= 0x7c00 ? special : a < 0x400 ? small : normal));
}
inline float16 ToFloat16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f), a = u & 0x7fffffff, r;
  if (a > 0x7f800000u)
    r = 0x7e00 | ((a >> 13) & 0x3ff);
  else if (a >= 0x477ff000u)  // 65520 and above round to infinity
    r = 0x7c00;
  else if (a < 0x38800000u)
    r = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + 0.5f) - 0x3f000000u;
  else
    r = (a + 0xfff + ((a >> 13) & 1) - (112u << 23)) >> 13;
  return {static_cast<uint16_t>((u >> 16 & 0x8000) | r)};
}

inline float ToFloat(float8_e4m3fn v) {
  uint32_t sign = static_cast<uint32_t>(v.x & 0x80) << 24, a = v.x & 0x7f;
  uint32_t small = std::bit_cast<uint32_t>(static_cast<float>(a) * 0x1p-9f);
  return std::bit_cast<float>(sign | (a == 0x7f ? 0x7fc00000u : a < 8 ? small : (a << 20) + (120u << 23)));
}
// Saturates at +-448, infinities included; NaN stays NaN.
inline float8_e4m3fn ToFloat8E4M3(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f), a = u & 0x7fffffff, r;
  if (a > 0x7f800000u)
    r = 0x7f;
  else if (a >= 0x43e00000u)
    r = 0x7e;
  else if (a < 0x3c800000u)
    r = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + 16384.0f) - 0x46800000u;
  else
    r = (a + 0x7ffff + ((a >> 20) & 1) - (120u << 23)) >> 20;
  return {static_cast<uint8_t>((u >> 24 & 0x80) | r)};
}

inline float ToFloat(float8_e5m2 v) { return ToFloat(float16{static_cast<uint16_t>(v.x << 8)}); }
// Saturates at +-57344, infinities included; NaN stays NaN.
inline float8_e5m2 ToFloat8E5M2(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f), a = u & 0x7fffffff, r;
  if (a > 0x7f800000u)
    r = 0x7e;
  else if (a >= 0x47600000u)
    r = 0x7b;
  else if (a < 0x38800000u)
    r = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + 128.0f) - 0x43000000u;
  else
    r = (a + 0xfffff + ((a >> 21) & 1) - (112u << 23)) >> 21;
  return {static_cast<uint8_t>((u >> 24 & 0x80) | r)};
}

}  // namespace phi
