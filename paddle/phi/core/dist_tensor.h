// SPDX-License-Identifier: Apache-2.0
// Distributed tensors as layers see them that know no meshes: a tensor of the whole shape without memory, whose part on
// this process is a tensor of its own. The part has the history; `stop_gradient` of both is the same.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// What a tensor of kDist consists of; paddle/distributed/mesh adds where the other parts are.
struct DistParts : RefCounted {
  Tensor local;  // undefined on a process outside the mesh
};

// The tensor that holds the memory and the history: this process's part of a distributed one, else `t` itself.
inline const Tensor& LocalOf(const Tensor& t) {
  return t.defined() && t.is_dist() ? static_cast<const DistParts*>(t->parts().get())->local : t;
}

}  // namespace phi
