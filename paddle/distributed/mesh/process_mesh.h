// SPDX-License-Identifier: Apache-2.0
// Processes laid out on a grid, and how a tensor is placed along each axis of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/distributed/collective/reduce.h"
#include "paddle/phi/core/dist_tensor.h"
#include "paddle/phi/core/whole.h"

namespace paddle::distributed {

using phi::Ints;

// How a tensor is placed along one axis of a mesh.
struct Placement {
  enum Kind : uint8_t {
    kReplicate,  // each process has it
    kShard,      // each has a part of axis `dim`, or of each of `pieces` equal pieces of it
    kPartial,    // the tensor is the reduction of what each has
  } kind = kReplicate;
  ReduceOp op = ReduceOp::kSum;  // kPartial
  int dim = 0;                   // kShard
  int pieces = 1;

  static Placement Shard(int64_t dim, int64_t pieces = 1) {
    return {kShard, ReduceOp::kSum, static_cast<int>(dim), static_cast<int>(pieces)};
  }
  static Placement Partial(ReduceOp op) { return {kPartial, op, 0}; }
  bool replicates() const { return kind == kReplicate; }
  bool shards() const { return kind == kShard; }
  bool shards(int64_t d) const { return kind == kShard && dim == d; }
  bool partial() const { return kind == kPartial; }
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.kind == b.kind && (a.kind != kShard || (a.dim == b.dim && a.pieces == b.pieces)) &&
           (a.kind != kPartial || a.op == b.op);
  }
};
// "Shard(dim=0)", "Shard(dim=0, split_factor=2)"
std::string TextOf(const Placement& p);
// One for each axis of a mesh. Where several shard one axis of the tensor, the first axis of the mesh has the widest
// parts.
using Placements = std::vector<Placement>;
std::string TextOf(const Placements& p);

class ProcessMesh final : public phi::RefCounted {
 public:
  // `ids` in the order of a row-major grid of `shape`; each once.
  ProcessMesh(Ints shape, std::vector<int> ids, std::vector<std::string> names);

  const Ints& shape() const { return shape_; }
  const std::vector<int>& ids() const { return ids_; }
  const std::vector<std::string>& names() const { return names_; }
  int ndim() const { return static_cast<int>(shape_.size()); }
  int size() const { return static_cast<int>(ids_.size()); }
  int extent(int axis) const { return static_cast<int>(shape_[axis]); }
  // The place of a process in `ids`; -1 where it is not in the mesh.
  int IndexOf(int rank) const;
  // That of this process.
  int index() const;
  bool here() const { return index() >= 0; }
  // The coordinate along `axis` of the process at `index`.
  int Coordinate(int index, int axis) const { return index / stride(axis) % extent(axis); }
  int stride(int axis) const;
  friend bool operator==(const ProcessMesh& a, const ProcessMesh& b) {
    return a.shape_ == b.shape_ && a.ids_ == b.ids_;
  }

 private:
  Ints shape_;
  std::vector<int> ids_;
  std::vector<std::string> names_;
};
using MeshRef = phi::Ref<ProcessMesh>;
// "{shape: [2], process_ids: [0,1], dim_names: [x]}"
std::string TextOf(const ProcessMesh& mesh);

// The extents of the part of a tensor of shape `dims` that the process at `index` of the mesh has. Parts along an axis
// are of one size, rounded up, but for the last ones, which may be smaller or empty.
Ints ExtentsOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, int index);
// Indices along an axis, one behind another.
struct IndexRun {
  int64_t first, extent;
};
// What a process has of a tensor: along each axis runs of indices, in the order in which they lie in its memory.
using Runs = common::SmallVector<IndexRun, 2>;
using Part = std::vector<Runs>;
Part PartOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, int index);

// What a distributed tensor consists of.
struct DistState final : phi::DistParts, phi::Joinable {
  MeshRef mesh;
  Placements placements;
  Tensor Whole(const Tensor& t) const override;
};
inline const DistState& StateOf(const Tensor& t) { return *static_cast<const DistState*>(t->parts().get()); }
// Raises where `placements` do not fit a tensor of shape `dims` on the mesh. `op` is what the user called.
void CheckPlacements(const char* op, const Ints& dims, const ProcessMesh& mesh, const Placements& placements);
// What stands for a part on a process outside the mesh: no elements.
Tensor ProxyPart(phi::DataType dtype);
// The tensor whose part here is `local`. Outside the mesh that is what stands for it, or undefined for a new one.
Tensor MakeDist(Tensor local, const Ints& dims, phi::DataType dtype, MeshRef mesh, Placements placements);

}  // namespace paddle::distributed
