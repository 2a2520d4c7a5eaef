// SPDX-License-Identifier: Apache-2.0
// Python's view of paddle/jit: the classes RecordedCalls, Traced, _Tape and _FrameWatch, and what is asked of
// recordings.
#include <algorithm>
#include <memory>

#include "paddle/jit/python/frame_watch.h"
#include "paddle/jit/python/recorded_calls.h"
#include "paddle/jit/python/tape.h"
#include "paddle/jit/writes.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

// _set_plain(run), or _set_plain(run, function, places): `run` stands for the function while the places hold what they
// do now.
PyObject* SetPlain(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 1 && n != 3) RaiseTypeError("[_set_plain] expected 1 or 3 arguments, got " + std::to_string(n));
    RecordedCalls& f = RecordedCalls::Of(self);
    Guards same = n == 3 ? Guards(a[2]) : Guards();
    PyRef function = n == 3 ? PyRef::Borrow(a[1]) : PyRef();
    std::swap(same, f.entries->same);
    std::swap(function, f.entries->function);
    const PyRef old(std::exchange(f.plain, Py_NewRef(a[0])));
    Py_RETURN_NONE;
  });
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

// _pattern(args, kwargs, shapes, counts): how a call is made, for _add (FreeParts).
PyObject* Pattern(PyObject*, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 4 ? a : nullptr, "_pattern(args, kwargs, shapes, counts)");
    if (!PyList_Check(a[3]))
      RaiseTypeError(std::string("[_pattern] expected a list of counts, got ") + Py_TYPE(a[3])->tp_name);
    if (a[2] != Py_None && !PyList_Check(a[2]))
      RaiseTypeError(std::string("[_pattern] expected a list of shapes, got ") + Py_TYPE(a[2])->tp_name);
    auto e = std::make_shared<Known>();
    e->modes = jit::Modes::Now();
    FreeParts free{a[2], a[3]};
    e->args = MakeArgNode(a[0], free);
    PyObject *key, *value;
    for (Py_ssize_t pos = 0; PyDict_Next(a[1], &pos, &key, &value);)
      e->kwargs.emplace_back(PyRef::Borrow(key), MakeArgNode(value, free));
    return PyCapsule_New(new std::shared_ptr<Known>(std::move(e)), kPattern, [](PyObject* o) {
      delete static_cast<std::shared_ptr<Known>*>(PyCapsule_GetPointer(o, kPattern));
    });
  });
}

executor::ExtentTest MakeTest(pyb::handle steps) {
  std::vector<executor::ExtentTest::Step> r;
  for (pyb::handle item : pyb::reinterpret_borrow<pyb::list>(steps)) {
    auto step = pyb::cast<pyb::tuple>(item);
    r.push_back({pyb::cast<char>(step[0]), pyb::cast<int64_t>(step[1]), pyb::cast<int64_t>(step[2])});
  }
  return executor::ExtentTest(std::move(r));
}

// _add(mode, pattern, guards, traced, result, slots, decisions, tests): the pattern is used up. Returns the number of
// the entry.
PyObject* Add(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 8 || !PyList_Check(a[2]) || (a[3] != Py_None && !PyDict_Check(a[5])) || !PyList_Check(a[6]) ||
        !PyList_Check(a[7]))
      RaiseTypeError(
          "[_add] expected a mode, a pattern, a list, a recording, a result, a dict and two lists, got "
          "others");
    auto* pattern = static_cast<std::shared_ptr<Known>*>(PyCapsule_GetPointer(a[1], kPattern));
    if (!pattern) throw PyErrAlreadySet();
    std::shared_ptr<Known> e = std::move(*pattern);
    if (!e) RaiseValueError("[_add] expected a pattern that was not added before, got a used one");
    e->mode = static_cast<Known::Mode>(ToInt(a[0], "to_static", "mode"));
    e->guards = Guards(a[2]);
    if (a[3] != Py_None) {
      e->traced = pyb::cast<std::shared_ptr<jit::Traced>>(pyb::handle(a[3]));
      e->out = MakeOutNode(a[4], a[5]);
      for (pyb::handle item : pyb::reinterpret_borrow<pyb::list>(a[6])) {
        auto pair = pyb::cast<pyb::tuple>(item);
        e->decisions.emplace_back(pyb::cast<size_t>(pair[0]), PyRef::Borrow(pair[1].ptr()));
      }
      for (pyb::handle test : pyb::reinterpret_borrow<pyb::list>(a[7])) e->tests.push_back(MakeTest(test));
    }
    return PyLong_FromLongLong(RecordedCalls::Of(self).entries->Add(std::move(e)));
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
  bool Fits(Known& e, std::vector<Tensor>* found = nullptr) const {
    std::vector<Tensor> tensors;
    const bool fits = e.MatchArgs(args.data(), npos, names.get(), &tensors);
    if (found) *found = std::move(tensors);
    return fits;
  }
};

// _drop(args, kwargs): forgets that a call is to be recorded.
PyObject* Drop(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 2 ? a : nullptr, "_drop(args, kwargs)");
    const FlatCall call(a[0], a[1]);
    const jit::Modes now = jit::Modes::Now();
    RecordedCalls::Of(self).entries->Forget(
        [&](Known& e) { return e.mode == Known::kOnce && e.modes == now && call.Fits(e); });
    Py_RETURN_NONE;
  });
}

// _differences(args, kwargs): for each entry, the last used one first, (its number, its mode, why it does not fit the
// call: "", "mode", "arguments", "extents", "captured", or the number of the place that changed).
PyObject* Differences(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    CheckCall(n == 2 ? a : nullptr, "_differences(args, kwargs)");
    const FlatCall call(a[0], a[1]);
    const jit::Modes now = jit::Modes::Now();
    const std::vector<std::shared_ptr<Known>> entries = RecordedCalls::Of(self).entries->all();
    pyb::list result;
    for (auto& e : entries) {
      pyb::object why = pyb::str("");
      if (!(e->modes == now)) {
        why = pyb::str("mode");
      } else if (std::vector<Tensor> tensors; !call.Fits(*e, &tensors)) {
        why = pyb::str("arguments");
      } else if (!executor::AllHold(e->tests, tensors)) {
        why = pyb::str("extents");
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

// _keep_by(key): what `_bind` makes is kept by objects under this name.
PyObject* KeepBy(PyObject* self, PyObject* key) {
  PyObject* old = std::exchange(RecordedCalls::Of(self).key, Py_NewRef(key));
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

// _bound_by(origin, object): made by that descriptor for this object, which the function holds.
PyObject* BoundBy(PyObject* self, PyObject* const* a, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 2) RaiseTypeError("[_bound_by] expected 2 arguments, got " + std::to_string(n));
    RecordedCalls& f = RecordedCalls::Of(self);
    const PyRef old(std::exchange(f.origin, Py_NewRef(a[0])));
    f.bound = a[1];
    Py_RETURN_NONE;
  });
}

PyObject* CompiledRuns(PyObject* self, PyObject*) { return PyLong_FromLongLong(RecordedCalls::Of(self).compiled_runs); }

PyObject* ClearEntries(PyObject* self, PyObject*) {
  const auto entries = RecordedCalls::Of(self).entries->Take();
  Py_RETURN_NONE;
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef methods[] = {
    {"_set_plain", F(SetPlain), METH_FASTCALL, "Sets the function that runs when nothing is recorded."},
    {"_pattern", F(Pattern), METH_FASTCALL, "How a call is made, for _add."},
    {"_add", F(Add), METH_FASTCALL, "Adds a known way of calling."},
    {"_drop", F(Drop), METH_FASTCALL, "Forgets that a call with these arguments is to be recorded."},
    {"_differences", F(Differences), METH_FASTCALL, "Why the known ways do not fit a call."},
    {"_keep_by", KeepBy, METH_O, "Sets the name under which objects keep what it is bound to."},
    {"_bound_by", F(BoundBy), METH_FASTCALL, "Sets the descriptor and the object it was made for."},
    {"_compiled_runs", CompiledRuns, METH_NOARGS, "How many calls ran a recording."},
    {"_clear", ClearEntries, METH_NOARGS, "Forgets all recordings."},
    {nullptr, nullptr, 0, nullptr}};
#undef F
std::vector<Tensor> TensorsOf(const pyb::list& list) {
  std::vector<Tensor> r;
  for (pyb::handle o : list) r.push_back(ToTensor(o.ptr(), "to_static", "tensor"));
  return r;
}

std::shared_ptr<jit::Traced> MakeTraced(std::shared_ptr<ProgramObject> program, pyb::list inputs, pyb::list names,
                                        pyb::list outputs, pyb::list writes, bool grad, bool fuse) {
  std::vector<Tensor> in, out;
  std::vector<pir::Value> feeds;
  std::vector<jit::Traced::Write> w;
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
    jit::Traced::Write one;
    one.output = pyb::cast<int>(t[1]);
    if (t.size() > 2) one.kind = static_cast<jit::Traced::Write::Kind>(pyb::cast<int>(t[2]));
    if (IsTensor(t[0].ptr()))
      one.target = AsTensor(t[0].ptr());
    else
      one.input = pyb::cast<int>(t[0]);
    w.push_back(one);
  }
  return std::make_shared<jit::Traced>(std::move(program), std::move(in), std::move(feeds), std::move(out),
                                       std::move(w), grad, fuse);
}

// What `_call_instead(instead)` gives: f(function, *args, **kwargs) calls instead(function, whether a tensor is among
// the arguments) with the arguments.
PyObject* CallInstead(PyObject* instead, PyObject* const* a, Py_ssize_t n, PyObject* names) {
  return Guarded([&]() -> PyObject* {
    if (n < 1) RaiseTypeError("[to_static] expected a function to call, got no argument");
    const bool on_tensors = std::any_of(a + 1, a + n, [](PyObject* o) { return IsTensor(o); });
    const PyRef target = Own(PyObject_CallFunctionObjArgs(instead, a[0], on_tensors ? Py_True : Py_False, nullptr));
    return PyObject_Vectorcall(target.get(), a + 1, static_cast<size_t>(n - 1), names);
  });
}
PyMethodDef call_instead = {"call", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(CallInstead)),
                            METH_FASTCALL | METH_KEYWORDS, nullptr};
PyObject* MakeCallInstead(PyObject*, PyObject* instead) { return PyCFunction_New(&call_instead, instead); }

PyObject* IsTensorObject(PyObject*, PyObject* o) { return PyBool_FromLong(IsTensor(o)); }
// Whether what an optimizer does is recorded; what a tape takes is recorded at the next call.
PyObject* RecordsStep(PyObject*, PyObject*) {
  if (egr::State().record != egr::RecordMode::kRun) Py_RETURN_TRUE;
  StopTape(Tape::kOnce, "an optimizer made a step");
  Py_RETURN_FALSE;
}
// Whether something runs when a gradient reaches the leaf.
PyObject* HasHooks(PyObject*, PyObject* o) {
  return Guarded([&] {
    const egr::AutogradMeta* m = egr::MaybeMeta(ToTensor(o, "to_static", "tensor"));
    return PyBool_FromLong(m && !(m->leaf_hooks.empty() && m->post_accumulate_hooks.empty()));
  });
}
// Puts a gradient back as it was: the object itself, with its flag.
PyObject* PutGradient(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    PD_CHECK(n == 2, InvalidArgument, "[to_static] expected a tensor and its gradient, got ", n, " arguments");
    const Tensor& t = ToTensor(args[0], "to_static", "tensor");
    egr::MetaOf(t).grad = ToOptionalTensor(args[1], "to_static", "gradient");
    Py_RETURN_NONE;
  });
}
PyMethodDef functions[] = {{"_is_tensor", IsTensorObject, METH_O,
                            "Whether the object is a tensor of the core; isinstance() says so of sparse ones, too."},
                           {"_call_instead", MakeCallInstead, METH_O, "Calls what a function says instead of another."},
                           {"_records_step", RecordsStep, METH_NOARGS, "Whether an optimizer's step is recorded."},
                           {"_has_hooks", HasHooks, METH_O, "Whether something runs when a gradient reaches the leaf."},
                           {"_put_gradient", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(PutGradient)),
                            METH_FASTCALL, "Puts a gradient back as it was."},
                           {nullptr, nullptr, 0, nullptr}};

void AddTraced(pyb::module_& root) {
  pyb::class_<jit::Traced, std::shared_ptr<jit::Traced>>(root, "Traced", "A recorded function with its plans.")
      .def(pyb::init(&MakeTraced), pyb::arg("program"), pyb::arg("inputs"), pyb::arg("names"), pyb::arg("outputs"),
           pyb::arg("writes"), pyb::arg("grad"), pyb::arg("fuse"))
      .def("call",
           [](jit::Traced& t, pyb::list inputs) {
             std::vector<Tensor> in;
             for (pyb::handle o : inputs) in.push_back(ToTensor(o.ptr(), "to_static", "input"));
             pyb::list l;
             for (Tensor& r : t.Call(in)) l.append(TensorObject(r));
             return l;
           })
      .def_property_readonly("grad", Member(&jit::Traced::grad))
      .def_property_readonly("has_effects", Member(&jit::Traced::HasEffects))
      .def("keeps_apart", [](const jit::Traced& t, pyb::list inputs) { return t.KeepsApart(TensorsOf(inputs)); })
      .def_property_readonly(
          "forward_program",
          [](jit::Traced& t) { return std::make_shared<ProgramObject>(t.forward_program()->Clone()); })
      .def_property_readonly("backward_program",
                             [](jit::Traced& t) -> std::shared_ptr<ProgramObject> {
                               if (!t.grad()) return nullptr;
                               const auto& b = t.BackwardFor(std::vector<bool>(t.leaves().size(), true));
                               return std::make_shared<ProgramObject>(b.program->Clone());
                             })
      .def_property_readonly("num_fused", [](jit::Traced& t) { return t.forward_plan()->num_fused(); })
      .def(
          "profile",
          [](jit::Traced& t, bool on) {
            for (executor::Plan* p : t.Plans()) p->SetProfiling(on);
          },
          pyb::arg("on") = true, "Starts (from zero) or stops to measure instructions, of gradients too.")
      .def(
          "profile_rows",
          [](jit::Traced& t) {
            pyb::list plans;
            for (executor::Plan* p : t.Plans()) {
              pyb::list rows;
              for (auto& e : p->Profile()) rows.append(pyb::make_tuple(e.name, e.calls, e.ns * 1e-3));
              plans.append(rows);
            }
            return plans;
          },
          "For each plan made so far, the forward one first: (name, calls, total us) of each instruction.");
}

void AddTape(pyb::module_& root) {
  pyb::class_<Tape>(root, "_Tape", "What a function did with tensors while it ran.")
      .def(pyb::init([](pyb::list inputs, pyb::list known) {
             return std::make_unique<Tape>(TensorsOf(inputs), TensorsOf(known));
           }),
           pyb::arg("inputs"), pyb::arg("known"))
      .def("__enter__", [](Tape& t) { t.Start(); })
      .def("__exit__", [](Tape& t, const pyb::args&) { t.Finish(); })
      .def("know", [](Tape& t, pyb::handle o) { t.Know(ToTensor(o.ptr(), "to_static", "tensor")); })
      .def("read_number",
           [](Tape& t, pyb::handle o) {
             return pyb::reinterpret_steal<pyb::object>(
                 t.ReadNumber(ToTensor(o.ptr(), "to_static", "tensor")).release());
           })
      .def("stop", [](Tape& t, int end, std::string why) { t.Stop(static_cast<Tape::End>(end), std::move(why)); })
      .def_property_readonly("end", [](const Tape& t) { return static_cast<int>(t.end()); })
      .def_property_readonly("why", [](const Tape& t) { return t.why(); })
      .def("lost", [](Tape& t) { return t.Lost(); })
      .def_property_readonly("num_reads", [](const Tape& t) { return t.num_reads(); })
      .def_property_readonly("lost_read", [](const Tape& t) { return t.lost_read(); })
      .def("count_escaped", [](Tape& t, pyb::list accounted) { return t.CountEscaped(TensorsOf(accounted)); })
      .def("uses", [](const Tape& t, pyb::handle o) { return t.Uses(ToTensor(o.ptr(), "to_static", "tensor")); })
      .def("made", [](const Tape& t, pyb::handle o) { return t.Made(ToTensor(o.ptr(), "to_static", "tensor")); })
      .def("replay",
           [](Tape& t, pyb::list proxies, pyb::list instead) {
             std::vector<std::pair<Tensor, Tensor>> pairs;
             for (pyb::handle item : instead) {
               auto pair = pyb::cast<pyb::tuple>(item);
               pairs.emplace_back(ToTensor(pair[0].ptr(), "to_static", "known"),
                                  ToTensor(pair[1].ptr(), "to_static", "other"));
             }
             t.Replay(TensorsOf(proxies), pairs);
           })
      .def("proxy",
           [](const Tape& t, pyb::handle o) -> pyb::object {
             return TensorObject(t.ProxyOf(ToTensor(o.ptr(), "to_static", "tensor")));
           })
      .def("restore", [](Tape& t) { t.Restore(); });
}

void AddFrameWatch(pyb::module_& root) {
  pyb::class_<FrameWatch>(root, "_FrameWatch", "Which Python code runs while a call is recorded.")
      .def(pyb::init<std::vector<std::string>, std::vector<std::string>>(), pyb::arg("free"), pyb::arg("trusted"))
      .def("start", Member(&FrameWatch::Start))
      .def("stop", Member(&FrameWatch::Stop))
      .def("trust", Member(&FrameWatch::Trust))
      .def("distrust", Member(&FrameWatch::Distrust))
      .def_property_readonly("foreign", [](const FrameWatch& w) { return w.foreign(); });
}

void AddRecordings(pyb::module_& root) {
  root.def(
      "_note_code", [](pyb::object code) { NoteCode(code.ptr()); }, pyb::arg("code"),
      "Registers code whose reads are noted, and keeps it.");
  root.def(
      "_is_made",
      [](const std::shared_ptr<ProgramObject>& program, pyb::handle o) {
        return program->recorder().IsMade(ToTensor(o.ptr(), "to_static", "tensor"));
      },
      "Whether the function that is recorded made the tensor, with data.");
  root.def("_as_result",
           [](pyb::handle o) { return TensorObject(jit::AsResult(ToTensor(o.ptr(), "to_static", "tensor"))); });
  root.def(
      "_take_writes",
      [](const std::shared_ptr<ProgramObject>& program) {
        pyb::list l;
        for (const jit::Written& w : jit::TakeWrites(*program))
          l.append(pyb::make_tuple(TensorObject(w.tensor), TensorObject(w.value)));
        return l;
      },
      "Undoes writes to tensors with data; (tensor, value written) for each.");
  root.def("_captured_tensors", [](const std::shared_ptr<ProgramObject>& program) {
    pyb::list l;
    for (const auto& c : program->recorder().captured()) l.append(TensorObject(c.tensor));
    return l;
  });
  root.def(
      "_data_reads", [] { return jit::t_capture.data_reads; },
      "Grows when this thread reads numbers out of a tensor that no recording under way made.");
  root.def(
      "_count_tensor", [](int64_t n) { return TensorObject(CountTensor(n)); }, pyb::arg("n"),
      "What stands for an int of that value among the tensors of a call.");
  root.def(
      "_changed_place", [](pyb::object places) { return Guards(places.ptr()).Changed(); }, pyb::arg("places"),
      "The number of a place that does not hold what it is said to; -1: there is none.");
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    if (PyModule_AddFunctions(module, functions) < 0) throw PyErrAlreadySet();
    PyRef type = Own(MakeRecordedCallsType(methods));
    if (PyModule_AddObject(module, "RecordedCalls", type.release()) < 0) throw PyErrAlreadySet();
    pyb::module_ root = pyb::reinterpret_borrow<pyb::module_>(module);
    AddTraced(root);
    AddTape(root);
    AddFrameWatch(root);
    AddRecordings(root);
    root.def(
        "_static_enabled",
        [](pyb::object on) {
          bool old = g_recordings_run;
          if (!on.is_none()) g_recordings_run = pyb::cast<bool>(on);
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
