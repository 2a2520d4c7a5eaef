// SPDX-License-Identifier: Apache-2.0
// The Python class pir.Program: a program and the recorder that writes it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/record.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

inline pybind11::object TensorObject(const Tensor& t) {
  return pybind11::reinterpret_steal<pybind11::object>(Own(ToPy(t)).release());
}

// Tensors refer to the recorder by a token, so both may die before them.
class ProgramObject : public std::enable_shared_from_this<ProgramObject> {
 public:
  explicit ProgramObject(std::unique_ptr<pir::Program> program = std::make_unique<pir::Program>())
      : program_(std::move(program)), recorder_(program_.get()) {}

  pir::Program& program() { return *program_; }
  egr::Recorder& recorder() { return recorder_; }

  pir::Value ValueOf(const pybind11::handle& o) { return recorder_.ValueOf(ToTensor(o.ptr(), "program", "value")); }
  std::vector<pir::Value> ValuesOf(const pybind11::iterable& list) {
    std::vector<pir::Value> r;
    for (pybind11::handle o : list) r.push_back(ValueOf(o));
    return r;
  }
  // The Value object of a program value; one object for each while it lives.
  pybind11::object Wrap(pir::Value v) {
    if (!v) return pybind11::none();
    return TensorObject(recorder_.Wrap(v));
  }

 private:
  std::unique_ptr<pir::Program> program_;
  egr::Recorder recorder_;
};

}  // namespace paddle::py
