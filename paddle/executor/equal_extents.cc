// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/equal_extents.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "paddle/pir/core/verify.h"
#include "paddle/common/op_traits.h"
#include "paddle/pir/pass/passes.h"

namespace executor {
namespace {

using common::Dim;
using Steps = std::vector<ExtentTest::Step>;

constexpr size_t kMostSteps = 16;  // of one extent

void ForEachValue(const pir::Block& block, const std::function<void(pir::Value)>& f) {
  for (int i = 0; i < block.num_args(); ++i) f(block.arg(i));
  for (pir::Operation& op : block) {
    for (int i = 0; i < op.num_results(); ++i)
      if (op.result(i).type()) f(op.result(i));
    for (int i = 0; i < op.num_regions(); ++i)
      for (const auto& inner : op.region(i).blocks()) ForEachValue(*inner, f);
  }
}

void ForEachSymbol(pir::Type t, const std::function<void(Dim)>& f) {
  if (t.is_vector())
    for (pir::Type e : t.elements()) ForEachSymbol(e, f);
  for (Dim d : t.dims())
    if (!d.known()) f(d);
}

// The extents of which one is what all broadcast to.
void ForEachMember(Dim d, const std::function<void(Dim)>& f) {
  for (common::DimParts parts = common::PartsOf(d); parts.op == 'b'; parts = common::PartsOf(d)) {
    f(parts.b);
    d = parts.a;
  }
  f(d);
}

bool IsSumLike(const pir::Operation& op) { return common::TraitsOf(op.name()).reduction == common::Reduction::kLike; }

// Whether what the sum returns may be its operand.
bool IsNoSum(const pir::Operation& op, bool inplace) {
  if (!IsSumLike(op) || op.operand(0).type() != op.result(0).type()) return false;
  const pir::Value x = op.operand(0), y = op.result(0);
  if (inplace && (pir::IsMutated(x) || pir::IsMutated(y))) return false;
  const pir::Operation* maker = x.defining_op();
  const bool made = maker && maker->num_operands() > 0;
  return !pir::Escapes(y) || (made && !pir::Escapes(x));
}

}  // namespace

EqualExtents::EqualExtents(const pir::Program& program, const std::vector<pir::Value>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].type().is_dense()) continue;
    const common::Dims& dims = inputs[i].dims();
    for (int64_t k = 0; k < dims.size(); ++k)
      if (!dims[k].known()) given_.try_emplace(dims[k].raw(), ExtentTest::Step{'d', static_cast<int64_t>(i), k});
  }
  if (given_.empty()) return;
  std::unordered_set<int64_t> met;
  ForEachValue(program.block(), [&](pir::Value v) {
    ForEachSymbol(v.type(), [&](Dim d) {
      if (met.insert(d.raw()).second) Meet(d);
    });
  });
  pir::WalkAll(program.block(), [&](pir::Operation& op) {
    if (!IsSumLike(op)) return;
    const common::Dims &from = op.operand(0).dims(), &to = op.operand(1).dims();
    for (int64_t i = 0, lead = from.size() - to.size(); i < to.size() && lead >= 0; ++i)
      if (!common::IsOne(from[lead + i]) && !common::IsOne(to[i])) Assume(from[lead + i], to[i]);
  });
}

void EqualExtents::Meet(Dim d) {
  if (d.known()) return;
  const common::DimParts parts = common::PartsOf(d);
  if (parts.op == 's') return;
  if (parts.op != 'b') {
    Meet(parts.a);
    Meet(parts.b);
    return;
  }
  ForEachMember(d, [&](Dim member) {
    Meet(member);
    Assume(d, member);
  });
}

std::optional<Steps> EqualExtents::StepsOf(Dim d) const {
  if (d.known()) return Steps{{'n', d.raw(), 0}};
  if (auto it = given_.find(d.raw()); it != given_.end()) return Steps{it->second};
  const common::DimParts parts = common::PartsOf(d);
  if (parts.op == 's') return std::nullopt;
  std::optional<Steps> a = StepsOf(parts.a), b = StepsOf(parts.b);
  if (!a || !b || a->size() + b->size() >= kMostSteps) return std::nullopt;
  a->insert(a->end(), b->begin(), b->end());
  a->push_back({parts.op, 0, 0});
  return a;
}

void EqualExtents::Assume(Dim a, Dim b) {
  const Dim x = Root(a), y = Root(b);
  if (common::SameDim(x, y)) return;
  std::optional<Steps> left = StepsOf(a), right = StepsOf(b);
  if (!left || !right) return;
  left->insert(left->end(), right->begin(), right->end());
  left->push_back({'=', 0, 0});
  tests_.emplace_back(std::move(*left));
  const bool first = x.known() || (!y.known() && x.raw() > y.raw());
  if (!(x.known() && y.known())) equal_[first ? y.raw() : x.raw()] = first ? x : y;
}

Dim EqualExtents::Root(Dim d) const {
  for (auto it = equal_.find(d.raw()); it != equal_.end(); it = equal_.find(d.raw())) d = it->second;
  return d;
}

// Symbols are made after those they are calculated of, so this comes to an end.
Dim EqualExtents::Written(Dim d) const {
  const Dim root = Root(d);
  if (root.known()) return root;
  const common::DimParts parts = common::PartsOf(root);
  if (parts.op == 's') return root;
  const Dim a = Written(parts.a), b = Written(parts.b);
  switch (parts.op) {
    case '+': return a + b;
    case '*': return a * b;
    case '/': return common::Div(a, b);
    case '-': return a.known() && b.known() && a.raw() < b.raw() ? root : common::Sub(a, b);
    default: return common::SymbolicOp(parts.op, a, b);
  }
}

pir::Type EqualExtents::Written(pir::Type t) const {
  bool changed = false;
  if (t.is_vector()) {
    std::vector<pir::Type> elements;
    for (pir::Type e : t.elements()) {
      elements.push_back(Written(e));
      changed = changed || elements.back() != e;
    }
    return changed ? pir::VectorType::Get(elements) : t;
  }
  common::Dims dims = t.dims();
  for (Dim& d : dims) {
    const Dim w = d.known() ? d : Written(d);
    changed = changed || !common::SameDim(w, d);
    d = w;
  }
  return changed ? pir::WithDims(t, dims) : t;
}

void EqualExtents::WriteTo(pir::Program& program, std::vector<pir::Value>& results) const {
  ForEachValue(program.block(), [&](pir::Value v) { v.set_type(Written(v.type())); });
  std::vector<pir::Operation*> sums;
  const bool inplace = pir::HasInplaceOps(program);
  pir::WalkAll(program.block(), [&](pir::Operation& op) {
    if (IsSumLike(op)) sums.push_back(&op);
  });
  for (pir::Operation* op : sums) {
    if (!IsNoSum(*op, inplace)) continue;
    std::replace(results.begin(), results.end(), op->result(0), op->operand(0));
    op->result(0).ReplaceAllUsesWith(op->operand(0));
    op->Erase();
  }
  program.Touch();
}

}  // namespace executor
