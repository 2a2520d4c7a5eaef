// SPDX-License-Identifier: Apache-2.0
// The Python class pir.Program: a program and the recorder that writes it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

inline pybind11::object TensorObject(const Tensor& t) {
  return pybind11::reinterpret_steal<pybind11::object>(Own(ToPy(t)).release());
}

// Tensors refer to the recorder by a token, so both may die before them.
class ProgramObject : public std::enable_shared_from_this<ProgramObject> {
 public:
  using Values = std::unordered_map<pir::Value, pir::Value>;

  explicit ProgramObject(std::unique_ptr<pir::Program> program = std::make_unique<pir::Program>())
      : program_(std::move(program)), recorder_(program_.get()) {}

  pir::Program& program() { return *program_; }
  egr::Recorder& recorder() { return recorder_; }

  // Of a copy: also by the values of the programs it was made of.
  pir::Value ValueOf(const pybind11::handle& o) {
    const Tensor& t = ToTensor(o.ptr(), "program", "value");
    for (Origin& origin : origins_) {
      auto from = origin.program.lock();
      if (!from || recorder_.Knows(t) || !from->recorder_.Knows(t)) continue;
      if (auto it = origin.values.find(from->recorder_.ValueOf(t)); it != origin.values.end()) return it->second;
    }
    return recorder_.ValueOf(t);
  }
  // Says what this program is a copy of, and which value of it each of those values became.
  void SetOrigin(const std::shared_ptr<ProgramObject>& from, Values values) {
    for (const Origin& before : from->origins_) {
      Origin& origin = origins_.emplace_back(Origin{before.program, {}});
      for (auto& [old, v] : before.values)
        if (auto it = values.find(v); it != values.end()) origin.values[old] = it->second;
    }
    origins_.push_back({from, std::move(values)});
  }
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
  struct Origin {
    std::weak_ptr<ProgramObject> program;
    Values values;
  };
  std::vector<Origin> origins_;
};

// For each result of the block's ops its value in a copy.
inline std::unordered_map<pir::Value, pir::Value> CopiedValues(pir::Program& from, pir::IrMapping& mapping) {
  std::unordered_map<pir::Value, pir::Value> r;
  for (pir::Operation& op : from.block())
    for (int i = 0; i < op.num_results(); ++i) {
      if (!op.result(i).type()) continue;
      pir::Value v = mapping.Lookup(op.result(i));
      if (v) r[op.result(i)] = v;
    }
  return r;
}

}  // namespace paddle::py
