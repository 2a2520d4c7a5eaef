// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/carry.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/core/builder.h"

namespace egr {
namespace {

using pir::Block;
using pir::Operation;
using pir::Value;

template <class F>
void ForEachOperand(Block& block, F f) {
  for (Operation& op : block) {
    for (int i = 0; i < op.num_operands(); ++i)
      if (op.operand(i)) f(op.op_operand(i));
    for (int k = 0; k < op.num_regions(); ++k)
      for (auto& b : op.region(k).blocks()) ForEachOperand(*b, f);
  }
}

bool IsAncestor(const Block* b, const Block* of) {
  for (const Operation* op = of->parent_op(); op && op->block(); op = op->block()->parent_op())
    if (op->block() == b) return true;
  return false;
}

void Carry(Recorder& r, Block* from, Block& to, const std::vector<Value>& values, Operation* stack,
           std::unordered_map<Value, Value>* popped) {
  if (!stack) stack = CreateStack(r);
  std::vector<Value> pushed{stack->result(1)};
  std::vector<pir::Type> types;
  for (Value v : values) {
    pushed.push_back(v);
    types.push_back(v.type());
  }
  pir::Builder b;
  Operation* end = from->terminator();
  PD_ASSERT(end != nullptr);
  b.SetBefore(end);
  b.Create(pir::KnownOp("cf.tuple_push"), pushed, {}, {});
  b.SetToStart(&to);
  Value outlet = stack->result(2);
  Operation* pop = b.Create(pir::KnownOp("cf.tuple_pop"), std::span<const Value>(&outlet, 1), {}, types);
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = pop->result(static_cast<int>(i));
    v.set_stop_gradient(values[i].stop_gradient());
    (*popped)[values[i]] = v;
  }
}

Operation* StackAt(pir::Builder& b) {
  const pir::Type types[] = {pir::Type::Plain(pir::TypeKind::kStack), pir::Type::Plain(pir::TypeKind::kInlet),
                             pir::Type::Plain(pir::TypeKind::kOutlet)};
  return b.Create(pir::KnownOp("cf.stack_create"), {}, {}, types);
}

}  // namespace

Operation* CreateStack(Recorder& r) {
  pir::Builder b;
  b.SetToStart(&r.program()->block());
  return StackAt(b);
}

Operation* CreateStackFor(Recorder& r, Operation* loop) {
  if (loop->block() == &r.program()->block()) return CreateStack(r);
  pir::Builder b;
  b.SetBefore(loop);
  return StackAt(b);
}

Value HasElements(Recorder& r, Operation* stack) {
  pir::Type type = pir::DenseTensorType::Get(phi::DataType::BOOL, common::Dims{common::Dim(1)});
  Value s = stack->result(0);
  Value v = r.builder()
                .Create(pir::KnownOp("cf.has_elements"), std::span<const Value>(&s, 1), {},
                        std::span<const pir::Type>(&type, 1))
                ->result(0);
  v.set_stop_gradient(true);
  return v;
}

void CarryForward(Recorder& r, Block& block, Operation* stack) {
  std::vector<Block*> sources;
  for (Block* b = r.source_of(&block); b; b = r.source_of(b)) sources.push_back(b);
  PD_ASSERT(!sources.empty());
  bool enclosed =
      std::any_of(r.frames().begin(), r.frames().end(), [](RegionFrame* f) { return f->source != nullptr; });
  std::vector<std::vector<Value>> wanted(sources.size());
  ForEachOperand(block, [&](pir::OpOperand& use) {
    Value v = use.get();
    if (IsVisible(v, use.owner()->block())) return;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (v.block() != sources[i]) continue;
      if (std::find(wanted[i].begin(), wanted[i].end(), v) == wanted[i].end()) wanted[i].push_back(v);
      return;
    }
    bool later =
        enclosed && std::any_of(sources.begin(), sources.end(), [&](Block* s) { return IsAncestor(v.block(), s); });
    PD_CHECK(later, Unimplemented,
             "[gradients] expected gradients of a branch or loop body to need values of that region only, got one of "
             "another region");
  });
  std::unordered_map<Value, Value> popped;
  for (size_t i = 0; i < sources.size(); ++i) {
    bool own = stack && i == 0;
    if (own && wanted[i].empty()) wanted[i].push_back(sources[i]->arg(0));
    if (!wanted[i].empty()) Carry(r, sources[i], block, wanted[i], own ? stack : nullptr, &popped);
  }
  ForEachOperand(block, [&](pir::OpOperand& use) {
    auto it = popped.find(use.get());
    if (it != popped.end()) use.set(it->second);
  });
}

}  // namespace egr
