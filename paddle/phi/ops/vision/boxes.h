// SPDX-License-Identifier: Apache-2.0
// What operations of object detection share. Boxes are (x1, y1, x2, y2); places are computed in float64, sums of
// features in the compute type.
#pragma once

#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

inline void CheckFloating(const char* op, const char* name, const Meta& m) {
  PD_CHECK_DTYPE(IsFloating(m.dtype), "[", op, "] expected ", name, " of a floating dtype, got ", NameOf(m.dtype));
}
// A result as a kernel writes it: contiguous, in the compute type of its dtype; `out` is made of it at the end.
class Result {
 public:
  explicit Result(Tensor& out) : wide_(out, ComputeType(out.dtype())) {}
  template <class T>
  T* data() const {
    return wide().data<T>();
  }
  const Tensor& wide() const { return static_cast<Tensor&>(wide_); }

 private:
  Widened wide_;
};

// f(element type, out in it): x has it already, halves compute in float32.
template <class F>
void InComputeType(const Tensor& x, Tensor& out, F&& f) {
  const Result to(out);
  ByFloat(x.dtype(), [&](auto tag) { f(tag, to.wide()); });
}

}  // namespace phi
