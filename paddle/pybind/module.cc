// SPDX-License-Identifier: Apache-2.0
// The extension module paddle.base.libpaddle.
#include <pybind11/pybind11.h>

#include "paddle/phi/primitives/isa.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

std::vector<ModuleInit>& ModuleInits() {
  static auto* list = new std::vector<ModuleInit>;
  return *list;
}

namespace {

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "paddle.base.libpaddle",
                          "The C++ core of paddle.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

// pybind11 gives a method of `cls.__new__(cls)`, which no __init__ has filled, memory without an object.
void* RefuseEmpty(size_t) {
  throw pybind11::type_error("expected an object that __init__ has filled, got an empty one");
}
void GuardEmptyObjects(PyObject* module) {
  PyObject *name, *value;
  for (Py_ssize_t pos = 0; PyDict_Next(PyModule_GetDict(module), &pos, &name, &value);) {
    if (PyModule_Check(value)) {
      GuardEmptyObjects(value);
    } else if (PyType_Check(value)) {
      if (auto* info = pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value)))
        info->operator_new = &RefuseEmpty;
    }
  }
}

// Nor can it free an object of its base class, which the first protocols of pickle ask for.
newfunc g_pybind_new = nullptr;
PyObject* RefuseBase(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (reinterpret_cast<PyObject*>(type) != pybind11::detail::get_internals().instance_base)
    return g_pybind_new(type, args, kwargs);
  PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  return nullptr;
}
void GuardBaseObject() {
  auto* base = reinterpret_cast<PyTypeObject*>(pybind11::detail::get_internals().instance_base);
  if (base->tp_new == RefuseBase) return;
  g_pybind_new = std::exchange(base->tp_new, RefuseBase);
}

int Fill(PyObject* module) {
  if (InitTypes(module) < 0 || InitTensorType(module) < 0 || InitCreation(module) < 0 || InitAutograd(module) < 0 ||
      InitRuntime(module) < 0)
    return -1;
  // The submodule pir holds the Value class; others add to it.
  PyObject* pir = PyModule_New("paddle.base.libpaddle.pir");
  if (!pir) return -1;
  Py_INCREF(g_value_type);
  if (PyModule_AddObject(pir, "Value", reinterpret_cast<PyObject*>(g_value_type)) < 0) return -1;
  if (PyModule_AddObject(module, "pir", pir) < 0) return -1;
  PyRef modules = PyRef::Borrow(PyImport_GetModuleDict());
  if (PyDict_SetItemString(modules.get(), "paddle.base.libpaddle.pir", pir) < 0) return -1;
  for (ModuleInit init : ModuleInits())
    if (init(module) < 0) return -1;
  GuardEmptyObjects(module);
  GuardBaseObject();
  return 0;
}

}  // namespace
}  // namespace paddle::py

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_libpaddle() {
  using namespace paddle::py;
  return Guarded([]() -> PyObject* {
    if (!phi::CpuSupported()) {
      PyErr_SetString(
          PyExc_ImportError,
          "paddle needs a processor with AVX2, FMA, F16C and BMI2 (x86-64-v3); this one does not offer them");
      return nullptr;
    }
    PyRef module = Own(PyModule_Create(&definition));
    if (Fill(module.get()) < 0) return nullptr;
    return module.release();
  });
}
