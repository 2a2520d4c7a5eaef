// SPDX-License-Identifier: Apache-2.0
// Rows of a table that processes divide: each looks up those that it has, and the results are a partial sum.
#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/propagation/plan.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/phi/api/collective.h"
#include "paddle/phi/api/ops.h"

namespace paddle {

Tensor embedding_of_parts(const Tensor& x, const Tensor& weight, int64_t padding_idx, bool sparse) {
  bool rows = false;
  if (weight.is_dist())
    for (const distributed::Placement& p : distributed::StateOf(weight).placements)
      rows = rows || (p.shards() && p.dim == 0);
  if (!rows) {
    const phi::InSlot slots[] = {phi::InSlot(x), phi::InSlot(weight)};
    const phi::AttrValue attrs[] = {padding_idx, sparse};
    egr::DistCall call(*phi::FindOpDef("embedding"), "...,_h->...h", slots, attrs);
    if (!call.here()) return call.Absent<Tensor>();
    return call.Wrap(embedding(call[0], call[1], padding_idx, sparse));
  }
  const phi::InSlot slots[] = {phi::InSlot(weight), phi::InSlot(x)};
  const int64_t vocabulary = weight.dim(0);
  const phi::AttrValue attrs[] = {int64_t{0}, vocabulary};
  egr::DistCall call(*phi::FindOpDef("c_embedding"), distributed::RuleTextOf("c_embedding"), slots, attrs);
  if (!call.here()) return call.Absent<Tensor>();
  const Tensor& index = call[1];
  Tensor found = c_embedding(call[0], index, call.Begin(0), vocabulary);
  if (padding_idx >= 0) {
    const Tensor padding = equal(index, full_like(index, padding_idx, index.dtype()));
    found = where(unsqueeze(padding, {-1}), full_like(found, 0, found.dtype()), found);
  }
  return call.Wrap(found);
}

}  // namespace paddle
