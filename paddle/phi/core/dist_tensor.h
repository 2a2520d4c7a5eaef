// SPDX-License-Identifier: Apache-2.0
// Distributed tensors as layers see them that know no meshes: a tensor of the whole shape without memory, whose part on
// this process is a tensor of its own. The part has the history; `stop_gradient` of both is the same.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// What a tensor of kDist consists of; paddle/distributed/mesh adds where the other parts are.
struct DistParts : RefCounted {
  Tensor local;
  bool here = true;  // whether the process is in the mesh; else `local` has no elements, and a history all the same
};

// False for a distributed tensor of whose mesh this process is none.
inline bool HasPart(const Tensor& t) { return !t.is_dist() || static_cast<const DistParts*>(t->parts().get())->here; }

// The tensor that holds the memory and the history: this process's part of a distributed one, else `t` itself. Outside
// the mesh it has only the history: how gradients go to and from the processes that have parts.
inline const Tensor& LocalOf(const Tensor& t) {
  return t.defined() && t.is_dist() ? static_cast<const DistParts*>(t->parts().get())->local : t;
}

}  // namespace phi
