// SPDX-License-Identifier: Apache-2.0
// Kernels of the two element types that calculations are made in.
#pragma once

#include <utility>

#include "paddle/common/dtype.h"

namespace phi {

// f(double{}) for float64, else f(float{}).
template <class F>
void ByFloat(DataType t, F&& f) {
  t == DataType::FLOAT64 ? std::forward<F>(f)(double{}) : std::forward<F>(f)(float{});
}

}  // namespace phi
