// SPDX-License-Identifier: Apache-2.0
// exp and log for kernels that fuse them with a reduction: branch-free, so that loops around them vectorise.
#pragma once

#include <stdint.h>
#include <string.h>

namespace phi::PD_ISA {
namespace {

// Within 1 ulp; below -87.3 the result goes to 0 in one step, above 88.72 to inf; NaN stays.
inline float ExpV(float x) {
  const float c = x < -87.33654f ? -87.33654f : (x > 88.72283f ? 88.72283f : x);
  const float t = __builtin_fmaf(c, 1.44269504088896341f, 12582912.0f);
  const float n = t - 12582912.0f;
  float r = __builtin_fmaf(n, -0.693145751953125f, c);
  r = __builtin_fmaf(n, -1.42860682030941723212e-6f, r);
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  p = __builtin_fmaf(p, r * r, r) + 1.0f;
  // 2^n in two factors, so that n = 128 does not overflow early.
  const int32_t i = static_cast<int32_t>(n);
  const int32_t h = i >> 1;
  const int32_t ua = (h + 127) << 23, ub = (i - h + 127) << 23;
  float a, b;
  memcpy(&a, &ua, 4);
  memcpy(&b, &ub, 4);
  float y = p * a * b;
  y = x < -87.33654f ? 0.0f : y;
  y = x > 88.72283f ? __builtin_inff() : y;
  return x != x ? x : y;
}

inline double ExpV(double x) {
  const double c = x < -708.39 ? -708.39 : (x > 709.782712893384 ? 709.782712893384 : x);
  const double t = __builtin_fma(c, 1.4426950408889634074, 6755399441055744.0);
  const double n = t - 6755399441055744.0;
  double r = __builtin_fma(n, -6.93147180369123816490e-01, c);
  r = __builtin_fma(n, -1.90821492927058770002e-10, r);
  double p = 1.0 / 6227020800.0;
  p = __builtin_fma(p, r, 1.0 / 479001600.0);
  p = __builtin_fma(p, r, 1.0 / 39916800.0);
  p = __builtin_fma(p, r, 1.0 / 3628800.0);
  p = __builtin_fma(p, r, 1.0 / 362880.0);
  p = __builtin_fma(p, r, 1.0 / 40320.0);
  p = __builtin_fma(p, r, 1.0 / 5040.0);
  p = __builtin_fma(p, r, 1.0 / 720.0);
  p = __builtin_fma(p, r, 1.0 / 120.0);
  p = __builtin_fma(p, r, 1.0 / 24.0);
  p = __builtin_fma(p, r, 1.0 / 6.0);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(p, r * r, r) + 1.0;
  int64_t i;
  memcpy(&i, &t, 8);
  const int64_t m = (i & 0x000fffffffffffffll) - 0x0008000000000000ll;  // the low mantissa bits hold n
  const int64_t h = static_cast<int64_t>(static_cast<uint64_t>(m + 4096) >> 1) - 2048;
  const int64_t ua = (h + 1023) << 52, ub = (m - h + 1023) << 52;
  double a, b;
  memcpy(&a, &ua, 8);
  memcpy(&b, &ub, 8);
  double y = p * a * b;
  y = x < -708.39 ? 0.0 : y;
  y = x > 709.782712893384 ? __builtin_inf() : y;
  return x != x ? x : y;
}

}  // namespace
}  // namespace phi::PD_ISA
