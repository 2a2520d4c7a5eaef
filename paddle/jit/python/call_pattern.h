// SPDX-License-Identifier: Apache-2.0
// The shape of a call: which nest of tensors and Python values the arguments of a recorded function were, and what the
// nest of its results is.
#pragma once

#include <string>
#include <vector>

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/jit/known_calls.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// Whether two Python values are interchangeable: one object, or equal numbers, strings, tuples, lists and dicts of
// such.
bool SameValue(PyObject* expected, PyObject* got);

// One node of a nest. Owns references; Visit is for the garbage collector.
struct ArgNode {
  enum Kind : uint8_t { kTensor, kValue, kCount, kList, kTuple, kDict } kind = kValue;
  PyRef value;                // kValue; the keys of kDict as a tuple
  jit::TensorSpec tensor;     // kTensor
  distributed::MeshRef mesh;  // of a distributed tensor, whose part here is what is found
  distributed::Placements placements;
  std::vector<ArgNode> children;

  // Appends the tensors found to `tensors`, where it is not null, and CountTensor(n) for the int n where any is taken
  // (kCount). False when `o` is not of this shape.
  bool Match(PyObject* o, std::vector<Tensor>* tensors) const;
  int Visit(visitproc visit, void* arg) const;
};
// What is free in a call. `shapes`: None, or for each tensor in order None or its extents, -1 for any. `counts`: which
// of the ints in order may be any from 0 on, a list in ascending order.
struct FreeParts {
  PyObject *shapes, *counts;
  size_t tensor = 0, number = 0, count = 0;  // those met so far
};
ArgNode MakeArgNode(PyObject* o, FreeParts& free);
// Stands for an int among the arguments of a recording: a tensor of one axis that is as long, and of no memory.
Tensor CountTensor(int64_t n);

// Where results go. `slots`: dict id(object) -> (kind, number).
struct OutNode {
  enum Kind : uint8_t { kTensor, kInput, kValue, kList, kTuple, kDict, kCall } kind = kValue;
  int index = -1;
  PyRef value;  // kValue; keys of kDict; the callable of kCall, given the children as arguments
  std::vector<OutNode> children;

  PyRef Build(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) const;
  int Visit(visitproc visit, void* arg) const;
};
OutNode MakeOutNode(PyObject* o, PyObject* slots);

}  // namespace paddle::py
