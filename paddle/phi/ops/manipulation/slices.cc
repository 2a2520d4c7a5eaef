// SPDX-License-Identifier: Apache-2.0
// Slices with steps, windows and single positions of an axis.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/ops/manipulation/views.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

void CheckSlice(const Ints& axes, const IntArray& starts, const IntArray& ends, const IntArray& steps) {
  PD_CHECK(axes.size() == starts.size() && axes.size() == ends.size() && axes.size() == steps.size(), InvalidArgument,
           "[strided_slice] expected axes, starts, ends and strides of one length, got ", axes.size(), ", ",
           starts.size(), ", ", ends.size(), " and ", steps.size());
  for (int64_t i = 0; i < steps.size(); ++i)
    PD_CHECK(!steps[i].is(0), InvalidArgument, "[strided_slice] expected strides other than 0, got 0");
}

}  // namespace

void strided_slice_infer(const Meta& x, const Ints& axes, const IntArray& starts, const IntArray& ends,
                         const IntArray& strides, Meta& out) {
  CheckSlice(axes, starts, ends, strides);
  out = x;
  const Ints at = DistinctAxes("strided_slice", axes, x.dims.size());
  for (int64_t i = 0; i < at.size(); ++i) {
    const Dim n = x.dims[at[i]];
    const Int start = starts[i], end = ends[i], step = strides[i];
    out.dims[at[i]] = n.known() && start.known() && end.known() && step.known()
                          ? Dim(SliceOf(start.value(), end.value(), step.value(), n.value()).length)
                          : common::NewSymbol();
  }
}

void strided_slice_kernel(const Tensor& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints& strides,
                          Tensor& out) {
  Ints d = x.dims(), s = x.strides();
  int64_t offset = x->offset();
  bool backward = false, empty = false;
  for (int64_t i = 0; i < axes.size(); ++i) {
    int64_t a = common::NormalizeAxis("strided_slice", axes[i], d.size());
    SliceRange r = SliceOf(starts[i], ends[i], strides[i], x.dim(a));
    offset += r.start * s[a];
    d[a] = r.length;
    s[a] = StepStride(s[a], strides[i]);
    backward = backward || strides[i] < 0;
    empty = empty || r.length == 0;
  }
  Tensor view = ViewOf(x, d, s, empty ? x->offset() : offset);
  // Strides of a tensor that users see are not negative.
  if (!backward) {
    out = view;
  } else {
    EnsureCopy(x, d, x.dtype(), out);
    if (out.numel()) CopyInto(view, out);
  }
}

void tensor_unfold_infer(const Meta& x, int64_t axis, int64_t size, int64_t step, Meta& out) {
  PD_CHECK(step > 0, InvalidArgument, "[unfold] expected a positive step, got ", step);
  PD_CHECK(size >= 0, InvalidArgument, "[unfold] expected a non-negative size, got ", size);
  out = x;
  if (x.dims.empty()) {
    common::NormalizeAxis("unfold", axis, 0);
    PD_CHECK(size <= 1, InvalidArgument, "[unfold] expected a size of at most 1, got ", size);
  } else {
    int64_t a = common::NormalizeAxis("unfold", axis, x.dims.size());
    Dim n = x.dims[a];
    PD_CHECK(!n.known() || size <= n.raw(), InvalidArgument, "[unfold] expected a size of at most the extent ",
             common::DimText(n), ", got ", size);
    out.dims[a] = common::Div(common::Sub(n, Dim(size)), Dim(step)) + Dim(1);
  }
  out.dims.push_back(Dim(size));
}

void tensor_unfold_kernel(const Tensor& x, int64_t axis, int64_t size, int64_t step, Tensor& out) {
  Ints dims = x.dims(), strides = x.strides();
  int64_t last = 1;
  if (!dims.empty()) {
    int64_t a = common::NormalizeAxis("unfold", axis, dims.size());
    last = strides[a];
    dims[a] = (dims[a] - size) / step + 1;
    strides[a] = StepStride(strides[a], step);
  }
  dims.push_back(size);
  strides.push_back(last);
  out = ViewOf(x, dims, strides, x->offset());
}

void crop_infer(const Meta& x, const IntArray& shape, const IntArray& offsets, Meta& out) {
  int64_t r = x.dims.size();
  PD_CHECK(shape.empty() || shape.size() == r, InvalidArgument, "[crop] expected a shape of ", r, " extents, got ",
           common::ShapeText(shape));
  PD_CHECK(offsets.empty() || offsets.size() == r, InvalidArgument, "[crop] expected ", r, " offsets, got ",
           common::ShapeText(offsets));
  out = x;
  for (int64_t i = 0; i < r; ++i) {
    const Int from = offsets.empty() ? Int(0) : offsets[i], want = shape.empty() ? Int(-1) : shape[i];
    if (!want.known() || !from.known()) {
      out.dims[i] = want.is(-1) ? common::NewSymbol() : want.extent();
      continue;
    }
    const int64_t at = from.value(), n = want.value();
    PD_CHECK(at >= 0 && n >= -1, InvalidArgument, "[crop] expected non-negative offsets and extents, got ",
             common::ShapeText(offsets), " and ", common::ShapeText(shape));
    if (n >= 0)
      out.dims[i] = Dim(n);
    else if (at && (!x.dims[i].known() || at <= x.dims[i].raw()))
      out.dims[i] = common::Sub(x.dims[i], Dim(at));
    PD_CHECK(!x.dims[i].known() || !out.dims[i].known() ||
                 (at <= x.dims[i].raw() && out.dims[i].raw() <= x.dims[i].raw() - at),
             InvalidArgument, "[crop] expected a block inside shape ", common::ShapeText(x.dims), ", got offsets ",
             common::ShapeText(offsets), " and shape ", common::ShapeText(shape));
  }
}

void unstack_infer(const Meta& x, int64_t axis, int64_t num, std::vector<Meta>& out) {
  int64_t a = common::NormalizeAxis("unstack", axis, x.dims.size());
  PD_CHECK(num <= 0 || !x.dims[a].known() || x.dims[a].raw() == num, InvalidArgument,
           "[unstack] expected num equal to the extent ", common::DimText(x.dims[a]), " of axis ", a, ", got ", num);
  int64_t n = x.dims[a].known() ? x.dims[a].value() : num;
  Meta m = x;
  m.dims.erase(a);
  out.assign(std::max<int64_t>(n, 0), m);
}

}  // namespace phi
