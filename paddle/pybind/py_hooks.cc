// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/py_hooks.h"

#include <atomic>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/autograd/saved_hooks.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/jit/python/tape.h"

namespace paddle::py {
namespace {

std::atomic<int64_t> g_shared{0};

PyTypeObject* g_handle_type = nullptr;

// A hook of Python. A removed one has no function, and is dropped when the next is added: those that run now stay in
// their places.
struct Hook {
  SharedPy fn;
};

struct TensorHookCall {
  std::shared_ptr<Hook> hook;
  Tensor of;  // the outline of a distributed tensor
  Tensor operator()(const Tensor& g) const {
    if (!hook->fn) return Tensor();
    StopTape(Tape::kOnce, "a hook ran");
    egr::GradModeGuard mode(egr::t_state.caller_grad);
    const egr::AmpLevelGuard amp(egr::t_state.caller_amp);
    const SharedPy fn = hook->fn;  // it may remove itself
    PyRef arg = Own(ToPy(GradientOf(of, g)));
    PyRef r = Own(PyObject_CallOneArg(fn.get(), arg.get()));
    if (r.get() == Py_None) return Tensor();
    const Tensor& given = ToTensor(r.get(), "hook", "the returned value");
    return of.defined() ? GradientPart("hook", given, of) : given;
  }
};

struct PostHookCall {
  std::shared_ptr<Hook> hook;
  phi::TensorImpl* impl;  // owns the hook; null where the function takes no argument
  void operator()() const {
    if (!hook->fn) return;
    egr::GradModeGuard mode(egr::t_state.caller_grad);
    const egr::AmpLevelGuard amp(egr::t_state.caller_amp);
    const SharedPy fn = hook->fn;
    PyRef r;
    if (impl) {
      PyRef arg = Own(ToPy(Tensor(phi::Ref<phi::TensorImpl>(impl))));
      r = Own(PyObject_CallOneArg(fn.get(), arg.get()));
    } else {
      r = Own(PyObject_CallNoArgs(fn.get()));
    }
  }
};

template <class Call, class F>
const Hook* HookOf(const std::function<F>& f) {
  const Call* call = f.template target<Call>();
  return call ? call->hook.get() : nullptr;
}

template <class Call, class F>
void Add(std::vector<std::function<F>>& hooks, Call call) {
  std::erase_if(hooks, [](const std::function<F>& f) {
    const Hook* hook = HookOf<Call>(f);
    return hook && !hook->fn;
  });
  hooks.emplace_back(std::move(call));
}

template <class Call, class F>
int Visit(const std::vector<std::function<F>>& hooks, visitproc visit, void* arg) {
  for (const std::function<F>& f : hooks)
    if (const Hook* hook = HookOf<Call>(f)) Py_VISIT(hook->fn.get());
  return 0;
}

int VisitMeta(phi::TensorImpl* impl, visitproc visit, void* arg) {
  auto* m = static_cast<egr::AutogradMeta*>(impl->meta.get());
  if (!m) return 0;
  if (int r = Visit<TensorHookCall>(m->leaf_hooks, visit, arg)) return r;
  return Visit<PostHookCall>(m->post_accumulate_hooks, visit, arg);
}

// What register_hook returns: remove() takes the hook off.
struct PyHandle {
  PyObject_HEAD std::weak_ptr<Hook> hook;
};
PyObject* HandleRemove(PyObject* self, PyObject*) {
  const auto hook = reinterpret_cast<PyHandle*>(self)->hook.lock();
  const SharedPy gone = hook ? std::move(hook->fn) : nullptr;
  return PyBool_FromLong(gone != nullptr);
}
void HandleDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<PyHandle*>(self)->hook.~weak_ptr();
  PyObject_Free(self);
  Py_DECREF(type);
}
PyObject* MakeHandle(const std::shared_ptr<Hook>& hook) {
  auto* h = PyObject_New(PyHandle, g_handle_type);
  if (!h) return nullptr;
  new (&h->hook) std::weak_ptr<Hook>(hook);
  return reinterpret_cast<PyObject*>(h);
}

void CheckCallable(PyObject* fn, const char* op) {
  if (!PyCallable_Check(fn))
    RaiseTypeError("[" + std::string(op) + "] expected a callable, got " + Py_TYPE(fn)->tp_name);
}

PyObject* RegisterPostAccumulate(PyObject* self, PyObject* fn, bool pass_tensor) {
  StopTape(Tape::kOnce, "a hook was registered");
  return Guarded([&]() -> PyObject* {
    const Tensor& whole = ToTensor(self, "register_post_accumulate_grad_hook", "self");
    PD_CHECK(!whole.is_dist() || !pass_tensor, Unimplemented,
             "[register_post_accumulate_grad_hook] expected a dense tensor, got a distributed one; use register_hook");
    const Tensor& t = phi::LocalOf(whole);
    PD_CHECK(t.defined(), PreconditionNotMet,
             "[register_post_accumulate_grad_hook] expected a process of the mesh, got one outside it");
    PD_CHECK(!t.stop_gradient() && !t->node(), PreconditionNotMet,
             "[register_post_accumulate_grad_hook] expected a leaf tensor that needs gradients, got ",
             t->node() ? "the result of an operation" : "one with stop_gradient=True");
    CheckCallable(fn, "register_post_accumulate_grad_hook");
    const auto hook = std::make_shared<Hook>(Hook{Share(fn)});
    Add(egr::MetaOf(t).post_accumulate_hooks, PostHookCall{hook, pass_tensor ? t.impl() : nullptr});
    Track(self);
    return MakeHandle(hook);
  });
}

}  // namespace

SharedPy Share(PyObject* borrowed) {
  g_shared.fetch_add(1, std::memory_order_relaxed);
  const auto release = [](PyObject* o) {
    g_shared.fetch_sub(1, std::memory_order_relaxed);
    if (!Py_IsInitialized()) return;
    const GilHeld gil;
    OrStay([&] { Py_DECREF(o); });
  };
  Py_INCREF(borrowed);
  return SharedPy(borrowed, release);
}

bool HistoriesHoldObjects() { return g_shared.load(std::memory_order_relaxed) != 0; }

void Track(PyObject* tensor) {
  if (!PyObject_GC_IsTracked(tensor)) PyObject_GC_Track(tensor);
}

int VisitHistory(const Tensor& t, visitproc visit, void* arg) {
  // What others refer to as well is not the tensor's alone, nor is what lies behind it: a node counts once as many
  // references to it were found as there are.
  constexpr int kMostNodes = 256, kMostShared = 16, kMostPairs = 4;
  if (!HistoriesHoldObjects() || !t.defined() || t->use_count() != 1) return 0;
  if (int r = VisitMeta(t.impl(), visit, arg)) return r;
  egr::GradNode* waiting[kMostNodes];
  std::pair<phi::RefCounted*, uint32_t> shared[kMostShared];        // and how many references were found
  std::pair<const egr::SavedTensorHooks*, long> pairs[kMostPairs];  // likewise
  int n = 0, taken = 0, num_shared = 0, num_pairs = 0, stopped = 0;
  const auto is_found = [&](phi::RefCounted* node) {
    if (node->use_count() == 1) return true;
    int k = 0;
    while (k < num_shared && shared[k].first != node) ++k;
    if (k == kMostShared) return false;
    if (k == num_shared) shared[num_shared++] = {node, 0};
    if (++shared[k].second != node->use_count()) return false;
    shared[k] = shared[--num_shared];
    return true;
  };
  const auto take = [&](phi::RefCounted* node) {
    if (!node || taken == kMostNodes || !is_found(node)) return;
    waiting[n++] = static_cast<egr::GradNode*>(node);
    ++taken;
  };
  const auto see = [&](PyObject* o) {
    if (!stopped) stopped = visit(o, arg);
  };
  const egr::SavedVisitor see_packed = [&](const egr::SavedTensor& s) {
    const egr::Packed* p = s.packed();
    if (!p || p->use_count() != 1 || s.meta()->use_count() != 1) return;
    take(p->edge.node.get());
    if (p->held.use_count() == 1) see(static_cast<PyObject*>(p->held.get()));
    int k = 0;
    while (k < num_pairs && pairs[k].first != p->hooks.get()) ++k;
    if (k == kMostPairs) return;
    if (k == num_pairs) pairs[num_pairs++] = {p->hooks.get(), 0};
    if (++pairs[k].second == p->hooks.use_count()) see(static_cast<PyObject*>(p->hooks->owner.get()));
  };
  take(t->node().get());
  while (n > 0) {
    egr::GradNode* node = waiting[--n];
    if (auto* holder = dynamic_cast<ObjectHolder*>(node))
      if (int r = holder->Visit(visit, arg)) return r;
    if (const Tensor* leaf = node->leaf(); leaf && (*leaf)->use_count() == 1)
      if (int r = VisitMeta(leaf->impl(), visit, arg)) return r;
    if (auto* hooks = node->all_hooks())
      for (auto& [slot, list] : *hooks)
        if (int r = paddle::py::Visit<TensorHookCall>(list, visit, arg)) return r;
    for (int i = 0; i < node->num_inputs(); ++i) take(node->edge(i).node.get());
    node->ForEachSaved(see_packed);
    if (stopped) return stopped;
  }
  return 0;
}

void ClearHistory(const Tensor& t) {
  if (!t.defined() || t->use_count() != 1) return;
  const phi::Ref<phi::RefCounted> node = t->DropHistory();
  if (auto* m = egr::MaybeMeta(t)) {
    const auto leaf = std::move(m->leaf_hooks);
    const auto post = std::move(m->post_accumulate_hooks);
    m->leaf_hooks.clear();
    m->post_accumulate_hooks.clear();
  }
}

PyObject* RegisterHook(PyObject* self, PyObject* fn) {
  StopTape(Tape::kOnce, "a hook was registered");
  return Guarded([&]() -> PyObject* {
    const Tensor& whole = ToTensor(self, "register_hook", "self");
    const Tensor& t = phi::LocalOf(whole);
    PD_CHECK(t.defined(), PreconditionNotMet, "[register_hook] expected a process of the mesh, got one outside it");
    PD_CHECK(!t.stop_gradient(), PreconditionNotMet,
             "[register_hook] expected a tensor that needs gradients, got one with stop_gradient=True");
    CheckCallable(fn, "register_hook");
    const auto hook = std::make_shared<Hook>(Hook{Share(fn)});
    if (t->node()) {
      egr::Edge e = egr::GradEdge(t);
      Add(e.node->hooks(e.slot), TensorHookCall{hook, Outline(whole)});
    } else {
      Add(egr::MetaOf(t).leaf_hooks, TensorHookCall{hook, Outline(whole)});
    }
    Track(self);
    return MakeHandle(hook);
  });
}

PyObject* RegisterPostAccumulateHook(PyObject* self, PyObject* fn) { return RegisterPostAccumulate(self, fn, true); }
PyObject* RegisterBackwardHook(PyObject* self, PyObject* fn) { return RegisterPostAccumulate(self, fn, false); }

int InitHooks() {
  static PyMethodDef methods[] = {{"remove", reinterpret_cast<PyCFunction>(HandleRemove), METH_NOARGS,
                                   "Takes the hook off; False when it was gone."},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(HandleDealloc)}, {Py_tp_methods, methods}, {0, nullptr}};
  static PyType_Spec spec = {"paddle.base.libpaddle.TensorHookRemoveHelper", sizeof(PyHandle), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  g_handle_type = TypeWithoutNew(spec);
  return g_handle_type ? 0 : -1;
}

}  // namespace paddle::py
