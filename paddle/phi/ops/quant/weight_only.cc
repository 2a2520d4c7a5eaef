// SPDX-License-Identifier: Apache-2.0
// Weights of 8 and 4 bits: adapters. Halves compute in float32.
#include "paddle/phi/primitives/weight_only.h"

#include <algorithm>
#include <string>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

void CheckFloats(const char* op, const char* name, DataType t) {
  PD_CHECK_DTYPE(t == DataType::FLOAT32 || IsHalf(t), "[", op, "] expected ", name,
                 " of float16, bfloat16 or float32, got ", NameOf(t));
}
// Whether an algorithm stores two numbers in a byte.
bool HalfBytes(const char* op, const std::string& algo) {
  PD_CHECK(algo == "weight_only_int8" || algo == "weight_only_int4" || algo == "llm.int8", InvalidArgument, "[", op,
           "] expected algo weight_only_int8, weight_only_int4 or llm.int8, got ", algo);
  return algo == "weight_only_int4";
}
bool HalfBytesOf(const std::string& dtype) {
  PD_CHECK(dtype == "int8" || dtype == "int4", InvalidArgument,
           "[weight_only_linear] expected weight_dtype int8 or int4, got ", dtype);
  return dtype == "int4";
}
void CheckGroup(const char* op, int64_t group) {
  PD_CHECK(group == -1 || group == 64 || group == 128, InvalidArgument, "[", op,
           "] expected group_size -1, 64 or 128, got ", group);
}
Dim Groups(Dim k, int64_t group) { return common::Div(k + Dim(group - 1), Dim(group)); }
// The number of columns of a stored weight, as its scales [n] or [groups, n] tell.
Dim CheckWeight(const char* op, const Meta& weight, const Meta& scale, bool half_bytes, int64_t group) {
  CheckGroup(op, group);
  CheckFloats(op, "scales", scale.dtype);
  PD_CHECK(weight.dtype == DataType::INT8 && weight.dims.size() == 2, InvalidArgument, "[", op,
           "] expected an int8 weight of 2 axes, got ", NameOf(weight.dtype), " ", common::ShapeText(weight.dims));
  const bool grouped = group > 0;
  PD_CHECK(scale.dims.size() == (grouped ? 2 : 1) &&
               (!grouped || !common::CertainlyDiffer(scale.dims[0], Groups(weight.dims[1], group))),
           InvalidArgument, "[", op, "] expected scales of shape ", grouped ? "[groups, n]" : "[n]", " for group_size ",
           group, " and a weight ", common::ShapeText(weight.dims), ", got ", common::ShapeText(scale.dims));
  const Dim n = scale.dims.back(), rows = half_bytes ? common::Div(n + Dim(1), Dim(2)) : n;
  PD_CHECK(!common::CertainlyDiffer(weight.dims[0], rows), InvalidArgument, "[", op, "] expected ",
           common::DimText(rows), " stored rows for ", common::DimText(n), " scales, got weight ",
           common::ShapeText(weight.dims));
  return n;
}
cpu::QuantizedWeight PartsOf(const Tensor& weight, const Tensor& scale, bool half_bytes, int64_t group) {
  const int64_t k = weight.dim(1), each = group > 0 ? group : std::max<int64_t>(k, 1);
  return {weight.data<int8_t>(), half_bytes, scale.dim(scale.ndim() - 1), k, scale.data<float>(), each};
}
void LinearInfer(const char* op, const Meta& x, Dim n, Dim k, const Meta* bias, Meta& out) {
  CheckFloats(op, "x", x.dtype);
  PD_CHECK(!x.dims.empty() && !common::CertainlyDiffer(x.dims.back(), k), InvalidArgument, "[", op,
           "] expected x [..., ", common::DimText(k), "], got shape ", common::ShapeText(x.dims));
  PD_CHECK(!bias || (bias->dims.size() == 1 && !common::CertainlyDiffer(bias->dims[0], n) && bias->dtype == x.dtype),
           InvalidArgument, "[", op, "] expected a bias of ", common::DimText(n), " numbers of the dtype of x, ",
           NameOf(x.dtype), ", got ", bias ? NameOf(bias->dtype) : "none", " ",
           bias ? common::ShapeText(bias->dims) : "");
  out = x;
  out.dims.back() = n;
}
// multiply(x, rows of x, weight, result) in float32, plus bias.
template <class F>
void Linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& scale, bool half_bytes,
            int64_t group, Tensor& out, F&& multiply) {
  const cpu::QuantizedWeight w = PartsOf(weight, scale, half_bytes, group);
  const int64_t m = w.n ? out.numel() / w.n : 0;
  if (m == 0) return;
  float* to = out.data<float>();
  multiply(x.data<float>(), m, w, to);
  if (const DeviceForms* d = FormsHere()) {
    if (!bias.defined()) return;
    const auto whole = d->Room(out.numel() * 4);
    const int64_t shape[] = {m, w.n}, row[] = {0, 1}, strides[] = {w.n, 1};
    d->Copy(4, shape, bias.raw_data(), row, whole.get(), strides);
    return d->ForEach("combine", DataType::FLOAT32, out.numel(), {to, whole.get(), to}, {out.numel(), false});
  }
  for (int64_t r = 0; bias.defined() && r < m; ++r)
    for (int64_t j = 0; j < w.n; ++j) to[r * w.n + j] += bias.data<float>()[j];
}

}  // namespace

void weight_quantize_infer(const Meta& x, const std::string& algo, int64_t, int64_t group, Meta& out, Meta& scale) {
  const bool half_bytes = HalfBytes("weight_quantize", algo);
  CheckGroup("weight_quantize", group);
  CheckFloats("weight_quantize", "x", x.dtype);
  PD_CHECK(x.dims.size() == 2, InvalidArgument, "[weight_quantize] expected a weight [k, n], got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(algo != "llm.int8" || group == -1, InvalidArgument,
           "[weight_quantize] expected group_size -1 for llm.int8, got ", group);
  const Dim k = x.dims[0], n = x.dims[1];
  out = {Dims{half_bytes ? common::Div(n + Dim(1), Dim(2)) : n, k}, DataType::INT8};
  scale = {group > 0 ? Dims{Groups(k, group), n} : Dims{n}, algo == "llm.int8" ? DataType::FLOAT32 : x.dtype};
}
void weight_quantize_kernel(const Tensor& x, const std::string& algo, int64_t, int64_t group, Tensor& out,
                            Tensor& scale) {
  const int64_t k = x.dim(0);
  std::fill_n(scale.data<float>(), scale.numel(), 0.0f);
  cpu::QuantizeWeight(x.data<float>(), x.dim(1), k, HalfBytes("weight_quantize", algo),
                      group > 0 ? group : std::max<int64_t>(k, 1), out.data<int8_t>(), scale.data<float>());
}
void weight_dequantize_infer(const Meta& x, const Meta& scale, const std::string& algo, int64_t group, Meta& out) {
  const Dim n = CheckWeight("weight_dequantize", x, scale, HalfBytes("weight_dequantize", algo), group);
  out = {Dims{x.dims[1], n}, scale.dtype};
}
void weight_dequantize_kernel(const Tensor& x, const Tensor& scale, const std::string& algo, int64_t group,
                              Tensor& out) {
  cpu::DequantizeWeight(PartsOf(x, scale, HalfBytes("weight_dequantize", algo), group), true, out.data<float>());
}
void weight_only_linear_infer(const Meta& x, const Meta& weight, const Meta* bias, const Meta& scale,
                              const std::string& dtype, int64_t, int64_t group, Meta& out) {
  const Dim n = CheckWeight("weight_only_linear", weight, scale, HalfBytesOf(dtype), group);
  LinearInfer("weight_only_linear", x, n, weight.dims[1], bias, out);
}
void weight_only_linear_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& scale,
                               const std::string& dtype, int64_t, int64_t group, Tensor& out) {
  Linear(x, weight, bias, scale, HalfBytesOf(dtype), group, out, cpu::MultiplyQuantized);
}
void llm_int8_linear_infer(const Meta& x, const Meta& weight, const Meta* bias, const Meta& scale, double, Meta& out) {
  const Dim n = CheckWeight("llm_int8_linear", weight, scale, false, -1);
  LinearInfer("llm_int8_linear", x, n, weight.dims[1], bias, out);
}
void llm_int8_linear_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& scale,
                            double threshold, Tensor& out) {
  Linear(x, weight, bias, scale, false, -1, out,
         [&](const float* from, int64_t m, const cpu::QuantizedWeight& w, float* to) {
           cpu::MultiplyInt8(from, m, w, threshold, to);
         });
}
void apply_per_channel_scale_infer(const Meta& x, const Meta& scales, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[apply_per_channel_scale] expected x of a floating dtype, got ",
                 NameOf(x.dtype));
  PD_CHECK(!x.dims.empty() && scales.dims.size() == 1 && !common::CertainlyDiffer(scales.dims[0], x.dims.back()) &&
               scales.dtype == x.dtype,
           InvalidArgument, "[apply_per_channel_scale] expected scales for the last axis of x, of its dtype, got ",
           NameOf(x.dtype), " ", common::ShapeText(x.dims), " and ", NameOf(scales.dtype), " ",
           common::ShapeText(scales.dims));
  out = x;
}

}  // namespace phi
