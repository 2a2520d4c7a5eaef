// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/serialize/state_inputs.h"

#include "paddle/pir/core/operation.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/pd_op.h"

namespace pir {
namespace {

// `make` gives the value that takes the place of an op's result, or null.
template <class Make>
void Replace(Program& program, const char* name, const Make& make) {
  Builder b(&program);
  for (Operation* op = program.block().front(); op;) {
    Operation* next = op->next();
    if (op->isa(name)) {
      b.SetBefore(op);
      if (Value v = make(b, *op)) {
        op->result(0).ReplaceAllUsesWith(v);
        op->Erase();
      }
    }
    op = next;
  }
}

}  // namespace

void StateToInputs(Program& program, const std::unordered_set<std::string>& names) {
  Replace(program, "builtin.parameter", [&](Builder& b, const Operation& op) {
    const std::string& name = op.attr("parameter_name").to_str();
    if (!names.count(name)) return Value();
    const Value v = BuildData(b, name, op.result_type(0));
    v.set_persistable(true);
    return v;
  });
}

void InputsToState(Program& program) {
  Replace(program, pd::kData, [](Builder& b, const Operation& op) {
    return op.result(0).persistable() ? BuildParameter(b, op.attr("name").to_str(), op.result_type(0), false) : Value();
  });
}

}  // namespace pir
