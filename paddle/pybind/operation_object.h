// SPDX-License-Identifier: Apache-2.0
// Operations and blocks of a program as Python holds them: they are looked up again once the program has changed.
#pragma once

#include <memory>

#include "paddle/common/error.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {

// Calls f(Operation&) for the operations of a block and of the regions in it, until it returns true; whether it did.
template <class F>
bool AnyOperation(pir::Block& block, const F& f) {
  for (pir::Operation* op = block.front(); op; op = op->next()) {
    if (f(*op)) return true;
    for (int k = 0; k < op->num_regions(); ++k)
      for (const auto& inner : op->region(k).blocks())
        if (AnyOperation(*inner, f)) return true;
  }
  return false;
}

struct OperationObject {
  std::shared_ptr<ProgramObject> owner;
  uint64_t epoch;
  pir::Operation* op;
  uint64_t id;

  OperationObject(std::shared_ptr<ProgramObject> program, pir::Operation* operation)
      : owner(std::move(program)), epoch(owner->program().epoch()), op(operation), id(operation->id()) {}
  // Throws PreconditionNotMet when the operation is gone.
  pir::Operation& get() {
    if (owner->program().epoch() == epoch) return *op;
    const bool found =
        AnyOperation(owner->program().block(), [&](pir::Operation& o) { return &o == op && o.id() == id; });
    PD_CHECK(found, PreconditionNotMet, "[program] expected an operation of the program, got one that was removed");
    epoch = owner->program().epoch();
    return *op;
  }
};

}  // namespace paddle::py
