// SPDX-License-Identifier: Apache-2.0
// Functions of one or two numbers that have branches and series, in double. They have the same bits on GPUs.
#pragma once

#include <cstdint>

namespace phi::cpu {

// The regularised incomplete gamma functions P and Q of (a, x), and derivatives of P with respect to a and to x.
enum class GammaKind : int8_t { kLower, kUpper, kByShape, kByBound };
// False where a number is negative, of which the result is NaN.
bool IncompleteGamma(GammaKind kind, int64_t n, const double* a, const double* x, double* out);

// Derivatives of that order of digamma.
void Polygamma(int64_t order, int64_t n, const double* x, double* out);

}  // namespace phi::cpu
