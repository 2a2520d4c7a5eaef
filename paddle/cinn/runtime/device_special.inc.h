// SPDX-License-Identifier: Apache-2.0
// Part of device_kernels.bc.cpp: functions of one or two numbers that have branches and series.
#pragma once

// The least number of a pair with a negative one goes to *bad.
KERNEL device_gamma(const double* a, const double* x, double* out, i64* bad, i64 n, i64 kind, i64 told) {
  for (i64 i = First(); i < n; i += Step()) {
    const bool fits = !(a[i] < 0) && !(x[i] < 0);
    if (!fits) TellBad(bad, i, told);
    out[i] = fits ? GammaOf(static_cast<int>(kind), a[i], x[i]) : __builtin_nan("");
  }
}
KERNEL device_polygamma(const double* x, double* out, i64 n, i64 order, double factorial) {
  for (i64 i = First(); i < n; i += Step()) out[i] = PolygammaOf(static_cast<int>(order), factorial, x[i]);
}
#define NEXT(size, U, S)                                                                                     \
  KERNEL device_next_##size(const U* x, const U* y, U* out, i64 n, i64 infinite) {                           \
    for (i64 i = First(); i < n; i += Step()) out[i] = NextBits<U, S>(x[i], y[i], static_cast<U>(infinite)); \
  }
NEXT(2, unsigned short, int)
NEXT(4, u32, i64)
NEXT(8, unsigned long, i64)
