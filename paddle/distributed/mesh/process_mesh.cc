// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/mesh/process_mesh.h"

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/distributed/mesh/world.h"

namespace paddle::distributed {

std::string TextOf(const Placement& p) {
  static const char* const kOps[] = {"SUM", "MAX", "MIN", "PROD", "AVG"};
  if (p.replicates()) return "Replicate()";
  if (p.shards())
    return "Shard(dim=" + std::to_string(p.dim) +
           (p.pieces == 1 ? ")" : ", split_factor=" + std::to_string(p.pieces) + ")");
  return std::string("Partial(reduce_type=") + kOps[static_cast<int>(p.op)] + ")";
}

namespace {
template <class List, class Text>
std::string Joined(const List& list, const char* between, Text text) {
  std::string s;
  for (const auto& v : list) s += (s.empty() ? "" : between) + text(v);
  return "[" + s + "]";
}
}  // namespace

std::string TextOf(const Placements& p) {
  return Joined(p, ", ", [](const Placement& v) { return TextOf(v); });
}

std::string TextOf(const ProcessMesh& mesh) {
  const auto number = [](int64_t v) { return std::to_string(v); };
  return "{shape: " + Joined(mesh.shape(), ",", number) + ", process_ids: " + Joined(mesh.ids(), ",", number) +
         ", dim_names: " + Joined(mesh.names(), ",", [](const std::string& s) { return s; }) + "}";
}

ProcessMesh::ProcessMesh(Ints shape, std::vector<int> ids, std::vector<std::string> names)
    : shape_(std::move(shape)), ids_(std::move(ids)), names_(std::move(names)) {
  int64_t count = 1;
  for (int64_t n : shape_) {
    PD_CHECK(n > 0, InvalidArgument, "[ProcessMesh] expected positive extents, got shape ", common::ShapeText(shape_));
    PD_CHECK(!__builtin_mul_overflow(count, n, &count), InvalidArgument, "[ProcessMesh] expected fewer processes, got ",
             common::ShapeText(shape_));
  }
  PD_CHECK(count == size(), InvalidArgument, "[ProcessMesh] expected ", count, " processes for shape ",
           common::ShapeText(shape_), ", got ", size());
  PD_CHECK(names_.size() == static_cast<size_t>(shape_.size()), InvalidArgument, "[ProcessMesh] expected ",
           shape_.size(), " names of axes, got ", names_.size());
  std::vector<int> sorted = ids_;
  std::sort(sorted.begin(), sorted.end());
  PD_CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() && (sorted.empty() || sorted[0] >= 0),
           InvalidArgument, "[ProcessMesh] expected process ids of 0 and more, each once, got ",
           Joined(ids_, ", ", [](int v) { return std::to_string(v); }));
}

int ProcessMesh::IndexOf(int rank) const {
  // Most meshes hold ranks in their order.
  if (const int guess = ids_.empty() ? -1 : rank - ids_[0]; guess >= 0 && guess < size() && ids_[guess] == rank)
    return guess;
  const auto at = std::find(ids_.begin(), ids_.end(), rank);
  return at == ids_.end() ? -1 : static_cast<int>(at - ids_.begin());
}

int ProcessMesh::index() const { return IndexOf(WorldRank()); }

int ProcessMesh::stride(int axis) const {
  int n = 1;
  for (int a = axis + 1; a < ndim(); ++a) n *= extent(a);
  return n;
}

namespace {

// The runs of one of `n` parts of an axis; where `pieces` > 1, of a piece of each of that many equal pieces of the
// axis. `each` gets the first index and the end of each.
template <class F>
void Divide(int64_t extent, int64_t pieces, int64_t n, int64_t at, F each) {
  const int64_t piece = (extent + pieces - 1) / pieces;
  for (int64_t first = 0; first < extent || first == 0; first += piece) {
    const int64_t end = std::min(extent, first + piece), part = (end - first + n - 1) / n;
    each(std::min(end, first + part * at), std::min(end, first + part * (at + 1)));
    if (piece == 0) return;
  }
}

// Indices from `first` to `end` of those that `runs` hold.
void AddPart(const Runs& runs, int64_t first, int64_t end, Runs* part) {
  int64_t before = 0;
  for (const IndexRun& r : runs) {
    const int64_t a = std::max(first - before, int64_t{0}), b = std::min(end - before, r.extent);
    if (a < b) {
      if (!part->empty() && part->back().first + part->back().extent == r.first + a)
        part->back().extent += b - a;
      else
        part->push_back({r.first + a, b - a});
    }
    before += r.extent;
  }
}

}  // namespace

Ints ExtentsOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, int index) {
  Ints extents = dims;
  for (int a = 0; a < mesh.ndim(); ++a) {
    const Placement& p = placements[a];
    if (!p.shards()) continue;
    int64_t sum = 0;
    Divide(extents[p.dim], p.pieces, mesh.extent(a), mesh.Coordinate(index, a),
           [&](int64_t first, int64_t end) { sum += end - first; });
    extents[p.dim] = sum;
  }
  return extents;
}

Part PartOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, int index) {
  Part part(static_cast<size_t>(dims.size()));
  for (int d = 0; d < dims.size(); ++d) part[static_cast<size_t>(d)].push_back({0, dims[d]});
  for (int a = 0; a < mesh.ndim(); ++a) {
    const Placement& p = placements[a];
    if (!p.shards()) continue;
    Runs& runs = part[static_cast<size_t>(p.dim)];
    int64_t extent = 0;
    for (const IndexRun& r : runs) extent += r.extent;
    Runs divided;
    Divide(extent, p.pieces, mesh.extent(a), mesh.Coordinate(index, a),
           [&](int64_t first, int64_t end) { AddPart(runs, first, end, &divided); });
    runs = std::move(divided);
  }
  return part;
}

void CheckPlacements(const char* op, const Ints& dims, const ProcessMesh& mesh, const Placements& placements) {
  PD_CHECK(placements.size() == static_cast<size_t>(mesh.ndim()), InvalidArgument, "[", op, "] expected ", mesh.ndim(),
           " placements, one for each axis of the mesh, got ", TextOf(placements));
  for (const Placement& p : placements) {
    PD_CHECK(!p.shards() || (p.dim >= 0 && p.dim < dims.size()), InvalidArgument, "[", op,
             "] expected a tensor that has the axes of its placements, got shape ", common::ShapeText(dims), " and ",
             TextOf(placements));
    PD_CHECK(p.pieces >= 1, InvalidArgument, "[", op, "] expected positive split factors, got ", TextOf(placements));
  }
}

Tensor ProxyPart(phi::DataType dtype) { return phi::Empty({0}, dtype); }

Tensor MakeDist(Tensor local, const Ints& dims, phi::DataType dtype, MeshRef mesh, Placements placements) {
  auto state = phi::Ref<DistState>::First(new DistState);
  state->here = mesh->here();
  state->local = local.defined() || state->here ? std::move(local) : ProxyPart(dtype);
  state->mesh = std::move(mesh);
  state->placements = std::move(placements);
  const Tensor& part = state->local;
  Tensor t(phi::TensorState::Dist(dims, dtype, part.defined() ? part.place() : phi::Place{}, std::move(state)));
  if (part.defined()) {
    t->stop_gradient = part.stop_gradient();
    t->persistable = part->persistable;
  }
  return t;
}

}  // namespace paddle::distributed
