// SPDX-License-Identifier: Apache-2.0
// Attributes of operations, given as Python objects.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "paddle/phi/core/op_def.h"

namespace paddle::py {

phi::AttrValue AttrFrom(const phi::ArgDef& a, PyObject* o, const char* op);

}  // namespace paddle::py
