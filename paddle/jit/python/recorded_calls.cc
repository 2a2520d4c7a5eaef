// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/python/recorded_calls.h"

#include <structmember.h>

#include <cstring>

#include "paddle/jit/python/tape.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/gil.h"

namespace paddle::py {

bool g_recordings_run = true;

bool Known::Decides(const std::vector<Tensor>& outputs, std::vector<PyRef>& made) const {
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (i == made.size()) made.push_back(Own(ItemOf(outputs[decisions[i].first], 0)));
    if (!SameValue(decisions[i].second.get(), made[i].get())) return false;
  }
  return true;
}

bool Known::MayDecide(const std::vector<PyRef>& made) const {
  for (size_t i = 0; i < made.size() && i < decisions.size(); ++i)
    if (!SameValue(decisions[i].second.get(), made[i].get())) return false;
  return true;
}

bool Known::MatchArgs(PyObject* const* given, Py_ssize_t npos, PyObject* kwnames, std::vector<Tensor>* tensors) const {
  if (args.children.size() != static_cast<size_t>(npos)) return false;
  if ((kwnames ? PyTuple_GET_SIZE(kwnames) : 0) != static_cast<Py_ssize_t>(kwargs.size())) return false;
  for (Py_ssize_t i = 0; i < npos; ++i)
    if (!args.children[i].Match(given[i], tensors)) return false;
  // In their order, which code may go through.
  for (size_t k = 0; k < kwargs.size(); ++k) {
    const auto& [name, node] = kwargs[k];
    PyObject* got = PyTuple_GET_ITEM(kwnames, static_cast<Py_ssize_t>(k));
    if (got != name.get() && PyUnicode_Compare(got, name.get()) != 0) return false;
    if (!node.Match(given[npos + static_cast<Py_ssize_t>(k)], tensors)) return false;
  }
  return true;
}

int Known::Visit(visitproc visit, void* arg) const {
  if (int r = args.Visit(visit, arg)) return r;
  for (auto& [name, node] : kwargs) {
    Py_VISIT(name.get());
    if (int r = node.Visit(visit, arg)) return r;
  }
  if (int r = guards.Visit(visit, arg)) return r;
  for (auto& [output, number] : decisions) Py_VISIT(number.get());
  return out.Visit(visit, arg);
}

namespace {

constexpr int kMostFailures = 3;  // from which on a recording is not run again

// Interned method names.
PyObject *g_miss = nullptr, *g_again = nullptr, *g_inline = nullptr, *g_failed = nullptr, *g_bind = nullptr;

PyObject* CallMethod(PyObject* self, PyObject* name, PyObject* const* args, Py_ssize_t npos, PyObject* kwnames) {
  PyRef tuple = Own(PyTuple_New(npos));
  for (Py_ssize_t i = 0; i < npos; ++i) PyTuple_SET_ITEM(tuple.get(), i, PyRef::Borrow(args[i]).release());
  PyRef dict = Own(PyDict_New());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k)
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, k), args[npos + k]) < 0) return nullptr;
  return OrStay([&] { return PyObject_CallMethodObjArgs(self, name, tuple.get(), dict.get(), nullptr); });
}

// What CallMethod gives; the traceback of an exception does not show how calls are recorded.
PyObject* Record(PyObject* self, PyObject* name, PyObject* const* args, Py_ssize_t npos, PyObject* kwnames) {
  PyObject* result = CallMethod(self, name, args, npos, kwnames);
  if (result) return result;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  const PyRef home(trace ? PyImport_ImportModule("paddle.jit.errors") : nullptr);
  PyRef shown(home ? PyObject_CallMethod(home.get(), "of_user", "O", trace) : nullptr);
  if (shown) {
    Py_DECREF(trace);
    trace = shown.get() == Py_None ? nullptr : shown.release();
  }
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return nullptr;
}

PyObject* CallPlain(RecordedCalls* f, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  KnownCalls& known = *f->entries;
  const PyRef run = PyRef::Borrow(known.function && known.same.Changed() >= 0 ? known.function.get() : f->plain);
  return OrStay([&] { return PyObject_Vectorcall(run.get(), args, nargsf, kwnames); });
}

// Runs the function where recording `e` failed, and has the host note that.
PyObject* CallInstead(RecordedCalls* f, Known& e, const char* error, PyObject* const* args, size_t nargsf,
                      PyObject* kwnames) {
  PyRef result(CallPlain(f, args, nargsf, kwnames));
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (result && ++e.failures >= kMostFailures && e.decisions.empty()) e.mode = Known::kPlain;
  const PyRef number(PyLong_FromLongLong(e.number)), text(PyUnicode_DecodeUTF8(error, std::strlen(error), "replace"));
  PyRef noted;
  if (number && text)
    noted = PyRef(PyObject_CallMethodObjArgs(reinterpret_cast<PyObject*>(f), g_failed, number.get(), text.get(),
                                             result ? Py_False : Py_True, nullptr));
  if (!noted && result) return nullptr;
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return result.release();
}

// The tensors of one call, in memory that calls leave to each other.
struct CallTensors {
  std::vector<Tensor>& room;
  std::vector<Tensor> tensors;

  explicit CallTensors(std::vector<Tensor>& r) : room(r), tensors(std::move(r)) {}
  ~CallTensors() {
    tensors.clear();
    room.swap(tensors);
  }
  CallTensors(const CallTensors&) = delete;
};

PyObject* Vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* f = reinterpret_cast<RecordedCalls*>(self);
  Py_ssize_t npos = PyVectorcall_NARGS(nargsf);
  if (!f->plain) {
    PyErr_SetString(PyExc_RuntimeError, "[to_static] expected a function, got none");
    return nullptr;
  }
  if (!g_recordings_run) return Guarded([&] { return CallPlain(f, args, nargsf, kwnames); });
  if (egr::State().record != egr::RecordMode::kRun || TakingTape())
    return Guarded([&] { return CallMethod(self, g_inline, args, npos, kwnames); });
  return Guarded([&]() -> PyObject* {
    const jit::Modes now = jit::Modes::Now();
    const KnownCalls::Look look(*f->entries);
    CallTensors call(f->entries->room);
    std::vector<Tensor>& tensors = call.tensors;
    std::vector<PyRef> made;  // decisions of this call
    for (size_t i = 0; i < f->entries->size(); ++i) {
      Known& e = f->entries->at(i);
      if (!made.empty() && !e.MayDecide(made)) continue;
      tensors.clear();
      if (!(e.modes == now)) continue;
      if (!e.MatchArgs(args, npos, kwnames, e.mode == Known::kRecorded ? &tensors : nullptr)) continue;
      if (e.guards.Changed() >= 0) continue;
      if (!e.Runs(tensors)) continue;
      f->entries->Use(i);
      if (e.mode == Known::kPlain) return CallPlain(f, args, nargsf, kwnames);
      if (e.mode == Known::kOnce) return Record(self, g_again, args, npos, kwnames);
      std::vector<Tensor> r;
      jit::Traced::Attempt attempt(*e.traced, tensors);
      try {
        r = e.traced->Call(tensors);
      } catch (const common::Error& error) {
        // The function raises this where its code does, with what it did before that.
        if (!attempt.Undo()) throw;
        if (e.failures > 0 && !e.decisions.empty()) continue;  // it decides otherwise
        return CallInstead(f, e, error.what(), args, nargsf, kwnames);
      }
      if (e.failures > 0) e.failures = 0;
      if (!e.decisions.empty() && !e.Decides(r, made)) continue;
      ++f->compiled_runs;
      return e.out.Build(r, tensors).release();
    }
    return Record(self, g_miss, args, npos, kwnames);
  });
}

PyTypeObject* g_type = nullptr;

// What the object keeps of an attribute, where it is still of this descriptor and object: copies of objects have the
// entries of others.
PyObject* KeptOf(PyObject* self, PyObject* instance) {
  PyObject* key = RecordedCalls::Of(self).key;
  if (!key) return nullptr;
  const PyRef made(PyType_Check(instance) ? nullptr : PyObject_GenericGetDict(instance, nullptr));
  PyErr_Clear();
  PyObject* home = PyType_Check(instance) ? reinterpret_cast<PyTypeObject*>(instance)->tp_dict : made.get();
  PyObject* found = home ? PyDict_GetItemWithError(home, key) : nullptr;
  PyErr_Clear();
  if (!found || !PyObject_TypeCheck(found, g_type)) return nullptr;
  const RecordedCalls& f = RecordedCalls::Of(found);
  return f.origin == self && f.bound == instance ? found : nullptr;
}

PyObject* DescrGet(PyObject* self, PyObject* instance, PyObject* owner) {
  if (!instance) return Py_NewRef(self);
  if (PyObject* found = KeptOf(self, instance)) return Py_NewRef(found);
  return PyObject_CallMethodObjArgs(self, g_bind, instance, owner ? owner : Py_None, nullptr);
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    auto entries = std::make_unique<KnownCalls>();
    auto* f = reinterpret_cast<RecordedCalls*>(type->tp_alloc(type, 0));
    if (!f) return nullptr;
    f->vectorcall = Vectorcall;
    f->entries = entries.release();
    return reinterpret_cast<PyObject*>(f);
  });
}
int Traverse(PyObject* self, visitproc visit, void* arg) {
  auto* f = reinterpret_cast<RecordedCalls*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(f->plain);
  Py_VISIT(f->key);
  Py_VISIT(f->origin);
  if (!f->entries) return 0;
  Py_VISIT(f->entries->function.get());
  if (int r = f->entries->same.Visit(visit, arg)) return r;
  for (auto& e : f->entries->all())
    if (int r = e->Visit(visit, arg)) return r;
  return 0;
}
int Clear(PyObject* self) {
  auto* f = reinterpret_cast<RecordedCalls*>(self);
  Py_CLEAR(f->plain);
  Py_CLEAR(f->key);
  Py_CLEAR(f->origin);
  f->bound = nullptr;
  if (!f->entries) return 0;
  const auto entries = f->entries->Take();
  const PyRef function = std::move(f->entries->function);
  const Guards same = std::move(f->entries->same);
  return 0;
}
void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* type = Py_TYPE(self);
  Clear(self);
  delete reinterpret_cast<RecordedCalls*>(self)->entries;
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(RecordedCalls, vectorcall), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyObject* MakeRecordedCallsType(PyMethodDef* methods) {
  g_miss = PyUnicode_InternFromString("_miss");
  g_inline = PyUnicode_InternFromString("_inline");
  g_again = PyUnicode_InternFromString("_again");
  g_bind = PyUnicode_InternFromString("_bind");
  g_failed = PyUnicode_InternFromString("_failed");
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                         {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                         {Py_tp_descr_get, reinterpret_cast<void*>(DescrGet)},
                         {Py_tp_methods, methods},
                         {Py_tp_members, members},
                         {0, nullptr}};
  PyType_Spec spec = {"paddle.base.libpaddle.RecordedCalls", sizeof(RecordedCalls), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  g_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

}  // namespace paddle::py
