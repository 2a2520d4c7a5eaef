// SPDX-License-Identifier: Apache-2.0
// History-related members of paddle.Tensor, and Python callables kept by C++ (hooks).
#pragma once

#include <memory>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

// A Python object owned from C++: released under the GIL, leaked when the interpreter is gone.
using SharedPy = std::shared_ptr<PyObject>;
SharedPy Share(PyObject* borrowed);

// A hook that calls `fn(grad)`; None keeps the gradient.
egr::TensorHook MakeHook(PyObject* fn);

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
