// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms over any axes of a contiguous row-major tensor.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// Every length works (also primes). `scale` multiplies the result: FftScale turns a norm name into it. Zero-sized input
// is a no-op. axes must be distinct and in [0, ndim); the order does not matter except that the last one is the halved
// one in R2C and C2R.

// x, out: complex t (c64, c128) of `shape`; out may equal x.
void FftC2C(DataType t, const void* x, Ints shape, Ints axes, bool forward, double scale, void* out);
// x: real t (f32, f64) of `shape`; out: complex with the last axis of `axes` cut to n / 2 + 1 (onesided) or in full.
// forward = false gives the conjugate (ihfft).
void FftR2C(DataType t, const void* x, Ints shape, Ints axes, bool forward, bool onesided, double scale, void* out);
// x: complex of `shape` (last axis of `axes` holds last_dim / 2 + 1 values); out: real t (f32, f64), that axis last_dim
// long. forward = true is hfft.
// Takes CallMemory for x, of more than one axis or forwards.
void FftC2R(DataType t, const void* x, Ints shape, Ints axes, int64_t last_dim, bool forward, double scale, void* out);

// norm: "backward", "forward" or "ortho"; n: product of the transformed lengths.
double FftScale(const char* norm, bool forward, int64_t n);

}  // namespace phi::cpu
