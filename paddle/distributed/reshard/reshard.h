// SPDX-License-Identifier: Apache-2.0
// Moving a tensor from one placement to another.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/reshard/windows.h"

namespace paddle::distributed {

// The part here of a tensor of shape `dims` that is placed as `from`, placed as `to`. Every process of the mesh calls
// it. What is to become a part is cut off first; then each partial axis is reduced (reduce_scatter where its processes
// are to have parts, else all_reduce); last, each process gets the elements it lacks, each of them once.
Tensor MoveLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                 const Placements& to);
// The same, with history. The gradient of a partial tensor is replicated; others are placed as their tensors.
Tensor MoveWithHistory(const Tensor& local, const Ints& dims, const MeshRef& mesh, const Placements& from,
                       const Placements& to);
// `local`, which all processes along the axes have alike, to be used otherwise by each: the gradients of these uses are
// summed.
Tensor UsedApart(const Tensor& local, const MeshRef& mesh, const std::vector<bool>& axes);

// The part here of a tensor on `target`, none of it partial, whose part on `mesh` is `local`. Processes of either mesh
// call it, with what stands for a part where they have none. `back`: it is a gradient (Communicator::Pass).
Tensor ExchangeLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                     const ProcessMesh& target, const Placements& to, bool back);
// What stands, outside the mesh, for the part of a result of operands for which these stand, with their history. Dense
// operands make a history too, but get no gradient from a process that computes none.
Tensor AbsentResult(const std::vector<Tensor>& operands, phi::DataType dtype, const std::vector<Tensor>& dense = {});
// A part of this process, with the history of what stands here for parts of others.
Tensor PartBeside(const Tensor& part, const std::vector<Tensor>& absent);

// A distributed tensor on a mesh and with placements. All processes that have the tensor call it.
Tensor Reshard(const Tensor& t, const MeshRef& mesh, const Placements& to);

// Which processes send to which, as calls are made on all processes alike, those outside the meshes too: from a Begin
// to the End that gives (sender, receiver). Gradients are not noted.
class MoveNotes {
 public:
  static void Begin();
  static std::set<std::pair<int, int>> End();
  // A move on one mesh: processes along the axes that change send to each other.
  static void Add(const ProcessMesh& mesh, const Placements& from, const Placements& to);
  // What windows read of a tensor placed so.
  static void Add(const ProcessMesh& mesh, const Windows& windows, const Placements& placements);
};

// The bytes that process `index` receives in a move, as planned: for judging plans.
int64_t BytesReceived(const Ints& dims, int64_t element, const ProcessMesh& mesh, const Placements& from,
                      const Placements& to, int index);

}  // namespace paddle::distributed
