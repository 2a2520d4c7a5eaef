// SPDX-License-Identifier: Apache-2.0
// What one call of a library can do beside a product of matrices.
#pragma once

#include <cstdint>

#include "paddle/common/dtype.h"

namespace phi {

// GELU is the approximation by tanh. kReluGrad keeps of the product what relu passed, as `kept` tells.
enum class ProductAfter : uint8_t { kNothing, kRelu, kGelu, kReluGrad };

// Of out [m, n] = a [m, k] b [k, n].
struct ProductExtras {
  const void* bias = nullptr;  // [n], added before the activation
  ProductAfter after = ProductAfter::kNothing;
  // What an activation leaves for its gradient, and that reads, or null: of GELU what it is of, [m, n]; of relu a bit
  // an element, 1 where it is positive, in rows of n rounded up to 128, the lowest bit of a byte first.
  void* kept = nullptr;
  // At most one of these, each of the dtype of out: of a gradient of an activation, the sums of its columns, [n]; the
  // sums over k of a, [m], or of b, [n].
  void *sums = nullptr, *a_sums = nullptr, *b_sums = nullptr;
  // Factors of a and b, each one float32 on the device, and the dtype of out: for float8 alone.
  const float *a_scale = nullptr, *b_scale = nullptr;
  DataType out = DataType::UNDEFINED;
};

constexpr int64_t kReluBitsOfRow = 128;
constexpr int64_t ReluRowBytes(int64_t n) { return (n + kReluBitsOfRow - 1) / kReluBitsOfRow * (kReluBitsOfRow / 8); }

}  // namespace phi
