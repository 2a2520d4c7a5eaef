// SPDX-License-Identifier: Apache-2.0
// The callable behind paddle.jit.to_static: finds the recording that fits a call without running Python code, and runs
// it. Python (paddle/jit/static_function.py) makes recordings when none fits.
#include <Python.h>
#include <structmember.h>

#include <memory>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pybind/call_pattern.h"
#include "paddle/pybind/capture_state.h"
#include "paddle/pybind/guards.h"
#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/tape.h"
#include "paddle/pybind/traced.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

struct CallState {
  egr::DispatchState dispatch;
  DataType default_dtype;
  static CallState Now() { return {egr::State(), DefaultDtype()}; }
  bool operator==(const CallState& o) const {
    return dispatch.grad_enabled == o.dispatch.grad_enabled && dispatch.amp_level == o.dispatch.amp_level &&
           default_dtype == o.default_dtype &&
           (dispatch.amp_level == 0 ||
            (dispatch.amp_dtype == o.dispatch.amp_dtype && dispatch.amp_lists == o.dispatch.amp_lists));
  }
};

// One way the function is known to be called.
struct Known {
  enum Mode : int { kRecorded, kPlain, kOnce } mode = kPlain;
  CallState state;
  ArgNode args;
  std::vector<std::pair<PyRef, ArgNode>> kwargs;
  Guards guards;
  std::shared_ptr<Traced> traced;
  OutNode out;
  std::vector<std::pair<size_t, PyRef>> decisions;  // outputs that Python code read, and the numbers they were
  int64_t number = 0;

  // How many of the decisions a run made as the recording did, given `made`, those that are known of the call; adds
  // those of `outputs`.
  bool Decides(const std::vector<Tensor>& outputs, std::vector<PyRef>& made) const {
    for (size_t i = 0; i < decisions.size(); ++i) {
      if (i == made.size()) made.push_back(Own(ItemOf(outputs[decisions[i].first], 0)));
      if (!SameValue(decisions[i].second.get(), made[i].get())) return false;
    }
    return true;
  }
  // Whether a run may make these decisions first.
  bool MayDecide(const std::vector<PyRef>& made) const {
    for (size_t i = 0; i < made.size() && i < decisions.size(); ++i)
      if (!SameValue(decisions[i].second.get(), made[i].get())) return false;
    return true;
  }

  bool MatchArgs(PyObject* const* given, Py_ssize_t npos, PyObject* kwnames, std::vector<Tensor>& tensors) {
    if (args.children.size() != static_cast<size_t>(npos)) return false;
    if ((kwnames ? PyTuple_GET_SIZE(kwnames) : 0) != static_cast<Py_ssize_t>(kwargs.size())) return false;
    for (Py_ssize_t i = 0; i < npos; ++i)
      if (!args.children[i].Match(given[i], tensors)) return false;
    for (auto& [name, node] : kwargs) {
      Py_ssize_t k = 0, n = PyTuple_GET_SIZE(kwnames);
      for (; k < n; ++k)
        if (PyTuple_GET_ITEM(kwnames, k) == name.get() ||
            PyUnicode_Compare(PyTuple_GET_ITEM(kwnames, k), name.get()) == 0)
          break;
      if (k == n || !node.Match(given[npos + k], tensors)) return false;
    }
    return true;
  }
  int Visit(visitproc visit, void* arg) const {
    if (int r = args.Visit(visit, arg)) return r;
    for (auto& [name, node] : kwargs) {
      Py_VISIT(name.get());
      if (int r = node.Visit(visit, arg)) return r;
    }
    if (int r = guards.Visit(visit, arg)) return r;
    for (auto& [output, number] : decisions) Py_VISIT(number.get());
    return out.Visit(visit, arg);
  }
};

struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* plain;  // what runs when nothing is recorded
  std::vector<std::shared_ptr<Known>>* entries;
  int64_t added;          // entries made so far
  int64_t compiled_runs;  // calls that ran a recording
};

bool g_enabled = true;
constexpr size_t kMaxEntries = 64;

PyObject *g_miss = nullptr, *g_again = nullptr, *g_inline = nullptr;  // interned method names

PyObject* CallMethod(PyObject* self, PyObject* name, PyObject* const* args, Py_ssize_t npos, PyObject* kwnames) {
  PyRef tuple = Own(PyTuple_New(npos));
  for (Py_ssize_t i = 0; i < npos; ++i) PyTuple_SET_ITEM(tuple.get(), i, PyRef::Borrow(args[i]).release());
  PyRef dict = Own(PyDict_New());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k)
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, k), args[npos + k]) < 0) return nullptr;
  return PyObject_CallMethodObjArgs(self, name, tuple.get(), dict.get(), nullptr);
}

PyObject* Vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_ssize_t npos = PyVectorcall_NARGS(nargsf);
  if (!f->plain) {
    PyErr_SetString(PyExc_RuntimeError, "[to_static] expected a function, got none");
    return nullptr;
  }
  if (!g_enabled) return PyObject_Vectorcall(f->plain, args, nargsf, kwnames);
  if (egr::State().record != egr::RecordMode::kRun || TakingTape())
    return Guarded([&] { return CallMethod(self, g_inline, args, npos, kwnames); });
  return Guarded([&]() -> PyObject* {
    CallState now = CallState::Now();
    std::vector<Tensor> tensors;
    std::vector<PyRef> made;  // decisions of this call
    for (size_t i = 0; i < f->entries->size(); ++i) {
      std::shared_ptr<Known> e = (*f->entries)[i];
      if (!made.empty() && !e->MayDecide(made)) continue;
      tensors.clear();
      if (!(e->state == now) || !e->MatchArgs(args, npos, kwnames, tensors)) continue;
      if (e->guards.Changed() >= 0) continue;
      if (e->mode == Known::kRecorded && !(e->traced->CapturedUnchanged() && e->traced->KeepsApart(tensors))) continue;
      if (i > 0 && i < f->entries->size()) std::swap((*f->entries)[i], (*f->entries)[i - 1]);
      if (e->mode == Known::kPlain) return PyObject_Vectorcall(f->plain, args, nargsf, kwnames);
      if (e->mode == Known::kOnce) return CallMethod(self, g_again, args, npos, kwnames);
      std::vector<Tensor> r = e->traced->Call(tensors);
      if (!e->decisions.empty() && !e->Decides(r, made)) continue;
      ++f->compiled_runs;
      return e->out.Build(r, tensors).release();
    }
    return CallMethod(self, g_miss, args, npos, kwnames);
  });
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    auto entries = std::make_unique<std::vector<std::shared_ptr<Known>>>();
    auto* f = reinterpret_cast<Function*>(type->tp_alloc(type, 0));
    if (!f) return nullptr;
    f->vectorcall = Vectorcall;
    f->entries = entries.release();
    return reinterpret_cast<PyObject*>(f);
  });
}
int Traverse(PyObject* self, visitproc visit, void* arg) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(f->plain);
  if (f->entries)
    for (auto& e : *f->entries)
      if (int r = e->Visit(visit, arg)) return r;
  return 0;
}
int Clear(PyObject* self) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_CLEAR(f->plain);
  const auto entries = f->entries ? std::move(*f->entries) : std::vector<std::shared_ptr<Known>>();
  return 0;
}
void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* type = Py_TYPE(self);
  Clear(self);
  delete reinterpret_cast<Function*>(self)->entries;
  type->tp_free(self);
  Py_DECREF(type);
}

Function* Self(PyObject* o) { return reinterpret_cast<Function*>(o); }

PyObject* SetPlain(PyObject* self, PyObject* fn) {
  PyObject* old = Self(self)->plain;
  Py_INCREF(fn);
  Self(self)->plain = fn;
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

// The arguments of a call as a tuple and a dict.
void CheckCall(PyObject* const* a, const char* form) {
  const char* got = !a                     ? "another number of arguments"
                    : !PyTuple_Check(a[0]) ? Py_TYPE(a[0])->tp_name
                    : !PyDict_Check(a[1])  ? Py_TYPE(a[1])->tp_name
                                           : nullptr;
  if (got) RaiseTypeError("[to_static] expected " + std::string(form) + ", got " + got);
}

constexpr const char* kPattern = "paddle.to_static.pattern";

// _pattern(args, kwargs, shapes): how a call is made, for _add.
PyObject* Pattern(PyObject*, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 3 ? a : nullptr, "_pattern(args, kwargs, shapes)");
    if (a[2] != Py_None && !PyList_Check(a[2]))
      RaiseTypeError(std::string("[_pattern] expected a list of shapes, got ") + Py_TYPE(a[2])->tp_name);
    auto e = std::make_shared<Known>();
    e->state = CallState::Now();
    size_t next = 0;
    e->args = MakeArgNode(a[0], a[2], &next);
    PyObject *key, *value;
    for (Py_ssize_t pos = 0; PyDict_Next(a[1], &pos, &key, &value);)
      e->kwargs.emplace_back(PyRef::Borrow(key), MakeArgNode(value, a[2], &next));
    return PyCapsule_New(new std::shared_ptr<Known>(std::move(e)), kPattern, [](PyObject* o) {
      delete static_cast<std::shared_ptr<Known>*>(PyCapsule_GetPointer(o, kPattern));
    });
  });
}

// _add(mode, pattern, guards, traced, result, slots, decisions): the pattern is used up. Returns the number of the
// entry.
PyObject* Add(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 7 || !PyList_Check(a[2]) || (a[3] != Py_None && !PyDict_Check(a[5])) || !PyList_Check(a[6]))
      RaiseTypeError("[_add] expected a mode, a pattern, a list, a recording, a result, a dict and a list, got others");
    auto* pattern = static_cast<std::shared_ptr<Known>*>(PyCapsule_GetPointer(a[1], kPattern));
    if (!pattern) throw PyErrAlreadySet();
    std::shared_ptr<Known> e = std::move(*pattern);
    if (!e) RaiseValueError("[_add] expected a pattern that was not added before, got a used one");
    e->mode = static_cast<Known::Mode>(ToInt(a[0], "to_static", "mode"));
    e->guards = Guards(a[2]);
    if (a[3] != Py_None) {
      e->traced = pyb::cast<std::shared_ptr<Traced>>(pyb::handle(a[3]));
      e->out = MakeOutNode(a[4], a[5]);
      for (pyb::handle item : pyb::reinterpret_borrow<pyb::list>(a[6])) {
        auto pair = pyb::cast<pyb::tuple>(item);
        e->decisions.emplace_back(pyb::cast<size_t>(pair[0]), PyRef::Borrow(pair[1].ptr()));
      }
    }
    e->number = Self(self)->added++;
    auto& entries = *Self(self)->entries;
    if (entries.size() >= kMaxEntries) entries.pop_back();
    const int64_t number = e->number;
    entries.insert(entries.begin(), std::move(e));
    return PyLong_FromLongLong(number);
  });
}

// A call as vectorcall gives it.
struct FlatCall {
  std::vector<PyObject*> args;
  Py_ssize_t npos = 0;
  PyRef names;  // null without keywords

  FlatCall(PyObject* positional, PyObject* keywords) : npos(PyTuple_GET_SIZE(positional)) {
    for (Py_ssize_t i = 0; i < npos; ++i) args.push_back(PyTuple_GET_ITEM(positional, i));
    if (PyDict_GET_SIZE(keywords) == 0) return;
    names = Own(PyTuple_New(PyDict_GET_SIZE(keywords)));
    PyObject *key, *value;
    Py_ssize_t k = 0;
    for (Py_ssize_t pos = 0; PyDict_Next(keywords, &pos, &key, &value); ++k) {
      PyTuple_SET_ITEM(names.get(), k, PyRef::Borrow(key).release());
      args.push_back(value);
    }
  }
  bool Fits(Known& e) const {
    std::vector<Tensor> tensors;
    return e.MatchArgs(args.data(), npos, names.get(), tensors);
  }
};

// _drop(args, kwargs): forgets what fits a call.
PyObject* Drop(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 2 ? a : nullptr, "_drop(args, kwargs)");
    const FlatCall call(a[0], a[1]);
    CallState now = CallState::Now();
    auto& entries = *Self(self)->entries;
    std::vector<std::shared_ptr<Known>> keep, gone;
    for (auto& e : entries) (e->state == now && call.Fits(*e) ? gone : keep).push_back(e);
    entries = std::move(keep);
    Py_RETURN_NONE;
  });
}

// _differences(args, kwargs): for each entry, the last used one first, (its number, its mode, why it does not fit the
// call: "", "mode", "arguments", "captured", or the number of the place that changed).
PyObject* Differences(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 2 ? a : nullptr, "_differences(args, kwargs)");
    const FlatCall call(a[0], a[1]);
    CallState now = CallState::Now();
    const std::vector<std::shared_ptr<Known>> entries = *Self(self)->entries;
    pyb::list result;
    for (auto& e : entries) {
      pyb::object why = pyb::str("");
      if (!(e->state == now)) {
        why = pyb::str("mode");
      } else if (!call.Fits(*e)) {
        why = pyb::str("arguments");
      } else if (const int place = e->guards.Changed(); place >= 0) {
        why = pyb::int_(place);
      } else if (e->mode == Known::kRecorded && !e->traced->CapturedUnchanged()) {
        why = pyb::str("captured");
      }
      result.append(pyb::make_tuple(e->number, static_cast<int>(e->mode), why));
    }
    return result.release().ptr();
  });
}

PyObject* CompiledRuns(PyObject* self, PyObject*) { return PyLong_FromLongLong(Self(self)->compiled_runs); }

PyObject* ClearEntries(PyObject* self, PyObject*) {
  auto entries = std::move(*Self(self)->entries);
  Self(self)->entries->clear();
  Py_RETURN_NONE;
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef methods[] = {{"_set_plain", SetPlain, METH_O, "Sets the function that runs when nothing is recorded."},
                         {"_pattern", F(Pattern), METH_FASTCALL, "How a call is made, for _add."},
                         {"_add", F(Add), METH_FASTCALL, "Adds a known way of calling."},
                         {"_drop", F(Drop), METH_FASTCALL, "Forgets the ways that fit these arguments."},
                         {"_differences", F(Differences), METH_FASTCALL, "Why the known ways do not fit a call."},
                         {"_compiled_runs", CompiledRuns, METH_NOARGS, "How many calls ran a recording."},
                         {"_clear", ClearEntries, METH_NOARGS, "Forgets all recordings."},
                         {nullptr, nullptr, 0, nullptr}};
#undef F
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

std::vector<Tensor> TensorsOf(const pyb::list& list) {
  std::vector<Tensor> r;
  for (pyb::handle o : list) r.push_back(ToTensor(o.ptr(), "to_static", "tensor"));
  return r;
}

std::shared_ptr<Traced> MakeTraced(std::shared_ptr<ProgramObject> program, pyb::list inputs, pyb::list names,
                                   pyb::list outputs, pyb::list writes, bool grad, bool fuse) {
  std::vector<Tensor> in, out;
  std::vector<pir::Value> feeds;
  std::vector<Traced::Write> w;
  for (pyb::handle o : inputs) in.push_back(ToTensor(o.ptr(), "to_static", "input"));
  for (pyb::handle o : outputs) out.push_back(ToTensor(o.ptr(), "to_static", "output"));
  program->recorder().SyncFlags();
  for (pyb::handle name : names) {
    std::string text = pyb::cast<std::string>(name);
    for (pir::Operation* op = program->program().block().front(); op; op = op->next())
      if (op->isa(pir::pd::kData) && op->attr("name").to_str() == text) feeds.push_back(op->result(0));
  }
  PD_CHECK(feeds.size() == in.size(), InvalidArgument, "[to_static] expected inputs of different names, got ",
           in.size(), " inputs of ", feeds.size(), " names");
  for (pyb::handle item : writes) {
    auto t = pyb::cast<pyb::tuple>(item);
    Traced::Write one;
    one.output = pyb::cast<int>(t[1]);
    if (IsTensor(t[0].ptr()))
      one.target = AsTensor(t[0].ptr());
    else
      one.input = pyb::cast<int>(t[0]);
    w.push_back(one);
  }
  return std::make_shared<Traced>(std::move(program), std::move(in), std::move(feeds), std::move(out), std::move(w),
                                  grad, fuse);
}

// What stands in the program for a tensor with data that the function made.
Tensor AsResult(const Tensor& t) {
  egr::Recorder& recorder = *egr::State().recorder;
  Tensor result = recorder.Wrap(recorder.ValueOf(t));
  result->stop_gradient = t->stop_gradient;
  egr::MetaOf(result).apart = true;
  if (!egr::NeedsGrad(t)) return result;
  const egr::Edge to = egr::GradEdge(t);
  result->SetHistory(phi::Ref<phi::RefCounted>(to.node.get()), to.slot);
  return result;
}

// Tensors with data that were written while `program` was recorded get back what they were. Returns for each (tensor,
// symbolic stand-in for its last value).
pyb::list TakeWrites(const std::shared_ptr<ProgramObject>& program) {
  pyb::list l;
  const OverwrittenList overwritten = TakeOverwritten();
  std::vector<std::pair<Tensor, bool>> written;
  auto add = [&](const Tensor& t, bool stop_gradient) {
    for (auto& w : written)
      if (w.first.is_same(t)) return;
    written.push_back({t, stop_gradient});
  };
  for (const auto& c : program->recorder().captured())
    if (c.tensor->value) add(c.tensor, c.value.stop_gradient());
  for (auto& [t, old] : overwritten) add(t, old->stop_gradient);
  for (auto& [t, stop_gradient] : written) {
    Tensor stand_in;
    try {
      stand_in = program->recorder().Wrap(program->recorder().ValueOf(t));
      stand_in->stop_gradient = t->stop_gradient || !t->node();
      stand_in->ShareHistory(*t.impl());
    } catch (const common::Error&) {
      // Not a value of this program: only what it was matters.
    }
    for (auto& [o, old] : overwritten) {
      if (!o.is_same(t)) continue;
      RestoreData(t, old);
      break;  // the first is the oldest
    }
    t->value = nullptr;
    t->DropHistory();
    t->stop_gradient = stop_gradient;
    if (stand_in.defined() && !program->recorder().IsMade(t))
      l.append(pyb::make_tuple(TensorObject(t), TensorObject(stand_in)));
  }
  return l;
}

PyObject* IsTensorObject(PyObject*, PyObject* o) { return PyBool_FromLong(IsTensor(o)); }
PyMethodDef functions[] = {{"_is_tensor", IsTensorObject, METH_O,
                            "Whether the object is a tensor of the core; isinstance() says so of sparse ones, too."},
                           {nullptr, nullptr, 0, nullptr}};

int Init(PyObject* module) {
  return GuardedInt([&] {
    if (PyModule_AddFunctions(module, functions) < 0) throw PyErrAlreadySet();
    g_miss = PyUnicode_InternFromString("_miss");
    g_inline = PyUnicode_InternFromString("_inline");
    g_again = PyUnicode_InternFromString("_again");
    static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                                  {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                                  {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                                  {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                                  {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                  {Py_tp_methods, methods},
                                  {Py_tp_members, members},
                                  {0, nullptr}};
    static PyType_Spec spec = {
        "paddle.base.libpaddle.RecordedCalls", sizeof(Function), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    PyRef type = Own(PyType_FromSpec(&spec));
    if (PyModule_AddObject(module, "RecordedCalls", type.release()) < 0) throw PyErrAlreadySet();
    pyb::module_ root = pyb::reinterpret_borrow<pyb::module_>(module);
    pyb::class_<Traced, std::shared_ptr<Traced>>(root, "Traced", "A recorded function with its plans.")
        .def(pyb::init(&MakeTraced), pyb::arg("program"), pyb::arg("inputs"), pyb::arg("names"), pyb::arg("outputs"),
             pyb::arg("writes"), pyb::arg("grad"), pyb::arg("fuse"))
        .def("call",
             [](Traced& t, pyb::list inputs) {
               std::vector<Tensor> in;
               for (pyb::handle o : inputs) in.push_back(ToTensor(o.ptr(), "to_static", "input"));
               pyb::list l;
               for (Tensor& r : t.Call(in)) l.append(TensorObject(r));
               return l;
             })
        .def_property_readonly("grad", Member(&Traced::grad))
        .def_property_readonly("has_effects", Member(&Traced::HasEffects))
        .def("keeps_apart", [](const Traced& t, pyb::list inputs) { return t.KeepsApart(TensorsOf(inputs)); })
        .def_property_readonly("forward_program",
                               [](Traced& t) { return std::make_shared<ProgramObject>(t.forward_program()->Clone()); })
        .def_property_readonly("backward_program",
                               [](Traced& t) -> std::shared_ptr<ProgramObject> {
                                 if (!t.grad()) return nullptr;
                                 const auto& b = t.BackwardFor(std::vector<bool>(t.leaves().size(), true));
                                 return std::make_shared<ProgramObject>(b.program->Clone());
                               })
        .def_property_readonly("num_fused", [](Traced& t) { return t.forward_plan()->num_fused(); })
        .def(
            "profile",
            [](Traced& t, bool on) {
              for (executor::Plan* p : t.Plans()) p->SetProfiling(on);
            },
            pyb::arg("on") = true, "Starts (from zero) or stops to measure instructions, of gradients too.")
        .def(
            "profile_rows",
            [](Traced& t) {
              pyb::list plans;
              for (executor::Plan* p : t.Plans()) {
                pyb::list rows;
                for (auto& e : p->Profile()) rows.append(pyb::make_tuple(e.name, e.calls, e.ns * 1e-3));
                plans.append(rows);
              }
              return plans;
            },
            "For each plan made so far, the forward one first: (name, calls, total us) of each instruction.");
    pyb::class_<Tape>(root, "_Tape", "What a function did with tensors while it ran.")
        .def(pyb::init([](pyb::list inputs, pyb::list known) {
               return std::make_unique<Tape>(TensorsOf(inputs), TensorsOf(known));
             }),
             pyb::arg("inputs"), pyb::arg("known"))
        .def("__enter__", Member(&Tape::Start))
        .def("__exit__", [](Tape& t, const pyb::args&) { t.Finish(); })
        .def("know", [](Tape& t, pyb::handle o) { t.Know(ToTensor(o.ptr(), "to_static", "tensor")); })
        .def("read_number",
             [](Tape& t, pyb::handle o) {
               return pyb::reinterpret_steal<pyb::object>(
                   t.ReadNumber(ToTensor(o.ptr(), "to_static", "tensor")).release());
             })
        .def("stop", [](Tape& t, int end, std::string why) { t.Stop(static_cast<Tape::End>(end), std::move(why)); })
        .def_property_readonly("end", [](const Tape& t) { return static_cast<int>(t.end()); })
        .def_property_readonly("why", Member(&Tape::why))
        .def("lost", Member(&Tape::Lost))
        .def("strays", [](Tape& t, pyb::list accounted) { return t.Strays(TensorsOf(accounted)); })
        .def("uses", [](const Tape& t, pyb::handle o) { return t.Uses(ToTensor(o.ptr(), "to_static", "tensor")); })
        .def("made", [](const Tape& t, pyb::handle o) { return t.Made(ToTensor(o.ptr(), "to_static", "tensor")); })
        .def("replay",
             [](Tape& t, pyb::list stand_ins, pyb::list instead) {
               std::vector<std::pair<Tensor, Tensor>> pairs;
               for (pyb::handle item : instead) {
                 auto pair = pyb::cast<pyb::tuple>(item);
                 pairs.emplace_back(ToTensor(pair[0].ptr(), "to_static", "known"),
                                    ToTensor(pair[1].ptr(), "to_static", "other"));
               }
               t.Replay(TensorsOf(stand_ins), pairs);
             })
        .def("stand_in",
             [](const Tape& t, pyb::handle o) -> pyb::object {
               return TensorObject(t.StandIn(ToTensor(o.ptr(), "to_static", "tensor")));
             })
        .def("restore", Member(&Tape::Restore));
    root.def(
        "_is_made",
        [](const std::shared_ptr<ProgramObject>& program, pyb::handle o) {
          return program->recorder().IsMade(ToTensor(o.ptr(), "to_static", "tensor"));
        },
        "Whether the function that is recorded made the tensor, with data.");
    root.def("_as_result",
             [](pyb::handle o) { return TensorObject(AsResult(ToTensor(o.ptr(), "to_static", "tensor"))); });
    root.def("_take_writes", &TakeWrites, "Undoes writes to tensors with data; (tensor, value written) for each.");
    root.def("_captured_tensors", [](const std::shared_ptr<ProgramObject>& program) {
      pyb::list l;
      for (const auto& c : program->recorder().captured()) l.append(TensorObject(c.tensor));
      return l;
    });
    root.def(
        "_data_reads", [] { return t_state.data_reads; },
        "Grows when this thread reads numbers out of a tensor that no recording under way made.");
    root.def(
        "_changed_place", [](pyb::object places) { return Guards(places.ptr()).Changed(); }, pyb::arg("places"),
        "The number of a place that does not hold what it is said to; -1: there is none.");
    root.def(
        "_static_enabled",
        [](pyb::object on) {
          bool old = g_enabled;
          if (!on.is_none()) g_enabled = pyb::cast<bool>(on);
          return old;
        },
        pyb::arg("on") = pyb::none());
    root.def("_set_vectorcall", [](pyb::type t) {
      // A Python subclass that does not define __call__ may be called like its base.
      reinterpret_cast<PyTypeObject*>(t.ptr())->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    });
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
