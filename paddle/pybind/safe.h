// SPDX-License-Identifier: Apache-2.0
// Functions of the library as pybind11 takes them.
#pragma once

#include <pybind11/pybind11.h>

#include "paddle/common/error.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// Runs `f`; errors become the Python exceptions that ops raise.
template <class R, class... A>
auto Safe(R (*f)(A...)) {
  return [f](A... args) -> R {
    try {
      return f(args...);
    } catch (const common::Error&) {
      RaiseCurrent();
      throw pybind11::error_already_set();
    } catch (const PyErrAlreadySet&) { throw pybind11::error_already_set(); }
  };
}

}  // namespace paddle::py
