// SPDX-License-Identifier: Apache-2.0
// Collectives that are made of others.
#include "paddle/phi/api/collective.h"

#include <string>
#include <tuple>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/api/tensor_api.h"
#include "paddle/phi/infer/columns.h"

namespace paddle {
namespace {

constexpr int64_t kMax = 1;  // of paddle.distributed.ReduceOp

// The sum over the ring, whose gradient all processes have alike.
Tensor SummedOver(const Tensor& x, int64_t ring_id, int64_t nranks) {
  return nranks > 1 ? mp_allreduce_sum(x, ring_id) : x;
}

std::vector<Tensor> Columns(const char* op, const std::vector<Tensor>& x, int64_t start, int64_t length) {
  PD_CHECK(!x.empty(), InvalidArgument, "[", op, "] expected at least one tensor, got none");
  std::vector<Tensor> parts;
  for (const Tensor& t : x) {
    PD_CHECK(t.ndim() == 2 && !common::CertainlyDiffer(dim_at(t, 0), dim_at(x[0], 0)) &&
                 !common::CertainlyDiffer(dim_at(t, 1), dim_at(x[0], 1)),
             InvalidArgument, "[", op, "] expected matrices of one shape, got ", common::ShapeText(x[0].extents()),
             " and ", common::ShapeText(t.extents()));
    const phi::ColumnRange columns = phi::ColumnsOf(op, size_at(t, 1), start, length);
    parts.push_back(slice(t, {1}, {columns.begin}, {columns.end}));
  }
  return parts;
}

}  // namespace

Tensor c_concat_compose(const Tensor& x, int64_t /*rank*/, int64_t nranks, int64_t ring_id, bool, bool) {
  const Tensor rows = all_gather(x, ring_id, nranks);
  return x.ndim() == 1 ? rows : concat(split_with_num(rows, nranks, 0), x.ndim() - 1);
}

std::tuple<Tensor, Tensor> c_softmax_with_cross_entropy_compose(const Tensor& logits, const Tensor& label,
                                                                int64_t ignore_index, int64_t ring_id, int64_t rank,
                                                                int64_t nranks) {
  const phi::DataType wide = logits.dtype() == phi::DataType::FLOAT64 ? logits.dtype() : phi::DataType::FLOAT32;
  const Tensor x = cast(logits, wide), classes = cast(label, phi::DataType::INT64);
  const int64_t axis = logits.ndim() - 1, own = size_at(logits, axis);
  Tensor top;
  {
    const egr::GradModeGuard off(false);  // any constant will do: the largest keeps exponentials in range
    top = max(x, {axis}, true);
    if (nranks > 1) top = all_reduce(top, ring_id, kMax);
  }
  const Tensor shifted = x - top, exponents = exp(shifted);
  const Tensor place = classes - scalar_like(static_cast<double>(rank * own), classes),
               none = scalar_like(0.0, classes);
  const Tensor here = logical_and(place >= none, place < scalar_like(static_cast<double>(own), classes));
  const Tensor nothing = scalar_like(0.0, x);
  const Tensor picked = where(here, take_along_axis(shifted, where(here, place, none), axis), nothing);
  // Both sums are one message.
  const Tensor sums =
      SummedOver(concat({sum(exponents, {axis}, phi::DataType::UNDEFINED, true), picked}, axis), ring_id, nranks);
  const std::vector<Tensor> parts = split_with_num(sums, 2, axis);
  const Tensor ignored = classes == scalar_like(static_cast<double>(ignore_index), classes);
  const Tensor loss = cast(where(ignored, nothing, log(parts[0]) - parts[1]), logits.dtype());
  const egr::GradModeGuard off(false);
  return {cast(exponents / parts[0], logits.dtype()), loss};
}

Tensor partial_concat_compose(const std::vector<Tensor>& x, int64_t start_index, int64_t length) {
  return concat(Columns("partial_concat", x, start_index, length), 1);
}
Tensor partial_sum_compose(const std::vector<Tensor>& x, int64_t start_index, int64_t length) {
  return add_n(Columns("partial_sum", x, start_index, length));
}

}  // namespace paddle
