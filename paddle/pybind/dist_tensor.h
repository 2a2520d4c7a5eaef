// SPDX-License-Identifier: Apache-2.0
// Distributed tensors as members of paddle.Tensor see them.
#pragma once

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// The whole tensor, with its history: every process of its mesh asks for it. `t` itself where it is not distributed.
Tensor WholeOf(const Tensor& t);
// This process's part of `value`, a whole or a distributed tensor, placed as `t`.
Tensor PartAs(const char* op, const Tensor& value, const Tensor& t);
// `local`, a part of the gradient of `t`, as a tensor: what it is where `t` is not distributed.
Tensor GradientOf(const Tensor& t, Tensor local);
// The part of `gradient` that belongs to the part of `t`.
Tensor GradientPart(const char* op, const Tensor& gradient, const Tensor& t);
// What backward begins with in place of `t`: its part, of a partial one once it is reduced.
Tensor RootOf(const Tensor& t);
// `whole`, alike on all processes, as a tensor on the mesh of `t`.
Tensor Replicated(const Tensor& whole, const Tensor& t);
// A second tensor over the same memory, without history.
Tensor AliasOfDist(const Tensor& t);
// Members of paddle.Tensor.
PyObject* GetPlacements(PyObject* self, void*);
PyObject* GetProcessMesh(PyObject* self, void*);
PyObject* LocalValue(PyObject* self, PyObject*);
// What an operation on `t`, and on `other` where that is defined, gives, of shape `dims` and on all processes alike,
// where this one is outside the mesh.
Tensor AbsentLike(const Tensor& t, const phi::Ints& dims, const Tensor& other = {});
// `t` without its part: what GradientOf reads of it.
Tensor Outline(const Tensor& t);

}  // namespace paddle::py
