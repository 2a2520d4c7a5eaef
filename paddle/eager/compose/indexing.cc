// SPDX-License-Identifier: Apache-2.0
// What gradient rules of indexing ops share, and the indexing ops composed of others.
#include <algorithm>

#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

Tensor numbered(const Tensor& x) {
  return reshape(arange(Scalar(int64_t{0}), common::Product(x.extents()), Scalar(int64_t{1}), DataType::INT64, Place{}),
                 shape_of(x));
}

bool all_masks(const std::vector<Tensor>& indices) {
  return std::all_of(indices.begin(), indices.end(), [](const Tensor& i) { return i.dtype() == DataType::BOOL; });
}

Tensor kept_entries(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& entries) {
  int64_t covered = 0;
  for (const Tensor& i : indices) covered += i.dtype() == DataType::BOOL ? i.ndim() : 1;
  common::Dims places, first;
  for (int64_t a = 0; a < covered; ++a) places.push_back(x.extents()[a]);
  const int64_t rest = x.ndim() - covered;
  for (int64_t a = 0; a < entries.ndim() - rest; ++a) first.push_back(entries.extents()[a]);
  const Tensor ids =
      reshape(arange(Scalar(int64_t{0}), common::Product(first), Scalar(int64_t{1}), DataType::INT64, Place{}), first);
  const Tensor held = index_put(zeros_of(places, DataType::INT64), indices, ids, false);
  const Tensor kept = equal(index_get(held, indices), ids);
  Ints last;
  for (int64_t a = 0; a < rest; ++a) last.push_back(kept.ndim() + a);
  return rest ? unsqueeze(kept, last) : kept;
}

Tensor masked_fill_compose(const Tensor& x, const Tensor& mask, const Tensor& value) {
  PD_CHECK(mask.dtype() == DataType::BOOL, InvalidType, "[masked_fill] expected a bool mask, got dtype ",
           NameOf(mask.dtype()));
  PD_CHECK(phi::IsComplex(x.dtype()) || !phi::IsComplex(value.dtype()), InvalidType,
           "[masked_fill] expected a real value for ", NameOf(x.dtype()), ", got one of ", NameOf(value.dtype()));
  return where(mask, cast_like(value, x), x);
}

Tensor multiplex_compose(const std::vector<Tensor>& inputs, const Tensor& index) {
  Tensor all = stack(inputs, 0);
  Tensor which = cast(reshape(index, Ints{-1}), DataType::INT64);
  Tensor row = arange(Scalar(int64_t{0}), dim_at(which, 0), Scalar(int64_t{1}), DataType::INT64, Place{});
  return gather_nd(all, stack({which, row}, 1));
}

Tensor written_part(const Tensor& x, const IntArray& starts, const IntArray& ends, const IntArray& steps,
                    const Ints& axes, const Ints& drop, const Ints& none) {
  IntArray e = ends, st = steps;
  for (int64_t i = 0; i < axes.size(); ++i)
    for (int64_t k : drop)
      if (common::NormalizeAxis("written_part", k, x.ndim()) ==
          common::NormalizeAxis("written_part", axes[i], x.ndim())) {
        e.set(i, starts[i].is(-1) ? INT32_MAX : starts[i].value() + 1);
        st.set(i, 1);
      }
  Tensor g = strided_slice(x, axes, starts, e, st);
  IntArray dims;
  auto have = g.extents();
  for (int64_t i = 0; i <= have.size(); ++i) {
    for (int64_t k : none)
      if (k == i) dims.push_back(1);
    if (i == have.size()) break;
    bool dropped = false;
    for (int64_t k : drop) dropped = dropped || common::NormalizeAxis("written_part", k, have.size()) == i;
    if (!dropped) dims.push_back(have[i]);
  }
  return reshape(g, dims);
}

}  // namespace paddle
