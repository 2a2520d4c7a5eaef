// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/reshard/exchange.h"

#include <algorithm>

#include "paddle/distributed/mesh/world.h"
#include "paddle/eager/autograd/engine.h"
#include "paddle/phi/api/ops.h"

namespace paddle::distributed {

namespace {

// What two lists of runs have in common: where it begins in each, counted from the first index.
struct CommonRun {
  int64_t a, b, extent;
};
std::vector<CommonRun> Intersection(const Runs& a, const Runs& b) {
  std::vector<CommonRun> found;
  int64_t before_a = 0;
  for (const IndexRun& r : a) {
    int64_t before_b = 0;
    for (const IndexRun& s : b) {
      const int64_t first = std::max(r.first, s.first);
      const int64_t extent = std::min(r.first + r.extent, s.first + s.extent) - first;
      const CommonRun next{before_a + first - r.first, before_b + first - s.first, extent};
      if (extent > 0) {
        const bool goes_on = !found.empty() && found.back().a + found.back().extent == next.a &&
                             found.back().b + found.back().extent == next.b;
        if (goes_on)
          found.back().extent += extent;
        else
          found.push_back(next);
      }
      before_b += s.extent;
    }
    before_a += r.extent;
  }
  return found;
}

Tensor BoxOf(const Tensor& t, const Ints& first, const Ints& extents) {
  int64_t offset = t->offset();
  for (int i = 0; i < first.size(); ++i) offset += first[i] * t.strides()[i];
  return phi::ViewOf(t, extents, t.strides(), offset);
}
Ints InOrder(const Ints& extents) {
  Ints strides = extents;
  common::ShapeWalk walk;
  for (int64_t i = extents.size(); i-- > 0;) {
    strides[i] = walk.stride();
    walk.Next(extents[i]);
  }
  return strides;
}
// Boxes in one row of memory, one behind another.
template <class F>
void EachInRow(const Tensor& row, const Overlaps& boxes, F f) {
  int64_t at = 0;
  for (const Overlap& o : boxes) {
    f(o, phi::ViewOf(row, o.extents, InOrder(o.extents), at));
    at += o.count();
  }
}
Tensor Packed(const Tensor& local, const Overlaps& boxes) {
  if (boxes.size() == 1) return phi::Contiguous(BoxOf(local, boxes[0].a, boxes[0].extents));
  const Tensor row = phi::Empty({CountOf(boxes)}, local.dtype());
  EachInRow(row, boxes, [&](const Overlap& o, const Tensor& t) { phi::CopyInto(BoxOf(local, o.a, o.extents), t); });
  return row;
}
void Put(const Tensor& from, const Tensor& place, bool adds) {
  if (!adds) return phi::CopyInto(from, place);
  const egr::GradModeGuard off(false);
  phi::CopyInto(paddle::add(place, from), place);
}

bool Same(const Overlaps& found, const Part& whole) { return CountOf(found) == CountOf(whole); }

}  // namespace

int64_t Overlap::count() const { return common::Product(extents); }

Overlaps OverlapsOf(const Part& a, const Part& b) {
  Overlaps boxes(1);
  for (size_t d = 0; d < a.size(); ++d) {
    Overlaps longer;
    const std::vector<CommonRun> common = Intersection(a[d], b[d]);
    for (const Overlap& o : boxes)
      for (const CommonRun& s : common) {
        longer.push_back(o);
        longer.back().a.push_back(s.a);
        longer.back().b.push_back(s.b);
        longer.back().extents.push_back(s.extent);
      }
    boxes = std::move(longer);
  }
  return boxes;
}

int64_t CountOf(const Overlaps& boxes) {
  int64_t n = 0;
  for (const Overlap& o : boxes) n += o.count();
  return n;
}

Ints ExtentsOf(const Part& part) {
  Ints extents;
  for (const Runs& runs : part) {
    int64_t n = 0;
    for (const IndexRun& r : runs) n += r.extent;
    extents.push_back(n);
  }
  return extents;
}

int64_t CountOf(const Part& part) { return common::Product(ExtentsOf(part)); }

Tensor CutFrom(const Tensor& local, const Part& whole, const Part& part) {
  const Overlaps boxes = OverlapsOf(whole, part);
  if (boxes.size() == 1) return BoxOf(local, boxes[0].a, boxes[0].extents);
  const Tensor result = phi::Empty(ExtentsOf(part), local.dtype());
  for (const Overlap& o : boxes) phi::CopyInto(BoxOf(local, o.a, o.extents), BoxOf(result, o.b, o.extents));
  return result;
}

Message MessageOf(const Tensor& t) {
  return {{{static_cast<char*>(t.raw_data()), static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype()))}}};
}

std::vector<int> RanksAlong(const ProcessMesh& mesh, int index, const std::vector<bool>& axes) {
  std::vector<int> ranks;
  for (int i = 0; i < mesh.size(); ++i) {
    bool same = true;
    for (int a = 0; a < mesh.ndim(); ++a)
      same = same && (axes[a] || mesh.Coordinate(i, a) == mesh.Coordinate(index, a));
    if (same) ranks.push_back(mesh.ids()[i]);
  }
  return ranks;
}

Part Side::PartOfRank(const Ints& dims, int rank) const {
  const int i = mesh.IndexOf(rank);
  return i >= 0 ? PartOf(dims, mesh, placements, i) : Part(static_cast<size_t>(dims.size()));
}

bool Side::Sends(int rank, int receiver, const std::vector<bool>& fresh) const {
  const int i = mesh.IndexOf(rank), own = mesh.IndexOf(receiver);
  if (i < 0) return false;
  for (int a = 0; a < mesh.ndim(); ++a) {
    const int at = mesh.Coordinate(i, a), wanted = mesh.Coordinate(own >= 0 ? own : receiver % mesh.size(), a);
    if ((fresh[a] || !placements[a].shards()) && at != wanted) return false;
    if (fresh[a] && !placements[a].shards() && at != 0) return false;
  }
  return true;
}

Exchange PlanExchange(const Ints& dims, const Side& from, const Side& to, std::vector<int> ranks, int me) {
  Exchange plan{std::move(ranks), {}, {}, true, {}};
  std::vector<bool> fresh(from.placements.size());
  for (size_t a = 0; a < to.placements.size(); ++a)
    if (to.placements[a].partial() && !from.placements[a].partial()) {
      fresh[a] = true;
      plan.others = to.placements[a].op == ReduceOp::kProd ? 1 : 0;
    }
  std::vector<Part> has, wants;
  for (int r : plan.ranks) {
    has.push_back(from.PartOfRank(dims, r));
    wants.push_back(to.PartOfRank(dims, r));
  }
  const size_t n = plan.ranks.size(), self = std::find(plan.ranks.begin(), plan.ranks.end(), me) - plan.ranks.begin();
  const auto sent = [&](size_t sender, size_t receiver) {
    if (!from.Sends(plan.ranks[sender], plan.ranks[receiver], fresh)) return Overlaps();
    return OverlapsOf(has[sender], wants[receiver]);
  };
  for (size_t r = 0; r < n; ++r) {
    plan.send.push_back(sent(self, r));
    plan.receive.push_back(sent(r, self));
    if (!plan.others) plan.local = plan.local && Same(OverlapsOf(has[r], wants[r]), wants[r]);
    for (size_t s = 0; s < n && plan.others && plan.local; ++s) plan.local = s == r || CountOf(sent(s, r)) == 0;
  }
  return plan;
}

Tensor Run(const Exchange& plan, const Tensor& local, phi::DataType dtype, const Part& mine,
           const std::optional<Part>& wanted, int me, Means means) {
  const size_t self = std::find(plan.ranks.begin(), plan.ranks.end(), me) - plan.ranks.begin();
  if (plan.local && wanted && local.defined() && (!plan.others || Same(plan.receive[self], *wanted)))
    return CutFrom(local, mine, *wanted);
  Tensor result;
  if (wanted) {
    const Ints extents = ExtentsOf(*wanted);
    const bool set = plan.others || plan.adds;
    result = set ? phi::FullLike(extents, dtype, plan.others.value_or(0)) : phi::Empty(extents, dtype);
  }
  std::vector<Tensor> out, in;
  Collective c{.kind = CollectiveKind::kAllToAll};
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    const bool none = i == self || plan.send[i].empty(), nothing = i == self || plan.receive[i].empty();
    out.push_back(none ? Tensor() : Packed(local, plan.send[i]));
    in.push_back(nothing ? Tensor() : phi::Empty({CountOf(plan.receive[i])}, dtype));
    c.in.push_back(none ? Message() : MessageOf(out.back()));
    c.out.push_back(nothing ? Message() : MessageOf(in.back()));
  }
  if (!plan.local && means == Means::kCollective)
    CommunicatorOf(plan.ranks).Run(std::move(c));
  else if (!plan.local)
    CommunicatorOf(plan.ranks).Pass(means == Means::kGradients, out, in);
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    const auto put = [&](const Overlap& o, const Tensor& t) { Put(t, BoxOf(result, o.b, o.extents), plan.adds); };
    if (i != self)
      EachInRow(in[i], plan.receive[i], put);
    else
      for (const Overlap& o : plan.receive[i]) put(o, BoxOf(local, o.a, o.extents));
  }
  return result;
}

}  // namespace paddle::distributed
