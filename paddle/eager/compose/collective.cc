// SPDX-License-Identifier: Apache-2.0
// Collectives that are made of others.
#include "paddle/phi/api/collective.h"

#include "paddle/phi/api/ops.h"

namespace paddle {

Tensor c_concat_compose(const Tensor& x, int64_t /*rank*/, int64_t nranks, int64_t ring_id, bool, bool) {
  const Tensor rows = all_gather(x, ring_id, nranks);
  return x.ndim() == 1 ? rows : concat(split_with_num(rows, nranks, 0), x.ndim() - 1);
}

}  // namespace paddle
