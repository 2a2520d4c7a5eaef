// SPDX-License-Identifier: Apache-2.0
// Meshes, placements and distributed tensors for Python.
#include "paddle/pybind/dist_tensor.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/distributed/mesh/world.h"
#include "paddle/distributed/reshard/exchange.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/distributed/store/tcp_store.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pybind/object/class_texts.h"
#include "paddle/pybind/module.h"
#include "paddle/jit/python/tape.h"

namespace paddle::py {

namespace pyb = pybind11;
namespace pd = paddle::distributed;
using pd::MeshRef;
using pd::Placement;
using pd::Placements;
using pd::ProcessMesh;

namespace {

Placements GradientPlacements(const Tensor& t) {
  Placements p = pd::StateOf(t).placements;
  for (Placement& v : p)
    if (v.partial()) v = Placement();
  return p;
}

Tensor LocalAs(const char* op, const Tensor& value, const Tensor& t, const Placements& placements) {
  const pd::DistState& s = pd::StateOf(t);
  PD_CHECK(value.dims() == t.dims(), InvalidArgument, "[", op, "] expected a tensor of shape ",
           common::ShapeText(t.dims()), ", got ", common::ShapeText(value.dims()));
  if (value.is_dist()) return phi::LocalOf(pd::Reshard(value, s.mesh, placements));
  if (!s.here) return pd::ProxyPart(t.dtype());
  return pd::MoveWithHistory(value, t.dims(), s.mesh, Placements(placements.size()), placements);
}

}  // namespace

Tensor WholeOf(const Tensor& t) {
  if (!t.defined() || !t.is_dist()) return t;
  const pd::DistState& s = pd::StateOf(t);
  PD_CHECK(s.here, PreconditionNotMet, "[Tensor] expected a process of the mesh to read the tensor, got one outside ",
           TextOf(*s.mesh));
  pd::MoveNotes::Add(*s.mesh, s.placements, Placements(s.placements.size()));
  return pd::MoveWithHistory(s.local, t.dims(), s.mesh, s.placements, Placements(s.placements.size()));
}

Tensor PartAs(const char* op, const Tensor& value, const Tensor& t) {
  return LocalAs(op, value, t, pd::StateOf(t).placements);
}

Tensor GradientOf(const Tensor& t, Tensor local) {
  if (!t.defined() || !t.is_dist() || !local.defined()) return local;
  return pd::MakeDist(local, t.dims(), local.dtype(), pd::StateOf(t).mesh, GradientPlacements(t));
}

Tensor GradientPart(const char* op, const Tensor& gradient, const Tensor& t) {
  PD_CHECK(!gradient.defined() || t.is_dist() || !gradient.is_dist(), InvalidArgument, "[", op,
           "] expected a dense gradient of a dense tensor, got a distributed one");
  if (!gradient.defined() || !t.is_dist()) return gradient;
  return LocalAs(op, gradient, t, GradientPlacements(t));
}

Tensor RootOf(const Tensor& t) {
  if (!t.is_dist()) return t;
  const pd::DistState& s = pd::StateOf(t);
  if (!s.here) return s.local;
  return pd::MoveWithHistory(s.local, t.dims(), s.mesh, s.placements, GradientPlacements(t));
}

Tensor Replicated(const Tensor& whole, const Tensor& t) {
  const pd::DistState& s = pd::StateOf(t);
  return pd::MakeDist(whole, whole.dims(), whole.dtype(), s.mesh, Placements(s.placements.size()));
}

Tensor AbsentLike(const Tensor& t, const phi::Ints& dims, const Tensor& other) {
  const pd::DistState& s = pd::StateOf(t);
  pd::MoveNotes::Add(*s.mesh, s.placements, Placements(s.placements.size()));
  std::vector<Tensor> parts = {s.local}, dense;
  if (other.defined()) (other.is_dist() ? parts : dense).push_back(phi::LocalOf(other));
  return pd::MakeDist(pd::AbsentResult(parts, t.dtype(), dense), dims, t.dtype(), s.mesh,
                      Placements(s.placements.size()));
}

Tensor AliasOfDist(const Tensor& t) {
  const pd::DistState& s = pd::StateOf(t);
  const Tensor local = phi::AliasOf(s.local);
  local->stop_gradient = t.stop_gradient();
  local->persistable = t->persistable;
  Tensor alias = pd::MakeDist(local, t.dims(), t.dtype(), s.mesh, s.placements);
  alias->stop_gradient = t.stop_gradient();
  return alias;
}

Tensor Outline(const Tensor& t) {
  if (!t.is_dist()) return Tensor();
  const pd::DistState& s = pd::StateOf(t);
  return pd::MakeDist(Tensor(), t.dims(), t.dtype(), s.mesh, s.placements);
}

namespace {

struct PyMesh {
  MeshRef mesh;
};
// A placement of Python; its class says which kind it is.
struct PyPlacement {
  Placement p;
  int order = 0;  // of several axes of a mesh that divide one axis of a tensor: the lower, the wider its parts

  friend bool operator==(const PyPlacement& a, const PyPlacement& b) { return a.p == b.p && a.order == b.order; }
};
std::string TextOf(const PyPlacement& s) {
  std::string text = pd::TextOf(s.p);
  if (s.order != 0) text.insert(text.size() - 1, ", shard_order=" + std::to_string(s.order));
  return text;
}
struct PyShard : PyPlacement {};
struct PyReplicate : PyPlacement {};
struct PyPartial : PyPlacement {};

const Tensor& Given(const char* op, const pyb::handle& o, const char* name) { return ToTensor(o.ptr(), op, name); }
const Tensor& GivenDist(const char* op, const pyb::handle& o) {
  const Tensor& t = Given(op, o, "tensor");
  PD_CHECK(t.is_dist(), InvalidType, "[", op, "] expected a distributed tensor, got one that is not");
  return t;
}
pyb::object Out(Tensor t) {
  PyObject* o = ToPy(std::move(t));
  if (!o) throw PyErrAlreadySet();
  return pyb::reinterpret_steal<pyb::object>(o);
}

// The wider parts are those of the first axis of the mesh. Where a later one is to have them, those of the first are of
// pieces: one for each of its processes.
Placements PlacementsOf(const char* op, const pyb::handle& list, const ProcessMesh& mesh) {
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr()))
    RaiseTypeError("[" + std::string(op) + "] expected a list of placements, got " + Py_TYPE(list.ptr())->tp_name);
  Placements r;
  std::vector<int> orders;
  for (const pyb::handle& o : list) {
    if (!pyb::isinstance<PyPlacement>(o))
      RaiseTypeError("[" + std::string(op) + "] expected Shard, Replicate or Partial as placement, got " +
                     Py_TYPE(o.ptr())->tp_name);
    r.push_back(o.cast<const PyPlacement&>().p);
    orders.push_back(o.cast<const PyPlacement&>().order);
  }
  for (size_t a = 0; a < r.size() && r.size() == static_cast<size_t>(mesh.ndim()); ++a)
    for (size_t b = a + 1; b < r.size(); ++b)
      if (r[a].shards() && r[b].shards(r[a].dim) && orders[b] < orders[a])
        r[a].pieces *= mesh.extent(static_cast<int>(b));
  return r;
}
// `-1` counts from the last axis.
Placements Counted(Placements p, int64_t rank) {
  for (Placement& v : p)
    if (v.shards() && v.dim < 0) v.dim += static_cast<int>(rank);
  return p;
}

pyb::object PlacementObject(const Placement& p) {
  if (p.shards()) return pyb::cast(PyShard{{p, 0}});
  return p.partial() ? pyb::cast(PyPartial{{p, 0}}) : pyb::cast(PyReplicate{{p, 0}});
}

// A tensor of its own, so that nothing written to one shows in the other.
Tensor Owned(const Tensor& local, const Tensor& source) {
  if (!local.defined() || !source.defined() || local->storage().get() != source->storage().get()) return local;
  return paddle::assign(local);
}

pyb::object ShardTensor(const pyb::object& data, const PyMesh& mesh, const pyb::object& list) {
  StopTape(Tape::kPlain, "a tensor was distributed");
  const Tensor& t = Given("shard_tensor", data, "data");
  PD_CHECK(t.is_dense(), InvalidType, "[shard_tensor] expected a dense tensor, got ",
           t.is_dist() ? "a distributed one: use reshard" : "one of another kind");
  const Placements p = Counted(PlacementsOf("shard_tensor", list, *mesh.mesh), t.ndim());
  CheckPlacements("shard_tensor", t.dims(), *mesh.mesh, p);
  Tensor local = pd::ProxyPart(t.dtype());
  if (mesh.mesh->here()) {
    const egr::GradModeGuard off(false);
    local = Owned(MoveLocal(t, t.dims(), *mesh.mesh, Placements(p.size()), p), t);
  }
  local->stop_gradient = t.stop_gradient();
  local->persistable = t->persistable;
  Tensor made = MakeDist(local, t.dims(), t.dtype(), mesh.mesh, p);
  made->stop_gradient = t.stop_gradient();
  return Out(made);
}

// `shape` None: all parts are as large as this one.
pyb::object FromLocal(const pyb::object& data, const PyMesh& mesh, const pyb::object& list, const pyb::object& shape) {
  StopTape(Tape::kPlain, "a tensor was distributed");
  const Tensor& t = Given("dtensor_from_local", data, "local_tensor");
  PD_CHECK(t.is_dense() || t.is_symbolic(), InvalidType,
           "[dtensor_from_local] expected a dense tensor, got one that is not");
  const Placements p = Counted(PlacementsOf("dtensor_from_local", list, *mesh.mesh), t.ndim());
  Ints dims = common::ToInts(t.extents());
  const bool stands = !mesh.mesh->here() && dims == Ints(std::vector<int64_t>{0});
  if (shape.is_none()) {
    CheckPlacements("dtensor_from_local", dims, *mesh.mesh, p);
    for (int a = 0; a < mesh.mesh->ndim(); ++a)
      if (p[a].shards()) dims[p[a].dim] *= mesh.mesh->extent(a);
  } else {
    const Ints whole(shape.cast<std::vector<int64_t>>());
    CheckPlacements("dtensor_from_local", whole, *mesh.mesh, p);
    PD_CHECK(!mesh.mesh->here() || ExtentsOf(whole, *mesh.mesh, p, mesh.mesh->index()) == dims, InvalidArgument,
             "[dtensor_from_local] expected this process's part of a tensor of shape ", common::ShapeText(whole),
             ", got one of shape ", common::ShapeText(dims));
    dims = whole;
  }
  if (mesh.mesh->here() || stands) return Out(MakeDist(t, dims, t.dtype(), mesh.mesh, p));
  const Tensor local = pd::ProxyPart(t.dtype());
  local->stop_gradient = t.stop_gradient();
  return Out(MakeDist(local, dims, t.dtype(), mesh.mesh, p));
}

pyb::object ReshardTensor(const pyb::object& tensor, const PyMesh& mesh, const pyb::object& list) {
  StopTape(Tape::kPlain, "a tensor was moved between processes");
  const Tensor& t = GivenDist("reshard", tensor);
  const Tensor moved = Reshard(t, mesh.mesh, Counted(PlacementsOf("reshard", list, *mesh.mesh), t.ndim()));
  const pd::DistState& s = pd::StateOf(moved);
  return Out(MakeDist(Owned(s.local, phi::LocalOf(t)), t.dims(), t.dtype(), s.mesh, s.placements));
}

// `to`, an object that others hold, is from now on what `from` is.
void Become(const pyb::object& to, const pyb::object& from) {
  const Tensor &t = Given("shard_tensor", to, "to"), &f = Given("shard_tensor", from, "from");
  PD_CHECK(!t->node(), InvalidArgument, "[shard_tensor] expected a leaf tensor, got the result of an operation");
  const bool stop = t->stop_gradient;
  t->Become(f->state());
  t->stop_gradient = stop;
  if (const Tensor& local = phi::LocalOf(t); local.defined()) local->stop_gradient = stop;
}

void AddPlacements(pyb::module_& m) {
  pyb::class_<PyPlacement>(m, "Placement", kPlacementText)
      .def(
          "is_shard",
          [](const PyPlacement& s, const pyb::object& dim) {
            return s.p.shards() && (dim.is_none() || dim.cast<int>() == s.p.dim);
          },
          pyb::arg("dim") = pyb::none())
      .def("is_replicated", [](const PyPlacement& s) { return s.p.replicates(); })
      .def("is_partial", [](const PyPlacement& s) { return s.p.partial(); })
      .def("__eq__",
           [](const PyPlacement& s, const pyb::object& o) {
             return pyb::isinstance<PyPlacement>(o) && o.cast<const PyPlacement&>() == s;
           })
      .def("__hash__", [](const PyPlacement& s) { return std::hash<std::string>()(TextOf(s)); })
      .def("__repr__", [](const PyPlacement& s) { return TextOf(s); });
  pyb::class_<PyShard, PyPlacement>(m, "Shard", kShardText)
      .def(pyb::init([](int dim, int split_factor, int shard_order) {
             if (split_factor != 1 && shard_order != 0)
               RaiseTypeError("[Shard] expected split_factor or shard_order, got both");
             return PyShard{{Placement::Shard(dim, split_factor), shard_order}};
           }),
           pyb::arg("dim"), pyb::kw_only(), pyb::arg("split_factor") = 1, pyb::arg("shard_order") = 0)
      .def("get_dim", [](const PyShard& s) { return s.p.dim; })
      .def("get_split_factor", [](const PyShard& s) { return s.p.pieces; })
      .def("set_split_factor", [](PyShard& s, int factor) { s.p.pieces = factor; })
      .def("get_co_shard_order", [](const PyShard& s) { return s.order; })
      .def(pyb::pickle([](const PyShard& s) { return pyb::make_tuple(s.p.dim, s.p.pieces, s.order); },
                       [](const pyb::tuple& t) {
                         // Files of before have the axis alone.
                         const bool all = t.size() == 3;
                         return PyShard{{Placement::Shard(t[0].cast<int>(), all ? t[1].cast<int>() : 1),
                                         all ? t[2].cast<int>() : 0}};
                       }));
  pyb::class_<PyReplicate, PyPlacement>(m, "Replicate", kReplicateText)
      .def(pyb::init([] { return PyReplicate{}; }))
      .def(pyb::pickle([](const PyReplicate&) { return pyb::tuple(); },
                       [](const pyb::tuple&) { return PyReplicate{}; }));
  pyb::enum_<pd::ReduceOp>(m, "ReduceType", kReduceTypeText)
      .value("kRedSum", pd::ReduceOp::kSum)
      .value("kRedMax", pd::ReduceOp::kMax)
      .value("kRedMin", pd::ReduceOp::kMin)
      .value("kRedProd", pd::ReduceOp::kProd)
      .value("kRedAvg", pd::ReduceOp::kAvg);
  pyb::class_<PyPartial, PyPlacement>(m, "Partial", kPartialText)
      .def(pyb::init([](pd::ReduceOp op) { return PyPartial{{Placement::Partial(op)}}; }),
           pyb::arg("reduce_type") = pd::ReduceOp::kSum)
      .def("reduce_type", [](const PyPartial& s) { return s.p.op; })
      .def(pyb::pickle([](const PyPartial& s) { return pyb::make_tuple(static_cast<int>(s.p.op)); },
                       [](const pyb::tuple& t) {
                         return PyPartial{{Placement::Partial(static_cast<pd::ReduceOp>(t[0].cast<int>()))}};
                       }));
}

void AddMesh(pyb::module_& m) {
  pyb::class_<PyMesh>(m, "ProcessMesh", "Processes laid out on a grid.", pyb::dynamic_attr())
      .def(pyb::init([](std::vector<int64_t> shape, std::vector<int> ids, std::vector<std::string> names) {
             return PyMesh{MeshRef(new ProcessMesh(Ints(shape), std::move(ids), std::move(names)))};
           }),
           pyb::arg("shape"), pyb::arg("process_ids"), pyb::arg("dim_names"))
      .def_property_readonly(
          "shape", [](const PyMesh& s) { return std::vector<int64_t>(s.mesh->shape().begin(), s.mesh->shape().end()); })
      .def_property_readonly("process_ids", [](const PyMesh& s) { return s.mesh->ids(); })
      .def_property_readonly("dim_names", [](const PyMesh& s) { return s.mesh->names(); })
      .def_property_readonly("ndim", [](const PyMesh& s) { return s.mesh->ndim(); })
      .def_property_readonly("size", [](const PyMesh& s) { return s.mesh->size(); })
      .def("__eq__",
           [](const PyMesh& s, const pyb::object& o) {
             return pyb::isinstance<PyMesh>(o) && *o.cast<const PyMesh&>().mesh == *s.mesh;
           })
      .def("__hash__", [](const PyMesh& s) { return std::hash<std::string>()(TextOf(*s.mesh)); })
      .def("__repr__", [](const PyMesh& s) { return TextOf(*s.mesh); });
}

void AddLocalParts(pyb::module_& m) {
  m.def(
      "_local_apart",
      [](const pyb::object& o, const std::vector<bool>& axes) {
        const Tensor& t = GivenDist("local_map", o);
        const pd::DistState& s = pd::StateOf(t);
        return Out(s.here ? UsedApart(s.local, s.mesh, axes) : Tensor());
      },
      "This process's part of a tensor; along these axes of the mesh its gradients are summed.");
  m.def(
      "_local_absent",
      [](const pyb::object& o) {
        const Tensor& t = GivenDist("local_map", o);
        return Out(pd::AbsentResult({}, t.dtype(), {phi::LocalOf(t)}));
      },
      "What stands for a part of another process that is made of a tensor.");
  m.def(
      "_local_of",
      [](const std::vector<pyb::object>& tensors) {
        Tensor part;
        std::vector<Tensor> absent;
        for (const pyb::object& o : tensors) {
          const pd::DistState& s = pd::StateOf(GivenDist("local_map", o));
          s.here ? void(part = s.local) : absent.push_back(s.local);
        }
        const Tensor& one = GivenDist("local_map", tensors.at(0));
        return Out(part.defined() ? pd::PartBeside(part, absent) : pd::AbsentResult(absent, one.dtype()));
      },
      "This process's part of one of several tensors on meshes of their own, with the history of all.");
}

void AddLayouts(pyb::module_& m) {
  m.def(
      "_bytes_received",
      [](const std::vector<int64_t>& shape, int64_t element, const PyMesh& mesh, const pyb::object& from,
         const pyb::object& to, int index) {
        const Ints dims(shape);
        const Placements a = PlacementsOf("reshard", from, *mesh.mesh), b = PlacementsOf("reshard", to, *mesh.mesh);
        CheckPlacements("reshard", dims, *mesh.mesh, a);
        CheckPlacements("reshard", dims, *mesh.mesh, b);
        return BytesReceived(dims, element, *mesh.mesh, a, b, index);
      },
      "The bytes that the process at `index` of the mesh receives when a tensor is moved.");
  m.def(
      "_boxes_of",
      [](const std::vector<int64_t>& shape, const PyMesh& mesh, const pyb::object& placements, int index) {
        const Ints dims(shape);
        const Placements p = PlacementsOf("shard_tensor", placements, *mesh.mesh);
        CheckPlacements("shard_tensor", dims, *mesh.mesh, p);
        pyb::list boxes;
        const auto list = [](const Ints& v) { return std::vector<int64_t>(v.begin(), v.end()); };
        const pd::Part whole = PartOf(dims, *mesh.mesh, Placements(p.size()), index);
        for (const pd::Overlap& box : pd::OverlapsOf(whole, PartOf(dims, *mesh.mesh, p, index)))
          boxes.append(pyb::make_tuple(list(box.a), list(box.extents), list(box.b)));
        return boxes;
      },
      "The part that the process at `index` of the mesh has, in boxes: of each its first index, its shape and where "
      "it begins in the part.");
}

void AddWorld(pyb::module_& m) {
  m.def(
      "_enter_world",
      [](int rank, int size, const std::shared_ptr<pd::TcpStore>& store, double timeout, bool fake) {
        pd::EnterWorld({rank, size, store, timeout, fake});
      },
      pyb::arg("rank"), pyb::arg("size"), pyb::arg("store"), pyb::arg("timeout"), pyb::arg("fake") = false);
  m.def("_note_moves", pd::MoveNotes::Begin);
  m.def("_noted_moves", [] {
    const auto pairs = pd::MoveNotes::End();
    return std::vector<std::pair<int, int>>(pairs.begin(), pairs.end());
  });
  m.def("_leave_world", [] {
    const pyb::gil_scoped_release unlocked;
    pd::LeaveWorld();
  });
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    AddPlacements(m);
    AddMesh(m);
    m.def("_shard_tensor", &ShardTensor);
    m.def("_dtensor_from_local", &FromLocal, pyb::arg("local_tensor"), pyb::arg("mesh"), pyb::arg("placements"),
          pyb::arg("shape") = pyb::none());
    m.def("_reshard", &ReshardTensor);
    m.def("_become", &Become);
    m.def("_whole_of", [](const pyb::object& t) { return Out(WholeOf(GivenDist("unshard_dtensor", t))); });
    AddLocalParts(m);
    AddLayouts(m);
    AddWorld(m);
  });
}

}  // namespace

PyObject* GetPlacements(PyObject* self, void*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "placements", "self");
    if (!t.is_dist()) Py_RETURN_NONE;
    pyb::list r;
    for (const Placement& p : pd::StateOf(t).placements) r.append(PlacementObject(p));
    return r.release().ptr();
  });
}
PyObject* GetProcessMesh(PyObject* self, void*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "process_mesh", "self");
    if (!t.is_dist()) Py_RETURN_NONE;
    return pyb::cast(PyMesh{pd::StateOf(t).mesh}).release().ptr();
  });
}
PyObject* LocalValue(PyObject* self, PyObject*) {
  return Guarded([&] { return ToPy(phi::LocalOf(ToTensor(self, "_local_value", "self"))); });
}

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
