// SPDX-License-Identifier: Apache-2.0
// History-related members of paddle.Tensor.
#pragma once

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

std::string TensorName(const Tensor& t);

int InitGradObjects(PyObject* module);

// egr::Backward, and what hooks of the outermost one have asked to be called behind it; dropped where that raises.
void RunBackwardCalls(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, bool retain_graph,
                      bool create_graph);

PyObject* GetStopGradient(PyObject* self, void*);
int SetStopGradient(PyObject* self, PyObject* v, void*);
PyObject* GetRequiresGrad(PyObject* self, void*);
int SetRequiresGrad(PyObject* self, PyObject* v, void*);
PyObject* GetGrad(PyObject* self, void*);
int SetGrad(PyObject* self, PyObject* v, void*);
PyObject* GetGradFn(PyObject* self, void*);
PyObject* GetIsLeaf(PyObject* self, void*);

}  // namespace paddle::py
