// SPDX-License-Identifier: Apache-2.0
// libpaddle.pir._for_test: a training program turned into one for evaluation (Program.clone(for_test=True)).
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

bool HasTestMode(const pir::Operation* op) {
  const auto* def = static_cast<const phi::OpDef*>(op->info()->phi_op);
  if (!def) return false;
  for (const phi::ArgDef* a : def->attrs)
    if (std::string_view(a->name) == "is_test") return true;
  return false;
}

// Operations with a test mode take it. Updates (`op_`) that nothing reads are dropped; gradients nobody fetches then go
// when a plan is made.
std::shared_ptr<ProgramObject> ForTest(ProgramObject& p) {
  p.recorder().SyncFlags();
  pir::IrMapping mapping;
  std::unique_ptr<pir::Program> copy = p.program().Clone(mapping);
  std::unordered_map<pir::Value, pir::Value> values = CopiedValues(p.program(), mapping);
  for (pir::Operation* op = copy->block().back(); op;) {
    pir::Operation* before = op->prev();
    if (op->name().ends_with('_') && !HasTestMode(op) && op->use_empty()) {
      std::erase_if(values, [&](const auto& pair) { return pair.second.defining_op() == op; });
      op->Erase();
    }
    op = before;
  }
  pir::WalkAll(copy->block(), [](pir::Operation& op) {
    if (HasTestMode(&op)) op.set_attr("is_test", pir::Attribute::Bool(true));
  });
  auto result = std::make_shared<ProgramObject>(std::move(copy));
  result->SetOrigin(p.shared_from_this(), std::move(values));
  return result;
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr())
        .def("_for_test", &ForTest, "A copy in test mode, without updates.");
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
