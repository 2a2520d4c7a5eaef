// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/reshard/reshard.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "paddle/common/error.h"
#include "paddle/distributed/mesh/world.h"
#include "paddle/distributed/reshard/exchange.h"
#include "paddle/distributed/reshard/recorded_move.h"
#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/host_lock.h"

namespace paddle::distributed {

namespace {

int CountAlong(const ProcessMesh& mesh, const std::vector<bool>& axes) {
  int n = 1;
  for (int a = 0; a < mesh.ndim(); ++a) n *= axes[a] ? mesh.extent(a) : 1;
  return n;
}

Tensor AllReduce(const Tensor& local, const std::vector<int>& ranks, ReduceOp op) {
  CheckReduction("reshard", local.dtype(), op);
  const Tensor in = phi::Contiguous(local), out = phi::Empty(local.dims(), local.dtype());
  Collective c{.kind = CollectiveKind::kAllReduce, .dtype = local.dtype(), .op = op};
  c.in = {MessageOf(in)};
  c.out = {MessageOf(out)};
  CommunicatorOf(ranks).Run(std::move(c));
  return out;
}

// What an all_reduce may move beyond the least, as it is one collective and not two.
constexpr int64_t kSmall = 16 << 10;

// The steps of a move. Each is told of what is at hand and where it goes.
class Mover {
 public:
  Mover(const Ints& dims, int64_t element, const ProcessMesh& mesh, Placements from, int index)
      : dims_(dims), element_(element), mesh_(mesh), at_(std::move(from)), index_(index) {}
  virtual ~Mover() = default;

  void Move(const Placements& to) {
    for (std::vector<bool> axes; Reduced(to, &axes);) ReduceAlong(axes, to);
    // Partial axes are reduced from the first to the last, so they are made from the last to the first.
    while (!(at_ == to)) {
      Placements next = to;
      const Placement* last = nullptr;
      for (size_t a = to.size(); a-- > 0;) {
        if (!to[a].partial() || at_[a] == to[a]) continue;
        const bool whole = to[a].op != ReduceOp::kSum && to[a].op != ReduceOp::kProd;
        if (!last && !whole) last = &to[a];
        if (whole || last->op != to[a].op) next[a] = Placement();
      }
      if (!(at_ == next)) ExchangeTo(next);
      at_ = std::move(next);
      // What all have is their maximum, minimum and mean.
      for (size_t a = to.size(); a-- > 0 && !(at_ == to);) {
        if (at_[a] == to[a]) continue;
        if (to[a].op == ReduceOp::kSum || to[a].op == ReduceOp::kProd) break;
        at_[a] = to[a];
      }
    }
  }

 protected:
  virtual void Reduce(const std::vector<bool>& axes, ReduceOp op) = 0;
  // Each process gets its part of the reduction; parts along other axes are cut off.
  virtual void Scatter(const std::vector<bool>& axes, ReduceOp op, const Placements& next) = 0;
  virtual void ExchangeTo(const Placements& next) = 0;
  // Parts of parts: no communication.
  virtual void CutTo(const Placements& next) = 0;

  Part Here(const Placements& p) const { return PartOf(dims_, mesh_, p, index_); }
  int64_t CountHere(const Placements& p) const { return common::Product(ExtentsOf(dims_, mesh_, p, index_)); }
  // Processes that exchange parts: those along axes that change, and along axes that divide the same axes of the
  // tensor.
  std::vector<int> Peers(const Placements& next) const {
    std::vector<bool> axes(at_.size());
    for (size_t a = 0; a < at_.size(); ++a) axes[a] = !(at_[a] == next[a]);
    const auto divides = [&](size_t a, int d) { return at_[a].shards(d) || next[a].shards(d); };
    for (bool more = true; more;) {
      more = false;
      for (int d = 0; d < dims_.size(); ++d) {
        bool any = false;
        for (size_t a = 0; a < axes.size(); ++a) any = any || (axes[a] && divides(a, d));
        for (size_t a = 0; a < axes.size() && any; ++a)
          if (!axes[a] && divides(a, d)) more = axes[a] = true;
      }
    }
    return RanksAlong(mesh_, index_, axes);
  }

  const Ints& dims_;
  const int64_t element_;
  const ProcessMesh& mesh_;
  Placements at_;
  const int index_;

 private:
  // The axes of the mesh to reduce next, at once: the first partial one that changes and those like it. Reductions of
  // different kinds do not change places.
  bool Reduced(const Placements& to, std::vector<bool>* axes) const {
    const Placement* first = nullptr;
    axes->assign(at_.size(), false);
    for (size_t a = 0; a < at_.size(); ++a) {
      if (!at_[a].partial()) continue;
      if (first && at_[a].op != first->op) break;
      if (at_[a] == to[a]) continue;
      first = &at_[a];
      (*axes)[a] = true;
    }
    return first != nullptr;
  }

  // Whether parts of axis `d` along mesh axis `a` lie within the parts at hand.
  bool Divisible(size_t a, int d) const {
    for (size_t b = a + 1; b < at_.size(); ++b)
      if (at_[b].shards(d)) return false;
    return true;
  }
  // The axis of the tensor to divide along mesh axis `a`: the wanted one, else the longest; -1: none can be divided.
  int AxisToDivide(size_t a, const Placement& to, const Placements& next) const {
    if (to.shards() && Divisible(a, to.dim)) return to.dim;
    const Ints extents = ExtentsOf(dims_, mesh_, next, 0);
    int best = -1;
    for (int d = 0; d < dims_.size(); ++d)
      if (Divisible(a, d) && extents[d] > 1 && (best < 0 || extents[d] > extents[best])) best = d;
    return best;
  }

  // Of k terms that t processes want the sum of, k - 1 + t - 1 messages an element are the least. All reduce: 2(k - 1)
  // for each copy of the terms. Else each element is reduced in one place, and the exchange takes it where it belongs.
  void ReduceAlong(std::vector<bool> axes, const Placements& to) {
    ReduceOp op = ReduceOp::kSum;
    Placements next = at_;
    bool stays = true;
    int copies = 1;
    for (size_t a = 0; a < at_.size(); ++a) {
      if (axes[a]) op = at_[a].op;
      if (at_[a].replicates() && to[a].shards() && Divisible(a, to[a].dim)) next[a] = to[a];
      if (next[a].replicates()) copies *= mesh_.extent(static_cast<int>(a));
      stays = stays && (axes[a] ? !to[a].shards() : next[a] == to[a]);
    }
    const int terms = CountAlong(mesh_, axes);
    const bool small = common::Product(ExtentsOf(dims_, mesh_, next, 0)) * element_ <= kSmall;
    if (stays && (copies == 1 || terms == 2 || small)) {
      if (!(next == at_)) CutTo(next);
      at_ = std::move(next);
    } else {
      std::vector<bool> scattered(axes.size());
      const auto divide = [&](bool wanted) {
        for (size_t a = 0; a < at_.size(); ++a) {
          if (!(axes[a] || (next[a].replicates() && (terms > 2 || to[a].partial())))) continue;
          const int d = AxisToDivide(a, to[a], next);
          if (d < 0 || (to[a].shards(d) != wanted)) continue;
          next[a] = to[a].shards(d) ? to[a] : Placement::Shard(d);
          scattered[a] = axes[a];
        }
      };
      divide(true);
      divide(false);
      for (size_t a = 0; a < axes.size(); ++a) axes[a] = axes[a] && !scattered[a];
      if (std::find(scattered.begin(), scattered.end(), true) != scattered.end())
        Scatter(scattered, op, next);
      else if (!(next == at_))
        CutTo(next);
      at_ = std::move(next);
      if (std::find(axes.begin(), axes.end(), true) == axes.end()) return;
    }
    Reduce(axes, op);
    for (size_t a = 0; a < at_.size(); ++a)
      if (axes[a]) at_[a] = Placement();
  }
};

class TensorMover final : public Mover {
 public:
  TensorMover(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from)
      : Mover(dims, static_cast<int64_t>(phi::SizeOf(local.dtype())), mesh, from, mesh.index()), local_(local) {}
  Tensor Take() { return std::move(local_); }

 protected:
  void Reduce(const std::vector<bool>& axes, ReduceOp op) override {
    local_ = AllReduce(local_, RanksAlong(mesh_, index_, axes), op);
  }
  void Scatter(const std::vector<bool>& axes, ReduceOp op, const Placements& next) override {
    CheckReduction("reshard", local_.dtype(), op);
    const std::vector<int> ranks = RanksAlong(mesh_, index_, axes);
    const Part mine = Here(at_);
    const Tensor out = phi::Empty(ExtentsOf(dims_, mesh_, next, index_), local_.dtype());
    Collective c{.kind = CollectiveKind::kReduceScatter, .dtype = local_.dtype(), .op = op};
    std::vector<Tensor> pieces;
    for (int r : ranks) {
      pieces.push_back(phi::Contiguous(CutFrom(local_, mine, PartOf(dims_, mesh_, next, mesh_.IndexOf(r)))));
      c.in.push_back(MessageOf(pieces.back()));
    }
    c.out = {MessageOf(out)};
    CommunicatorOf(ranks).Run(std::move(c));
    local_ = out;
  }
  void ExchangeTo(const Placements& next) override {
    const int me = mesh_.ids()[index_];
    const Exchange plan = PlanExchange(dims_, {mesh_, at_}, {mesh_, next}, Peers(next), me);
    local_ = Run(plan, local_, local_.dtype(), Here(at_), Here(next), me);
  }
  void CutTo(const Placements& next) override { local_ = CutFrom(local_, Here(at_), Here(next)); }

 private:
  Tensor local_;
};

class ByteCounter final : public Mover {
 public:
  using Mover::Mover;
  int64_t bytes() const { return bytes_; }

 protected:
  void Reduce(const std::vector<bool>& axes, ReduceOp) override {
    const int n = CountAlong(mesh_, axes);
    bytes_ += 2 * CountHere(at_) * element_ * (n - 1) / n;
  }
  void Scatter(const std::vector<bool>& axes, ReduceOp, const Placements& next) override {
    bytes_ += CountHere(next) * element_ * (CountAlong(mesh_, axes) - 1);
  }
  void ExchangeTo(const Placements& next) override {
    const int me = mesh_.ids()[index_];
    const Exchange plan = PlanExchange(dims_, {mesh_, at_}, {mesh_, next}, Peers(next), me);
    for (size_t i = 0; i < plan.ranks.size(); ++i)
      if (plan.ranks[i] != me) bytes_ += CountOf(plan.receive[i]) * element_;
  }
  void CutTo(const Placements&) override {}

 private:
  int64_t bytes_ = 0;
};

struct Notes {
  std::atomic<bool> on = false;
  std::mutex mutex;
  std::set<std::pair<int, int>> pairs;
};
Notes& TheNotes() {
  static auto* notes = new Notes;
  return *notes;
}

// A move between meshes of a tensor that is partial on neither.
void NotePassage(const Ints& dims, const Side& from, const Side& to) {
  Notes& notes = TheNotes();
  if (!notes.on.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(notes.mutex);
  const std::vector<bool> fresh(from.placements.size());
  for (int s : from.mesh.ids())
    for (int r : to.mesh.ids())
      if (s != r && from.Sends(s, r, fresh) && !OverlapsOf(from.PartOfRank(dims, s), to.PartOfRank(dims, r)).empty())
        notes.pairs.insert({s, r});
}

// How the gradient of a tensor is placed.
Placements OfGradient(Placements p) {
  for (Placement& v : p)
    if (v.partial()) v = Placement();
  return p;
}

using egr::GradNode;

struct UsedApartNode final : GradNode {
  MeshRef mesh;
  std::vector<bool> axes;
  const char* name() const override { return "UsedApartGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    if (!grads[0].defined() || !needs(0)) return;
    Placements from(axes.size());
    for (size_t a = 0; a < axes.size(); ++a)
      if (axes[a]) from[a] = Placement::Partial(ReduceOp::kSum);
    const egr::GradModeGuard mode(create_graph);
    in[0] = MoveWithHistory(grads[0], Ints(grads[0].dims()), mesh, from, Placements(axes.size()));
  }
};

struct MoveNode final : GradNode {
  MeshRef mesh;
  Ints dims;
  Placements from, to;
  const char* name() const override { return "ReshardGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    if (!grads[0].defined() || !needs(0)) return;
    const egr::GradModeGuard mode(create_graph);
    Tensor g = MoveWithHistory(grads[0], dims, mesh, OfGradient(to), OfGradient(from));
    std::vector<bool> apart(from.size());
    double share = 1;
    for (size_t a = 0; a < from.size(); ++a) {
      apart[a] = from[a].partial() && !(from[a] == to[a]);
      if (apart[a] && from[a].op == ReduceOp::kAvg) share /= mesh->extent(static_cast<int>(a));
    }
    g = UsedApart(g, mesh, apart);
    in[0] = share == 1 ? g : paddle::scale(g, phi::Scalar(share), phi::Scalar(0.0), true);
  }
};

bool WithHistory(const Tensor& local) { return egr::State().grad_enabled && egr::NeedsGrad(local); }

// Gradients reach the operands of other processes through what stands for their parts here.
struct AbsentNode final : GradNode {
  std::vector<phi::DataType> dtypes;  // of the operands that get a gradient, which come first
  const char* name() const override { return "AbsentGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool) override {
    if (!grads[0].defined()) return;
    for (int i = 0; i < static_cast<int>(dtypes.size()); ++i)
      if (needs(i)) in[i] = grads[0].dtype() == dtypes[i] ? grads[0] : NewProxy(dtypes[i]);
  }
  static Tensor NewProxy(phi::DataType dtype) {
    if (egr::State().record == egr::RecordMode::kRun) return ProxyPart(dtype);
    const egr::GradModeGuard off(false);
    return paddle::full(phi::IntArray({0}), phi::Scalar(0.0), dtype);
  }
};

// A part beside what stands for parts of other processes: those get what stands for gradients.
struct BesideNode final : GradNode {
  const char* name() const override { return "BesideGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool) override {
    if (!grads[0].defined()) return;
    for (int i = 0; i < num_inputs(); ++i)
      if (needs(i)) in[i] = i == 0 ? grads[0] : AbsentNode::NewProxy(grads[0].dtype());
  }
};

Tensor ExchangeWithHistory(const Tensor& local, const Ints& dims, phi::DataType dtype, const MeshRef& mesh,
                           const Placements& from, const MeshRef& target, const Placements& to, bool back);

struct ExchangeNode final : GradNode {
  MeshRef mesh, target;
  Ints dims;
  phi::DataType dtype;
  Placements from, to;
  const char* name() const override { return "ReshardGradNode"; }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    if (!grads[0].defined() || !needs(0)) return;
    const egr::GradModeGuard mode(create_graph);
    const Tensor g = grads[0].dtype() == dtype ? grads[0] : paddle::cast(grads[0], dtype);
    in[0] = ExchangeWithHistory(g, dims, dtype, target, to, mesh, from, true);
  }
};

// One element in as many axes: parts of what has no axes could not be empty.
Tensor OfRank(const Tensor& t, const Ints& ones) { return phi::ViewOf(t, ones, ones, t->offset()); }

}  // namespace

Tensor MoveLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                 const Placements& to) {
  if (Records(local)) return from == to ? local : RecordMove(local, dims, mesh, from, to);
  if (dims.empty()) return OfRank(MoveLocal(OfRank(local, {1}), {1}, mesh, from, to), {});
  TensorMover mover(local, dims, mesh, from);
  mover.Move(to);
  Tensor moved = mover.Take();
  return moved.is_same(local) || moved->storage().get() == local->storage().get() ? phi::AliasOf(moved) : moved;
}

Tensor ExchangeLocal(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                     const ProcessMesh& target, const Placements& to, bool back) {
  if (dims.empty()) {
    const Tensor moved = ExchangeLocal(mesh.here() ? OfRank(local, {1}) : local, {1}, mesh, from, target, to, back);
    return moved.defined() ? OfRank(moved, {}) : moved;
  }
  std::vector<int> ranks = mesh.ids();
  ranks.insert(ranks.end(), target.ids().begin(), target.ids().end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const int me = WorldRank();
  const Side source{mesh, from}, sink{target, to};
  const Exchange plan = PlanExchange(dims, source, sink, std::move(ranks), me);
  const std::optional<Part> wanted = target.here() ? std::optional(sink.PartOfRank(dims, me)) : std::nullopt;
  return paddle::distributed::Run(plan, mesh.here() ? local : Tensor(), local.dtype(), source.PartOfRank(dims, me),
                                  wanted, me, back ? Means::kGradients : Means::kMessages);
}

Tensor AbsentResult(const std::vector<Tensor>& operands, phi::DataType dtype, const std::vector<Tensor>& dense) {
  Tensor result = AbsentNode::NewProxy(dtype);
  std::vector<const Tensor*> sources;
  for (const Tensor& t : operands)
    if (t.defined() && WithHistory(t)) sources.push_back(&t);
  const size_t parts = sources.size();
  for (const Tensor& t : dense)
    if (WithHistory(t)) sources.push_back(&t);
  if (sources.empty() || !phi::IsDifferentiable(dtype)) return result;
  auto node = phi::Ref<AbsentNode>::First(new AbsentNode);
  node->SetCounts(static_cast<int>(sources.size()), 1);
  for (size_t i = 0; i < sources.size(); ++i) {
    // A program knows the leaves whose gradients it makes.
    if (egr::State().record != egr::RecordMode::kRun && !sources[i]->is_symbolic())
      egr::State().recorder->ValueOf(*sources[i]);
    node->SetInput(static_cast<int>(i), *sources[i]);
    if (i < parts) node->dtypes.push_back(sources[i]->dtype());
  }
  egr::SetOnlyOutput(std::move(node), result);
  return result;
}

Tensor PartBeside(const Tensor& part, const std::vector<Tensor>& absent) {
  std::vector<const Tensor*> sources = {&part};
  for (const Tensor& t : absent)
    if (WithHistory(t)) sources.push_back(&t);
  if (sources.size() == 1 && !WithHistory(part)) return part;
  Tensor alias = Records(part) ? SameInProgram(part) : phi::AliasOf(part);
  auto node = phi::Ref<BesideNode>::First(new BesideNode);
  node->SetCounts(static_cast<int>(sources.size()), 1);
  for (size_t i = 0; i < sources.size(); ++i) node->SetInput(static_cast<int>(i), *sources[i]);
  egr::SetOnlyOutput(std::move(node), alias);
  return alias;
}

Tensor DistState::Whole(const Tensor& t) const {
  PD_CHECK(here, PreconditionNotMet, "[Tensor] expected a process of the mesh to read the tensor, got one outside ",
           TextOf(*mesh));
  return MoveLocal(local, t.dims(), *mesh, placements, Placements(placements.size()));
}

void MoveNotes::Begin() {
  Notes& notes = TheNotes();
  const std::lock_guard lock(notes.mutex);
  notes.pairs.clear();
  notes.on = true;
}
std::set<std::pair<int, int>> MoveNotes::End() {
  Notes& notes = TheNotes();
  const std::lock_guard lock(notes.mutex);
  notes.on = false;
  return std::exchange(notes.pairs, {});
}
void MoveNotes::Add(const ProcessMesh& mesh, const Placements& from, const Placements& to) {
  Notes& notes = TheNotes();
  if (!notes.on.load(std::memory_order_relaxed) || from == to) return;
  const std::lock_guard lock(notes.mutex);
  std::vector<bool> axes(from.size());
  for (size_t a = 0; a < axes.size(); ++a) axes[a] = !(from[a] == to[a]);
  for (int i = 0; i < mesh.size(); ++i)
    for (int r : RanksAlong(mesh, i, axes))
      if (r != mesh.ids()[i]) notes.pairs.insert({mesh.ids()[i], r});
}

void MoveNotes::Add(const ProcessMesh& mesh, const Windows& windows, const Placements& placements) {
  Placements whole = placements;
  for (Placement& p : whole)
    if (p.shards() && windows[static_cast<size_t>(p.dim)].step > 0) p = Placement();
  Add(mesh, placements, whole);
}

int64_t BytesReceived(const Ints& dims, int64_t element, const ProcessMesh& mesh, const Placements& from,
                      const Placements& to, int index) {
  ByteCounter counter(dims, element, mesh, from, index);
  counter.Move(to);
  return counter.bytes();
}

Tensor MoveWithHistory(const Tensor& local, const Ints& dims, const MeshRef& mesh, const Placements& from,
                       const Placements& to) {
  if (from == to) return local;
  Tensor moved = MoveLocal(local, dims, *mesh, from, to);
  if (!WithHistory(local)) return moved;
  for (size_t a = 0; a < from.size(); ++a)
    PD_CHECK(!from[a].partial() || from[a] == to[a] || from[a].op == ReduceOp::kSum || from[a].op == ReduceOp::kAvg,
             Unimplemented, "[reshard] expected sums or means where gradients are wanted, got ", TextOf(from));
  auto node = NodeOfMove<MoveNode>(local, mesh, dims);
  node->from = from;
  node->to = to;
  egr::SetOnlyOutput(std::move(node), moved);
  return moved;
}

namespace {

Tensor ExchangeWithHistory(const Tensor& local, const Ints& dims, phi::DataType dtype, const MeshRef& mesh,
                           const Placements& from, const MeshRef& target, const Placements& to, bool back) {
  if (!back) NotePassage(dims, {*mesh, from}, {*target, to});
  if (!mesh->here() && !target->here()) return AbsentResult({local}, dtype);
  Tensor moved = Records(local) ? RecordExchange(local, dims, *mesh, from, *target, to, back)
                                : ExchangeLocal(local, dims, *mesh, from, *target, to, back);
  if (!moved.defined()) moved = ProxyPart(dtype);
  if (!WithHistory(local)) return moved;
  moved = ApartFrom(local, std::move(moved));
  auto node = NodeOfMove<ExchangeNode>(local, mesh, dims);
  node->target = target;
  node->dtype = dtype;
  node->from = from;
  node->to = to;
  egr::SetOnlyOutput(std::move(node), moved);
  return moved;
}

}  // namespace

Tensor UsedApart(const Tensor& local, const MeshRef& mesh, const std::vector<bool>& axes) {
  bool any = false;
  for (size_t a = 0; a < axes.size(); ++a) any = any || (axes[a] && mesh->extent(static_cast<int>(a)) > 1);
  if (!any || !WithHistory(local)) return local;
  Tensor alias = Records(local) ? SameInProgram(local) : phi::AliasOf(local);
  auto node = phi::Ref<UsedApartNode>::First(new UsedApartNode);
  node->SetCounts(1, 1);
  node->SetInput(0, local);
  node->mesh = mesh;
  node->axes = axes;
  egr::SetOnlyOutput(std::move(node), alias);
  return alias;
}

Tensor Reshard(const Tensor& t, const MeshRef& mesh, const Placements& to) {
  const DistState& s = StateOf(t);
  CheckPlacements("reshard", t.dims(), *mesh, to);
  if (*s.mesh == *mesh) {
    MoveNotes::Add(*mesh, s.placements, to);
    Tensor local =
        s.here ? MoveWithHistory(s.local, t.dims(), mesh, s.placements, to) : AbsentResult({s.local}, t.dtype());
    return MakeDist(std::move(local), t.dims(), t.dtype(), mesh, to);
  }
  // Partial axes are reduced where they are, and made where the tensor goes.
  const Placements whole = OfGradient(s.placements), arrives = OfGradient(to);
  MoveNotes::Add(*s.mesh, s.placements, whole);
  MoveNotes::Add(*mesh, arrives, to);
  const Tensor local = s.here ? MoveWithHistory(s.local, t.dims(), s.mesh, s.placements, whole) : s.local;
  Tensor moved = ExchangeWithHistory(local, t.dims(), t.dtype(), s.mesh, whole, mesh, arrives, false);
  if (mesh->here()) moved = MoveWithHistory(moved, t.dims(), mesh, arrives, to);
  return MakeDist(std::move(moved), t.dims(), t.dtype(), mesh, to);
}

}  // namespace paddle::distributed
