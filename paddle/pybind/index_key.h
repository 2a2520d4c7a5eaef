// SPDX-License-Identifier: Apache-2.0
// What a key x[key] means for a tensor: a strided view (integers, slices, None, Ellipsis, bool scalars), and index
// tensors (lists, arrays and tensors) for some axes of that view.
#pragma once

#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// One step of the basic part, for tensors whose extents are not known (recording), or that are distributed.
struct BasicStep {
  int64_t axis;
  phi::Int start, stop, step;
  bool drop;
};

struct Parsed {
  Ints dims, strides;
  int64_t offset = 0;           // in elements, from the first element of x
  bool changed = false;         // whether the basic part is more than x itself
  std::vector<Tensor> indices;  // int64, in the order of their axes
  Ints axes;                    // axes of the view the indices stand for
  std::vector<BasicStep> steps;
  Ints new_axes;  // where None was, counted in the view's axes
};

// Whether indexing x must be operations a program can hold, rather than views.
bool Recording(const Tensor& x);
Parsed ParseKey(const Tensor& x, PyObject* key);

}  // namespace paddle::py
