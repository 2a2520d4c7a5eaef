// SPDX-License-Identifier: Apache-2.0
// What older Pythons lack of the C interface that the bindings use: the oldest is CPython 3.9.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>  // PyFrame_GetBack, which Python.h has from 3.11 on

#if PY_VERSION_HEX < 0x030A0000
inline PyObject* Py_XNewRef(PyObject* object) {
  Py_XINCREF(object);
  return object;
}
inline PyObject* Py_NewRef(PyObject* object) { return Py_XNewRef(object); }
inline int PyModule_AddObjectRef(PyObject* module, const char* name, PyObject* value) {
  const int status = PyModule_AddObject(module, name, Py_XNewRef(value));
  if (status < 0) Py_XDECREF(value);
  return status;
}
#endif

namespace paddle::py {

// A type whose objects only C++ makes: calling it in Python is a TypeError. Null with an error set.
inline PyTypeObject* TypeWithoutNew(PyType_Spec spec) {
#if PY_VERSION_HEX < 0x030A0000
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type) type->tp_new = nullptr;
  return type;
#else
  spec.flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
#endif
}

}  // namespace paddle::py
