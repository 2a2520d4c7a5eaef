// SPDX-License-Identifier: Apache-2.0
// Rearranging ops that are compositions of others.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/infer/rules.h"

namespace paddle {

using common::Ints;
using phi::Int;

std::vector<Tensor> meshgrid_compose(const std::vector<Tensor>& inputs) {
  IntArray dims;
  for (const Tensor& t : inputs) {
    PD_CHECK(t.ndim() <= 1, InvalidArgument, "[meshgrid] expected tensors of at most 1 axis, got shape ",
             common::ShapeText(t.extents()));
    dims.push_back(t.ndim() ? number_at(t, 0) : Int(1));
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    IntArray shape = Ints(dims.size(), 1);
    shape.set(i, dims[i]);
    out.push_back(assign(expand(reshape(inputs[i], shape), dims)));
  }
  return out;
}
std::vector<Tensor> broadcast_tensors_compose(const std::vector<Tensor>& input) {
  PD_CHECK(!input.empty(), InvalidArgument, "[broadcast_tensors] expected at least one tensor, got none");
  common::Dims dims;
  for (const Tensor& t : input) dims = common::BroadcastDims("broadcast_tensors", dims, t.extents());
  std::vector<Tensor> out;
  for (const Tensor& t : input) out.push_back(assign(expand(t, dims)));
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

Tensor crop_compose(const Tensor& x, const IntArray& shape, const IntArray& offsets) {
  PD_CHECK(shape.empty() || shape.size() == x.ndim(), InvalidArgument, "[crop] expected a shape of ", x.ndim(),
           " extents, got ", common::ShapeText(shape));
  PD_CHECK(offsets.empty() || offsets.size() == x.ndim(), InvalidArgument, "[crop] expected ", x.ndim(),
           " offsets, got ", common::ShapeText(offsets));
  Ints axes, starts;
  IntArray ends;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    const int64_t at = offsets.empty() ? 0 : phi::Known("crop", "offsets", offsets)[i];
    const common::Dim n = dim_at(x, i);
    PD_CHECK(at >= 0 && (!n.known() || at <= n.raw()), InvalidArgument, "[crop] expected offsets inside shape ",
             common::ShapeText(x.extents()), ", got ", common::ShapeText(offsets));
    const common::Dim want = shape.empty() || shape[i].is(-1) ? Sub(n, common::Dim(at)) : shape[i].extent();
    const bool fits = at >= 0 && (!n.known() || (want.known() && want.raw() <= n.raw() - at));
    PD_CHECK(fits, InvalidArgument, "[crop] expected a block inside shape ", common::ShapeText(x.extents()),
             ", got offsets ", common::ShapeText(offsets), " and shape ", common::ShapeText(shape));
    axes.push_back(i);
    starts.push_back(at);
    ends.push_back(want + common::Dim(at));
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
               InvalidArgument, "[add_n] expected tensors of one shape, got ", common::ShapeText(inputs[0].extents()),
               " and ", common::ShapeText(t.extents()));
  if (inputs.size() == 1) return assign(inputs[0]);
  Tensor out = add(inputs[0], inputs[1]);
  for (size_t i = 2; i < inputs.size(); ++i) out = add(out, inputs[i]);
  return out;
}

namespace {
using common::Dim;
using common::Div;

// Whether `by` may divide an extent.
bool Divides(int64_t by, Dim d) { return by > 0 && (!d.known() || d.raw() % by == 0); }

bool ImageAxes(const char* op, const Tensor& x, const std::string& format, Dim* n, Dim* c, Dim* h, Dim* w) {
  PD_CHECK(x.ndim() == 4, InvalidArgument, "[", op, "] expected an input of 4 axes, got shape ",
           common::ShapeText(x.extents()));
  PD_CHECK(format == "NCHW" || format == "NHWC", InvalidArgument, "[", op, "] expected data_format NCHW or NHWC, got ",
           format);
  common::Dims d = x.extents();
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
  const Dim by(r), k = Div(c, Dim(r * r));
  if (last)
    return reshape(transpose(reshape(x, IntArray{n, h, w, k, r, r}), Ints{0, 1, 4, 2, 5, 3}),
                   IntArray{n, h * by, w * by, k});
  return reshape(transpose(reshape(x, IntArray{n, k, r, r, h, w}), Ints{0, 1, 4, 2, 5, 3}),
                 IntArray{n, k, h * by, w * by});
}
Tensor pixel_unshuffle_compose(const Tensor& x, int64_t r, const std::string& format) {
  Dim n, c, h, w;
  bool last = ImageAxes("pixel_unshuffle", x, format, &n, &c, &h, &w);
  phi::CheckWindow("pixel_unshuffle", "downscale_factor", Ints{r}, 1);
  PD_CHECK(Divides(r, h) && Divides(r, w), InvalidArgument,
           "[pixel_unshuffle] expected extents divisible by downscale_factor ", r, ", got ", common::DimText(h),
           " and ", common::DimText(w));
  const Dim by(r), hr = Div(h, by), wr = Div(w, by);
  if (last)
    return reshape(transpose(reshape(x, IntArray{n, hr, r, wr, r, c}), Ints{0, 1, 3, 5, 2, 4}),
                   IntArray{n, hr, wr, c * by * by});
  return reshape(transpose(reshape(x, IntArray{n, c, hr, r, wr, r}), Ints{0, 1, 3, 5, 2, 4}),
                 IntArray{n, c * by * by, hr, wr});
}
Tensor channel_shuffle_compose(const Tensor& x, int64_t groups, const std::string& format) {
  Dim n, c, h, w;
  bool last = ImageAxes("channel_shuffle", x, format, &n, &c, &h, &w);
  PD_CHECK(Divides(groups, c), InvalidArgument, "[channel_shuffle] expected channels divisible by groups ", groups,
           ", got ", common::DimText(c));
  Dim each = Div(c, Dim(groups));
  if (last) return reshape(transpose(reshape(x, IntArray{n, h, w, groups, each}), Ints{0, 1, 2, 4, 3}), shape_of(x));
  return reshape(transpose(reshape(x, IntArray{n, groups, each, h, w}), Ints{0, 2, 1, 3, 4}), shape_of(x));
}

}  // namespace paddle
