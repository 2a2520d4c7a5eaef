// SPDX-License-Identifier: Apache-2.0
// What pybind11 does not check of the classes and functions that it makes.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace paddle::py {

// Makes those of a module, and of the modules in it, safe for objects that __init__ has not filled, and where there is
// no memory: MemoryError. Throws what looking at them throws.
void GuardClasses(PyObject* module);

}  // namespace paddle::py
