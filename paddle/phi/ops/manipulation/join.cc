// SPDX-License-Identifier: Apache-2.0
// concat and stack.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {
void Join(const char* op, const std::vector<Tensor>& parts, int64_t axis, Tensor& out) {
  std::vector<const void*> ptrs;
  std::vector<int64_t> sizes;
  for (const Tensor& t : parts) {
    ptrs.push_back(t.raw_data());
    sizes.push_back(op[0] == 's' ? 1 : t.dim(axis));
  }
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= out.dim(i);
  for (int64_t i = axis + 1; i < out.ndim(); ++i) inner *= out.dim(i);
  if (out.numel()) cpu::Concat(SizeOf(out.dtype()), ptrs, sizes, outer, inner, out.raw_data());
}
DataType JoinDtype(const char* op, const MetaList& x) {
  for (const Meta& m : x)
    PD_CHECK(m.dtype == x[0].dtype, InvalidArgument, "[", op, "] expected tensors of one dtype, got ",
             NameOf(x[0].dtype), " and ", NameOf(m.dtype));
  return x[0].dtype;
}
}  // namespace

void concat_infer(const MetaList& x, const Scalar& axis, Meta& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[concat] expected at least one tensor, got none");
  if (!axis.known()) {
    out = {UnknownDims(x[0].dims.size()), JoinDtype("concat", x)};
    return;
  }
  int64_t a = common::NormalizeAxis("concat", axis.to_int(), x[0].dims.size());
  out = {x[0].dims, JoinDtype("concat", x)};
  for (size_t k = 1; k < x.size(); ++k) {
    const Dims& d = x[k].dims;
    PD_CHECK(d.size() == out.dims.size(), InvalidArgument, "[concat] expected tensors of one rank, got shapes ",
             common::ShapeText(x[0].dims), " and ", common::ShapeText(d));
    for (int64_t i = 0; i < d.size(); ++i) {
      if (i == a)
        out.dims[i] = out.dims[i] + d[i];
      else
        PD_CHECK(!common::CertainlyDiffer(d[i], out.dims[i]), InvalidArgument,
                 "[concat] expected equal extents except on axis ", a, ", got shapes ", common::ShapeText(x[0].dims),
                 " and ", common::ShapeText(d));
    }
  }
}
void concat_kernel(const std::vector<Tensor>& x, const Scalar& axis, Tensor& out) {
  Join("concat", x, common::NormalizeAxis("concat", axis.to_int(), x[0].ndim()), out);
}

void stack_infer(const MetaList& x, int64_t axis, Meta& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[stack] expected at least one tensor, got none");
  int64_t a = common::NormalizeAxis("stack", axis, x[0].dims.size() + 1);
  for (const Meta& m : x) {
    bool same = m.dims.size() == x[0].dims.size();
    for (int64_t i = 0; same && i < m.dims.size(); ++i) same = !common::CertainlyDiffer(m.dims[i], x[0].dims[i]);
    PD_CHECK(same, InvalidArgument, "[stack] expected tensors of one shape, got ", common::ShapeText(x[0].dims),
             " and ", common::ShapeText(m.dims));
  }
  out = {x[0].dims, JoinDtype("stack", x)};
  out.dims.insert(a, Dim(static_cast<int64_t>(x.size())));
}
void stack_kernel(const std::vector<Tensor>& x, int64_t axis, Tensor& out) {
  Join("stack", x, common::NormalizeAxis("stack", axis, x[0].ndim() + 1), out);
}

}  // namespace phi
