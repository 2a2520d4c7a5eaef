// SPDX-License-Identifier: Apache-2.0
// The Python class pir.Program: a recorded program whose values Python sees as tensors.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/jit/recorded_program.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

inline pybind11::object TensorObject(const Tensor& t) {
  return pybind11::reinterpret_steal<pybind11::object>(Own(ToPy(t)).release());
}

class ProgramObject : public jit::RecordedProgram, public std::enable_shared_from_this<ProgramObject> {
 public:
  using RecordedProgram::RecordedProgram;
  using RecordedProgram::ValueOf;

  pir::Value ValueOf(const pybind11::handle& o) { return ValueOf(ToTensor(o.ptr(), "program", "value")); }
  std::vector<pir::Value> ValuesOf(const pybind11::iterable& list) {
    std::vector<pir::Value> r;
    for (pybind11::handle o : list) r.push_back(ValueOf(o));
    return r;
  }
  // The program that a value's tensor belongs to, while it lives; else null.
  static std::shared_ptr<ProgramObject> Owner(const Tensor& t) {
    std::lock_guard lock(Living().mutex);
    for (auto it = Living().programs.rbegin(); it != Living().programs.rend(); ++it)
      if ((*it)->recorder().Knows(t)) return (*it)->weak_from_this().lock();
    return nullptr;
  }
  // A Value object of a program value. It needs a gradient where the value does, but has no history.
  pybind11::object Wrap(pir::Value v) {
    if (!v) return pybind11::none();
    recorder().SyncFlags();
    Tensor t = recorder().Wrap(v);
    t->stop_gradient = v.stop_gradient();
    return TensorObject(t);
  }

 private:
  struct Registry {
    std::mutex mutex;
    std::vector<ProgramObject*> programs;  // the youngest last
  };
  static Registry& Living() {
    static auto* registry = new Registry;  // programs may die after static objects
    return *registry;
  }
  struct Listed {
    explicit Listed(ProgramObject* program) : self(program) {
      std::lock_guard lock(Living().mutex);
      Living().programs.push_back(self);
    }
    ~Listed() {
      std::lock_guard lock(Living().mutex);
      auto& all = Living().programs;
      all.erase(std::find(all.begin(), all.end(), self));
    }
    ProgramObject* self;
  };
  Listed listed_{this};
};

// For each result of the block's ops its value in a copy.
inline std::unordered_map<pir::Value, pir::Value> CopiedValues(pir::Program& from, pir::IrMapping& mapping) {
  std::unordered_map<pir::Value, pir::Value> r;
  pir::WalkAll(from.block(), [&](pir::Operation& op) {
    for (int i = 0; i < op.num_results(); ++i) {
      if (!op.result(i).type()) continue;
      pir::Value v = mapping.Lookup(op.result(i));
      if (v) r[op.result(i)] = v;
    }
  });
  return r;
}

}  // namespace paddle::py
