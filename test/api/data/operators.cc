// SPDX-License-Identifier: Apache-2.0
// The operators of test_cpp_extension.py.
#include <cmath>
#include <string>
#include <vector>

#include "paddle/extension.h"
#ifdef FACTOR_HEADER
#include "factor.h"
#else
#define FACTOR 1
#endif

namespace {

template <class T>
void Leaky(const T* x, T* out, int64_t n, float alpha) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] > T(0) ? x[i] : static_cast<T>(x[i] * alpha * FACTOR);
}

}  // namespace

std::vector<paddle::Tensor> LeakyForward(const paddle::Tensor& x, float alpha) {
  PD_CHECK(x.is_cpu(), "expected a tensor of the host");
  PD_CHECK(x.shape().size() < 4, "expected at most 3 axes, got ", x.shape().size());
  paddle::Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_AND_HALF_TYPES(x.type(), "leaky",
                                      ([&] { Leaky<data_t>(x.data<data_t>(), out.data<data_t>(), x.numel(), alpha); }));
  return {out};
}
std::vector<paddle::Tensor> LeakyBackward(const paddle::Tensor& x, const paddle::Tensor& grad_out, float alpha) {
  const auto derivative = paddle::where(x > 0.0, paddle::ones_like(x), paddle::full_like(x, alpha * FACTOR));
  return {grad_out * derivative};
}
std::vector<std::vector<int64_t>> LeakyShape(const std::vector<int64_t>& x, const float& alpha) { return {x}; }
std::vector<paddle::DataType> LeakyDtype(paddle::DataType x) { return {x}; }
PD_BUILD_OP(ext_leaky)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(LeakyForward))
    .SetInferShapeFn(PD_INFER_SHAPE(LeakyShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(LeakyDtype));
PD_BUILD_GRAD_OP(ext_leaky)
    .Inputs({"X", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(LeakyBackward));

// Twice x, where x lies: by the words that operators of devices use of places and memory.
paddle::Tensor Twice(const paddle::Tensor& x) {
  const std::vector<int64_t> shape = x.shape();
  const phi::Place place = x.place();
  PD_CHECK(x.is_cpu() == (place == paddle::PlaceType::kCPU) && place.GetDeviceId() == 0, "expected device 0");
  PD_CHECK(x.is_custom_device() == (place.GetType() == phi::AllocationType::CUSTOM), "expected one of a kind");
  if (x.is_custom_device()) PD_CHECK(place == phi::CustomPlace("rows_cpu", 0), "expected the first device of rows");
  paddle::Tensor out = paddle::empty(shape, x.dtype(), place);
  PD_CHECK(out.place() == place, "expected a result where x lies");
  for (int64_t i = 0; i < x.size(); ++i) out.mutable_data<float>(place)[i] = 2 * x.data<float>()[i];
  return paddle::experimental::reshape(out, shape);
}
PD_BUILD_OP(ext_twice).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Twice));

// y = tanh(x), with two gradients.
paddle::Tensor Tanh(const paddle::Tensor& x) { return paddle::tanh(x); }
paddle::Tensor TanhGrad(const paddle::Tensor& out, const paddle::Tensor& g) { return g * (1.0 - out * out); }
std::vector<paddle::Tensor> TanhDoubleGrad(const paddle::Tensor& out, const paddle::Tensor& g,
                                           const paddle::Tensor& gg) {
  return {out * g * gg * -2.0, gg * (1.0 - out * out)};
}
PD_BUILD_OP(ext_tanh).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Tanh));
PD_BUILD_GRAD_OP(ext_tanh)
    .Inputs({"Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(TanhGrad));
PD_BUILD_DOUBLE_GRAD_OP(ext_tanh)
    .Inputs({"Out", paddle::Grad("Out"), paddle::Grad(paddle::Grad("X"))})
    .Outputs({paddle::Grad("Out"), paddle::Grad(paddle::Grad("Out"))})
    .SetKernelFn(PD_KERNEL(TanhDoubleGrad));

// The sum of a list, and of one more tensor where it is given.
std::vector<paddle::Tensor> Sum(const std::vector<paddle::Tensor>& xs, const paddle::optional<paddle::Tensor>& y) {
  paddle::Tensor sum = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) sum = sum + xs[i];
  if (y) sum = sum + y.get();
  return {sum};
}
std::vector<paddle::Tensor> SumGrad(const std::vector<paddle::Tensor>& xs, const paddle::optional<paddle::Tensor>& y,
                                    const paddle::Tensor& g) {
  std::vector<paddle::Tensor> grads(xs.size() + (y ? 1 : 0), g);
  return grads;
}
std::vector<std::vector<int64_t>> SumShape(const std::vector<std::vector<int64_t>>& xs,
                                           const paddle::optional<std::vector<int64_t>>& y) {
  return {xs[0]};
}
std::vector<paddle::DataType> SumDtype(const std::vector<paddle::DataType>& xs,
                                       const paddle::optional<paddle::DataType>& y) {
  return {xs[0]};
}
PD_BUILD_OP(ext_sum)
    .Inputs({paddle::Vec("Xs"), paddle::Optional("Y")})
    .Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(Sum))
    .SetInferShapeFn(PD_INFER_SHAPE(SumShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(SumDtype));
PD_BUILD_GRAD_OP(ext_sum)
    .Inputs({paddle::Vec("Xs"), paddle::Optional("Y"), paddle::Grad("Out")})
    .Outputs({paddle::Grad(paddle::Vec("Xs")), paddle::Grad(paddle::Optional("Y"))})
    .SetKernelFn(PD_KERNEL(SumGrad));

// x *= factor, in place.
void Times(paddle::Tensor& x, const paddle::Tensor& factor) {
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "times", ([&] {
                               data_t* to = x.data<data_t>();
                               const data_t by = *factor.data<data_t>();
                               for (int64_t i = 0; i < x.numel(); ++i) to[i] *= by;
                             }));
}
std::vector<paddle::Tensor> TimesGrad(const paddle::Tensor& factor, const paddle::Tensor& g) { return {g * factor}; }
PD_BUILD_OP(ext_times_)
    .Inputs({"X", "Factor"})
    .Outputs({"Out"})
    .SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(Times));
PD_BUILD_GRAD_OP(ext_times_)
    .Inputs({"Factor", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(TimesGrad));

// The square of x, in place; the gradient is given what x has become.
void Square(paddle::Tensor& x) {
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] *= x.data<float>()[i];
}
std::vector<paddle::Tensor> SquareGrad(const paddle::Tensor& x, const paddle::Tensor& g) {
  return {g * paddle::sqrt(x) * 2.0};
}
PD_BUILD_OP(ext_square_).Inputs({"X"}).Outputs({"Out"}).SetInplaceMap({{"X", "Out"}}).SetKernelFn(PD_KERNEL(Square));
PD_BUILD_GRAD_OP(ext_square_)
    .Inputs({"X", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(SquareGrad));

// x += y, in place; so is the gradient, whose kernel returns what it is given.
void Increase(paddle::Tensor& x, const paddle::Tensor& y) {
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] += y.data<float>()[i];
}
std::vector<paddle::Tensor> IncreaseGrad(const paddle::Tensor& x, const paddle::Tensor& y, paddle::Tensor& g) {
  return {g, g * 1.0};
}
PD_BUILD_OP(ext_increase_)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(Increase));
PD_BUILD_GRAD_OP(ext_increase_)
    .Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .SetInplaceMap({{paddle::Grad("Out"), paddle::Grad("X")}})
    .SetKernelFn(PD_KERNEL(IncreaseGrad));

// Every kind of attribute, summed up; and the pieces of a tensor as a list.
std::vector<paddle::Tensor> Attributes(const paddle::Tensor& x, bool b, int i, int64_t l, float f, double d,
                                       const std::string& s, const std::vector<int>& is, const std::vector<int64_t>& ls,
                                       const std::vector<float>& fs, const std::vector<std::string>& ss) {
  double sum = b + i + static_cast<double>(l) + f + d + static_cast<double>(s.size());
  for (int v : is) sum += v;
  for (int64_t v : ls) sum += static_cast<double>(v);
  for (float v : fs) sum += v;
  for (const auto& v : ss) sum += static_cast<double>(v.size());
  return {paddle::full({}, sum, paddle::DataType::FLOAT64)};
}
PD_BUILD_OP(ext_attributes)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"b: bool", "i: int", "l: int64_t", "f: float", "d: double", "s: std::string", "is: std::vector<int>",
            "ls: std::vector<int64_t>", "fs: std::vector<float>", "ss: std::vector<std::string>"})
    .SetKernelFn(PD_KERNEL(Attributes));

std::vector<paddle::Tensor> Rows(const paddle::Tensor& x) {
  std::vector<paddle::Tensor> rows;
  for (int64_t i = 0; i < x.shape()[0]; ++i) rows.push_back(paddle::slice(x, {0}, {i}, {i + 1}));
  return rows;
}
PD_BUILD_OP(ext_rows).Inputs({"X"}).Outputs({paddle::Vec("Out")}).SetKernelFn(PD_KERNEL(Rows));

std::vector<paddle::Tensor> MinMax(const paddle::Tensor& x) { return {paddle::min(x), paddle::max(x)}; }
std::vector<std::vector<int64_t>> MinMaxShape(std::vector<int64_t> x) { return {{}, {}}; }
std::vector<paddle::DataType> MinMaxDtype(paddle::DataType x) { return {x, x}; }
PD_BUILD_OP(ext_min_max)
    .Inputs({"X"})
    .Outputs({"Low", "High"})
    .SetKernelFn(PD_KERNEL(MinMax))
    .SetInferShapeFn(PD_INFER_SHAPE(MinMaxShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(MinMaxDtype));
