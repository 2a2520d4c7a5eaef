// SPDX-License-Identifier: Apache-2.0
// Python objects owned from C++: hooks of tensors, contexts of PyLayers; what the garbage collector sees of them.
#pragma once

#include <memory>

#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// Released under the GIL, leaked when the interpreter is gone.
using SharedPy = std::shared_ptr<PyObject>;
SharedPy Share(PyObject* borrowed);

// A node that owns such objects.
class ObjectHolder {
 public:
  virtual int Visit(visitproc visit, void* arg) const = 0;

 protected:
  ~ObjectHolder() = default;
};

// Whether C++ owns any such object: histories need not be searched for them otherwise.
bool HistoriesHoldObjects();
// Visits the Python objects that the tensor alone keeps alive through its hooks and its history: those of nodes that
// nothing else refers to. For tp_traverse of a tensor whose impl belongs to its object.
int VisitHistory(const Tensor& t, visitproc visit, void* arg);
// Drops the history and the hooks. For tp_clear: the tensor is garbage.
void ClearHistory(const Tensor& t);
// Lets the collector see the object.
void Track(PyObject* tensor);

PyObject* RegisterHook(PyObject* self, PyObject* fn);
// Runs `fn(tensor)`, or `fn()`, after the gradient of a leaf has been accumulated.
PyObject* RegisterPostAccumulateHook(PyObject* self, PyObject* fn);
PyObject* RegisterBackwardHook(PyObject* self, PyObject* fn);
int InitHooks();

}  // namespace paddle::py
