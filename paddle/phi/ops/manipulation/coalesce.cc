// SPDX-License-Identifier: Apache-2.0
// coalesce_tensor, which PaddlePaddle records where a recurrent layer lays its weights side by side.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

// Elements from the start of a tensor of n elements to that of the next.
Dim Stride(Dim n, DataType t, bool align, int64_t align_size) {
  if (!align) return n;
  const int64_t size = SizeOf(t), bytes = align_size > 0 ? align_size : 4096;
  return common::Div(n * Dim(size) + Dim(bytes - 1), Dim(bytes)) * Dim(bytes / size);
}

}  // namespace

void coalesce_tensor_infer(const MetaList& x, DataType t, bool, bool, bool, double, bool align, int64_t align_size,
                           int64_t, const Ints&, const Ints&, std::vector<Meta>& out, Meta& fused) {
  PD_CHECK(!x.empty(), InvalidArgument, "[coalesce_tensor] expected at least one tensor, got none");
  PD_CHECK(align_size <= 0 || align_size % SizeOf(t) == 0, InvalidArgument,
           "[coalesce_tensor] expected an align_size that is a multiple of ", SizeOf(t), ", got ", align_size);
  Dim total(0);
  out.clear();
  for (const Meta& m : x) {
    PD_CHECK(m.dtype == t, InvalidType, "[coalesce_tensor] expected tensors of ", NameOf(t), ", got ", NameOf(m.dtype));
    total = total + Stride(common::Product(m.dims), t, align, align_size);
    out.push_back(m);
  }
  fused = {{total}, t};
}

void coalesce_tensor_kernel(const std::vector<Tensor>& x, DataType t, bool copy, bool set_constant, bool,
                            double constant, bool align, int64_t align_size, int64_t, const Ints&, const Ints&,
                            std::vector<Tensor>& out, Tensor& fused) {
  const double value = set_constant ? constant : 0.0;
  if (fused.numel()) Convert(DataType::FLOAT64, &value, 0, t, fused.raw_data(), 1, fused.numel());
  int64_t at = 0;
  out.clear();
  for (const Tensor& one : x) {
    Ints strides(one.ndim(), 1);
    for (int64_t i = one.ndim() - 1; i > 0; --i) strides[i - 1] = strides[i] * one.dim(i);
    out.push_back(ViewOf(fused, one.dims(), strides, at));
    if (copy && !set_constant && one.numel()) CopyInto(one, out.back());
    at += Stride(Dim(one.numel()), t, align, align_size).value();
  }
}

}  // namespace phi
