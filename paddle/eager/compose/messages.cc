// SPDX-License-Identifier: Apache-2.0
// Gradient rules of rows reduced to the rows that an index names.
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

namespace {

Tensor AsColumn(const Tensor& index) { return index.ndim() == 1 ? index : reshape(index, Ints{-1}); }
// The sum of the rows of x that `to` sends to each row of `like`, whose contents are not read.
Tensor SumRows(const Tensor& x, const Tensor& to, const Tensor& like) {
  return std::get<0>(send_u_recv(x, numbered(to), to, "SUM", IntArray{number_at(like, 0)}));
}

}  // namespace

Tensor reduced_rows(const Tensor& dout, const Tensor& x, const Tensor& index, const Tensor& out, const Tensor& count,
                    const std::string& how) {
  const Tensor to = AsColumn(index);
  if (how == "SUM") return gather(dout, to, Scalar(0));
  const Tensor one = scalar_like(1.0, dout);
  if (how == "MEAN") {
    Ints column(dout.ndim(), 1);
    column[0] = -1;
    return gather(dout / maximum(reshape(cast_like(count, dout), column), one), to, Scalar(0));
  }
  const Tensor chosen = equal(x, gather(out, to, Scalar(0)));
  const Tensor g = gather(dout / maximum(SumRows(cast_like(chosen, dout), to, dout), one), to, Scalar(0));
  return where(chosen, g, zeros_like_of(g));
}
Tensor rows_back(const Tensor& g, const Tensor& index, const Tensor& like) {
  const Tensor sums = SumRows(g, AsColumn(index), like);
  Ints axes;
  for (int64_t i = like.ndim(); i < sums.ndim(); ++i) axes.push_back(1 + i - like.ndim());
  return reshape_like(reduce_like(sums, axes.empty() ? like : unsqueeze(like, axes)), like);
}

}  // namespace paddle
