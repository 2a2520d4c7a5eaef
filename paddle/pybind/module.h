// SPDX-License-Identifier: Apache-2.0
// How other files add to the extension module: PADDLE_MODULE_INIT(fn) runs `int fn(PyObject* module)` (-1: error set)
// when the module is made, after Tensor and the dtypes exist.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

namespace paddle::py {

using ModuleInit = int (*)(PyObject* module);
std::vector<ModuleInit>& ModuleInits();
#define PADDLE_MODULE_INIT(fn) \
  [[maybe_unused]] static const bool fn##_registered = (::paddle::py::ModuleInits().push_back(fn), true);

}  // namespace paddle::py
