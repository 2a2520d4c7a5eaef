// SPDX-License-Identifier: Apache-2.0
// Tensors to and from DLPack capsules.
#pragma once

#include "paddle/pybind/dlpack.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// DLPack's kind and number of a place; Unimplemented for those of plugins.
DlDevice DlDeviceOf(Place place);
PyObject* ToDlpackCapsule(const Tensor& t, bool versioned);
// Takes the data over; the capsule cannot be used again.
Tensor FromDlpackCapsule(PyObject* capsule);

}  // namespace paddle::py
