// SPDX-License-Identifier: Apache-2.0
// What a reduction of lines computes. Kernels of GPUs include it, too: it includes nothing.
#pragma once

namespace phi {

// Reductions of lines: sums of magnitudes, the square root of a sum of squares, (sum |x|^p)^(1/p), a sum of |x|^p, a
// sum of squared distances from the mean over p, and so on.
struct LineOps {
  enum Kind : long long {
    kProduct,
    kSumAbs,
    kMaxAbs,
    kMinAbs,
    kLength,
    kPowers,
    kSumPow,
    kNonzero,
    kSumSquare,
    kVariance,
    kSum,
    kMean,
    kMax,
    kMin
  };
};
using LineOp = LineOps::Kind;

}  // namespace phi
