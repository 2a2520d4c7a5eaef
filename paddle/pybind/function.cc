// SPDX-License-Identifier: Apache-2.0
// The vectorcall object of an op function: argument parsing, binding as a method, introspection, and the registry by
// namespace.
#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/jit/writes.h"
#include "paddle/jit/python/frame_watch.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/watched.h"

namespace paddle::py {
namespace {

struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  const FnSpec* spec;
  PyObject** names;    // interned, nargs of them
  PyObject** aliases;  // interned or null
  PyObject* proxy;     // null until asked for
  PyObject* dict;
  int max_positional;
  int required;
  int varargs;  // index of the collecting argument, -1 if none
  bool has_alias;
};

PyTypeObject* g_function_type = nullptr;
bool g_spelled_out = false;

[[gnu::cold, gnu::noinline]] PyObject* MissingError(const Function* f, PyObject* const* slots) {
  std::string missing;
  std::vector<const char*> names;
  for (int i = 0; i < f->spec->nargs; ++i)
    if (!slots[i] && !f->spec->args[i].has_default) names.push_back(f->spec->args[i].name);
  for (size_t i = 0; i < names.size(); ++i) {
    if (i) missing += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    missing += "'" + std::string(names[i]) + "'";
  }
  PyErr_Format(PyExc_TypeError, "%s() missing %d required positional argument%s: %s", f->spec->name, int(names.size()),
               names.size() == 1 ? "" : "s", missing.c_str());
  return nullptr;
}

[[gnu::cold, gnu::noinline]] PyObject* TooManyError(const Function* f, Py_ssize_t given) {
  if (f->required < f->max_positional)
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", f->spec->name,
                 f->required, f->max_positional, given);
  else
    PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", f->spec->name,
                 f->max_positional, f->max_positional == 1 ? "" : "s", given, given == 1 ? "was" : "were");
  return nullptr;
}

// Sets the TypeError of a keyword that a function does not have: with the name, of n that may be null, that was meant.
template <typename Name>
[[gnu::cold, gnu::noinline]] void UnexpectedError(const char* function, PyObject* key, int n, Name&& name) {
  PyRef module(PyImport_ImportModule("paddle._suggest")), known(module ? PyList_New(0) : nullptr);
  if (!known) return;
  for (int i = 0; i < n; ++i) {
    if (!name(i)) continue;
    PyRef one(PyUnicode_FromString(name(i)));
    if (!one || PyList_Append(known.get(), one.get()) < 0) return;
  }
  PyRef text(PyObject_CallMethod(module.get(), "unexpected", "sOO", function, key, known.get()));
  if (text) PyErr_SetObject(PyExc_TypeError, text.get());
}

// The slot of a keyword, -1 when there is none: identity first, since literals in calls are interned.
int FindKeyword(const Function* f, PyObject* key) {
  int n = f->spec->nargs;
  for (int i = 0; i < n; ++i)
    if (f->names[i] == key) return i;
  if (f->has_alias)
    for (int i = 0; i < n; ++i)
      if (f->aliases[i] == key) return i;
  for (int i = 0; i < n; ++i) {
    if (PyUnicode_Compare(f->names[i], key) == 0) return i;
    if (f->aliases[i] && PyUnicode_Compare(f->aliases[i], key) == 0) return i;
  }
  return -1;
}

// Positional values from the collecting argument on, when they are spelled out: f(x, 2, 3).
bool StartsSpelledOut(PyObject* o) {
  return PyLong_Check(o) || (IsTensor(o) && AsTensor(o).defined() && AsTensor(o).numel() == 1);
}

// The result of a function of paddle.tensor.other_forms of the same name; NotImplemented where there is none, or where
// it says so: the arguments are in no form of its. No exception is pending.
[[gnu::cold, gnu::noinline]] PyRef InOtherForm(const FnSpec* spec, PyObject* const* args, Py_ssize_t n,
                                               PyObject* kwnames) {
  if (std::strcmp(spec->module, "paddle") != 0) return PyRef::Borrow(Py_NotImplemented);
  const UnwatchedFrames unwatched;
  PyRef module(PyImport_ImportModule("paddle.tensor.other_forms"));
  if (!module) return {};
  PyRef other(PyObject_GetAttrString(module.get(), spec->name));
  if (other && PyFunction_Check(other.get()))
    return PyRef(PyObject_Vectorcall(other.get(), args, static_cast<size_t>(n), kwnames));
  PyErr_Clear();
  return PyRef::Borrow(Py_NotImplemented);
}

[[gnu::cold, gnu::noinline]] PyObject* WatchedSlots(const FnSpec* spec, PyObject** slots) {
  const auto run = [spec](PyObject* const* a) { return WatchedCall(spec->name, [&] { return spec->call(a); }); };
  Tape* tape = TakingTape();
  if (!tape) return run(slots);
  // A call that raises ends the tape, so the other form is asked first.
  int given = spec->nargs;
  while (given > 0 && !slots[given - 1]) --given;
  if (std::find(slots, slots + given, nullptr) == slots + given) {
    PyRef r = InOtherForm(spec, slots, given, nullptr);
    if (!r || r.get() != Py_NotImplemented) return r.release();
  }
  return tape->Call(slots, spec->nargs, run, [spec, spelled_out = g_spelled_out](PyObject* const* a) {
    g_spelled_out = spelled_out;
    return spec->call(a);
  });
}

// Leads the message of the pending exception by the function's name where the message names none.
[[gnu::cold, gnu::noinline]] void NameFunction(const char* name) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyRef args(value ? PyObject_GetAttrString(value, "args") : nullptr);
  PyObject* message = args && PyTuple_Check(args.get()) && PyTuple_GET_SIZE(args.get()) == 1
                          ? PyTuple_GET_ITEM(args.get(), 0)
                          : nullptr;
  if (const char* text = message && PyUnicode_Check(message) ? PyUnicode_AsUTF8(message) : nullptr)
    for (const char* begin : {"expected ", "out of memory"})
      if (std::strncmp(text, begin, std::strlen(begin)) == 0)
        if (PyRef named{Py_BuildValue("(N)", PyUnicode_FromFormat("[%s] %U", name, message))})
          PyObject_SetAttrString(value, "args", named.get());
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

PyObject* CallSlots(Function* f, PyObject** slots) {
  PyObject* r = nullptr;
  try {
    r = phi::OpsWatched() ? WatchedSlots(f->spec, slots) : f->spec->call(slots);
  } catch (...) { RaiseCurrent(); }
  if (__builtin_expect(!r, 0)) NameFunction(f->spec->name);
  return r;
}

// After a call that raised: the result of the other form, else null with the exception still set.
[[gnu::cold, gnu::noinline]] PyObject* OrInOtherForm(PyObject* self, PyObject* const* args, Py_ssize_t n,
                                                     PyObject* kwnames) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyRef r = InOtherForm(reinterpret_cast<Function*>(self)->spec, args, n, kwnames);
  if (r && r.get() == Py_NotImplemented) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return r.release();
}

PyObject* Called(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_ssize_t npos = PyVectorcall_NARGS(nargsf);
  int n = f->spec->nargs;
  PyObject* slots[kMaxArgs];
  PyObject* collected = nullptr;
  if (__builtin_expect(npos > f->max_positional || (f->varargs >= 0 && npos > f->varargs + 1), 0)) {
    int v = f->varargs;
    if (v < 0 || npos <= v || !StartsSpelledOut(args[v])) {
      if (npos > f->max_positional) return TooManyError(f, npos);
      std::memcpy(slots, args, npos * sizeof(PyObject*));
    } else {
      std::memcpy(slots, args, v * sizeof(PyObject*));
      collected = PyTuple_New(npos - v);
      if (!collected) return nullptr;
      for (Py_ssize_t i = v; i < npos; ++i) {
        Py_INCREF(args[i]);
        PyTuple_SET_ITEM(collected, i - v, args[i]);
      }
      slots[v] = collected;
      npos = v + 1;
    }
  } else {
    for (Py_ssize_t i = 0; i < npos; ++i) slots[i] = args[i];
  }
  for (int i = static_cast<int>(npos); i < n; ++i) slots[i] = nullptr;
  if (kwnames) {
    Py_ssize_t nkw = PyTuple_GET_SIZE(kwnames);
    PyObject* const* values = args + PyVectorcall_NARGS(nargsf);
    for (Py_ssize_t k = 0; k < nkw; ++k) {
      PyObject* key = PyTuple_GET_ITEM(kwnames, k);
      int i = FindKeyword(f, key);
      if (i < 0) {
        UnexpectedError(f->spec->name, key, 2 * n,
                        [f, n](int i) { return i < n ? f->spec->args[i].name : f->spec->args[i - n].alias; });
        Py_XDECREF(collected);
        return nullptr;
      }
      if (slots[i]) {
        const ArgSpec& twice = f->spec->args[i];
        if (i < npos)
          PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", f->spec->name, twice.name);
        else
          PyErr_Format(PyExc_ValueError, "[%s] expected one of '%s' and '%s', got both", f->spec->name, twice.name,
                       twice.alias);
        Py_XDECREF(collected);
        return nullptr;
      }
      slots[i] = values[k];
    }
  }
  if (__builtin_expect(npos < f->required, 0))
    for (int i = static_cast<int>(npos); i < n; ++i)
      if (!slots[i] && !f->spec->args[i].has_default) {
        Py_XDECREF(collected);
        return Guarded([&] { return MissingError(f, slots); });
      }
  g_spelled_out = collected != nullptr;
  PyObject* r = CallSlots(f, slots);
  Py_XDECREF(collected);
  return r;
}

PyObject* Vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  PyObject* r = Called(self, args, nargsf, kwnames);
  if (__builtin_expect(r != nullptr, 1)) return r;
  return OrInOtherForm(self, args, PyVectorcall_NARGS(nargsf), kwnames);
}

PyObject* FnDescrGet(PyObject* self, PyObject* obj, PyObject*) {
  if (!obj || obj == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, obj);
}

void FnDealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* f = reinterpret_cast<Function*>(self);
  for (int i = 0; i < f->spec->nargs; ++i) {
    Py_XDECREF(f->names[i]);
    Py_XDECREF(f->aliases[i]);
  }
  delete[] f->names;
  delete[] f->aliases;
  Py_XDECREF(f->proxy);
  Py_XDECREF(f->dict);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}
int FnTraverse(PyObject* self, visitproc visit, void* arg) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(f->dict);
  Py_VISIT(f->proxy);
  return 0;
}
int FnClear(PyObject* self) {
  auto* f = reinterpret_cast<Function*>(self);
  Py_CLEAR(f->dict);
  Py_CLEAR(f->proxy);
  return 0;
}

const FnSpec* SpecOf(PyObject* self) { return reinterpret_cast<Function*>(self)->spec; }
PyObject* FnName(PyObject* self) { return PyUnicode_FromString(SpecOf(self)->name); }
PyObject* FnModule(PyObject* self) { return PyUnicode_FromString(SpecOf(self)->module); }
// The full text where the stanza has one, else its line.
PyObject* FnDoc(PyObject* self) {
  const FnSpec* spec = SpecOf(self);
  PyRef home(PyImport_ImportModule("paddle._op_docs")),
      texts(home ? PyObject_GetAttrString(home.get(), "TEXTS") : nullptr);
  PyRef key(texts ? PyUnicode_FromFormat("%s.%s", spec->module, spec->name) : nullptr);
  if (!key) return nullptr;
  PyObject* text = PyDict_GetItemWithError(texts.get(), key.get());
  if (!text && !PyErr_Occurred()) return Py_BuildValue("z", spec->doc);
  Py_XINCREF(text);
  return text;
}
// A Python function of the same name and parameters, made from the signature text on first use. It answers for the
// attributes by which programs look at functions; calls never reach it.
PyObject* Proxy(Function* f) {
  if (f->proxy) return f->proxy;
  PyRef home(PyImport_ImportModule(f->spec->module));
  if (!home) return nullptr;
  const std::string text =
      std::string("def ") + f->spec->name + (f->spec->signature ? f->spec->signature : "(*args, **kwargs)") + ": pass";
  PyRef code(Py_CompileString(text.c_str(), "<paddle>", Py_file_input)), defined(PyDict_New());
  if (!code || !defined) return nullptr;
  PyRef done(PyEval_EvalCode(code.get(), PyModule_GetDict(home.get()), defined.get()));
  if (!done) return nullptr;
  f->proxy = PyDict_GetItemString(defined.get(), f->spec->name);
  Py_XINCREF(f->proxy);
  return f->proxy;
}
PyObject* FnSignature(PyObject* self) {
  PyObject* function = Proxy(reinterpret_cast<Function*>(self));
  if (!function) return nullptr;
  PyRef inspect(PyImport_ImportModule("inspect"));
  return inspect ? PyObject_CallMethod(inspect.get(), "signature", "O", function) : nullptr;
}
// An attribute by which programs look at functions: what a program has set, else what the function is.
struct Attribute {
  const char* name;
  PyObject* (*make)(PyObject* self);  // null: the proxy has it
};
PyObject* FnMember(PyObject* self, void* which) {
  const auto& attribute = *static_cast<const Attribute*>(which);
  auto* f = reinterpret_cast<Function*>(self);
  if (PyObject* set = f->dict ? PyDict_GetItemString(f->dict, attribute.name) : nullptr) {
    Py_INCREF(set);
    return set;
  }
  if (attribute.make) return attribute.make(self);
  PyObject* function = Proxy(f);
  return function ? PyObject_GetAttrString(function, attribute.name) : nullptr;
}
int SetFnMember(PyObject* self, PyObject* value, void* which) {
  const char* name = static_cast<const Attribute*>(which)->name;
  PyRef dict(PyObject_GenericGetDict(self, nullptr));
  if (!dict) return -1;
  return value ? PyDict_SetItemString(dict.get(), name, value) : PyDict_DelItemString(dict.get(), name);
}
// Public functions are Python functions for whoever asks isinstance, as in PaddlePaddle.
PyObject* FnClass(PyObject*, void*) {
  Py_INCREF(&PyFunction_Type);
  return reinterpret_cast<PyObject*>(&PyFunction_Type);
}
PyObject* FnReduce(PyObject* self, PyObject*) { return PyUnicode_FromString(SpecOf(self)->name); }
PyObject* FnSame(PyObject* self, PyObject*) {
  Py_INCREF(self);
  return self;
}
PyObject* FnRepr(PyObject* self) {
  return PyUnicode_FromFormat("<function %s.%s%s>", SpecOf(self)->module, SpecOf(self)->name,
                              SpecOf(self)->signature ? SpecOf(self)->signature : "");
}

constexpr Attribute kAttributes[] = {
    {"__name__", FnName},      {"__qualname__", FnName},       {"__module__", FnModule},
    {"__doc__", FnDoc},        {"__signature__", FnSignature}, {"__annotations__", nullptr},
    {"__builtins__", nullptr}, {"__closure__", nullptr},       {"__code__", nullptr},
    {"__defaults__", nullptr}, {"__globals__", nullptr},       {"__kwdefaults__", nullptr}};
PyGetSetDef* Members() {
  static auto* members = [] {
    auto* all = new std::vector<PyGetSetDef>;
    for (const Attribute& a : kAttributes)
      all->push_back({a.name, Entry<FnMember>::Call, SetFnMember, nullptr, const_cast<Attribute*>(&a)});
    all->push_back({"__class__", FnClass, nullptr, nullptr, nullptr});
    all->push_back({"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr});
    all->push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    return all;
  }();
  return members->data();
}
PyMethodDef fn_methods[] = {{"__reduce__", FnReduce, METH_NOARGS, nullptr},
                            {"__copy__", FnSame, METH_NOARGS, nullptr},
                            {"__deepcopy__", FnSame, METH_O, nullptr},
                            {nullptr, nullptr, 0, nullptr}};
PyMemberDef fn_members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
                            {"__dictoffset__", T_PYSSIZET, offsetof(Function, dict), READONLY, nullptr},
                            {nullptr, 0, 0, 0, nullptr}};

int EnsureFunctionType() {
  if (g_function_type) return 0;
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(FnDealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(FnTraverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(FnClear)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(FnDescrGet)},
                                {Py_tp_getset, Members()},
                                {Py_tp_methods, fn_methods},
                                {Py_tp_members, fn_members},
                                {Py_tp_repr, reinterpret_cast<void*>(FnRepr)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "paddle.base.libpaddle.Function", sizeof(Function), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  g_function_type = TypeWithoutNew(spec);
  return g_function_type ? 0 : -1;
}

using Namespaces = std::map<std::string, std::vector<Registration>>;
Namespaces& Registry() {
  static auto* r = new Namespaces;
  return *r;
}
// One callable per spec, whatever the number of its names.
PyObject* FunctionOf(const FnSpec* spec) {
  static auto* made = new std::map<const FnSpec*, PyObject*>;
  PyObject*& f = (*made)[spec];
  if (!f) f = MakeFunction(spec);
  return f;
}
// Sets the callable of a registration in a dict; SystemError when the name is taken.
int Define(PyObject* dict, const Registration& r) {
  const char* name = r.as ? r.as : r.spec->name;
  PyObject* f = FunctionOf(r.spec);
  if (!f) return -1;
  if (PyDict_GetItemString(dict, name)) {
    PyErr_Format(PyExc_SystemError, "[%s] expected one function named %s, got two", r.where, name);
    return -1;
  }
  return PyDict_SetItemString(dict, name, f);
}

}  // namespace

PyObject* MakeFunction(const FnSpec* spec) {
  if (EnsureFunctionType() < 0) return nullptr;
  if (spec->nargs > kMaxArgs) {
    PyErr_Format(PyExc_SystemError, "%s() has too many arguments", spec->name);
    return nullptr;
  }
  auto* f = PyObject_GC_New(Function, g_function_type);
  if (!f) return nullptr;
  f->vectorcall = Vectorcall;
  f->spec = spec;
  f->proxy = nullptr;
  f->dict = nullptr;
  f->names = new PyObject*[spec->nargs + 1];
  f->aliases = new PyObject*[spec->nargs + 1];
  f->max_positional = 0;
  f->required = 0;
  f->varargs = -1;
  f->has_alias = false;
  for (int i = 0; i < spec->nargs; ++i) {
    const ArgSpec& a = spec->args[i];
    f->names[i] = PyUnicode_InternFromString(a.name);
    f->aliases[i] = a.alias ? PyUnicode_InternFromString(a.alias) : nullptr;
    f->has_alias = f->has_alias || a.alias;
    if (!a.kwonly) f->max_positional = i + 1;
    if (!a.has_default) f->required = i + 1;
    if (a.varargs) f->varargs = i;
  }
  PyObject_GC_Track(reinterpret_cast<PyObject*>(f));
  return reinterpret_cast<PyObject*>(f);
}

bool SpelledOut() { return g_spelled_out; }

void RegisterFunctions(const Registration* list, int n) {
  for (int i = 0; i < n; ++i) Registry()[list[i].where].push_back(list[i]);
}

PyObject* FunctionsOf(const std::string& where) {
  PyObject* d = PyDict_New();
  if (!d) return nullptr;
  auto it = Registry().find(where);
  if (it == Registry().end()) return d;
  for (const Registration& r : it->second)
    if (Define(d, r) < 0) {
      Py_DECREF(d);
      return nullptr;
    }
  return d;
}

int InstallTensorMethods(PyTypeObject* type) {
  auto it = Registry().find("paddle.Tensor");
  if (it == Registry().end()) return 0;
  PyObject* dict = type->tp_dict;
  PyRef own(PyDict_Copy(dict));  // members of the class itself stand
  for (const Registration& r : it->second)
    if (!PyDict_GetItemString(own.get(), r.as ? r.as : r.spec->name) && Define(dict, r) < 0) return -1;
  PyType_Modified(type);
  return 0;
}

PyObject* CallOp(const char* name, std::initializer_list<PyObject*> args) {
  static PyObject* ops = FunctionsOf("paddle._C_ops");
  PyObject* f = PyDict_GetItemString(ops, name);
  if (!f) {
    PyErr_Format(PyExc_RuntimeError, "[_C_ops] expected the name of an operation, got '%s'", name);
    return nullptr;
  }
  return PyObject_Vectorcall(f, args.begin(), args.size(), nullptr);
}

PyObject* Default(const char* text) {
  switch (text[0]) {
    case 'F': return Py_False;
    case 'T': return Py_True;
    case 'N': return Py_None;
  }
  static auto* made = new std::unordered_map<const char*, PyObject*>;
  PyObject*& value = (*made)[text];
  if (!value) {
    PyRef globals(PyDict_New());
    PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins());
    value = PyRun_String(text, Py_eval_input, globals.get(), globals.get());
    if (!value) throw PyErrAlreadySet();
  }
  return value;
}

PyObject* Named(PyObject* result, const char* type) {
  if (!result) return nullptr;
  PyRef tuple = Own(result);
  static auto* types = new std::unordered_map<const char*, PyTypeObject*>;  // by the literals of the bindings
  PyTypeObject*& kind = (*types)[type];
  if (!kind) {
    const UnwatchedFrames unwatched;
    PyRef module(PyImport_ImportModule("paddle.tensor.search"));
    kind = module ? reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module.get(), type)) : nullptr;
    if (!kind) return nullptr;
  }
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple.get());
  PyObject* named = kind->tp_alloc(kind, n);
  for (Py_ssize_t i = 0; named && i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple.get(), i);
    Py_INCREF(item);
    PyTuple_SET_ITEM(named, i, item);
  }
  return named;
}

PyObject* WriteOut(PyObject* result, PyObject* out) {
  PyRef r = Own(result);
  if (IsTensor(out) && IsTensor(r.get())) {
    Tensor& to = AsTensor(out);
    const Tensor& from = AsTensor(r.get());
    if (to.defined() && !to.is_same(from)) jit::RebindResult(to, from);
    if (!to.defined()) to = from;
  } else if ((PyTuple_Check(out) || PyList_Check(out)) && (PyTuple_Check(r.get()) || PyList_Check(r.get()))) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(r.get());
    if (PySequence_Fast_GET_SIZE(out) != n)
      RaiseValueError("[out] expected " + std::to_string(n) + " tensors, as the function returns, got " +
                      std::to_string(PySequence_Fast_GET_SIZE(out)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(r.get(), i);
      Py_INCREF(item);
      PyObject* done = WriteOut(item, PySequence_Fast_GET_ITEM(out, i));
      Py_XDECREF(done);
    }
  } else {
    RaiseTypeError(std::string("[out] expected a Tensor or a tuple of Tensors, as the function returns, got ") +
                   Py_TYPE(out)->tp_name);
  }
  Py_INCREF(out);
  return out;
}

void ParseArgs(const char* fn, const char* const* names, int n, int required, PyObject* const* args, Py_ssize_t nargs,
               PyObject* kwnames, PyObject** slots) {
  if (nargs > n) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments but %zd were given", fn, n, nargs);
    throw PyErrAlreadySet();
  }
  for (int i = 0; i < n; ++i) slots[i] = i < nargs ? args[i] : nullptr;
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < nkw; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    int i = 0;
    while (i < n && PyUnicode_CompareWithASCIIString(key, names[i]) != 0) ++i;
    if (i == n) {
      UnexpectedError(fn, key, n, [names](int i) { return names[i]; });
      throw PyErrAlreadySet();
    }
    if (slots[i]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", fn, names[i]);
      throw PyErrAlreadySet();
    }
    slots[i] = args[nargs + k];
  }
  for (int i = 0; i < required; ++i)
    if (!slots[i]) {
      PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", fn, names[i]);
      throw PyErrAlreadySet();
    }
}

}  // namespace paddle::py
