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
// What each row that was reduced gets of dout: `to` names its row of out; x holds what was reduced, where the largest
// or least was taken.
Tensor ReducedRows(const Tensor& dout, const Tensor& x, const Tensor& to, const Tensor& out, const Tensor& count,
                   const std::string& how) {
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

}  // namespace

Tensor send_u_recv_backward(const Tensor& dout, const Tensor& x, const Tensor& src, const Tensor& dst,
                            const Tensor& out, const Tensor& count, const std::string& reduce_op) {
  const Tensor from = AsColumn(src);
  const Tensor sent = reduce_op == "MIN" || reduce_op == "MAX" ? gather(x, from, Scalar(0)) : x;
  return SumRows(ReducedRows(dout, sent, AsColumn(dst), out, count, reduce_op), from, x);
}
Tensor segment_pool_backward(const Tensor& dout, const Tensor& x, const Tensor& segments, const Tensor& out,
                             const Tensor& count, const std::string& reduce_op) {
  return ReducedRows(dout, x, AsColumn(segments), out, count, reduce_op);
}

}  // namespace paddle
