// SPDX-License-Identifier: Apache-2.0
// Gradient rules of rearranging ops and those ops that are compositions of others.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/infer/rules.h"

namespace paddle {

using common::Ints;

namespace {
Ints KnownShape(const char* op, const Tensor& x) {
  auto d = x.shape();
  PD_CHECK(common::AllKnown(d), Unimplemented, "[", op, "] expected a known input shape, got ", common::ShapeText(d));
  return common::ToInts(d);
}
Ints DenseStrides(const Ints& dims) {
  Ints strides(dims.size(), 1);
  for (int64_t i = dims.size() - 2; i >= 0; --i) strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}
}  // namespace

Ints negated(const Ints& v) {
  Ints r;
  for (int64_t x : v) r.push_back(-x);
  return r;
}

Tensor rolled_back(const Tensor& x, const Ints& shifts, const Ints& axis) {
  Ints back, rest;  // INT64_MIN has no opposite: the last step is another roll
  bool more = false;
  for (int64_t s : shifts) {
    const bool least = s == INT64_MIN;
    back.push_back(least ? INT64_MAX : -s);
    rest.push_back(least);
    more |= least;
  }
  const Tensor r = roll(x, back, axis);
  return more ? roll(r, rest, axis) : r;
}

Tensor strided_slice_backward(const Tensor& dout, const Tensor& zero, const Ints& axes, const Ints& starts,
                              const Ints& ends, const Ints& steps) {
  if (!common::AllKnown(zero.shape()))
    return set_value_with_tensor(zero, dout, starts, ends, steps, axes, Ints{}, Ints{});
  Ints dims = KnownShape("strided_slice_grad", zero), strides = DenseStrides(dims), part = shape_of(dout);
  int64_t offset = 0;
  for (int64_t i = 0; i < axes.size(); ++i) {
    const int64_t a = common::NormalizeAxis("strided_slice", axes[i], dims.size());
    offset += phi::SliceOf(starts[i], ends[i], steps[i], dims[a]).start * strides[a];
    strides[a] = phi::StepStride(strides[a], steps[i]);
  }
  if (common::Product(part) == 0) return zeros_of(dims, dout.dtype());
  return as_strided_scatter(zeros_of(dims, dout.dtype()), dout, part, strides, offset);
}

Tensor tile_backward(const Tensor& dout, const Tensor& zero, const Ints& times) {
  Ints x = shape_of(zero);
  int64_t rank = std::max(x.size(), times.size());
  Ints shape, axes;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t k = i - (rank - x.size()), t = i - (rank - times.size());
    axes.push_back(shape.size());
    shape.push_back(t >= 0 ? times[t] : 1);
    shape.push_back(k >= 0 ? x[k] : 1);
  }
  if (dout.numel() == 0) return zero;
  return reshape_like(sum(reshape(dout, shape), axes, DataType::UNDEFINED, false), zero);
}

Tensor repeat_interleave_backward(const Tensor& dout, const Tensor& zero, int64_t repeats, int64_t axis) {
  Ints x = shape_of(zero);
  if (dout.numel() == 0) return zero;
  int64_t a = common::NormalizeAxis("repeat_interleave", axis, x.size());
  Ints shape = x;
  if (shape.empty()) shape.push_back(1);
  shape.insert(a + 1, repeats);
  return reshape_like(sum(reshape(dout, shape), Ints{a + 1}, DataType::UNDEFINED, false), zero);
}

Tensor repeat_by_tensor_backward(const Tensor& dout, const Tensor& zero, const Tensor& repeats, int64_t axis) {
  int64_t n = zero.ndim() ? number_at(zero, common::NormalizeAxis("repeat_interleave", axis, zero.ndim())) : 1;
  Tensor ids = arange(Scalar(int64_t{0}), common::ExtentScalar(n), Scalar(int64_t{1}), DataType::INT64, Place{});
  Tensor index = repeat_interleave_with_tensor_index(ids, repeats, 0, -1);
  if (zero.ndim() == 0) return reshape(sum(dout, Ints{}, DataType::UNDEFINED, false), Ints{});
  return index_add(zero, index, dout, axis);
}

Tensor pad3d_backward(const Tensor& dout, const Tensor& zero, const Ints& paddings, const std::string& mode,
                      const std::string& format) {
  if (mode == "constant") return pad3d(dout, negated(paddings), mode, 0.0, format);
  return pad3d_collect(dout, zero, paddings, mode, format);
}

Tensor diagonal_backward(const Tensor& dout, const Tensor& zero, int64_t offset, int64_t axis1, int64_t axis2) {
  Ints dims = KnownShape("diagonal_grad", zero), strides = DenseStrides(dims), part = shape_of(dout), os;
  int64_t a = common::NormalizeAxis("diagonal", axis1, dims.size()),
          b = common::NormalizeAxis("diagonal", axis2, dims.size());
  for (int64_t i = 0; i < dims.size(); ++i)
    if (i != a && i != b) os.push_back(strides[i]);
  os.push_back(strides[a] + strides[b]);
  if (common::Product(part) == 0) return zeros_of(dims, dout.dtype());
  return as_strided_scatter(zeros_of(dims, dout.dtype()), dout, part, os,
                            offset >= 0 ? offset * strides[b] : -offset * strides[a]);
}

Tensor diag_backward(const Tensor& dout, const Tensor& zero, int64_t offset) {
  if (zero.ndim() == 2) return diagonal_backward(dout, zero, offset, 0, 1);
  return reshape_like(diagonal(dout, offset, 0, 1), zero);
}

Tensor tensor_unfold_backward(const Tensor& dout, const Tensor& zero, int64_t axis, int64_t size, int64_t step) {
  if (zero.ndim() == 0) return reshape_like(dout, zero);
  Ints have = shape_of(dout);
  int64_t rank = zero.ndim(), a = common::NormalizeAxis("unfold", axis, rank), windows = have[a];
  if (dout.numel() == 0) return zero;
  // The windows' axis and their elements side by side.
  Ints perm;
  for (int64_t i = 0; i < rank; ++i) {
    perm.push_back(i);
    if (i == a) perm.push_back(rank);
  }
  Ints flat = have;
  flat.pop_back();
  flat[a] = common::ExtentNumber(dim_at(dout, a) * size);
  Tensor w = arange(Scalar(int64_t{0}), common::ExtentScalar(windows), Scalar(int64_t{1}), DataType::INT64, Place{});
  Tensor k = arange(Scalar(int64_t{0}), common::ExtentScalar(size), Scalar(int64_t{1}), DataType::INT64, Place{});
  Tensor index = add(reshape(scale(w, Scalar(step), 0.0, true), Ints{windows, 1}), reshape(k, Ints{1, size}));
  return index_add(zero, reshape(index, Ints{-1}), reshape(transpose(dout, perm), flat), a);
}

std::vector<Tensor> meshgrid_compose(const std::vector<Tensor>& inputs) {
  Ints dims;
  for (const Tensor& t : inputs) {
    PD_CHECK(t.ndim() <= 1, InvalidArgument, "[meshgrid] expected tensors of at most 1 axis, got shape ",
             common::ShapeText(t.shape()));
    dims.push_back(t.ndim() ? number_at(t, 0) : 1);
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Ints shape(dims.size(), 1);
    shape[i] = dims[i];
    out.push_back(assign(expand(reshape(inputs[i], shape), dims)));
  }
  return out;
}
std::vector<Tensor> meshgrid_backward(const std::vector<Tensor>& dout, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Ints axes;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (k != i) axes.push_back(static_cast<int64_t>(k));
    out.push_back(reshape_like(axes.empty() ? dout[i] : sum(dout[i], axes, DataType::UNDEFINED, false), inputs[i]));
  }
  return out;
}
std::vector<Tensor> broadcast_tensors_compose(const std::vector<Tensor>& input) {
  PD_CHECK(!input.empty(), InvalidArgument, "[broadcast_tensors] expected at least one tensor, got none");
  common::Dims dims;
  for (const Tensor& t : input) dims = common::BroadcastDims("broadcast_tensors", dims, t.shape());
  std::vector<Tensor> out;
  for (const Tensor& t : input) out.push_back(assign(expand(t, common::ExtentNumbers(dims))));
  return out;
}
std::vector<Tensor> reduce_like_each(const std::vector<Tensor>& dout, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < inputs.size(); ++i) out.push_back(reduce_like(dout[i], inputs[i]));
  return out;
}
std::vector<Tensor> copies_of(const Tensor& dout, const std::vector<Tensor>& inputs) {
  return std::vector<Tensor>(inputs.size(), dout);
}

Tensor fill_compose(const Tensor& x, const Scalar& value) { return full_like(x, value, DataType::UNDEFINED, Place{}); }

Tensor crop_compose(const Tensor& x, const Ints& shape, const Ints& offsets) {
  phi::Meta m;
  PD_CHECK(shape.empty() || shape.size() == x.ndim(), InvalidArgument, "[crop] expected a shape of ", x.ndim(),
           " extents, got ", common::ShapeText(shape));
  PD_CHECK(offsets.empty() || offsets.size() == x.ndim(), InvalidArgument, "[crop] expected ", x.ndim(),
           " offsets, got ", common::ShapeText(offsets));
  Ints axes, starts, ends;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    int64_t at = offsets.empty() ? 0 : offsets[i];
    const common::Dim n = dim_at(x, i);
    PD_CHECK(at >= 0 && (!n.known() || at <= n.raw()), InvalidArgument, "[crop] expected offsets inside shape ",
             common::ShapeText(x.shape()), ", got ", common::ShapeText(offsets));
    const common::Dim want = shape.empty() || shape[i] == -1 ? Sub(n, at) : common::ExtentOf(shape[i]);
    const bool fits = at >= 0 && (!n.known() || (want.known() && want.raw() <= n.raw() - at));
    PD_CHECK(fits, InvalidArgument, "[crop] expected a block inside shape ", common::ShapeText(x.shape()),
             ", got offsets ", common::ShapeText(offsets), " and shape ", common::ShapeText(shape));
    axes.push_back(i);
    starts.push_back(at);
    ends.push_back(common::ExtentNumber(want + at));
  }
  return axes.empty() ? assign(x) : assign(slice(x, axes, starts, ends, Ints{}, Ints{}));
}

std::vector<Tensor> unstack_compose(const Tensor& x, int64_t axis, int64_t num) {
  int64_t n = size_at(x, common::NormalizeAxis("unstack", axis, x.ndim()));
  PD_CHECK(num <= 0 || num == n, InvalidArgument, "[unstack] expected num equal to the extent ", n, " of axis ", axis,
           ", got ", num);
  std::vector<Tensor> out = unbind(x, axis);
  for (Tensor& t : out) t = assign(t);
  return out;
}

Tensor add_n_compose(const std::vector<Tensor>& inputs) {
  PD_CHECK(!inputs.empty(), InvalidArgument, "[add_n] expected at least one tensor, got none");
  for (const Tensor& t : inputs)
    for (int64_t i = 0, n = std::max(t.ndim(), inputs[0].ndim()); i < n; ++i)
      PD_CHECK(t.ndim() == n && inputs[0].ndim() == n && !common::CertainlyDiffer(dim_at(t, i), dim_at(inputs[0], i)),
               InvalidArgument, "[add_n] expected tensors of one shape, got ", common::ShapeText(inputs[0].shape()),
               " and ", common::ShapeText(t.shape()));
  if (inputs.size() == 1) return assign(inputs[0]);
  Tensor out = add(inputs[0], inputs[1]);
  for (size_t i = 2; i < inputs.size(); ++i) out = add(out, inputs[i]);
  return out;
}

namespace {
using common::Dim;
using common::Div;
using common::ExtentNumbers;

// Whether `by` may divide an extent.
bool Divides(int64_t by, Dim d) { return by > 0 && (!d.known() || d.raw() % by == 0); }

bool ImageAxes(const char* op, const Tensor& x, const std::string& format, Dim* n, Dim* c, Dim* h, Dim* w) {
  PD_CHECK(x.ndim() == 4, InvalidArgument, "[", op, "] expected an input of 4 axes, got shape ",
           common::ShapeText(x.shape()));
  PD_CHECK(format == "NCHW" || format == "NHWC", InvalidArgument, "[", op, "] expected data_format NCHW or NHWC, got ",
           format);
  common::Dims d = x.shape();
  bool last = format == "NHWC";
  *n = d[0];
  *c = last ? d[3] : d[1];
  *h = last ? d[1] : d[2];
  *w = last ? d[2] : d[3];
  return last;
}
}  // namespace

Tensor pixel_shuffle_compose(const Tensor& x, int64_t r, const std::string& format) {
  Dim n, c, h, w;
  bool last = ImageAxes("pixel_shuffle", x, format, &n, &c, &h, &w);
  phi::CheckWindow("pixel_shuffle", "upscale_factor", Ints{r}, 1);
  PD_CHECK(Divides(r * r, c), InvalidArgument,
           "[pixel_shuffle] expected channels divisible by the square of upscale_factor ", r, ", got ",
           common::DimText(c));
  Dim k = Div(c, r * r);
  if (last)
    return reshape(transpose(reshape(x, ExtentNumbers({n, h, w, k, r, r})), Ints{0, 1, 4, 2, 5, 3}),
                   ExtentNumbers({n, h * r, w * r, k}));
  return reshape(transpose(reshape(x, ExtentNumbers({n, k, r, r, h, w})), Ints{0, 1, 4, 2, 5, 3}),
                 ExtentNumbers({n, k, h * r, w * r}));
}
Tensor pixel_unshuffle_compose(const Tensor& x, int64_t r, const std::string& format) {
  Dim n, c, h, w;
  bool last = ImageAxes("pixel_unshuffle", x, format, &n, &c, &h, &w);
  phi::CheckWindow("pixel_unshuffle", "downscale_factor", Ints{r}, 1);
  PD_CHECK(Divides(r, h) && Divides(r, w), InvalidArgument,
           "[pixel_unshuffle] expected extents divisible by downscale_factor ", r, ", got ", common::DimText(h),
           " and ", common::DimText(w));
  Dim hr = Div(h, r), wr = Div(w, r);
  if (last)
    return reshape(transpose(reshape(x, ExtentNumbers({n, hr, r, wr, r, c})), Ints{0, 1, 3, 5, 2, 4}),
                   ExtentNumbers({n, hr, wr, c * (r * r)}));
  return reshape(transpose(reshape(x, ExtentNumbers({n, c, hr, r, wr, r})), Ints{0, 1, 3, 5, 2, 4}),
                 ExtentNumbers({n, c * (r * r), hr, wr}));
}
Tensor channel_shuffle_compose(const Tensor& x, int64_t groups, const std::string& format) {
  Dim n, c, h, w;
  bool last = ImageAxes("channel_shuffle", x, format, &n, &c, &h, &w);
  PD_CHECK(Divides(groups, c), InvalidArgument, "[channel_shuffle] expected channels divisible by groups ", groups,
           ", got ", common::DimText(c));
  Dim each = Div(c, groups);
  if (last)
    return reshape(transpose(reshape(x, ExtentNumbers({n, h, w, groups, each})), Ints{0, 1, 2, 4, 3}), shape_of(x));
  return reshape(transpose(reshape(x, ExtentNumbers({n, groups, each, h, w})), Ints{0, 2, 1, 3, 4}), shape_of(x));
}

}  // namespace paddle
