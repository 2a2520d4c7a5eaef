// SPDX-License-Identifier: Apache-2.0
// Lists of tensors of one shape.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
void meshgrid_infer(const MetaList& x, std::vector<Meta>& out) {
  Dims dims;
  for (const Meta& m : x) {
    PD_CHECK(m.dims.size() <= 1, InvalidArgument, "[meshgrid] expected tensors of at most 1 axis, got shape ",
             common::ShapeText(m.dims));
    dims.push_back(m.dims.empty() ? Dim(1) : m.dims[0]);
  }
  out.clear();
  for (const Meta& m : x) out.push_back({dims, m.dtype});
}

void broadcast_tensors_infer(const MetaList& x, std::vector<Meta>& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[broadcast_tensors] expected at least one tensor, got none");
  Dims dims;
  for (const Meta& m : x) dims = common::BroadcastDims("broadcast_tensors", dims, m.dims);
  out.clear();
  for (const Meta& m : x) out.push_back({dims, m.dtype});
}

void add_n_infer(const MetaList& x, Meta& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[add_n] expected at least one tensor, got none");
  for (const Meta& m : x)
    PD_CHECK(common::MayMatch(m.dims, x[0].dims), InvalidArgument, "[add_n] expected tensors of one shape, got ",
             common::ShapeText(x[0].dims), " and ", common::ShapeText(m.dims));
  out = x[0];
}

}  // namespace phi
