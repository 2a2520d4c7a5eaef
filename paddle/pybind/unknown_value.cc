// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/unknown_value.h"

#include <string>

#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

void RaiseUnknownValue(const char* what, const char* advice) {
  // The innermost line that is not the package's own.
  std::string where;
  std::string package;
  if (PyRef module = PyRef(PyImport_ImportModule("paddle")); module) {
    if (PyRef file = PyRef(PyObject_GetAttrString(module.get(), "__file__")); file) {
      const char* path = PyUnicode_AsUTF8(file.get());
      package = path ? path : "";
      package = package.substr(0, package.find_last_of('/') + 1);
    }
  }
  PyErr_Clear();
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    PyRef name(PyObject_GetAttrString(code.get(), "co_filename"));
    const char* path = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (path && (package.empty() || std::string(path).rfind(package, 0) != 0)) {
      where = std::string(", at ") + path + ", line " + std::to_string(PyFrame_GetLineNumber(frame));
      Py_DECREF(frame);
      break;
    }
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError,
               "%s() of a tensor that is being recorded%s: it is not known before the program runs; %s", what,
               where.c_str(), advice);
}

}  // namespace paddle::py
