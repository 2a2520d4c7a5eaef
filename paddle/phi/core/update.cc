// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/update.h"

#include <cmath>
#include <string>

namespace phi {

Update::Update(const char* op, const Tensor& param, const Tensor& grad, const Tensor& master) : op_(op), param_(param) {
  PD_CHECK(grad.dims() == param.dims(), InvalidArgument, "[", op, "] expected a gradient of the parameter's shape ",
           common::ShapeText(param.dims()), ", got ", common::ShapeText(grad.dims()));
  PD_CHECK(IsFloating(param.dtype()), InvalidType, "[", op, "] expected a floating parameter, got ",
           NameOf(param.dtype()));
  PD_CHECK(param.is_contiguous(), InvalidArgument, "[", op, "] expected a contiguous parameter, got strides ",
           common::ShapeText(param.strides()));
  PD_CHECK(!master.defined() ||
               (master.dtype() == DataType::FLOAT32 && master.numel() == param.numel() && master.is_contiguous()),
           InvalidArgument, "[", op, "] expected a contiguous master_param of float32 and the parameter's shape ",
           common::ShapeText(param.dims()), ", got ", NameOf(master.dtype()), " ", common::ShapeText(master.dims()));
  grad_ = Contiguous(grad.dtype() == param.dtype() || grad.dtype() == DataType::FLOAT32 ? grad
                                                                                        : CastTo(grad, param.dtype()));
  lasts_ = grad_.impl() == grad.impl();
  args_.t = param.dtype();
  args_.grad_t = grad_.dtype();
  args_.n = param.numel();
  args_.ptrs[0] = param.raw_data();
  args_.master = master.defined() ? master.raw_data() : nullptr;
  args_.ptrs[1] = grad_.raw_data();
}

Update::~Update() {
  for (auto& [state, wide] : widened_)
    if (wide.defined()) CopyInto(wide, state);
}

void Update::State(const char* name, const Tensor& t) {
  PD_CHECK(t.defined() && t.numel() == param_.numel() && t.is_contiguous(), InvalidArgument, "[", op_,
           "] expected contiguous ", name, " of the parameter's shape ", common::ShapeText(param_.dims()), ", got ",
           t.defined() ? common::ShapeText(t.dims()) : "none");
  const DataType want = args_.math();
  if (want == DataType::FLOAT32 && IsHalf(t.dtype())) {
    widened_.emplace_back(t, CastTo(t, want));
    lasts_ = false;
    return Push(widened_.back().second.raw_data());
  }
  PD_CHECK(t.dtype() == want, InvalidType, "[", op_, "] expected ", name, " of dtype ", NameOf(want), ", got ",
           NameOf(t.dtype()));
  Push(t.raw_data());
}

void Update::Room() {
  room_.push_back(Empty(param_.dims(), args_.math()));
  lasts_ = false;
  Push(room_.back().raw_data());
}

double Update::Number(const char* name, const Tensor& t, int64_t k) const {
  if (args_.n == 0 && t.numel() == 0) return 0;
  PD_CHECK(t.numel() > k, InvalidArgument, "[", op_, "] expected ", name, " of ", k ? std::to_string(k + 1) : "one",
           k ? " elements" : " element", ", got shape ", common::ShapeText(t.dims()));
  if (k == 0 && t.dtype() == DataType::FLOAT32) return *t.data<float>();
  return CastTo(Contiguous(t), DataType::FLOAT64).data<double>()[k];
}

void Update::SetNumber(const Tensor& t, double value) const {
  if (t.numel() == 1 && t.dtype() == DataType::FLOAT32)
    *t.data<float>() = static_cast<float>(value);
  else
    CopyInto(FullLike(t.dims(), t.dtype(), value), t);
}

double Update::Norm(int k) const {
  const bool master = k == 0 && args_.master;
  const DataType t = k == 0 && !master ? args_.t : k == 1 ? args_.grad_t : args_.math();
  return std::sqrt(cpu::SumSquares(t, master ? args_.master : args_.ptrs[k], args_.n));
}

}  // namespace phi
