// SPDX-License-Identifier: Apache-2.0
// A tensor that consists of parts, where its elements are read.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// What the parts of a tensor of kDist also are, where they can be put together.
struct Joinable {
  virtual ~Joinable() = default;
  // The tensor `t` of these parts, dense and without history: every process of its mesh asks for it.
  virtual Tensor Whole(const Tensor& t) const = 0;
};

// `x` where it is dense, the whole of it where it is distributed.
Tensor WholeOf(const Tensor& x);

}  // namespace phi
