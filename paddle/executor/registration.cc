// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/registration.h"

#include <mutex>
#include <string>
#include <utility>

#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/op_info.h"

namespace executor {
namespace {

void Register(const phi::OpDef& def) {
  pir::OpInfo info;
  info.name = def.dialect() + std::string(def.name);
  for (const phi::ArgDef* t : def.tensors)
    info.inputs.push_back(
        {t->name, t->kind == phi::ArgDef::kOptionalTensor, t->kind == phi::ArgDef::kTensorList, false});
  for (const phi::ArgDef* a : def.attrs) {
    if (a->kind == phi::ArgDef::kOperandAttr) {
      info.inputs.push_back({a->name, false, false, true});
    } else {
      info.attrs.push_back({a->name, static_cast<pir::AttrCode>(a->attr_index), a->def});
    }
  }
  for (const phi::OutDef& o : def.outs) info.outputs.push_back({o.name, o.optional, o.variadic, false});
  if (def.flags & phi::kOpElementwise) info.traits |= pir::kElementwise;
  if (def.flags & phi::kOpSideEffect)
    info.traits |= pir::kSideEffect;
  else
    info.traits |= pir::kPure;
  if (def.flags & phi::kOpRandom) info.traits |= pir::kRandom;
  if (def.flags & phi::kOpView) info.traits |= pir::kView;
  info.phi_op = &def;
  pir::RegisterOp(std::move(info));
}

}  // namespace

void RegisterOps() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (auto& [name, def] : phi::AllOpDefs()) Register(*def);
  });
  RegisterUserOps();
}

std::vector<const phi::CustomOp*> RegisterUserOps() {
  auto ops = phi::RegisterCustomOps();
  for (const phi::CustomOp* op : ops)
    for (; op; op = op->grad) Register(*op->def);
  return ops;
}

}  // namespace executor
