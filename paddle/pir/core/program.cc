// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/program.h"

#include <atomic>

#include "paddle/common/error.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/dialect/builtin.h"

namespace pir {
namespace {
std::atomic<uint64_t> next_program_id{1};
}

Program::Program() : id_(next_program_id.fetch_add(1, std::memory_order_relaxed)) {
  RegisterBuiltinOps();
  static const OpInfo* info = FindOp("builtin.module");
  module_ = Operation::Create(info, {}, {}, {}, 1);
  module_->region(0).AddBlock();
  module_->region(0).program_ = this;
}

Program::~Program() {
  module_->region(0).program_ = nullptr;
  module_->Destroy();
}

std::shared_ptr<void> Program::parameter(const std::string& name) const {
  auto it = parameters_.find(name);
  return it == parameters_.end() ? nullptr : it->second;
}

std::unique_ptr<Program> Program::Clone(IrMapping& mapping) const {
  auto p = std::make_unique<Program>();
  p->parameters_ = parameters_;
  for (const NamedAttribute& a : module_->attrs()) p->module_->set_attr(a.name, a.value);
  CloneBlockInto(block(), p->block(), mapping);
  return p;
}

std::unique_ptr<Program> Program::Clone() const {
  IrMapping m;
  return Clone(m);
}

Operation* Builder::Create(std::string_view op, std::initializer_list<Value> operands, AttributeMap attrs,
                           std::initializer_list<Type> result_types, int num_regions) {
  const OpInfo* info = FindOp(op);
  PD_CHECK(info != nullptr, NotFound, "[pir] expected a registered op, got '", op, "'");
  return Create(info, std::span<const Value>(operands.begin(), operands.size()), std::move(attrs),
                std::span<const Type>(result_types.begin(), result_types.size()), num_regions);
}

namespace {
void CopyFlags(const detail::ValueImpl& from, detail::ValueImpl& to) {
  to.stop_gradient = from.stop_gradient;
  to.persistable = from.persistable;
  to.name = from.name;
}
}  // namespace

Operation* CloneOp(const Operation& op, IrMapping& mapping) {
  std::vector<Value> operands = op.operands();
  for (Value& v : operands)
    if (v) v = mapping.Lookup(v);
  std::vector<Type> types;
  for (int i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
  Operation* r = Operation::Create(op.info(), operands, op.attrs(), types, op.num_regions());
  r->set_source(op.source());
  for (int i = 0; i < op.num_results(); ++i) {
    CopyFlags(*op.result(i).impl(), *r->result(i).impl());
    mapping.Map(op.result(i), r->result(i));
  }
  mapping.Map(&op, r);
  for (int i = 0; i < op.num_regions(); ++i)
    for (auto& b : op.region(i).blocks()) CloneBlockInto(*b, r->region(i).AddBlock(), mapping);
  return r;
}

void CloneBlockInto(const Block& from, Block& to, IrMapping& mapping, bool with_args) {
  if (with_args) {
    for (int i = 0; i < from.num_args(); ++i) {
      Value v = to.AddArg(from.arg(i).type());
      CopyFlags(*from.arg(i).impl(), *v.impl());
      mapping.Map(from.arg(i), v);
    }
    for (auto& [key, impl] : from.kwargs()) {
      Value v = to.AddKwarg(key, impl->type);
      CopyFlags(*impl, *v.impl());
      mapping.Map(Value(impl.get()), v);
    }
  }
  for (Operation& op : from) to.push_back(CloneOp(op, mapping));
}

}  // namespace pir
