// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/class_guards.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

// pybind11 gives a method of `cls.__new__(cls)`, which no __init__ has filled, memory without an object.
void* RefuseEmpty(size_t) { throw pyb::type_error("expected an object that __init__ has filled, got an empty one"); }

// The memory of an object that C++ makes: pybind11 goes on without it, and when it cannot note the object afterwards,
// it frees what its owner keeps. So there is room for the note before.
PyObject* Alloc(PyTypeObject* type, Py_ssize_t n) {
  auto& known = pyb::detail::get_internals().registered_instances;
  if (static_cast<float>(known.size() + 1) > known.max_load_factor() * static_cast<float>(known.bucket_count()))
    known.rehash(2 * known.bucket_count());
  using Note = std::pair<void*, std::remove_reference_t<decltype(known)>::value_type>;
  std::allocator<Note> notes;
  Note* room = notes.allocate(1);
  PyObject* self = PyType_GenericAlloc(type, n);
  notes.deallocate(room, 1);  // the allocator's next of this size
  if (!self) throw PyErrAlreadySet();
  return self;
}

// The same for one that Python makes: what Python calls must not throw. Objects of the base class, which the first
// protocols of pickle ask for, have nothing that could be freed.
PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  if (reinterpret_cast<PyObject*>(type) == pyb::detail::get_internals().instance_base)
    return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (!self) return nullptr;
  try {
    reinterpret_cast<pyb::detail::instance*>(self)->allocate_layout();
    return self;
  } catch (...) {
    if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
    type->tp_free(self);
    Py_DECREF(type);
    return RaiseCurrent();
  }
}

// Whose constructor failed after it made the object: that is freed with what it was made in, not once more.
void ForgetUnfinished(PyObject* o) {
  if (!PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(pyb::detail::get_internals().instance_base))) return;
  auto* self = reinterpret_cast<pyb::detail::instance*>(o);
  if (self->simple_layout && self->owned && !self->simple_holder_constructed) self->simple_value_holder[0] = nullptr;
}

// Calls through pybind11: it notes what a constructor made, and words its own errors, where nothing catches what that
// throws; a result that could not be made for want of memory it reports as a TypeError.
_PyCFunctionFastWithKeywords g_dispatcher = nullptr;
PyObject* Dispatch(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  PyObject* result = Guarded([&] { return g_dispatcher(self, args, n, names); });
  if (!result && PyVectorcall_NARGS(static_cast<size_t>(n)) > 0) ForgetUnfinished(args[0]);
  if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* cause = value ? PyException_GetCause(value) : nullptr;
  if (cause && PyErr_GivenExceptionMatches(cause, PyExc_MemoryError)) {
    PyErr_SetObject(PyExc_MemoryError, cause);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  } else {
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(cause);
  return nullptr;
}

template <class F>
F As(PyCFunction f) {
  return reinterpret_cast<F>(reinterpret_cast<void*>(f));
}

void GuardFunction(PyObject* f) {
  if (!f) return;
  if (PyInstanceMethod_Check(f)) return GuardFunction(PyInstanceMethod_GET_FUNCTION(f));
  if (Py_TYPE(f) == &PyStaticMethod_Type) return GuardFunction(PyRef(PyObject_GetAttrString(f, "__func__")).get());
  if (Py_TYPE(f) == &PyProperty_Type || Py_TYPE(f)->tp_base == &PyProperty_Type) {
    GuardFunction(PyRef(PyObject_GetAttrString(f, "fget")).get());
    return GuardFunction(PyRef(PyObject_GetAttrString(f, "fset")).get());
  }
  if (!PyCFunction_Check(f)) return;
  PyMethodDef* def = reinterpret_cast<PyCFunctionObject*>(f)->m_ml;
  if (As<_PyCFunctionFastWithKeywords>(def->ml_meth) == g_dispatcher)
    def->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Dispatch));
}

void GuardNames(PyObject* dict) {
  PyObject *name, *value;
  for (Py_ssize_t pos = 0; PyDict_Next(dict, &pos, &name, &value);) {
    if (PyModule_Check(value)) {
      GuardNames(PyModule_GetDict(value));
    } else if (!PyType_Check(value)) {
      GuardFunction(value);
    } else if (auto* info = pyb::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value))) {
      info->operator_new = &RefuseEmpty;
      info->type->tp_alloc = &Alloc;
      info->type->tp_new = &New;
      GuardNames(info->type->tp_dict);
    }
  }
}

}  // namespace

void GuardClasses(PyObject* module) {
  const pyb::cpp_function any([] {});
  g_dispatcher = As<_PyCFunctionFastWithKeywords>(reinterpret_cast<PyCFunctionObject*>(any.ptr())->m_ml->ml_meth);
  GuardNames(PyModule_GetDict(module));
  reinterpret_cast<PyTypeObject*>(pyb::detail::get_internals().instance_base)->tp_new = &New;
}

}  // namespace paddle::py
