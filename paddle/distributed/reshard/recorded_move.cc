// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/reshard/recorded_move.h"

#include "paddle/common/error.h"
#include "paddle/distributed/reshard/exchange.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle::distributed {
namespace {

using Longs = std::vector<int64_t>;
using Names = std::vector<std::string>;

template <class T>
phi::ArgDef Attr(const char* name) {
  return {name, phi::ArgDef::kAttr, paddle::AttrIndex<T>(), {}};
}

// Placements as numbers, three each.
Longs Packed(const Placements& placements) {
  Longs packed;
  for (const Placement& p : placements) {
    packed.push_back(p.kind);
    packed.push_back(p.partial() ? static_cast<int64_t>(p.op) : p.dim);
    packed.push_back(p.pieces);
  }
  return packed;
}
Placements Unpacked(const Longs& packed) {
  Placements placements;
  for (size_t i = 0; i + 2 < packed.size(); i += 3) {
    PD_CHECK(packed[i] >= Placement::kReplicate && packed[i] <= Placement::kPartial, InvalidArgument,
             "[reshard] expected the kind of a placement, got ", packed[i]);
    if (packed[i] == Placement::kShard)
      placements.push_back(Placement::Shard(packed[i + 1], packed[i + 2]));
    else
      placements.push_back(packed[i] == Placement::kPartial ? Placement::Partial(static_cast<ReduceOp>(packed[i + 1]))
                                                            : Placement());
  }
  return placements;
}

MeshRef MeshOf(const phi::AttrValue* attrs) {
  const Longs& ids = std::get<Longs>(attrs[1]);
  return MeshRef(new ProcessMesh(Ints(std::get<Longs>(attrs[0])), {ids.begin(), ids.end()}, std::get<Names>(attrs[2])));
}

// The attributes of the operation, read.
struct Move {
  Ints dims;
  MeshRef mesh;
  Placements from, to;

  explicit Move(const phi::AttrValue* attrs) : dims(std::get<Longs>(attrs[0])) {
    mesh = MeshOf(attrs + 1);
    from = Unpacked(std::get<Longs>(attrs[4]));
    to = Unpacked(std::get<Longs>(attrs[5]));
    CheckPlacements("reshard", dims, *mesh, from);
    CheckPlacements("reshard", dims, *mesh, to);
    PD_CHECK(mesh->here(), PreconditionNotMet, "[reshard] expected a process of the mesh ", TextOf(*mesh),
             ", which the program was recorded in, got another one");
  }
};

void Infer(const phi::MetaSlot* in, const phi::AttrValue* attrs, std::vector<phi::Meta>* outs) {
  const Move move(attrs);
  outs[0].push_back({common::ToDims(ExtentsOf(move.dims, *move.mesh, move.to, move.mesh->index())), in[0].p->dtype});
}

// What a move gives, in memory of its own.
Tensor Own(const Tensor& moved, const Tensor& local) {
  if (moved->storage().get() != local->storage().get() && moved.is_contiguous()) return moved;
  return phi::CopyOf(moved);
}

void Run(const phi::KernelContext&, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const Move move(attrs);
  const Tensor& local = *in[0].p;
  *outs[0].p = Own(MoveLocal(local, move.dims, *move.mesh, move.from, move.to), local);
}

phi::OpDef def_reshard_part("reshard_part",
                            {{"x", phi::ArgDef::kTensor, 0, {}},
                             Attr<Longs>("dims"),
                             Attr<Longs>("mesh_shape"),
                             Attr<Longs>("process_ids"),
                             Attr<Names>("dim_names"),
                             Attr<Longs>("from"),
                             Attr<Longs>("to")},
                            {{"out", false, false, nullptr}},
                            phi::kOpSideEffect | phi::kOpInternal | phi::kOpAllocates | phi::kOpComposed, Infer, Run);

// The attributes of an exchange between meshes, read.
struct Passage {
  Ints dims;
  MeshRef mesh, target;
  Placements from, to;
  bool back;

  explicit Passage(const phi::AttrValue* attrs) : dims(std::get<Longs>(attrs[0])) {
    mesh = MeshOf(attrs + 1);
    from = Unpacked(std::get<Longs>(attrs[4]));
    target = MeshOf(attrs + 5);
    to = Unpacked(std::get<Longs>(attrs[8]));
    back = std::get<bool>(attrs[9]);
    CheckPlacements("reshard", dims, *mesh, from);
    CheckPlacements("reshard", dims, *target, to);
    PD_CHECK(mesh->here() || target->here(), PreconditionNotMet, "[reshard] expected a process of the mesh ",
             TextOf(*mesh), " or ", TextOf(*target), ", which the program was recorded in, got another one");
  }
  Ints Extents() const {
    return target->here() ? ExtentsOf(dims, *target, to, target->index()) : Ints(std::vector<int64_t>{0});
  }
};

void InferPassage(const phi::MetaSlot* in, const phi::AttrValue* attrs, std::vector<phi::Meta>* outs) {
  outs[0].push_back({common::ToDims(Passage(attrs).Extents()), in[0].p->dtype});
}

void RunPassage(const phi::KernelContext&, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const Passage p(attrs);
  const Tensor& local = *in[0].p;
  const Tensor moved = ExchangeLocal(local, p.dims, *p.mesh, p.from, *p.target, p.to, p.back);
  *outs[0].p = moved.defined() ? Own(moved, local) : phi::Empty(p.Extents(), local.dtype());
}

phi::OpDef def_reshard_passage("reshard_passage",
                               {{"x", phi::ArgDef::kTensor, 0, {}},
                                Attr<Longs>("dims"),
                                Attr<Longs>("mesh_shape"),
                                Attr<Longs>("process_ids"),
                                Attr<Names>("dim_names"),
                                Attr<Longs>("from"),
                                Attr<Longs>("target_shape"),
                                Attr<Longs>("target_ids"),
                                Attr<Names>("target_names"),
                                Attr<Longs>("to"),
                                Attr<bool>("back")},
                               {{"out", false, false, nullptr}},
                               phi::kOpSideEffect | phi::kOpInternal | phi::kOpAllocates | phi::kOpComposed,
                               InferPassage, RunPassage);

// The attributes of what processes read for windows, read.
struct Reading {
  Ints dims;
  MeshRef mesh;
  Placements placements;
  Windows windows;
  bool back;

  explicit Reading(const phi::AttrValue* attrs) : dims(std::get<Longs>(attrs[0])) {
    mesh = MeshOf(attrs + 1);
    placements = Unpacked(std::get<Longs>(attrs[4]));
    const Longs& packed = std::get<Longs>(attrs[5]);
    for (size_t i = 0; i + 3 < packed.size(); i += 4)
      windows.push_back({packed[i], packed[i + 1], packed[i + 2], packed[i + 3]});
    back = std::get<bool>(attrs[6]);
    CheckPlacements("reshard", dims, *mesh, placements);
    PD_CHECK(windows.size() == static_cast<size_t>(dims.size()), InvalidArgument, "[reshard] expected windows for ",
             dims.size(), " axes, got ", windows.size());
    PD_CHECK(mesh->here(), PreconditionNotMet, "[reshard] expected a process of the mesh ", TextOf(*mesh),
             ", which the program was recorded in, got another one");
  }
};

void InferReading(const phi::MetaSlot* in, const phi::AttrValue* attrs, std::vector<phi::Meta>* outs) {
  const Reading r(attrs);
  const int index = r.mesh->index();
  const Part part = r.back ? PartOf(r.dims, *r.mesh, r.placements, index)
                           : WindowPart(r.dims, *r.mesh, r.placements, r.windows, index);
  outs[0].push_back({common::ToDims(ExtentsOf(part)), in[0].p->dtype});
}

void RunReading(const phi::KernelContext&, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const Reading r(attrs);
  const Tensor& local = *in[0].p;
  *outs[0].p = Own(ReadLocal(local, r.dims, *r.mesh, r.placements, r.windows, r.back), local);
}

phi::OpDef def_reshard_windows("reshard_windows",
                               {{"x", phi::ArgDef::kTensor, 0, {}},
                                Attr<Longs>("dims"),
                                Attr<Longs>("mesh_shape"),
                                Attr<Longs>("process_ids"),
                                Attr<Names>("dim_names"),
                                Attr<Longs>("placements"),
                                Attr<Longs>("windows"),
                                Attr<bool>("back")},
                               {{"out", false, false, nullptr}},
                               phi::kOpSideEffect | phi::kOpInternal | phi::kOpAllocates | phi::kOpComposed,
                               InferReading, RunReading);

Tensor Recorded(const phi::OpDef& op, const Tensor& local, const phi::AttrValue* attrs) {
  const egr::GradModeGuard off(false);
  const phi::InSlot slots[] = {phi::InSlot(local)};
  Tensor moved;
  phi::OutSlot results[] = {phi::OutSlot(moved)};
  egr::RecordOp(op, slots, attrs, results);
  moved->stop_gradient = true;
  return moved;
}

}  // namespace

bool Records(const Tensor& local) { return egr::State().record != egr::RecordMode::kRun || local.is_symbolic(); }

Tensor ApartFrom(const Tensor& local, Tensor moved) {
  const bool shares = !Records(local) && moved->storage().get() == local->storage().get();
  return shares || moved.is_same(local) ? phi::AliasOf(moved) : moved;
}

Tensor RecordMove(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                  const Placements& to) {
  bool apart = false;  // whether an axis that changes has several processes
  for (size_t a = 0; a < from.size(); ++a)
    apart = apart || (!(from[a] == to[a]) && mesh.extent(static_cast<int>(a)) > 1);
  if (!apart) return SameInProgram(local);
  const phi::AttrValue attrs[] = {Longs(dims.begin(), dims.end()),
                                  Longs(mesh.shape().begin(), mesh.shape().end()),
                                  Longs(mesh.ids().begin(), mesh.ids().end()),
                                  mesh.names(),
                                  Packed(from),
                                  Packed(to)};
  return Recorded(def_reshard_part, local, attrs);
}

Tensor RecordExchange(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& from,
                      const ProcessMesh& target, const Placements& to, bool back) {
  const auto shape = [](const ProcessMesh& m) { return Longs(m.shape().begin(), m.shape().end()); };
  const auto ids = [](const ProcessMesh& m) { return Longs(m.ids().begin(), m.ids().end()); };
  const phi::AttrValue attrs[] = {Longs(dims.begin(), dims.end()),
                                  shape(mesh),
                                  ids(mesh),
                                  mesh.names(),
                                  Packed(from),
                                  shape(target),
                                  ids(target),
                                  target.names(),
                                  Packed(to),
                                  back};
  return Recorded(def_reshard_passage, local, attrs);
}

Tensor RecordRead(const Tensor& local, const Ints& dims, const ProcessMesh& mesh, const Placements& placements,
                  const Windows& windows, bool back) {
  Longs packed;
  for (const Reach& w : windows) packed.insert(packed.end(), {w.out, w.step, w.low, w.field});
  const phi::AttrValue attrs[] = {Longs(dims.begin(), dims.end()),
                                  Longs(mesh.shape().begin(), mesh.shape().end()),
                                  Longs(mesh.ids().begin(), mesh.ids().end()),
                                  mesh.names(),
                                  Packed(placements),
                                  packed,
                                  back};
  return Recorded(def_reshard_windows, local, attrs);
}

Tensor SameInProgram(const Tensor& local) {
  egr::Recorder* recorder = egr::State().recorder;
  PD_CHECK(recorder, PreconditionNotMet, "[reshard] expected a tensor with data, got a value of a program");
  return recorder->Wrap(recorder->ValueOf(local));
}

}  // namespace paddle::distributed
