// SPDX-License-Identifier: Apache-2.0
// Calls of operations from Python while something watches them (phi/core/op_watch.h).
#pragma once

#include "paddle/phi/core/op_watch.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// `call` returns a new reference, or null with an error set. The tensors it gives, also in a list or tuple, are the
// results.
template <class F>
[[gnu::noinline]] PyObject* WatchedCall(const char* name, const F& call) {
  return Guarded([&]() -> PyObject* {
    phi::OpScope scope(name, phi::OpFrom::kCall);
    PyRef r(call());
    if (!r) return nullptr;
    if (IsTensor(r.get())) {
      scope.Result(AsTensor(r.get()));
    } else if (PyList_Check(r.get()) || PyTuple_Check(r.get())) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(r.get()); ++i)
        if (PyObject* o = PySequence_Fast_GET_ITEM(r.get(), i); IsTensor(o)) scope.Result(AsTensor(o));
    }
    return r.release();
  });
}

}  // namespace paddle::py
