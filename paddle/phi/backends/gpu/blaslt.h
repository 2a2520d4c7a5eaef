// SPDX-License-Identifier: Apache-2.0
// Matrix products of GPUs by cuBLASLt, where it is found (FLAGS_cublas_dir names a folder to look in).
#pragma once

#include <cstdint>
#include <string>

#include "paddle/common/dtype.h"
#include "paddle/common/place.h"
#include "paddle/phi/core/product_extras.h"

namespace phi::gpu {

// A matrix [rows, columns] whose element (i, k) lies at i * row + k * column; one of the two is 1.
struct LtMatrix {
  const void* data = nullptr;
  int64_t row = 0, column = 0;
  int64_t batch = 0;  // from one to the next; 0: the same one
};
struct LtProduct {
  DataType dtype = DataType::FLOAT32;  // that of a and b
  int64_t m = 0, n = 0, k = 0, count = 1;
  LtMatrix a, b, out;  // [m, k], [k, n], [m, n], whose rows lie together
  ProductExtras with = {};
  bool tf32 = false;
};

bool HasLt();
// On the current stream of the GPU. False, with nothing done, where cuBLASLt is not found or does not do it. What it
// does it with (its heuristics) is asked for once for a kind of product on a device.
bool LtMultiply(const LtProduct& p, Place place);

}  // namespace phi::gpu
