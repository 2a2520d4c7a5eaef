// SPDX-License-Identifier: Apache-2.0
// Chooses how an operation on distributed tensors is divided, and runs it on the parts of this process.
#include "paddle/eager/dispatch/dist_call.h"

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/common/op_traits.h"
#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/propagation/rule.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/state.h"

namespace egr {

using paddle::distributed::AbsentResult;
using paddle::distributed::Axes;
using paddle::distributed::DistState;
using paddle::distributed::Factor;
using paddle::distributed::MakeDist;
using paddle::distributed::MeshRef;
using paddle::distributed::Placement;
using paddle::distributed::Placements;
using paddle::distributed::ReduceOp;
using paddle::distributed::StateOf;
using phi::Ints;

namespace {

// One tensor among the operands.
struct Operand {
  const Tensor* tensor;
  Placements from, to;
  int64_t bytes;  // of its part
};

// What an axis of the mesh divides: a factor, or each of equal pieces of it.
struct Choice {
  int factor = -1;  // -1: none
  int pieces = 1;
};

// The factors that the axes of the mesh divide.
class Division {
 public:
  // `windows`: whether factors that windows go over may be divided.
  Division(const paddle::distributed::ProcessMesh& mesh, const Axes& axes, std::vector<Operand>& operands,
           const std::vector<Ints>& out, bool windows = true)
      : mesh_(mesh), axes_(axes), operands_(operands), out_(out), windows_(windows), parts_(axes_.factors.size(), 1) {
    for (Operand& o : operands_) o.to.clear();
    for (int a = 0; a < mesh.ndim(); ++a) {
      const Choice c = Choose(a);
      chosen_.push_back(c);
      if (c.factor >= 0) parts_[static_cast<size_t>(c.factor)] *= int64_t{mesh.extent(a)} * c.pieces;
      for (size_t i = 0; i < operands_.size(); ++i) operands_[i].to.push_back(Placed(axes_.in[i], c));
    }
  }

  Placements OfOutput(size_t i) const {
    Placements p;
    for (const Choice& c : chosen_) {
      const bool partial = c.factor >= 0 && Lacks(i, c.factor);
      p.push_back(partial ? Placement::Partial(axes_.op) : Placed(axes_.out[i], c));
    }
    return p;
  }
  // Along which axes of the mesh the processes use operand i otherwise, though they have it alike.
  std::vector<bool> Apart(size_t i) const {
    std::vector<bool> apart;
    for (const Choice& c : chosen_) apart.push_back(c.factor >= 0 && Place(axes_.in[i], c.factor) < 0);
    return apart;
  }
  // Which axes of operand i are divided that windows go over.
  std::vector<bool> Windows(size_t i) const {
    std::vector<bool> divided(axes_.in[i].size());
    for (const Choice& c : chosen_)
      if (const int d = c.factor < 0 ? -1 : Place(axes_.in[i], c.factor); d >= 0 && FactorOf(c).windows)
        divided[static_cast<size_t>(d)] = true;
    return divided;
  }

 private:
  static int Place(const std::vector<int>& axes, int f) {
    const auto at = std::find(axes.begin(), axes.end(), f);
    return at == axes.end() ? -1 : static_cast<int>(at - axes.begin());
  }
  static Placement Placed(const std::vector<int>& axes, const Choice& c) {
    const int d = c.factor < 0 ? -1 : Place(axes, c.factor);
    return d < 0 ? Placement() : Placement::Shard(d, c.pieces);
  }
  // Whether result i is a partial one where a factor is divided.
  bool Lacks(size_t i, int f) const { return !axes_.alike[i] && Place(axes_.out[i], f) < 0; }
  const Factor& FactorOf(const Choice& c) const { return axes_.factors[static_cast<size_t>(c.factor)]; }
  bool Divides(const Choice& c, int a) const {
    const Factor& factor = FactorOf(c);
    if (factor.windows && (!windows_ || c.pieces > 1)) return false;
    const int64_t parts = parts_[static_cast<size_t>(c.factor)] * mesh_.extent(a) * c.pieces;
    for (int64_t e : factor.evenly)
      if (e % parts) return false;
    return factor.divides;
  }
  // Bytes that move where axis `a` divides so; -1: nothing.
  int64_t Cost(int a, const Choice& c) const {
    const int64_t n = mesh_.extent(a);
    int64_t cost = 0;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Placement p = operands_[i].from[static_cast<size_t>(a)], to = Placed(axes_.in[i], c);
      if (p == to || p.replicates()) continue;
      const int64_t b = operands_[i].bytes;
      if (p.partial())
        cost += (to.shards() ? 1 : 2) * b * (n - 1) / n;
      else
        cost += to.shards() ? b * (n - 1) / n : b * (n - 1);
    }
    if (c.factor >= 0 && FactorOf(c).contracts)
      for (size_t i = 0; i < out_.size(); ++i)
        if (Lacks(i, c.factor)) {
          int64_t bytes = 4;
          for (size_t k = 0; k < axes_.out[i].size(); ++k) {
            const int64_t e = out_[i][static_cast<int64_t>(k)];
            bytes *= axes_.out[i][k] < 0 ? e : e / std::max<int64_t>(1, parts_[static_cast<size_t>(axes_.out[i][k])]);
          }
          cost += 2 * bytes * (n - 1) / n;
        }
    return cost;
  }
  Choice Choose(int a) const {
    Choice best;
    int64_t least = -1;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Placement p = operands_[i].from[static_cast<size_t>(a)];
      const Choice c{p.shards() ? axes_.in[i][static_cast<size_t>(p.dim)] : -1, p.pieces};
      const bool known = c.factor == best.factor && c.pieces == best.pieces;
      if (c.factor < 0 || known || !Divides(c, a)) continue;
      const int64_t cost = Cost(a, c);
      if (least < 0 || cost < least) {
        best = c;
        least = cost;
      }
    }
    return best.factor >= 0 && Cost(a, {}) < least ? Choice() : best;
  }

  const paddle::distributed::ProcessMesh& mesh_;
  const Axes& axes_;
  std::vector<Operand>& operands_;
  const std::vector<Ints>& out_;
  const bool windows_;
  std::vector<int64_t> parts_;  // of each factor so far
  std::vector<Choice> chosen_;  // by each axis of the mesh
};

// How an axis of the mesh, of n processes, divides a tensor under another shape where it places the tensor as p, so
// that parts stay the same elements; both shapes are those of parts along the axes of the mesh before. Else a replica.
//
// A divided axis is runs of one length in memory, of each of which a process has a share. They are pieces of an axis of
// the result that begins no later than runs do, if no element along it crosses shares.
Placement UnderShape(const Ints& in, const Ints& out, const Placement& p, int64_t n) {
  int64_t before = 1, after = 1;
  for (int k = 0; k < p.dim; ++k) before *= in[k];
  for (int64_t k = p.dim + 1; k < in.size(); ++k) after *= in[k];
  const int64_t extent = in[p.dim], runs = before * p.pieces, length = extent / p.pieces * after;
  const bool even = extent % (p.pieces * n) == 0;
  Placement found;
  int64_t outer = 1, inner = common::Product(out);
  if (inner == 0) return found;
  for (int j = 0; j < out.size(); ++j) {
    inner /= out[j];
    if (out[j] == 1) continue;
    if (outer == before && out[j] == extent) return Placement::Shard(j, p.pieces);
    if (even && runs % outer == 0 && out[j] % (runs / outer) == 0 && length / n % inner == 0 &&
        (n > 1 || runs == outer))
      found = Placement::Shard(j, runs / outer);
    outer *= out[j];
  }
  return found;
}

// The same along all axes of the mesh; the operand is moved to where its parts stay the same.
Placements UnderShape(const paddle::distributed::ProcessMesh& mesh, const Ints& in, const Ints& out, Operand& operand) {
  const auto axes = static_cast<size_t>(mesh.ndim());
  Placements placed(axes);
  operand.to.assign(axes, Placement());
  for (size_t a = 0; a < axes; ++a) {
    const Placement& p = operand.from[a];
    if (!p.shards()) continue;
    const Placement through = UnderShape(ExtentsOf(in, mesh, operand.to, 0), ExtentsOf(out, mesh, placed, 0), p,
                                         mesh.extent(static_cast<int>(a)));
    if (!through.shards()) continue;
    placed[a] = through;
    operand.to[a] = p;
  }
  return placed;
}

// The mesh of the operands: of several the smallest, which has no process that the others lack. Undefined for none.
MeshRef MeshOf(const phi::OpDef& op, std::span<const phi::InSlot> in) {
  MeshRef mesh, other;
  for (const phi::InSlot& s : in)
    for (int i = 0; i < s.n; ++i) {
      if (!IsDist(s.p[i])) continue;
      const MeshRef& m = StateOf(s.p[i]).mesh;
      if (mesh && !(*mesh == *m)) other = m->size() < mesh->size() ? mesh : m;
      if (!mesh || m->size() < mesh->size()) mesh = m;
    }
  if (!other) return mesh;
  for (const phi::InSlot& s : in)
    for (int i = 0; i < s.n; ++i) {
      if (!IsDist(s.p[i])) continue;
      const MeshRef& m = StateOf(s.p[i]).mesh;
      bool within = m->size() > mesh->size() || *m == *mesh;
      for (int rank : mesh->ids()) within = within && m->IndexOf(rank) >= 0;
      PD_CHECK(within, InvalidArgument, "[", op.name, "] expected distributed tensors on one mesh, got ", TextOf(*mesh),
               " and ", TextOf(*m), ": reshard one of them");
    }
  return mesh;
}

// A tensor on a mesh of some of its processes, placed along axes of the same names as before.
Tensor Brought(const Tensor& t, const MeshRef& mesh) {
  const DistState& s = StateOf(t);
  Placements to;
  for (const std::string& name : mesh->names()) {
    const auto at = std::find(s.mesh->names().begin(), s.mesh->names().end(), name);
    to.push_back(at == s.mesh->names().end() ? Placement() : s.placements[at - s.mesh->names().begin()]);
  }
  return Reshard(t, mesh, to);
}

bool Shares(const Tensor& a, const Tensor& b) { return a->storage() && a->storage().get() == b->storage().get(); }

// The whole shape, which processes divide: known also while a program is recorded.
Ints ShapeOf(const phi::OpDef& op, const Tensor& t) {
  if (!t.is_symbolic()) return t.dims();
  for (common::Dim d : t.extents())
    PD_CHECK(d.known(), Unimplemented, "[", op.name,
             "] expected tensors of known extents beside distributed ones, got shape ", common::ShapeText(t.extents()));
  return common::ToInts(t.extents());
}

// A write of values, recorded or at once.
void Overwrite(Tensor place, const Tensor& values, const char* op) {
  if (State().record == RecordMode::kRun) {
    phi::CopyInto(values, place);
    place->storage()->BumpVersion();
    return;
  }
  const GradModeGuard off(false);
  const Tensor old = BeforeWrite(place, op, false);
  WriteOver(place, old, values, op, false);
}

}  // namespace

struct DistCall::Results {
  struct One {
    Ints dims;
    phi::DataType dtype;
    Placements placements;
  };
  const phi::OpDef& op;
  MeshRef mesh;
  std::vector<std::vector<One>> of;  // of each output; empty where only a run tells
  // By output: the tensor that it is written into, and which operand that is.
  std::vector<Tensor> written;
  std::vector<size_t> written_operand;
  std::vector<Tensor> dense;  // outside the mesh: operands that are not distributed and get a gradient

  // What stands, outside the mesh, for the part of a result of `operands`. It has a history where the part has one: all
  // processes take part in the gradient of a move to another mesh, or none.
  Tensor Absent(const std::vector<Tensor>* operands, size_t output, phi::DataType dtype) const {
    const bool constant = (common::TraitsOf(op.name).constant_results >> output & 1) != 0;
    return !operands || constant ? Tensor() : AbsentResult(*operands, dtype, dense);
  }
};

DistCall::DistCall(const phi::OpDef& op, const char* rule, std::span<const phi::InSlot> in,
                   const phi::AttrValue* attrs) {
  const MeshRef mesh = MeshOf(op, in);
  bool history = false;
  std::vector<Operand> operands;
  std::vector<Tensor> given;  // the operands, on one mesh
  for (const phi::InSlot& s : in)
    for (int i = 0; i < s.n; ++i) {
      const Tensor& t = s.p[i];
      given.push_back(IsDist(t) && !(*StateOf(t).mesh == *mesh) ? Brought(t, mesh) : t);
    }
  std::vector<Ints> shapes;
  std::vector<int> slot;
  std::vector<std::vector<phi::Meta>> metas(in.size());
  for (size_t k = 0, n = 0; k < in.size(); ++k)
    for (int i = 0; i < in[k].n; ++i) {
      const Tensor& t = given[n++];
      if (!t.defined()) continue;
      PD_CHECK(t.is_dense() || t.is_dist() || t.is_symbolic(), InvalidType, "[", op.name,
               "] expected dense tensors beside distributed ones, got one of another kind");
      metas[k].push_back(t.meta());
      shapes.push_back(ShapeOf(op, t));
      operands.push_back({&t, {}, {}, common::Product(shapes.back()) * static_cast<int64_t>(phi::SizeOf(t.dtype()))});
      slot.push_back(static_cast<int>(k));
      history = history || (State().grad_enabled && NeedsGrad(t));
    }
  here_ = mesh->here();
  for (Operand& o : operands) {
    if (o.tensor->is_dist()) {
      o.from = StateOf(*o.tensor).placements;
      // All processes must judge alike: by the first part, which is the largest.
      o.bytes = common::Product(ExtentsOf(o.tensor->dims(), *mesh, o.from, 0)) *
                static_cast<int64_t>(phi::SizeOf(o.tensor->dtype()));
    } else {
      o.from.resize(static_cast<size_t>(mesh->ndim()));
    }
  }
  results_.reset(new Results{op, mesh, {}, {}, {}, {}});
  if (history && !here_) {
    absent_ = std::make_unique<std::vector<Tensor>>();
    const uint16_t constant = common::TraitsOf(op.name).constant_operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Tensor& t = *operands[i].tensor;
      if ((constant >> slot[i] & 1) == 0) (t.is_dist() ? *absent_ : results_->dense).push_back(phi::LocalOf(t));
    }
  }
  results_->written.resize(op.outs.size());
  results_->written_operand.resize(op.outs.size());
  std::vector<bool> is_written(in.size());
  for (size_t k = 0; k < op.outs.size(); ++k)
    for (size_t a = 0; a < op.tensors.size() && op.outs[k].same_as_input; ++a)
      if (std::string_view(op.tensors[a]->name) == op.outs[k].same_as_input && in[a].n == 1 && in[a].p->defined()) {
        results_->written[k] = *in[a].p;
        results_->written_operand[k] = a;
        is_written[a] = true;
      }
  std::vector<Ints> out;
  std::vector<int> out_slot;
  std::vector<std::vector<phi::Meta>> found(op.outs.size());
  const paddle::distributed::Rule& read = paddle::distributed::RuleOf(rule);
  if (op.infer && (read.kind != paddle::distributed::Rule::kReplicate || !here_)) {
    std::vector<phi::MetaSlot> slots;
    for (const auto& m : metas) slots.push_back({m.data(), static_cast<int>(m.size())});
    op.infer(slots.data(), attrs, found.data());
    for (size_t k = 0; k < found.size(); ++k) {
      if (found[k].empty() && results_->written[k].defined()) found[k].push_back(results_->written[k].meta());
      for (const phi::Meta& m : found[k]) {
        out.push_back(common::ToInts(m.dims));
        out_slot.push_back(static_cast<int>(k));
      }
    }
  }
  PD_CHECK(here_ || op.infer, Unimplemented, "[", op.name,
           "] expected a process of the mesh, as only a run tells the shape of the result, got one outside ",
           TextOf(*mesh));
  results_->of.resize(op.outs.size());
  const auto place = [&](auto placements_of) {
    for (size_t i = 0, k = 0; k < found.size(); ++k)
      for (const phi::Meta& m : found[k]) {
        results_->of[k].push_back({out[i], m.dtype, placements_of(i)});
        ++i;
      }
  };
  std::vector<std::vector<bool>> apart(operands.size(), std::vector<bool>(static_cast<size_t>(mesh->ndim())));
  paddle::distributed::Spatial spatial;
  const bool extents = read.kind == paddle::distributed::Rule::kExtents;
  if (extents && !out.empty()) {
    const Placements whole(static_cast<size_t>(mesh->ndim()));
    for (Operand& o : operands) o.to = whole;
    const Placements placed = UnderShape(*mesh, shapes[0], out[0], operands[0]);
    place([&](size_t i) { return i == 0 ? placed : whole; });
  } else {
    const Axes axes = AxesOf(read, op, attrs, shapes, slot, out, out_slot, history);
    auto division = std::make_unique<Division>(*mesh, axes, operands, out);
    if (HasWindows(read)) {
      const std::vector<bool> divided = division->Windows(0);
      windows_ = std::find(divided.begin(), divided.end(), true) != divided.end();
      if (windows_) spatial = paddle::distributed::SpatialOf(op, attrs, shapes, out[0], divided);
      if (windows_ && (spatial.windows.empty() || !AllRead(shapes[0], *mesh, operands[0].to, spatial.windows))) {
        windows_ = false;
        division = std::make_unique<Division>(*mesh, axes, operands, out, false);
      }
    }
    for (size_t i = 0; i < operands.size(); ++i) apart[i] = division->Apart(i);
    place([&](size_t i) { return division->OfOutput(i); });
  }
  operands_.resize(in.size());
  for (size_t k = 0, i = 0, n = 0; k < in.size(); ++k) {
    for (int j = 0; j < in[k].n; ++j) {
      const Tensor& t = given[n++];
      if (!t.defined()) {
        operands_[k].emplace_back();
        continue;
      }
      Tensor local = phi::LocalOf(t);
      paddle::distributed::MoveNotes::Add(*mesh, operands[i].from, operands[i].to);
      if (i == 0 && windows_) paddle::distributed::MoveNotes::Add(*mesh, spatial.windows, operands[0].to);
      if (here_) {
        Tensor moved = MoveWithHistory(local, shapes[i], mesh, operands[i].from, operands[i].to);
        if (is_written[k] && !moved.is_same(local) && Shares(moved, local)) {
          moved = phi::Empty(moved.dims(), moved.dtype());
          phi::CopyInto(MoveLocal(local, t.dims(), *mesh, operands[i].from, operands[i].to), moved);
        }
        if (i == 0 && windows_) moved = ReadWithHistory(moved, shapes[0], mesh, operands[0].to, spatial.windows);
        local = UsedApart(moved, mesh, apart[i]);
      }
      operands_[k].push_back(std::move(local));
      ++i;
    }
    if (in[k].n == 0) operands_[k].emplace_back();
  }
  if (windows_ && here_) {
    paddings_ = spatial.paddings;
    for (int d = spatial.first; d < static_cast<int>(spatial.windows.size()); ++d) {
      if (spatial.windows[static_cast<size_t>(d)].step == 0) continue;
      const auto p = PaddingOf(shapes[0], *mesh, operands[0].to, spatial.windows, mesh->index(), d);
      paddings_[2 * (d - spatial.first)] = p.low;
      paddings_[2 * (d - spatial.first) + 1] = p.high;
    }
  }
  const bool asks = extents || read.kind == paddle::distributed::Rule::kNotation;
  if (!asks || !here_) return;
  for (size_t a = 0; a < op.attrs.size(); ++a)
    if (std::string_view(op.attrs[a]->name) == "shape" && std::holds_alternative<phi::IntArray>(attrs[a])) {
      shape_attr_ = static_cast<int>(a);
      shape_ = ExtentsOf(out[0], *mesh, results_->of[0][0].placements, mesh->index());
    }
}

DistCall::~DistCall() = default;

Tensor DistCall::WrapOne(size_t output, Tensor local) {
  const Results& r = *results_;
  const auto& of = r.of[output];
  if (Tensor t = r.written[output]; t.defined()) {
    const Tensor& place = phi::LocalOf(t);
    if (!here_ || !local.defined() || operands_[r.written_operand[output]].front().is_same(place)) return t;
    const Placements whole(static_cast<size_t>(r.mesh->ndim()));
    Overwrite(place, MoveLocal(local, t.dims(), *r.mesh, of[0].placements, t.is_dist() ? StateOf(t).placements : whole),
              r.op.name);
    return t;
  }
  if (!local.defined() && (here_ || of.empty())) return local;
  if (!here_) local = r.Absent(absent_.get(), output, of[0].dtype);
  if (of.empty())
    return MakeDist(local, Ints(local.dims()), local.dtype(), r.mesh, Placements(static_cast<size_t>(r.mesh->ndim())));
  return MakeDist(local, of[0].dims, here_ ? local.dtype() : of[0].dtype, r.mesh, of[0].placements);
}

std::vector<Tensor> DistCall::WrapOne(size_t output, std::vector<Tensor> locals) {
  const Results& r = *results_;
  const auto& of = r.of[output];
  if (!here_) locals.resize(of.size());
  for (size_t i = 0; i < locals.size(); ++i) {
    Tensor& t = locals[i];
    if (here_ && !t.defined()) continue;
    if (!here_) t = r.Absent(absent_.get(), output, of[i].dtype);
    const Placements none(static_cast<size_t>(r.mesh->ndim()));
    const Ints dims = of.empty() ? Ints(t.dims()) : of[i].dims;
    t = MakeDist(t, dims, here_ ? t.dtype() : of[i].dtype, r.mesh, of.empty() ? none : of[i].placements);
  }
  return locals;
}

void DistWrite(Tensor& x, const char* op, const std::function<Tensor(const Tensor&)>& compute) {
  PD_CHECK(x.is_dist(), InvalidArgument, "[", op,
           "] expected a distributed tensor to write to, as the others are, got a dense one");
  const MeshRef mesh = StateOf(x).mesh;
  const Placements placements = StateOf(x).placements;
  Tensor local = StateOf(x).local;
  if (!StateOf(x).here) {
    const Tensor result = compute(x);
    const bool fits = result.dims() == x.dims();
    if (fits && result.stop_gradient()) return;
    x->Become((fits ? Reshard(result, mesh, placements) : result)->state());
    x->stop_gradient = phi::LocalOf(x).stop_gradient();
    return;
  }
  const bool saved = State().grad_enabled;
  const Tensor old = BeforeWrite(local, op, saved);
  Tensor result = compute(MakeDist(old, x.dims(), x.dtype(), mesh, placements));
  if (result.dims() == x.dims()) {
    result = Reshard(result, mesh, placements);
    WriteOver(local, old, phi::LocalOf(result), op, saved);
    x->Become(phi::TensorState::Dist(x.dims(), local.dtype(), local.place(), x->parts()));
  } else {
    x->Become(result->state());
  }
  x->stop_gradient = phi::LocalOf(x).stop_gradient();
}

}  // namespace egr
