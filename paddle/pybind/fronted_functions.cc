// SPDX-License-Identifier: Apache-2.0
// Callables in front of functions written in Python, which spare calls a frame: of those whose arguments have second
// names (`dim` for `axis`) one that renames keywords, of `Layer.__call__` one that calls `forward` where there are no
// hooks. Like functions of stanzas they pass for Python functions.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstring>
#include <string>
#include <vector>

#include "paddle/phi/core/op_watch.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

struct Fronted {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* names;  // a tuple: second name, first name, ..., all interned
  PyObject* dict;
  PyObject* weak;
};

PyTypeObject* g_fronted_type = nullptr;
Fronted* Of(PyObject* self) { return reinterpret_cast<Fronted*>(self); }

bool Same(PyObject* key, PyObject* interned) {
  return key == interned || (!PyUnicode_CHECK_INTERNED(key) && PyUnicode_Compare(key, interned) == 0);
}

// The first name of a second one, borrowed; null for other keywords.
PyObject* FirstName(PyObject* names, PyObject* key) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i += 2)
    if (Same(key, PyTuple_GET_ITEM(names, i))) return PyTuple_GET_ITEM(names, i + 1);
  return nullptr;
}

// The keywords under first names. Throws ValueError where an argument is given under both.
[[gnu::noinline]] PyRef FirstNames(Fronted* f, PyObject* keys) {
  const Py_ssize_t n = PyTuple_GET_SIZE(keys);
  PyRef renamed = Own(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* key = PyTuple_GET_ITEM(keys, i);
    PyObject* first = FirstName(f->names, key);
    for (Py_ssize_t k = 0; first && k < n; ++k) {
      PyObject* other = PyTuple_GET_ITEM(keys, k);
      PyObject* meant = k == i ? nullptr : FirstName(f->names, other);
      if (k == i || !Same(meant ? meant : other, first)) continue;
      PyRef owner = Own(PyObject_GetAttrString(f->function, "__qualname__"));
      owner = Own(PyObject_CallMethod(owner.get(), "removesuffix", "s", ".__init__"));
      PyErr_Format(PyExc_ValueError, "[%U] expected one of '%U' and '%U', got both", owner.get(), meant ? other : first,
                   key);
      throw PyErrAlreadySet();
    }
    PyTuple_SET_ITEM(renamed.get(), i, Py_NewRef(first ? first : key));
  }
  return renamed;
}

// After a TypeError: names the argument that an unknown keyword may mean, where that was the reason.
[[gnu::cold, gnu::noinline]] void NameKeyword(Fronted* f, PyObject* const* args, Py_ssize_t given, PyObject* keys) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyRef home(PyImport_ImportModule("paddle.base.arguments"));
  PyRef text(home ? PyObject_CallMethod(home.get(), "unknown_keyword", "OOOO", f->function, keys, f->names,
                                        given ? args[0] : Py_None)
                  : nullptr);
  if (!text || text.get() == Py_None) {
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_SetObject(PyExc_TypeError, text.get());
}

PyObject* CallByFirstNames(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keys) {
  Fronted* f = Of(self);
  if (!keys) return PyObject_Vectorcall(f->function, args, nargsf, nullptr);
  PyRef renamed;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); ++i) {
    if (!FirstName(f->names, PyTuple_GET_ITEM(keys, i))) continue;
    if (!Guarded([&] {
          renamed = FirstNames(f, keys);
          return renamed.get();
        }))
      return nullptr;
    break;
  }
  PyObject* known = renamed ? renamed.get() : keys;
  PyObject* result = PyObject_Vectorcall(f->function, args, nargsf, known);
  if (__builtin_expect(!result, 0)) NameKeyword(f, args, PyVectorcall_NARGS(nargsf), known);
  return result;
}

// The hooks of a layer that a list of its dict holds: false where there is no such list, or it has some.
bool HasNone(PyObject* dict, PyObject* hooks) {
  PyObject* list = PyDict_GetItemWithError(dict, hooks);
  return list && PyDict_Check(list) && PyDict_GET_SIZE(list) == 0;
}

PyObject* Forwarded(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keys) {
  static PyObject* const forward = PyUnicode_InternFromString("forward");
  static PyObject* const before = PyUnicode_InternFromString("_forward_pre_hooks");
  static PyObject* const after = PyUnicode_InternFromString("_forward_post_hooks");
  if (PyVectorcall_NARGS(nargsf) > 0) {
    PyRef dict(PyObject_GenericGetDict(args[0], nullptr));
    if (dict && HasNone(dict.get(), before) && HasNone(dict.get(), after))
      return PyObject_VectorcallMethod(forward, args, nargsf, keys);
    PyErr_Clear();
  }
  return PyObject_Vectorcall(Of(self)->function, args, nargsf, keys);
}

// A call of a layer while a profiler records.
[[gnu::cold, gnu::noinline]] PyObject* CallWatched(PyObject* self, PyObject* const* args, size_t nargsf,
                                                   PyObject* keys) {
  const char* name = PyVectorcall_NARGS(nargsf) > 0 ? Py_TYPE(args[0])->tp_name : "Layer";
  const char* dot = std::strrchr(name, '.');
  const phi::UserSpan span(dot ? dot + 1 : name, phi::kForwardEvent);
  return Forwarded(self, args, nargsf, keys);
}

PyObject* CallForward(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keys) {
  if (phi::OpsWatched()) return CallWatched(self, args, nargsf, keys);
  return Forwarded(self, args, nargsf, keys);
}

PyObject* Bound(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Fronted* f = Of(self);
  if (f->weak) PyObject_ClearWeakRefs(self);
  Py_XDECREF(f->function);
  Py_XDECREF(f->names);
  Py_XDECREF(f->dict);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}
int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(Of(self)->function);
  Py_VISIT(Of(self)->dict);
  return 0;
}
int Clear(PyObject* self) {
  Py_CLEAR(Of(self)->dict);
  return 0;
}

// An attribute by which programs look at functions: what a program has set, else the function's.
PyObject* Member(PyObject* self, void* name) {
  const char* attribute = static_cast<const char*>(name);
  PyObject* dict = Of(self)->dict;
  if (PyObject* set = dict ? PyDict_GetItemString(dict, attribute) : nullptr) return Py_NewRef(set);
  return PyObject_GetAttrString(Of(self)->function, attribute);
}
int SetMember(PyObject* self, PyObject* value, void* name) {
  const char* attribute = static_cast<const char*>(name);
  PyRef dict(PyObject_GenericGetDict(self, nullptr));
  if (!dict) return -1;
  return value ? PyDict_SetItemString(dict.get(), attribute, value) : PyDict_DelItemString(dict.get(), attribute);
}
PyObject* Wrapped(PyObject* self, void*) { return Py_NewRef(Of(self)->function); }
PyObject* ClassOf(PyObject*, void*) { return Py_NewRef(reinterpret_cast<PyObject*>(&PyFunction_Type)); }

PyObject* Reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(Of(self)->function, "__qualname__"); }
PyObject* Itself(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* Repr(PyObject* self) { return PyObject_Repr(Of(self)->function); }

// _first_names(keywords): a dict of them under first names.
PyObject* Renamed(PyObject* self, PyObject* keywords) {
  PyRef result = Own(PyDict_New()), keys = Own(PySequence_Tuple(keywords));
  PyRef names = FirstNames(Of(self), keys.get());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i) {
    PyRef value = Own(PyObject_GetItem(keywords, PyTuple_GET_ITEM(keys.get(), i)));
    if (PyDict_SetItem(result.get(), PyTuple_GET_ITEM(names.get(), i), value.get()) < 0) return nullptr;
  }
  return result.release();
}

PyGetSetDef* Members() {
  static auto* members = [] {
    auto* all = new std::vector<PyGetSetDef>;
    for (const char* name :
         {"__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__builtins__", "__closure__",
          "__code__", "__defaults__", "__globals__", "__kwdefaults__", "__type_params__"})
      all->push_back({name, Entry<Member>::Call, SetMember, nullptr, const_cast<char*>(name)});
    all->push_back({"__wrapped__", Wrapped, nullptr, nullptr, nullptr});
    all->push_back({"__class__", ClassOf, nullptr, nullptr, nullptr});
    all->push_back({"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr});
    all->push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    return all;
  }();
  return members->data();
}
PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, nullptr},
                         {"__copy__", Itself, METH_NOARGS, nullptr},
                         {"__deepcopy__", Itself, METH_O, nullptr},
                         {"_first_names", Entry<Renamed>::Call, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMemberDef offsets[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Fronted, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(Fronted, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(Fronted, weak), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

// Takes the reference to `names`.
PyObject* Front(PyObject* function, PyObject* names, vectorcallfunc call) {
  PyRef kept(names);
  if (!kept) return nullptr;
  auto* f = PyObject_GC_New(Fronted, g_fronted_type);
  if (!f) return nullptr;
  f->vectorcall = call;
  f->function = Py_NewRef(function);
  f->names = kept.release();
  f->dict = f->weak = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(f));
  return reinterpret_cast<PyObject*>(f);
}

// _with_second_names(function, {second: first})
PyObject* WithSecondNames(PyObject*, PyObject* args) {
  PyObject *function, *given;
  if (!PyArg_ParseTuple(args, "O!O!:_with_second_names", &PyFunction_Type, &function, &PyDict_Type, &given))
    return nullptr;
  PyRef names = Own(PyTuple_New(2 * PyDict_GET_SIZE(given)));
  PyObject *second, *first;
  for (Py_ssize_t at = 0, i = 0; PyDict_Next(given, &at, &second, &first);)
    for (PyObject* name : {second, first}) {
      if (!PyUnicode_Check(name))
        RaiseTypeError("[_with_second_names] expected names as str, got " + std::string(Py_TYPE(name)->tp_name));
      Py_INCREF(name);
      PyUnicode_InternInPlace(&name);
      PyTuple_SET_ITEM(names.get(), i++, name);
    }
  return Front(function, names.release(), CallByFirstNames);
}

// _with_forward(Layer.__call__)
PyObject* WithForward(PyObject*, PyObject* function) {
  if (!PyFunction_Check(function))
    RaiseTypeError("[_with_forward] expected a function, got " + std::string(Py_TYPE(function)->tp_name));
  return Front(function, PyTuple_New(0), CallForward);
}

int InitFrontedFunctions(PyObject* module) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(Bound)},
                                {Py_tp_getset, Members()},
                                {Py_tp_methods, methods},
                                {Py_tp_members, offsets},
                                {Py_tp_repr, reinterpret_cast<void*>(Repr)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "paddle.base.libpaddle.FrontedFunction", sizeof(Fronted), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  g_fronted_type = TypeWithoutNew(spec);
  static PyMethodDef functions[] = {{"_with_second_names", Entry<WithSecondNames>::Call, METH_VARARGS, nullptr},
                                    {"_with_forward", Entry<WithForward>::Call, METH_O, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};
  if (!g_fronted_type || PyModule_AddFunctions(module, functions) < 0) return -1;
  return PyModule_AddObjectRef(module, "FrontedFunction", reinterpret_cast<PyObject*>(g_fronted_type));
}
PADDLE_MODULE_INIT(InitFrontedFunctions)

}  // namespace
}  // namespace paddle::py
