// SPDX-License-Identifier: Apache-2.0
// Windows over a divided tensor: a process that computes a part of what windows give also reads elements at the edges
// of its neighbours' parts.
#pragma once

#include <vector>

#include "paddle/distributed/mesh/process_mesh.h"

namespace paddle::distributed {

// Along one axis: result i is of the `field` indices from i * step - low on, of which those outside of the tensor are
// padding. `out`: the extent of the result. Step 0: no windows along this axis, or they are not divided.
struct Reach {
  int64_t out = 0, step = 0, low = 0, field = 0;
};
using Windows = std::vector<Reach>;  // one for each axis

// What the process at `index` reads, where results are placed as the tensor.
Part WindowPart(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows,
                int index);
// Padding, below and above, of what the process reads along axis d.
struct Padding {
  int64_t low, high;
};
Padding PaddingOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows,
                  int index, int d);
// Whether every process of the mesh has a part of the result, and reads elements for it.
bool AllRead(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows);

// What this process reads of a tensor whose part here is `local`. `back`: the adjoint, of what it reads to its part,
// where elements that several processes read are added. Every process of the mesh calls it.
Tensor ReadLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& placements,
                 const Windows& windows, bool back);
// The same, with history.
Tensor ReadWithHistory(const Tensor& local, const Ints& dims, const MeshRef& mesh, const Placements& placements,
                       const Windows& windows, bool back = false);

}  // namespace paddle::distributed
