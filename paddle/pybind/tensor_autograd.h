// SPDX-License-Identifier: Apache-2.0
// History-related members of paddle.Tensor.
#pragma once

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

std::string TensorName(const Tensor& t);

int InitGradObjects(PyObject* module);

PyObject* GetStopGradient(PyObject* self, void*);
int SetStopGradient(PyObject* self, PyObject* v, void*);
PyObject* GetRequiresGrad(PyObject* self, void*);
int SetRequiresGrad(PyObject* self, PyObject* v, void*);
PyObject* GetGrad(PyObject* self, void*);
int SetGrad(PyObject* self, PyObject* v, void*);
PyObject* GetGradFn(PyObject* self, void*);
PyObject* GetIsLeaf(PyObject* self, void*);

}  // namespace paddle::py
