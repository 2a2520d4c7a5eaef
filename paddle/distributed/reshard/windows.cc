// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/reshard/windows.h"

#include <algorithm>

#include "paddle/distributed/reshard/exchange.h"
#include "paddle/distributed/reshard/recorded_move.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/dispatch/record.h"

namespace paddle::distributed {

namespace {

// The first index that the process reads along axis d, and the end: some may be padding.
struct Range {
  int64_t first, end;
};
Range RangeOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Reach& reach, int index,
              int d) {
  Ints out = dims;
  out[d] = reach.out;
  const Runs runs = PartOf(out, mesh, placements, index)[static_cast<size_t>(d)];
  if (runs.empty()) return {0, 0};
  const int64_t first = runs[0].first * reach.step - reach.low;
  return {first, first + (runs[0].extent - 1) * reach.step + reach.field};
}

// Along which axes of the mesh processes read of each other.
std::vector<bool> AxesRead(const Placements& placements, const Windows& windows) {
  std::vector<bool> axes;
  for (const Placement& p : placements) axes.push_back(p.shards() && windows[static_cast<size_t>(p.dim)].step > 0);
  return axes;
}

struct ReadNode final : egr::GradNode {
  MeshRef mesh;
  Ints dims;
  Placements placements;
  Windows windows;
  bool back;
  const char* name() const override { return "ReadWindowsGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    if (!grads[0].defined() || !needs(0)) return;
    const egr::GradModeGuard mode(create_graph);
    in[0] = ReadWithHistory(grads[0], dims, mesh, placements, windows, !back);
  }
};

}  // namespace

Part WindowPart(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows,
                int index) {
  Part part = PartOf(dims, mesh, placements, index);
  for (int d = 0; d < dims.size(); ++d) {
    const Reach& reach = windows[static_cast<size_t>(d)];
    if (reach.step == 0) continue;
    const Range r = RangeOf(dims, mesh, placements, reach, index, d);
    const int64_t first = std::max<int64_t>(0, r.first), end = std::min(dims[d], r.end);
    part[static_cast<size_t>(d)].clear();
    if (first < end) part[static_cast<size_t>(d)].push_back({first, end - first});
  }
  return part;
}

Padding PaddingOf(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows,
                  int index, int d) {
  const Range r = RangeOf(dims, mesh, placements, windows[static_cast<size_t>(d)], index, d);
  return {std::max<int64_t>(0, -r.first), std::max<int64_t>(0, r.end - dims[d])};
}

bool AllRead(const Ints& dims, const ProcessMesh& mesh, const Placements& placements, const Windows& windows) {
  for (int i = 0; i < mesh.size(); ++i) {
    const Part part = WindowPart(dims, mesh, placements, windows, i);
    for (size_t d = 0; d < windows.size(); ++d)
      if (windows[d].step && part[d].empty()) return false;
  }
  return true;
}

Tensor ReadLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& placements,
                 const Windows& windows, bool back) {
  if (Records(local)) return RecordRead(local, dims, mesh, placements, windows, back);
  const int index = mesh.index(), me = mesh.ids()[index];
  const auto part = [&](int i, bool reads) {
    return reads ? WindowPart(dims, mesh, placements, windows, i) : PartOf(dims, mesh, placements, i);
  };
  Exchange plan{RanksAlong(mesh, index, AxesRead(placements, windows)), {}, {}, true, {}, back};
  const Part from = part(index, back), to = part(index, !back);
  for (int r : plan.ranks) {
    const int i = mesh.IndexOf(r);
    const Part has = part(i, back), gets = part(i, !back);
    plan.send.push_back(OverlapsOf(from, gets));
    plan.receive.push_back(OverlapsOf(has, to));
    // Nobody reads what another has.
    const Part owned = back ? gets : has, read = back ? has : gets;
    plan.local = plan.local && CountOf(OverlapsOf(owned, read)) == CountOf(read);
    if (back) plan.local = plan.local && CountOf(owned) == CountOf(read);
  }
  return Run(plan, local, local.dtype(), from, to, me);
}

Tensor ReadWithHistory(const Tensor& local, const Ints& dims, const MeshRef& mesh, const Placements& placements,
                       const Windows& windows, bool back) {
  Tensor read = ReadLocal(local, dims, *mesh, placements, windows, back);
  if (!egr::State().grad_enabled || !egr::NeedsGrad(local)) return read;
  read = ApartFrom(local, std::move(read));
  auto node = NodeOfMove<ReadNode>(local, mesh, dims);
  node->placements = placements;
  node->windows = windows;
  node->back = back;
  egr::SetOnlyOutput(std::move(node), read);
  return read;
}

}  // namespace paddle::distributed
