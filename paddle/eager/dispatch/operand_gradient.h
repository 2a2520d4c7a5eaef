// SPDX-License-Identifier: Apache-2.0
// Gradients of operands that may have been broadcast, in programs.
#pragma once

#include <optional>

#include "paddle/phi/core/ordered.h"

namespace paddle {

// The gradient of an operand that an elementwise op may have broadcast, on its way to the result `out` (null: not
// wanted). A loop writes the result itself where it has the shape of `dout`, else scratch of that shape; a rule without
// a loop (`dout` null) puts a tensor here. Deliver sums what is there to the operand's shape.
class OperandGradient {
 public:
  OperandGradient(Tensor* out, const Tensor& operand, const Tensor* dout);
  operator Tensor&() { return g_; }  // NOLINT: implicit by design
  void Deliver();
  // Bytes of a workspace that the scratch and its sums take.
  static int64_t Bytes(const Tensor& out, const Tensor* dout);

 private:
  Tensor* out_;
  const Tensor& operand_;
  std::optional<phi::ScratchTensor> whole_;
  Tensor g_;
};

}  // namespace paddle
