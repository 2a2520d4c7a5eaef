// SPDX-License-Identifier: Apache-2.0
// Autograd entry points: gradient mode, backward, grad, AMP state, and PyLayer (custom functions written in Python).
#include <algorithm>

#include "paddle/pybind/dist_tensor.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/pybind/py_hooks.h"
#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/saved_hooks.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pybind/thread_state.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/tensor_autograd.h"

namespace paddle::py {
namespace {

PyObject* IsGradEnabled(PyObject*, PyObject*) { return PyBool_FromLong(egr::State().grad_enabled); }
// Returns the previous mode.
PyObject* SetGradEnabled(PyObject*, PyObject* on) {
  int v = PyObject_IsTrue(on);
  if (v < 0) return nullptr;
  bool old = egr::State().grad_enabled;
  egr::State().grad_enabled = v;
  return PyBool_FromLong(old);
}

void CheckGradShape(const Tensor& g, const Tensor& root, const char* op) {
  if (!g.defined() || g.is_symbolic() || root.is_symbolic()) return;
  PD_CHECK(g.dims() == root.dims(), InvalidArgument, "[", op, "] expected a gradient of shape ",
           common::ShapeText(root.dims()), ", got ", common::ShapeText(g.dims()));
}

std::vector<Tensor> GradList(PyObject* o, const std::vector<Tensor>& roots, const char* op) {
  size_t n = roots.size();
  std::vector<Tensor> r;
  if (IsNone(o)) return r;
  if (IsTensor(o)) {
    r.push_back(AsTensor(o));
    CheckGradShape(r[0], roots[0], op);
    return r;
  }
  if (!PyList_Check(o) && !PyTuple_Check(o))
    RaiseTypeError("[" + std::string(op) + "] expected a tensor or a list of gradients, got " + Py_TYPE(o)->tp_name);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    r.push_back(ToOptionalTensor(PySequence_Fast_GET_ITEM(o, i), op, "grad_tensors"));
  PD_CHECK(r.size() == n, InvalidArgument, "[", op, "] expected one gradient for each of ", n, " tensors, got ",
           r.size());
  for (size_t i = 0; i < n; ++i) CheckGradShape(r[i], roots[i], op);
  return r;
}

// run_backward(tensors, grad_tensors=None, retain_graph=False, create_graph=False)
PyObject* RunBackward(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"tensors", "grad_tensors", "retain_graph", "create_graph"};
    PyObject* a[4];
    ParseArgs("run_backward", names, 4, 1, args, n, kw, a);
    std::vector<Tensor> roots = ToTensors(a[0], "backward", "tensors");
    StopTape(Tape::kOnce, "backward ran");
    RunBackwardCalls(roots, GradList(a[1], roots, "backward"), a[2] && ToBool(a[2], "backward", "retain_graph"),
                     a[3] && ToBool(a[3], "backward", "create_graph"));
    Py_RETURN_NONE;
  });
}

// Warns where a gradient was computed from other values than the forward pass had, as set_value, copy_ and optimizers
// leave them: PaddlePaddle computes that, too.
void WarnOfReassigned() {
  const char* op = egr::TakeReassigned();
  if (!op) return;
  const std::string text =
      std::string("[") + op +
      "] its gradient was computed from values that set_value, copy_ or an optimizer gave a tensor "
      "after the forward pass, not from those the forward pass read";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) throw PyErrAlreadySet();
}

// grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, no_grad_vars=None) -> list, None where
// unused
PyObject* RunGrad(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&]() -> PyObject* {
    const char* names[] = {"outputs",      "inputs",       "grad_outputs", "retain_graph",
                           "create_graph", "allow_unused", "no_grad_vars"};
    PyObject* a[7];
    ParseArgs("grad", names, 7, 2, args, n, kw, a);
    std::vector<Tensor> outputs = ToTensors(a[0], "grad", "outputs"), inputs = ToTensors(a[1], "grad", "inputs");
    bool create = a[4] && ToBool(a[4], "grad", "create_graph");
    bool retain = IsNone(a[3]) ? create : ToBool(a[3], "grad", "retain_graph");
    std::vector<Tensor> grads = GradList(a[2], outputs, "grad"),
                        stops = ToOptionalTensors(a[6], "grad", "no_grad_vars");
    for (size_t i = 0; i < grads.size(); ++i) grads[i] = GradientPart("grad", grads[i], outputs[i]);
    for (Tensor& t : outputs) t = RootOf(t);
    for (Tensor& t : stops) t = phi::LocalOf(t);
    std::vector<Tensor> sources;
    for (const Tensor& t : inputs) sources.push_back(phi::LocalOf(t));
    std::vector<Tensor> found =
        egr::Grad(outputs, sources, grads, retain, create, a[5] && ToBool(a[5], "grad", "allow_unused"), stops);
    WarnOfReassigned();
    for (size_t i = 0; i < found.size(); ++i) found[i] = GradientOf(inputs[i], found[i]);
    return Wrap(std::move(found));
  });
}

// --- PyLayer

// Calls `cls.backward(ctx, *grads)`.
class PyLayerNode final : public egr::GradNode, public ObjectHolder {
 public:
  PyLayerNode(PyObject* cls, PyObject* ctx) : cls_(Share(cls)), ctx_(Share(ctx)) {
    name_ = std::string(reinterpret_cast<PyTypeObject*>(cls)->tp_name) + "_backward";
  }
  const char* name() const override { return name_.c_str(); }
  bool Takes(phi::DataType dtype) const override { return !consistent && phi::IsDifferentiable(dtype); }
  void ReleaseSaved() override { ctx_.reset(); }
  int Visit(visitproc visit, void* arg) const override {
    Py_VISIT(cls_.get());
    Py_VISIT(ctx_.get());
    return 0;
  }

  struct Out {
    phi::Meta meta;
    Tensor outline;  // of a distributed tensor
  };
  std::vector<Out> outs, inputs;  // one for each returned, and each given tensor
  std::vector<uint8_t> input_needs;
  bool materialize = true;
  bool consistent = true;  // whether gradients have the dtypes of what they belong to

  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    const GilHeld gil;
    StopTape(Tape::kOnce, "a PyLayer ran backward");
    egr::GradModeGuard mode(create_graph);
    const egr::AmpLevelGuard amp(egr::t_state.caller_amp);
    PyRef args = Own(PyTuple_New(static_cast<Py_ssize_t>(outs.size()) + 1));
    Py_INCREF(ctx_.get());
    PyTuple_SET_ITEM(args.get(), 0, ctx_.get());
    for (size_t i = 0; i < outs.size(); ++i) {
      Tensor g = grads[i];
      if (!g.defined() && materialize) {
        g = paddle::full(common::ToInts(outs[i].meta.dims), Scalar(0.0), outs[i].meta.dtype);
        if (outs[i].outline.defined()) g = GradientPart(name_.c_str(), g, outs[i].outline);
      }
      g = GradientOf(outs[i].outline, g);
      PyObject* o = ToPy(g);
      if (!o) throw PyErrAlreadySet();
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i) + 1, o);
    }
    PyRef fn = Own(PyObject_GetAttrString(cls_.get(), "backward"));
    PyRef r = Own(PyObject_CallObject(fn.get(), args.get()));
    PyRef tuple = PyTuple_Check(r.get()) || PyList_Check(r.get()) ? Own(PySequence_Tuple(r.get()))
                                                                  : Own(PyTuple_Pack(1, r.get()));
    Py_ssize_t n = PyTuple_GET_SIZE(tuple.get());
    // Either one gradient a tensor input, or one a tensor input that needs one.
    int total = num_inputs();
    int wanted = static_cast<int>(std::count(input_needs.begin(), input_needs.end(), 1));
    if (n != total && n != wanted)
      PD_THROW(InvalidArgument, "[", name_, "] expected ", total,
               " gradients from backward, one for each tensor input of forward, got ", n);
    bool all = n == total;
    Py_ssize_t k = 0;
    for (int i = 0; i < total; ++i) {
      if (!all && !input_needs[i]) continue;
      PyObject* item = PyTuple_GET_ITEM(tuple.get(), k++);
      if (item == Py_None || !needs(i)) continue;
      const Tensor& g = ToTensor(item, name_.c_str(), "returned gradient");
      const auto& [want, outline] = inputs[static_cast<size_t>(i)];
      const bool same = egr::MayHaveShape(g, want.dims);
      PD_CHECK(same || common::SameDim(common::Product(g.extents()), common::Product(want.dims)), PreconditionNotMet,
               "[", name_, "] expected a gradient of shape ", common::ShapeText(want.dims), " from backward for input ",
               i, ", got ", common::ShapeText(g.extents()));
      in[i] = same ? g : paddle::reshape(g, want.dims);
      egr::GradNode& to = *edge(i).node;
      const bool stays = to.Takes(in[i].dtype()) || (to.leaf() && Takes(in[i].dtype()));
      if (in[i].dtype() != want.dtype && !stays) in[i] = paddle::cast(in[i], want.dtype);
      if (outline.defined())
        in[i] = GradientPart(name_.c_str(), in[i], outline);
      else
        in[i] = phi::HasPart(in[i]) ? WholeOf(in[i]) : Tensor();
    }
  }

 private:
  SharedPy cls_, ctx_;
  std::string name_;
};

// A tensor over the same data without history.
Tensor Fresh(const Tensor& t) {
  if (t.is_symbolic()) return t;
  if (t.is_dist()) return AliasOfDist(t);
  Tensor r = phi::AliasOf(t);
  r->value = t->value;
  return r;
}

void CollectTensors(PyObject* o, std::vector<PyRef>* out, int64_t level = 0) {
  if (IsTensor(o)) {
    out->push_back(PyRef::Borrow(o));
  } else if (PyList_Check(o) || PyTuple_Check(o)) {
    CheckNesting(level, "PyLayer");
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      CollectTensors(PySequence_Fast_GET_ITEM(o, i), out, level + 1);
  }
}

bool InSequence(PyObject* seq, const Tensor& t) {
  if (IsNone(seq) || (!PyTuple_Check(seq) && !PyList_Check(seq))) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(seq); ++i) {
    PyObject* o = PySequence_Fast_GET_ITEM(seq, i);
    if (IsTensor(o) && AsTensor(o).is_same(t)) return true;
  }
  return false;
}
PyRef Attr(PyObject* o, const char* name) {
  PyRef r(PyObject_GetAttrString(o, name));
  if (!r) PyErr_Clear();
  return r;
}

// Every tensor in the arguments of a call.
std::vector<PyRef> TensorsOf(PyObject* args, PyObject* kwargs) {
  std::vector<PyRef> found;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) CollectTensors(PyTuple_GET_ITEM(args, i), &found);
  if (kwargs == Py_None) return found;
  PyObject *key, *value;
  Py_ssize_t pos = 0;
  while (PyDict_Next(kwargs, &pos, &key, &value)) CollectTensors(value, &found);
  return found;
}

uint32_t VersionOf(const Tensor& local) { return local->storage() ? local->storage()->version() : 0; }

// cls.forward(ctx, *args, **kwargs), without recording.
PyRef RunForward(PyObject* cls, PyObject* ctx, PyObject* args, PyObject* kwargs) {
  PyRef fn = Own(PyObject_GetAttrString(cls, "forward"));
  PyRef given = Own(PyTuple_New(PyTuple_GET_SIZE(args) + 1));
  Py_INCREF(ctx);
  PyTuple_SET_ITEM(given.get(), 0, ctx);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* o = PyTuple_GET_ITEM(args, i);
    Py_INCREF(o);
    PyTuple_SET_ITEM(given.get(), i + 1, o);
  }
  egr::GradModeGuard off(false);
  return Own(PyObject_Call(fn.get(), given.get(), kwargs == Py_None ? nullptr : kwargs));
}

// Connects results of a PyLayer with its node.
struct LayerResults {
  PyObject *ctx, *list;              // the results, of which some may be replaced
  const std::vector<PyRef>& inputs;  // of forward
  const std::vector<uint32_t>& versions;
  PyLayerNode* node;
  PyRef nondiff = Attr(ctx, "non_differentiable"), not_inplace = Attr(ctx, "not_inplace_tensors");

  // The tensor at `place` of the list is output k of the node.
  void Connect(Py_ssize_t place, int k) {
    Tensor t = AsTensor(PyList_GET_ITEM(list, place));
    node->outs.push_back({t.meta(), Outline(t)});
    Tensor part = phi::LocalOf(t);  // which has the history
    if (InSequence(nondiff.get(), t) || !phi::IsDifferentiable(t.dtype())) {
      t->stop_gradient = part->stop_gradient = true;
      return;
    }
    size_t input = inputs.size();
    for (size_t j = 0; j < inputs.size(); ++j)
      if (AsTensor(inputs[j].get()).is_same(t)) input = j;
    const bool is_input = input < inputs.size();
    const bool written = is_input && part->storage() && part->storage()->version() != versions[input];
    if (written && !InSequence(not_inplace.get(), t)) {
      // The input was changed in place and returned: it takes the new history.
      PD_CHECK(!(!part->node() && egr::NeedsGrad(t)), InvalidArgument, "[", node->name(),
               "] expected to change in place no leaf that needs a gradient, got one as input ", input);
      egr::AfterInplace(part, node, k);
      t->stop_gradient = part.stop_gradient();
      return;
    }
    if (is_input || part->node()) {
      Tensor fresh = Fresh(t);
      Tensor fresh_part = phi::LocalOf(fresh);
      node->SetOutput(k, fresh_part);
      fresh->stop_gradient = false;
      PyObject* f = ToPy(fresh);
      if (!f || PyList_SetItem(list, place, f) < 0) throw PyErrAlreadySet();
      return;
    }
    node->SetOutput(k, part);
    t->stop_gradient = false;
  }
};

// The node of cls.backward, with the inputs of a call.
egr::Ref<egr::GradNode> LayerNode(PyObject* cls, PyObject* ctx, const std::vector<PyRef>& inputs, size_t outputs) {
  PyRef materialize = Attr(ctx, "materialize_grads"), consistent = Attr(ctx, "grad_in_dtype_consistent");
  auto* node = new PyLayerNode(cls, ctx);
  egr::Ref<egr::GradNode> held(node);
  node->materialize = !materialize || PyObject_IsTrue(materialize.get()) == 1;
  node->consistent = !consistent || PyObject_IsTrue(consistent.get()) == 1;
  node->SetCounts(static_cast<int>(inputs.size()), std::max<int>(1, static_cast<int>(outputs)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = AsTensor(inputs[i].get());
    node->SetInput(static_cast<int>(i), phi::LocalOf(t));
    node->input_needs.push_back(egr::NeedsGrad(t));
    node->inputs.push_back({t.meta(), Outline(t)});
  }
  return held;
}

// py_layer_apply(cls, ctx, args, kwargs): runs cls.forward(ctx, *args, **kwargs) without recording and connects
// cls.backward.
PyObject* PyLayerApply(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 4 || !PyTuple_Check(args[2]) || (args[3] != Py_None && !PyDict_Check(args[3])))
      RaiseTypeError("py_layer_apply() takes cls, ctx, a tuple of args and a dict of kwargs");
    StopTape(Tape::kOnce, "a PyLayer ran");
    PyObject *cls = args[0], *ctx = args[1];
    const std::vector<PyRef> inputs = TensorsOf(args[2], args[3]);  // forward may change the lists that hold them
    bool record = false;
    if (egr::State().grad_enabled)
      for (const PyRef& o : inputs) record = record || egr::NeedsGrad(AsTensor(o.get()));
    std::vector<uint32_t> versions;
    for (const PyRef& o : inputs) versions.push_back(VersionOf(phi::LocalOf(AsTensor(o.get()))));
    PyRef result = RunForward(cls, ctx, args[2], args[3]);
    if (!record) return result.release();

    const bool single = !PyTuple_Check(result.get()) && !PyList_Check(result.get());
    PyRef list = single ? Own(PyList_New(1)) : Own(PySequence_List(result.get()));
    if (single) {
      Py_INCREF(result.get());
      PyList_SET_ITEM(list.get(), 0, result.get());
    }
    std::vector<Py_ssize_t> where;  // places of the tensors among the results
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
      if (IsTensor(PyList_GET_ITEM(list.get(), i))) where.push_back(i);
    const egr::Ref<egr::GradNode> node = LayerNode(cls, ctx, inputs, where.size());
    LayerResults results{ctx, list.get(), inputs, versions, static_cast<PyLayerNode*>(node.get())};
    for (size_t k = 0; k < where.size(); ++k) results.Connect(where[k], static_cast<int>(k));
    for (Py_ssize_t i : where) Track(PyList_GET_ITEM(list.get(), i));
    if (single) {
      PyObject* o = PyList_GET_ITEM(list.get(), 0);
      Py_INCREF(o);
      return o;
    }
    return PyList_Check(result.get()) ? list.release() : PyList_AsTuple(list.get());
  });
}

PyObject* GetAmpState(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    auto& s = egr::State();
    PyRef dtype = Own(DtypeObject(s.amp_level ? static_cast<DataType>(s.amp_dtype) : DataType::FLOAT16));
    const int level = s.amp_level == egr::kAmpLow ? int{egr::kAmpO2} : int{s.amp_level};
    return Py_BuildValue("(iO)", level, dtype.get());
  });
}

// push_saved_tensors_hooks(pack, unpack)
PyObject* PushHooks(PyObject*, PyObject* const* args, Py_ssize_t n) {
  StopTape(Tape::kOnce, "hooks on saved tensors were set");
  return Guarded([&]() -> PyObject* {
    if (n != 2) RaiseTypeError("[saved_tensors_hooks] expected pack_hook and unpack_hook, got " + std::to_string(n));
    for (int i = 0; i < 2; ++i)
      if (!PyCallable_Check(args[i]))
        RaiseTypeError(std::string("[saved_tensors_hooks] expected a callable as ") + (i ? "un" : "") +
                       "pack_hook, got " + Py_TYPE(args[i])->tp_name);
    egr::SavedTensorHooks hooks;
    const SharedPy both = Share(Own(PyTuple_Pack(2, args[0], args[1])).get());
    hooks.pack = [both](const Tensor& t) -> std::shared_ptr<void> {
      PyRef arg = Own(ToPy(t));
      PyRef kept = Own(PyObject_CallOneArg(PyTuple_GET_ITEM(both.get(), 0), arg.get()));
      return Share(kept.get());
    };
    hooks.unpack = [both](void* kept) {
      PyRef t = Own(PyObject_CallOneArg(PyTuple_GET_ITEM(both.get(), 1), static_cast<PyObject*>(kept)));
      return ToTensor(t.get(), "unpack_hook", "the returned value");
    };
    hooks.owner = both;
    egr::PushSavedTensorHooks(std::move(hooks));
    Py_RETURN_NONE;
  });
}
PyObject* AfterBackward(PyObject*, PyObject* fn) {
  return Guarded([&]() -> PyObject* {
    PD_CHECK(t_state.backwards > 0, PreconditionNotMet,
             "[after_backward] expected a backward that is under way, got none");
    if (!t_state.after_backward) t_state.after_backward = new std::vector<SharedPy>;
    t_state.after_backward->push_back(Share(fn));
    Py_RETURN_NONE;
  });
}
// The innermost (pack, unpack), or None.
PyObject* CurrentHooks(PyObject*, PyObject*) {
  auto hooks = egr::CurrentSavedTensorHooks();
  return Py_NewRef(hooks ? static_cast<PyObject*>(hooks->owner.get()) : Py_None);
}
PyObject* PopHooks(PyObject*, PyObject*) { return PyBool_FromLong(egr::PopSavedTensorHooks()); }

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef methods[] = {
    {"is_grad_enabled", F(IsGradEnabled), METH_NOARGS, "Whether operations are recorded for backward."},
    {"set_grad_enabled", F(SetGradEnabled), METH_O, "Sets the gradient mode and returns the previous one."},
    {"run_backward", F(RunBackward), METH_FASTCALL | METH_KEYWORDS, "Backward from several tensors at once."},
    {"after_backward", F(AfterBackward), METH_O, "Calls a function when the backward under way has ended."},
    {"grad", F(OnTapeFastcall<RunGrad>), METH_FASTCALL | METH_KEYWORDS, "Gradients of outputs with respect to inputs."},
    {"push_saved_tensors_hooks", F(PushHooks), METH_FASTCALL, "Hooks on what is kept for backward from now on."},
    {"saved_tensors_hooks", F(CurrentHooks), METH_NOARGS, "The (pack, unpack) in force, or None."},
    {"pop_saved_tensors_hooks", F(PopHooks), METH_NOARGS, "Undoes the last push_saved_tensors_hooks."},
    {"py_layer_apply", F(PyLayerApply), METH_FASTCALL, "Runs a PyLayer's forward and records its backward."},
    {"get_amp_state", F(GetAmpState), METH_NOARGS, "(level, dtype) of automatic mixed precision."},
    {nullptr, nullptr, 0, nullptr}};
#undef F

}  // namespace

void RunBackwardCalls(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, bool retain_graph,
                      bool create_graph) {
  const auto take = [] {
    const std::unique_ptr<std::vector<SharedPy>> calls(std::exchange(t_state.after_backward, nullptr));
    return calls ? std::move(*calls) : std::vector<SharedPy>();
  };
  struct Depth {
    Depth() { ++t_state.backwards; }
    ~Depth() { --t_state.backwards; }
  };
  std::vector<Tensor> from, with;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Tensor root = RootOf(roots[i]);
    if (!root.defined()) continue;
    from.push_back(root);
    if (!grads.empty()) with.push_back(GradientPart("backward", grads[i], roots[i]));
  }
  try {
    const Depth depth;
    egr::Backward(from, with, retain_graph, create_graph);
    WarnOfReassigned();
  } catch (...) {
    egr::TakeReassigned();
    if (t_state.backwards == 0) take();
    throw;
  }
  if (t_state.backwards == 0)
    for (const SharedPy& call : take()) Own(PyObject_CallNoArgs(call.get()));
}

int InitAutograd(PyObject* module) {
  if (InitGradObjects(module) < 0) return -1;
  return PyModule_AddFunctions(module, methods);
}

}  // namespace paddle::py
