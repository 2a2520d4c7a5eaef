// SPDX-License-Identifier: Apache-2.0
// Gradient rules of indexing ops, written on Tensor so that they can be differentiated again, and the ops composed of
// others.
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

namespace {
Tensor ZeroOf(const Tensor& like) { return scalar_like(0.0, like); }
Tensor AsColumn(const Tensor& index) { return index.ndim() == 1 ? index : reshape(index, Ints{-1}); }
// The numbers from 0 in the given shape.
Tensor Numbered(const Ints& dims) {
  const Scalar count = common::ExtentScalar(common::ExtentNumber(common::Product(common::ToDims(dims))));
  return reshape(arange(Scalar(int64_t{0}), count, Scalar(int64_t{1}), DataType::INT64, Place{}), dims);
}
// Where each entry of `indices` is the one whose value an assignment keeps.
Tensor Winners(const Tensor& arr, const Tensor& indices, int64_t axis) {
  Tensor ids = Numbered(shape_of(indices));
  Tensor held = put_along_axis(zeros_of(shape_of(arr), DataType::INT64), indices, ids, axis, "assign", true);
  return equal(take_along_axis(held, indices, axis), ids);
}
// How many terms met at each place of arr.
Tensor Terms(const Tensor& dout, const Tensor& arr, const Tensor& indices, int64_t axis, bool include_self) {
  Tensor ones = full(shape_of(indices), Scalar(1.0), dout.dtype(), Place{});
  Tensor start = full(shape_of(arr), Scalar(include_self ? 1.0 : 0.0), dout.dtype(), Place{});
  return put_along_axis(start, indices, ones, axis, "add", true);
}
// For amax and amin: how many terms equal the result at each place.
Tensor Ties(const Tensor& arr, const Tensor& indices, const Tensor& values, const Tensor& out, int64_t axis,
            bool include_self) {
  Tensor hit = cast_like(equal(expand(values, shape_of(indices)), take_along_axis(out, indices, axis)), out);
  Tensor start = include_self ? cast_like(equal(arr, out), out) : zeros_like_of(out);
  Tensor n = put_along_axis(start, indices, hit, axis, "add", true);
  return where(equal(n, zeros_like_of(n)), ones_like_of(n), n);
}
}  // namespace

Tensor gather_backward(const Tensor& dout, const Tensor& zero, const Tensor& index, const Scalar& axis) {
  if (index.ndim() == 0)
    return index_add(zero, reshape(index, Ints{1}), unsqueeze(dout, Ints{axis.to_int()}), axis.to_int());
  return index_add(zero, AsColumn(index), dout, axis.to_int());
}

Tensor put_along_axis_backward_arr(const Tensor& dout, const Tensor& arr, const Tensor& indices, const Tensor& values,
                                   const Tensor& out, int64_t axis, const std::string& reduce, bool include_self) {
  if (reduce == "assign" || !include_self) return put_along_axis(dout, indices, ZeroOf(dout), axis, "assign", true);
  if (reduce == "add" || reduce == "sum") return dout;
  if (reduce == "mul" || reduce == "multiply") return dout * out / arr;
  if (reduce == "mean") return dout / Terms(dout, arr, indices, axis, true);
  Tensor share = dout / Ties(arr, indices, values, out, axis, true);
  return where(equal(arr, out), share, zeros_like_of(share));
}

Tensor put_along_axis_backward_values(const Tensor& dout, const Tensor& arr, const Tensor& indices,
                                      const Tensor& values, const Tensor& out, int64_t axis, const std::string& reduce,
                                      bool include_self) {
  Tensor g;
  if (reduce == "assign") {
    Tensor d = take_along_axis(dout, indices, axis);
    g = where(Winners(arr, indices, axis), d, zeros_like_of(d));
  } else if (reduce == "add" || reduce == "sum") {
    g = take_along_axis(dout, indices, axis);
  } else if (reduce == "mul" || reduce == "multiply") {
    g = take_along_axis(dout * out, indices, axis) / expand(values, shape_of(indices));
  } else if (reduce == "mean") {
    g = take_along_axis(dout / Terms(dout, arr, indices, axis, include_self), indices, axis);
  } else {
    Tensor share = take_along_axis(dout / Ties(arr, indices, values, out, axis, include_self), indices, axis);
    Tensor hit = equal(expand(values, shape_of(indices)), take_along_axis(out, indices, axis));
    g = where(hit, share, zeros_like_of(share));
  }
  return reduce_like(g, values);
}

Tensor index_put_backward_x(const Tensor& dout, const std::vector<Tensor>& indices, bool accumulate) {
  return accumulate ? dout : index_put(dout, indices, ZeroOf(dout), false);
}

Tensor index_put_backward_value(const Tensor& dout, const std::vector<Tensor>& indices, const Tensor& value,
                                bool accumulate) {
  Tensor g = index_get(dout, indices);
  bool masks = true;
  int64_t covered = 0;
  for (const Tensor& i : indices) {
    masks = masks && i.dtype() == DataType::BOOL;
    covered += i.dtype() == DataType::BOOL ? i.ndim() : 1;
  }
  if (!accumulate && !masks) {  // a mask names no place twice
    common::Dims lead, entries;
    for (int64_t a = 0; a < covered; ++a) lead.push_back(dout.shape()[a]);
    const int64_t rest = dout.ndim() - covered;
    for (int64_t a = 0; a < g.ndim() - rest; ++a) entries.push_back(g.shape()[a]);
    Tensor ids = Numbered(common::ExtentNumbers(entries));
    Tensor held = index_put(zeros_of(common::ExtentNumbers(lead), DataType::INT64), indices, ids, false);
    Tensor won = equal(index_get(held, indices), ids);
    Ints last;
    for (int64_t a = 0; a < rest; ++a) last.push_back(won.ndim() + a);
    if (rest) won = unsqueeze(won, last);
    g = where(won, g, zeros_like_of(g));
  }
  return reduce_like(g, value);
}

Tensor masked_select_backward(const Tensor& dout, const Tensor& zero, const Tensor& mask) {
  Ints dims = common::ExtentNumbers(common::BroadcastDims("masked_select", zero.shape(), mask.shape()));
  return reduce_like(masked_unselect(dout, expand(mask, dims)), zero);
}

Tensor masked_fill_compose(const Tensor& x, const Tensor& mask, const Tensor& value) {
  PD_CHECK(mask.dtype() == DataType::BOOL, InvalidType, "[masked_fill] expected a bool mask, got dtype ",
           NameOf(mask.dtype()));
  return where(mask, cast_like(value, x), x);
}

Tensor multiplex_compose(const std::vector<Tensor>& inputs, const Tensor& index) {
  Tensor all = stack(inputs, 0);
  Tensor which = cast(reshape(index, Ints{-1}), DataType::INT64);
  int64_t rows = number_at(which, 0);
  Tensor row = arange(Scalar(int64_t{0}), common::ExtentScalar(rows), Scalar(int64_t{1}), DataType::INT64, Place{});
  return gather_nd(all, stack({which, row}, 1));
}

Tensor set_value_backward(const Tensor& dout, const Ints& starts, const Ints& ends, const Ints& steps, const Ints& axes,
                          const Ints& drop, const Ints& none) {
  return set_value_with_tensor(dout, ZeroOf(dout), starts, ends, steps, axes, drop, none);
}

Tensor set_value_backward_values(const Tensor& dout, const Ints& starts, const Ints& ends, const Ints& steps,
                                 const Ints& axes, const Ints& drop, const Ints& none, const Tensor& zero) {
  Ints e = ends, st = steps;
  for (int64_t i = 0; i < axes.size(); ++i)
    for (int64_t k : drop)
      if (common::NormalizeAxis("set_value", k, dout.ndim()) ==
          common::NormalizeAxis("set_value", axes[i], dout.ndim())) {
        e[i] = starts[i] == -1 ? INT32_MAX : starts[i] + 1;
        st[i] = 1;
      }
  Tensor g = strided_slice(dout, axes, starts, e, st);
  Ints dims;
  auto have = g.shape();
  for (int64_t i = 0; i <= have.size(); ++i) {
    for (int64_t k : none)
      if (k == i) dims.push_back(1);
    if (i == have.size()) break;
    bool dropped = false;
    for (int64_t k : drop) dropped = dropped || common::NormalizeAxis("set_value", k, have.size()) == i;
    if (!dropped) dims.push_back(common::ExtentNumber(have[i]));
  }
  return reduce_like(reshape(g, dims), zero);
}

}  // namespace paddle
