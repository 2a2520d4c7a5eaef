// SPDX-License-Identifier: Apache-2.0
// Moves between placements as operations of programs: what is recorded is the program of this process, in which a
// distributed tensor is its part.
#pragma once

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/reshard/windows.h"

namespace paddle::distributed {

// Whether a move of this part is recorded.
bool Records(const Tensor& local);
// The part here after a move (MoveLocal), as a value of the program being recorded. The operation has an effect, so all
// processes of the mesh that record the same calls communicate in the same order.
Tensor RecordMove(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                  const Placements& to);
// The part here of a tensor that goes from one mesh to another (ExchangeLocal), as a value of the program.
Tensor RecordExchange(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                      const ProcessMesh& target, const Placements& to, bool back);
// What this process reads (ReadLocal), as a value of the program.
Tensor RecordRead(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& placements,
                  const Windows& windows, bool back);
// `local` as another value of the program, without its history.
Tensor SameInProgram(const Tensor& local);
// What a move made of `local`, as a tensor that may have a history of its own: another one than `local`.
Tensor ApartFrom(const Tensor& local, Tensor moved);
// A node between a part and what a move makes of it.
template <class Node>
phi::Ref<Node> NodeOfMove(const Tensor& local, const MeshRef& mesh, const Ints& dims) {
  auto node = phi::Ref<Node>::First(new Node);
  node->SetCounts(1, 1);
  node->SetInput(0, local);
  node->mesh = mesh;
  node->dims = dims;
  return node;
}

}  // namespace paddle::distributed
