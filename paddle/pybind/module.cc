// SPDX-License-Identifier: Apache-2.0
// The extension module paddle.base.libpaddle.
#include <Python.h>

#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/pybind/class_guards.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/object/user_line.h"

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

int Fill(PyObject* module) {
  if (InitTypes(module) < 0 || InitTensorType(module) < 0 || InitCreation(module) < 0 || InitAutograd(module) < 0 ||
      InitRuntime(module) < 0)
    return -1;
  egr::SetUserSource(&UserSource);
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
  GuardClasses(module);
  return 0;
}

}  // namespace
}  // namespace paddle::py

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_libpaddle() {
  using namespace paddle::py;
  return Guarded([]() -> PyObject* {
    if (!phi::CpuSupported()) {
      PyErr_SetString(PyExc_ImportError,
                      "[paddle] expected a processor with AVX2, FMA, F16C and BMI2 (x86-64-v3), got one without");
      return nullptr;
    }
    PyRef module = Own(PyModule_Create(&definition));
    if (Fill(module.get()) < 0) return nullptr;
    return module.release();
  });
}
