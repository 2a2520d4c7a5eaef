// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/host_lock.h"

namespace phi {

HostLock g_host_lock;

Tensor Held(const Tensor& t) {
  if (!t.defined() || t->kind != ImplKind::kDense || !t->storage) return t;
  Tensor r = ViewOf(t, t.dims(), t.strides(), t->offset);
  r->is_parameter = t->is_parameter;
  return r;
}

std::vector<Tensor> Held(const std::vector<Tensor>& list) {
  std::vector<Tensor> r;
  r.reserve(list.size());
  for (const Tensor& t : list) r.push_back(Held(t));
  return r;
}

}  // namespace phi
