// SPDX-License-Identifier: Apache-2.0
// Single-value conversions between stored types and the type arithmetic runs in, for loops where speed is not at stake.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>

#include "paddle/common/dtype.h"

namespace phi::cpu {

inline float Bf16ToFloat(bfloat16 v) { return std::bit_cast<float>(static_cast<uint32_t>(v.x) << 16); }
inline bfloat16 FloatToBf16(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((u >> 16) | 0x40)};
  return {static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1)) >> 16)};
}
inline float F16ToFloat(float16 v) {
  const uint32_t s = static_cast<uint32_t>(v.x & 0x8000) << 16, e = v.x >> 10 & 31, m = v.x & 1023;
  if (e == 31) return std::bit_cast<float>(s | 0x7f800000u | m << 13);
  if (e) return std::bit_cast<float>(s | (e + 112) << 23 | m << 13);
  const float f = static_cast<float>(m) * 0x1p-24f;
  return s ? -f : f;
}
inline float16 FloatToF16(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f), s = u >> 16 & 0x8000, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return {static_cast<uint16_t>(s | 0x7e00)};
  if (a >= 0x477ff000u) return {static_cast<uint16_t>(s | 0x7c00)};
  if (a < 0x38800000u) {  // below the smallest normal: let the float adder round
    const float r = std::bit_cast<float>(a) + 0.5f;
    return {static_cast<uint16_t>(s | (std::bit_cast<uint32_t>(r) - 0x3f000000u))};
  }
  const uint32_t r = a - 0x38000000u + 0xfffu + (a >> 13 & 1);
  return {static_cast<uint16_t>(s | r >> 13)};
}

template <class Acc, class T>
inline Acc ToAcc(T v) {
  if constexpr (std::is_same_v<T, float16>)
    return static_cast<Acc>(F16ToFloat(v));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return static_cast<Acc>(Bf16ToFloat(v));
  else
    return static_cast<Acc>(v);
}
template <class T, class Acc>
inline T FromAcc(Acc v) {
  if constexpr (std::is_same_v<T, float16>)
    return FloatToF16(static_cast<float>(v));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return FloatToBf16(static_cast<float>(v));
  else
    return static_cast<T>(v);
}

}  // namespace phi::cpu
