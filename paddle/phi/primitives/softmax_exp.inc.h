// SPDX-License-Identifier: Apache-2.0
// exp and log for kernels that fuse them with a reduction: branch-free, so that loops around them vectorise.
#pragma once

#include <stdint.h>
#include <string.h>

namespace phi::PD_ISA {
namespace {

// Within 1 ulp for x <= 0 (and up to 88); below -87.3 the result goes to 0 in one step; NaN stays.
inline float ExpNonPositive(float x) {
  const float c = x < -87.33654f ? -87.33654f : x;
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
  uint32_t i;
  memcpy(&i, &t, 4);
  i = (i + 127u) << 23;  // the low bits of t hold n
  float scale;
  memcpy(&scale, &i, 4);
  const float y = p * scale;
  return x < -87.33654f ? 0.0f : y;
}

inline double ExpNonPositive(double x) {
  const double c = x < -708.39 ? -708.39 : x;
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
  const uint64_t u = (static_cast<uint64_t>(i) + 1023u) << 52;  // the low bits of t hold n
  double scale;
  memcpy(&scale, &u, 8);
  const double y = p * scale;
  return x < -708.39 ? 0.0 : y;
}

}  // namespace
}  // namespace phi::PD_ISA
