// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/operand_gradient.h"

#include <utility>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/reduce.h"

namespace paddle {

OperandGradient::OperandGradient(Tensor* out, const Tensor& operand, const Tensor* dout)
    : out_(out), operand_(operand) {
  if (!out || !dout || phi::IsComplex(dout->dtype())) return;
  if (operand.dims() == dout->dims()) {
    phi::EnsureOut(*out, operand.dims(), operand.dtype());
    g_ = *out;
  } else {
    g_ = whole_.emplace(dout->dims(), dout->dtype()).tensor;
  }
}

void OperandGradient::Deliver() {
  if (!out_ || (g_.defined() && g_.impl() == out_->impl())) return;
  const common::Ints& dims = operand_.dims();
  if (!g_.defined() || (g_.dims() == dims && g_.dtype() == operand_.dtype())) {
    *out_ = std::move(g_);
    return;
  }
  if (phi::IsComplex(g_.dtype()) && !phi::IsComplex(operand_.dtype())) {
    *out_ = ReduceGrad(g_, operand_);
    return;
  }
  phi::EnsureOut(*out_, dims, operand_.dtype());
  if (g_.dims() == dims) return phi::CopyInto(g_, *out_);
  phi::cpu::Reduce(phi::cpu::ReduceOp::kSum, g_.dtype(), g_.raw_data(), g_.dims(), g_.strides(),
                   phi::SummedMask(g_.dims(), dims), out_->dtype(), out_->raw_data());
}

int64_t OperandGradient::Bytes(const Tensor& out, const Tensor* dout) {
  if (!out.defined() || phi::IsComplex(dout->dtype()) || out.dims() == dout->dims()) return 0;
  return phi::WorkspaceFor(common::ToDims(dout->dims()), dout->dtype()) +
         phi::cpu::ReduceBytes(phi::cpu::ReduceOp::kSum, dout->dtype(), out.dtype(), out.numel());
}

}  // namespace paddle
