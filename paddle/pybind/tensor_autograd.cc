// SPDX-License-Identifier: Apache-2.0
// Gradients of paddle.Tensor: backward, grad, detach, and the grad_fn object.
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/pybind/py_hooks.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/tensor_autograd.h"
#include "paddle/pybind/tensor_texts.h"

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/phi/core/device_ops.h"
#include "paddle/phi/core/tensor_copy.h"
#include "paddle/phi/primitives/copy.h"

namespace paddle::py {

namespace {

PyTypeObject* g_node_type = nullptr;

struct PyNode {
  PyObject_HEAD egr::Ref<egr::GradNode> node;
};

PyObject* NodeObject(egr::Ref<egr::GradNode> node) {
  if (!node) Py_RETURN_NONE;
  auto* o = PyObject_New(PyNode, g_node_type);
  if (!o) return nullptr;
  new (&o->node) egr::Ref<egr::GradNode>(std::move(node));
  return reinterpret_cast<PyObject*>(o);
}
void NodeDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<PyNode*>(self)->node.~Ref();
  PyObject_Free(self);
  Py_DECREF(type);
}
PyObject* NodeName(PyObject* self, PyObject*) {
  return PyUnicode_FromString(reinterpret_cast<PyNode*>(self)->node->name());
}
PyObject* NodeNext(PyObject* self, void*) {
  auto& node = reinterpret_cast<PyNode*>(self)->node;
  PyRef list(PyList_New(0));
  for (int i = 0; i < node->num_inputs(); ++i)
    if (node->needs(i)) {
      PyRef n(NodeObject(node->edge(i).node));
      if (!n || PyList_Append(list.get(), n.get()) < 0) return nullptr;
    }
  return PyList_AsTuple(list.get());
}
PyObject* NodeRepr(PyObject* self) {
  return PyUnicode_FromFormat("<%s at %p>", reinterpret_cast<PyNode*>(self)->node->name(),
                              reinterpret_cast<PyNode*>(self)->node.get());
}
PyObject* NodeCompare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != g_node_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  bool same = reinterpret_cast<PyNode*>(a)->node.get() == reinterpret_cast<PyNode*>(b)->node.get();
  return PyBool_FromLong(same == (op == Py_EQ));
}
Py_hash_t NodeHash(PyObject* self) { return _Py_HashPointer(reinterpret_cast<PyNode*>(self)->node.get()); }

// A weak reference to an impl, cleared when its autograd meta goes.
struct WeakCell {
  phi::TensorImpl* impl;
};
struct WeakGuard {
  std::shared_ptr<WeakCell> cell;
  explicit WeakGuard(std::shared_ptr<WeakCell> c) : cell(std::move(c)) {}
  WeakGuard(const WeakGuard&) = delete;
  ~WeakGuard() { cell->impl = nullptr; }
};

PyObject* RetainGrads(PyObject* self, PyObject*) {
  StopTape(Tape::kOnce, "a gradient is to be kept");
  return Guarded([&]() -> PyObject* {
    const Tensor& t = phi::LocalOf(ToTensor(self, "retain_grads", "self"));
    if (!t.defined()) Py_RETURN_NONE;
    auto& m = egr::MetaOf(t);
    if (!t->node() || t.stop_gradient() || m.retain_grads) Py_RETURN_NONE;
    m.retain_grads = true;
    auto cell = std::make_shared<WeakCell>(WeakCell{t.impl()});
    auto guard = std::make_shared<WeakGuard>(cell);
    m.post_accumulate_hooks.emplace_back([guard] {});
    egr::Edge e = egr::GradEdge(t);
    e.node->hooks(e.slot).emplace_back([cell](const Tensor& g) -> Tensor {
      if (cell->impl) {
        auto& meta = static_cast<egr::AutogradMeta&>(*cell->impl->meta);
        if (meta.grad.defined() && !meta.grad.is_same(g)) {
          meta.grad = paddle::add(meta.grad, g);
        } else {
          meta.grad = !g.stop_gradient() || g.is_symbolic() ? g : phi::CopyOf(g);
        }
        if (!meta.grad.is_symbolic()) meta.grad->stop_gradient = false;
      }
      return Tensor();
    });
    Py_RETURN_NONE;
  });
}

// Writes what a backward of the tensor runs into the folder `path`.
void WriteGraph(PyObject* tensor, PyObject* path) {
  const PyRef module = Own(PyImport_ImportModule("paddle.autograd.graph_files"));
  Own(PyObject_CallMethod(module.get(), "write_graph", "s(O)O", "backward", tensor, path));
}

PyObject* BackwardMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"grad_tensor", "retain_graph", "dump_backward_graph_path"};
    PyObject* a[3];
    // torch's spelling of the first argument
    if (kw)
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kw); ++i)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kw, i), "gradient") == 0) names[0] = "gradient";
    ParseArgs("backward", names, 3, 0, args, n, kw, a);
    const Tensor& t = ToTensor(self, "backward", "self");
    PD_CHECK(IsNone(a[0]) || IsTensor(a[0]), Assertion, "[backward] expected a Tensor as grad_tensor, got ",
             Py_TYPE(a[0])->tp_name);
    StopTape(Tape::kOnce, "backward ran");
    Tensor g = ToOptionalTensor(a[0], "backward", "grad_tensor");
    if (g.defined())
      PD_CHECK(g.is_symbolic() || g.dims() == t.dims(), Assertion, "[backward] expected a grad_tensor of shape ",
               common::ShapeText(t.dims()), ", got ", common::ShapeText(g.dims()));
    if (!IsNone(a[2])) WriteGraph(self, a[2]);
    if (!egr::NeedsGrad(t)) Py_RETURN_NONE;
    RunBackwardCalls({t}, {g}, a[1] && ToBool(a[1], "backward", "retain_graph"), false);
    Py_RETURN_NONE;
  });
}

// set_to_zero=True keeps the buffer, as PaddlePaddle does by default.
PyObject* ClearGradWith(PyObject* self, bool zero) {
  StopTape(Tape::kOnce, "a gradient was cleared");
  return Guarded([&]() -> PyObject* {
    const Tensor& t = phi::LocalOf(ToTensor(self, "clear_grad", "self"));
    auto* m = t.defined() ? egr::MaybeMeta(t) : nullptr;
    if (m && m->grad.defined()) {
      Tensor old = m->grad;
      if (zero && !old.is_symbolic() && old->kind() == phi::ImplKind::kDense) {
        const int64_t bytes = old.numel() * static_cast<int64_t>(phi::SizeOf(old.dtype()));
        const bool here = old.is_contiguous() && !old->node();
        if (here && old.place().is_cpu()) {
          std::memset(old.raw_data(), 0, static_cast<size_t>(bytes));
          old->storage()->BumpVersion();
        } else if (here && phi::RunByForms(old.place(), [&] { phi::cpu::Zero(old.raw_data(), bytes); })) {
          old->storage()->BumpVersion();
        } else {
          m->grad = paddle::zeros_like_of(old);
          m->grad->stop_gradient = old.stop_gradient();
        }
      } else {
        m->grad.reset();
      }
    }
    Py_RETURN_NONE;
  });
}
PyObject* ClearGradient(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"set_to_zero"};
    PyObject* a[1];
    ParseArgs("clear_gradient", names, 1, 0, args, n, kw, a);
    return ClearGradWith(self, !a[0] || ToBool(a[0], "clear_gradient", "set_to_zero"));
  });
}
PyObject* ZeroGrads(PyObject* self, PyObject*) { return ClearGradWith(self, true); }

PyObject* Detach(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "detach", "self");
    egr::RequireFilled(t, "detach");
    if (phi::IsSelectedRows(t)) return ToPy(phi::AliasOf(t));
    if (t.is_symbolic() || t->kind() != phi::ImplKind::kDense) {
      egr::GradModeGuard off(false);
      Tensor r = paddle::assign(t);
      if (t.is_symbolic()) egr::MarkRecordedDetach(r, t);
      return ToPy(std::move(r));
    }
    Tensor r = phi::AliasOf(t);
    r->value = t->value;
    r->persistable = t->persistable;
    return ToPy(std::move(r));
  });
}
PyObject* DetachInplace(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = ToTensor(self, "detach_", "self");
    PD_CHECK(!t.is_dist(), Unimplemented, "[detach_] expected a dense tensor, got a distributed one; use detach()");
    PD_CHECK(!t->base(), PreconditionNotMet,
             "[detach_] expected a tensor that is not a view, got a view; use detach()");
    PD_CHECK(!t.is_symbolic() || t->node() || t->stop_gradient, Unimplemented,
             "[detach_] expected the result of an operation while recording, got a leaf: each call has another tensor; "
             "use detach()");
    t->DropHistory();
    t->stop_gradient = true;
    Py_INCREF(self);
    return self;
  });
}
PyObject* CloneMethod(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    if (n || kw) {
      const char* names[] = {"memory_format"};
      PyObject* given[1];
      ParseArgs("clone", names, 1, 0, args, n, kw, given);
    }
    const Tensor& t = ToTensor(self, "clone", "x");
    if (!phi::IsSelectedRows(t)) return ToPy(paddle::assign(t));
    const phi::RowsParts& of = phi::RowsOf(t);
    return ToPy(phi::MakeSelectedRows(of.rows, paddle::assign(of.values), of.height));
  });
}
PyObject* GradIvar(PyObject* self, PyObject*) { return GetGrad(self, nullptr); }
PyObject* SetGradIvar(PyObject* self, PyObject* v) {
  if (SetGrad(self, v, nullptr) < 0) return nullptr;
  Py_RETURN_NONE;
}
PyObject* RequiresGradInplace(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"requires_grad"};
    PyObject* a[1];
    ParseArgs("requires_grad_", names, 1, 0, args, n, kw, a);
    if (SetRequiresGrad(self, a[0] ? a[0] : Py_True, nullptr) < 0) return nullptr;
    Py_INCREF(self);
    return self;
  });
}

void SetStop(const Tensor& t, bool stop) {
  t->stop_gradient = stop;
  if (const Tensor& local = phi::LocalOf(t); local.defined()) local->stop_gradient = stop;
}
// What has the gradient and the history of a tensor; null where that is on other processes.
const phi::TensorImpl* Source(PyObject* self) {
  const Tensor& t = AsTensor(self);
  return t.defined() ? phi::LocalOf(t).impl() : nullptr;
}

}  // namespace

PyObject* GetStopGradient(PyObject* self, void*) {
  return PyBool_FromLong(AsTensor(self).defined() ? AsTensor(self).stop_gradient() : 1);
}
int SetStopGradient(PyObject* self, PyObject* v, void*) {
  return GuardedInt([&] { SetStop(ToTensor(self, "Tensor", "self"), ToBool(v, "Tensor", "stop_gradient")); });
}
PyObject* GetRequiresGrad(PyObject* self, void*) {
  return PyBool_FromLong(AsTensor(self).defined() ? !AsTensor(self).stop_gradient() : 0);
}
int SetRequiresGrad(PyObject* self, PyObject* v, void*) {
  return GuardedInt([&] { SetStop(ToTensor(self, "Tensor", "self"), !ToBool(v, "Tensor", "requires_grad")); });
}
PyObject* GetGrad(PyObject* self, void*) {
  const phi::TensorImpl* source = Source(self);
  auto* m = source ? static_cast<egr::AutogradMeta*>(source->meta.get()) : nullptr;
  if (!m || !m->grad.defined()) Py_RETURN_NONE;
  return ToPy(GradientOf(AsTensor(self), m->grad));
}
int SetGrad(PyObject* self, PyObject* v, void*) {
  StopTape(Tape::kOnce, "a gradient was set");
  return GuardedInt([&] {
    const Tensor& t = ToTensor(self, "Tensor", "self");
    const Tensor& source = phi::LocalOf(t);
    if (!source.defined()) return;
    if (IsNone(v)) {
      if (auto* m = egr::MaybeMeta(source)) m->grad.reset();
      return;
    }
    const Tensor& g = ToTensor(v, "Tensor", "grad");
    common::Ints dims = g.dims();
    if (phi::IsSelectedRows(g) && !dims.empty()) dims[0] = phi::RowsOf(g).height;
    if (!t.is_symbolic() && !g.is_symbolic())
      PD_CHECK(dims == t.dims(), InvalidArgument, "[Tensor.grad] expected a gradient of shape ",
               common::ShapeText(t.dims()), ", got ", common::ShapeText(dims));
    Tensor part = GradientPart("Tensor.grad", g, t);
    Tensor& now = egr::MetaOf(source).grad;
    if (!part.is_symbolic() && part.is_dense() && !part->value) {
      // The place of the gradient keeps its flag, whatever is put there; a history would outlive the step.
      const bool stop = !now.defined() || now.stop_gradient();
      if (part->node() || part.stop_gradient() != stop) part = phi::AliasOf(part);
      part->stop_gradient = stop;
    }
    now = std::move(part);
  });
}
PyObject* GetGradFn(PyObject* self, void*) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = AsTensor(self);
    if (!t.defined() || t.stop_gradient() || !phi::LocalOf(t).defined()) Py_RETURN_NONE;
    return NodeObject(egr::GradEdge(phi::LocalOf(t)).node);
  });
}
PyObject* GetIsLeaf(PyObject* self, void*) {
  const phi::TensorImpl* source = Source(self);
  return PyBool_FromLong(!source || !source->node());
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef g_tensor_autograd_methods[] = {
    {"backward", F(BackwardMethod), METH_FASTCALL | METH_KEYWORDS, kTensorBackwardText},
    {"clear_grad", F(ClearGradient), METH_FASTCALL | METH_KEYWORDS, kTensorClearGradText},
    {"clear_gradient", F(ClearGradient), METH_FASTCALL | METH_KEYWORDS, kTensorClearGradientText},
    {"_zero_grads", F(ZeroGrads), METH_NOARGS, nullptr},
    {"register_hook", F(RegisterHook), METH_O, kTensorRegisterHookText},
    {"_register_grad_hook", F(RegisterHook), METH_O, nullptr},
    {"_register_backward_hook", F(RegisterBackwardHook), METH_O, nullptr},
    {"register_post_accumulate_grad_hook", F(RegisterPostAccumulateHook), METH_O,
     "Calls hook(tensor) once `.grad` is complete."},
    {"retain_grads", F(RetainGrads), METH_NOARGS, kTensorRetainGradsText},
    {"detach", F(OnTape<Detach>), METH_NOARGS, kTensorDetachText},
    {"detach_", F(OnTape<DetachInplace>), METH_NOARGS, kTensorDetachInplaceText},
    {"clone", F(OnTapeFastcall<CloneMethod>), METH_FASTCALL | METH_KEYWORDS, kTensorCloneText},
    {"_grad_ivar", F(GradIvar), METH_NOARGS, nullptr},
    {"_set_grad_ivar", F(SetGradIvar), METH_O, nullptr},
    {"requires_grad_", F(OnTapeFastcall<RequiresGradInplace>), METH_FASTCALL | METH_KEYWORDS,
     kTensorRequiresGradInplaceText},
    {nullptr, nullptr, 0, nullptr}};

int InitGradObjects(PyObject* module) {
  static PyMethodDef node_methods[] = {{"name", F(NodeName), METH_NOARGS, "The name of the gradient operation."},
                                       {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef node_getset[] = {{"next_functions", NodeNext, nullptr, "The nodes gradients go to.", nullptr},
                                      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot node_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(NodeDealloc)},
                                     {Py_tp_methods, node_methods},
                                     {Py_tp_getset, node_getset},
                                     {Py_tp_repr, reinterpret_cast<void*>(NodeRepr)},
                                     {Py_tp_richcompare, reinterpret_cast<void*>(NodeCompare)},
                                     {Py_tp_hash, reinterpret_cast<void*>(NodeHash)},
                                     {0, nullptr}};
  static PyType_Spec node_spec = {"paddle.base.libpaddle.GradNodeBase", sizeof(PyNode), 0, Py_TPFLAGS_DEFAULT,
                                  node_slots};
  g_node_type = TypeWithoutNew(node_spec);
  if (!g_node_type || InitHooks() < 0) return -1;
  Py_INCREF(g_node_type);
  return PyModule_AddObject(module, "GradNodeBase", reinterpret_cast<PyObject*>(g_node_type));
}
#undef F

}  // namespace paddle::py
