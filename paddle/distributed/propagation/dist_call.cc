// SPDX-License-Identifier: Apache-2.0
// Chooses how an operation on distributed tensors is divided, and runs it on the parts of this process.
#include "paddle/eager/dispatch/dist_call.h"

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/common/op_traits.h"
#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/propagation/plan.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/state.h"

namespace egr {

using paddle::distributed::AbsentResult;
using paddle::distributed::DistState;
using paddle::distributed::MakeDist;
using paddle::distributed::MeshRef;
using paddle::distributed::Operand;
using paddle::distributed::Placement;
using paddle::distributed::Placements;
using paddle::distributed::Plan;
using paddle::distributed::StateOf;
using phi::Ints;

namespace {

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

// The operands of a call, on one mesh.
struct Given {
  std::vector<Tensor> tensors;         // all of them
  std::vector<const Tensor*> defined;  // those that there are, and what is known of each
  std::vector<Operand> operands;
  std::vector<int> slot;                      // the argument it is of
  std::vector<std::vector<phi::Meta>> metas;  // of each argument
  bool history = false;                       // whether one needs a gradient
};

Given OperandsOn(const MeshRef& mesh, const phi::OpDef& op, std::span<const phi::InSlot> in) {
  Given g;
  for (const phi::InSlot& s : in)
    for (int i = 0; i < s.n; ++i) {
      const Tensor& t = s.p[i];
      g.tensors.push_back(IsDist(t) && !(*StateOf(t).mesh == *mesh) ? Brought(t, mesh) : t);
    }
  g.metas.resize(in.size());
  for (size_t k = 0, n = 0; k < in.size(); ++k)
    for (int i = 0; i < in[k].n; ++i) {
      const Tensor& t = g.tensors[n++];
      if (!t.defined()) continue;
      PD_CHECK(t.is_dense() || t.is_dist() || t.is_symbolic(), InvalidType, "[", op.name,
               "] expected dense tensors beside distributed ones, got one of another kind");
      g.metas[k].push_back(t.meta());
      g.defined.push_back(&t);
      const int64_t size = static_cast<int64_t>(phi::SizeOf(t.dtype()));
      Operand o{ShapeOf(op, t), {}, {}, 0};
      if (t.is_dist()) {
        o.from = StateOf(t).placements;
        // All processes must judge alike: by the first part, which is the largest.
        o.bytes = common::Product(ExtentsOf(o.dims, *mesh, o.from, 0)) * size;
      } else {
        o.from.resize(static_cast<size_t>(mesh->ndim()));
        o.bytes = common::Product(o.dims) * size;
      }
      g.operands.push_back(std::move(o));
      g.slot.push_back(static_cast<int>(k));
      g.history = g.history || (State().grad_enabled && NeedsGrad(t));
    }
  return g;
}

// What the shape rule says of the results; nothing where it is not asked.
struct Inferred {
  std::vector<std::vector<phi::Meta>> found;  // of each output
  std::vector<Ints> dims;
  std::vector<int> slot;
};

Inferred ResultsOf(const phi::OpDef& op, const phi::AttrValue* attrs, const Given& given,
                   const std::vector<Tensor>& written, bool asked) {
  Inferred r;
  r.found.resize(op.outs.size());
  if (!asked) return r;
  std::vector<phi::MetaSlot> slots;
  for (const auto& m : given.metas) slots.push_back({m.data(), static_cast<int>(m.size())});
  op.infer(slots.data(), attrs, r.found.data());
  for (size_t k = 0; k < r.found.size(); ++k) {
    if (r.found[k].empty() && written[k].defined()) r.found[k].push_back(written[k].meta());
    for (const phi::Meta& m : r.found[k]) {
      r.dims.push_back(common::ToInts(m.dims));
      r.slot.push_back(static_cast<int>(k));
    }
  }
  return r;
}

// The part of operand i, a tensor, that the plan asks for; one that is `written` is not moved within its memory.
Tensor PartFor(const Plan& plan, const MeshRef& mesh, const Given& given, size_t i, const Tensor& t, bool written) {
  const Operand& o = given.operands[i];
  const Tensor local = phi::LocalOf(t);
  Tensor moved = MoveWithHistory(local, o.dims, mesh, o.from, o.to);
  if (written && !moved.is_same(local) && phi::SameStorage(moved, local)) {
    moved = phi::Empty(moved.dims(), moved.dtype());
    phi::CopyInto(MoveLocal(local, t.dims(), *mesh, o.from, o.to), moved);
  }
  if (i == 0 && plan.windows) moved = ReadWithHistory(moved, o.dims, mesh, o.to, plan.spatial.windows);
  return UsedApart(moved, mesh, plan.apart[i]);
}

// The paddings of windows over the part of this process.
Ints PaddingsFor(const Plan& plan, const MeshRef& mesh, const Operand& o) {
  Ints paddings = plan.spatial.paddings;
  for (int d = plan.spatial.first; d < static_cast<int>(plan.spatial.windows.size()); ++d) {
    if (plan.spatial.windows[static_cast<size_t>(d)].step == 0) continue;
    const auto p = PaddingOf(o.dims, *mesh, o.to, plan.spatial.windows, mesh->index(), d);
    paddings[2 * (d - plan.spatial.first)] = p.low;
    paddings[2 * (d - plan.spatial.first) + 1] = p.high;
  }
  return paddings;
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
  Given given = OperandsOn(mesh, op, in);
  here_ = mesh->here();
  results_.reset(new Results{op, mesh, {}, {}, {}, {}});
  if (given.history && !here_) {
    absent_ = std::make_unique<std::vector<Tensor>>();
    const uint16_t constant = common::TraitsOf(op.name).constant_operands;
    for (size_t i = 0; i < given.operands.size(); ++i) {
      const Tensor& t = *given.defined[i];
      if ((constant >> given.slot[i] & 1) == 0) (t.is_dist() ? *absent_ : results_->dense).push_back(phi::LocalOf(t));
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
  const paddle::distributed::Rule& read = paddle::distributed::RuleOf(rule);
  const bool asked = op.infer && (read.kind != paddle::distributed::Rule::kReplicate || !here_);
  const Inferred inferred = ResultsOf(op, attrs, given, results_->written, asked);
  PD_CHECK(here_ || op.infer, Unimplemented, "[", op.name,
           "] expected a process of the mesh, as only a run tells the shape of the result, got one outside ",
           TextOf(*mesh));
  results_->of.resize(op.outs.size());
  const Plan plan =
      PlanOf(read, op, attrs, *mesh, &given.operands, given.slot, inferred.dims, inferred.slot, given.history);
  windows_ = plan.windows;
  for (size_t i = 0, k = 0; k < inferred.found.size(); ++k)
    for (const phi::Meta& m : inferred.found[k]) {
      results_->of[k].push_back({inferred.dims[i], m.dtype, plan.out[i]});
      ++i;
    }
  operands_.resize(in.size());
  for (size_t k = 0, i = 0, n = 0; k < in.size(); ++k) {
    for (int j = 0; j < in[k].n; ++j) {
      const Tensor& t = given.tensors[n++];
      if (!t.defined()) {
        operands_[k].emplace_back();
        continue;
      }
      const Operand& o = given.operands[i];
      paddle::distributed::MoveNotes::Add(*mesh, o.from, o.to);
      if (i == 0 && windows_) paddle::distributed::MoveNotes::Add(*mesh, plan.spatial.windows, o.to);
      operands_[k].push_back(here_ ? PartFor(plan, mesh, given, i, t, is_written[k]) : Tensor(phi::LocalOf(t)));
      ++i;
    }
    if (in[k].n == 0) operands_[k].emplace_back();
  }
  if (windows_ && here_) paddings_ = PaddingsFor(plan, mesh, given.operands[0]);
  if (here_ && plan.begins_operand >= 0) {
    const Operand& o = given.operands[static_cast<size_t>(plan.begins_operand)];
    const paddle::distributed::Part part = PartOf(o.dims, *mesh, o.to, mesh->index());
    const auto& runs = part[static_cast<size_t>(plan.begins_axis)];
    begin_ = runs.empty() ? 0 : runs[0].first;
  }
  const bool asks =
      read.kind == paddle::distributed::Rule::kExtents || read.kind == paddle::distributed::Rule::kNotation;
  if (!asks || !here_) return;
  for (size_t a = 0; a < op.attrs.size(); ++a)
    if (std::string_view(op.attrs[a]->name) == "shape" && std::holds_alternative<phi::IntArray>(attrs[a])) {
      shape_attr_ = static_cast<int>(a);
      shape_ = ExtentsOf(inferred.dims[0], *mesh, results_->of[0][0].placements, mesh->index());
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
