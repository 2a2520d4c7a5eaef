// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/operation.h"

#include <atomic>
#include <new>

#include "paddle/common/error.h"
#include "paddle/pir/core/block.h"

namespace pir {
namespace {
std::atomic<uint64_t> next_op_id{1};
void (*value_destroy_hook)(detail::ValueImpl*) = nullptr;
}  // namespace

void SetValueDestroyHook(void (*hook)(detail::ValueImpl*)) { value_destroy_hook = hook; }

namespace detail {
// Also unlinks whatever uses are left, so that no operand points at freed storage.
void DestroyValue(ValueImpl* v) {
  while (v->first_use) v->first_use->set(Value());
  if (v->user && value_destroy_hook) value_destroy_hook(v);
  v->~ValueImpl();
}
}  // namespace detail

void OpOperand::Link(detail::ValueImpl* v) {
  value_ = v;
  if (!v) return;
  next_ = v->first_use;
  if (next_) next_->prev_ = &next_;
  prev_ = &v->first_use;
  v->first_use = this;
}

void OpOperand::Unlink() {
  if (value_) {
    *prev_ = next_;
    if (next_) next_->prev_ = prev_;
  }
  value_ = nullptr;
  next_ = nullptr;
  prev_ = nullptr;
}

void OpOperand::set(Value v) {
  Unlink();
  Link(v.impl());
  owner_->Touch();
}

int OpOperand::index() const { return static_cast<int>(this - owner_->operands_); }

Block* Value::block() const {
  if (!impl_) return nullptr;
  return impl_->is_arg ? static_cast<Block*>(impl_->owner) : static_cast<Operation*>(impl_->owner)->block();
}

int64_t Value::use_count() const {
  int64_t n = 0;
  for (OpOperand* u = impl_->first_use; u; u = u->next_use()) ++n;
  return n;
}

void Value::ReplaceAllUsesWith(Value other) const {
  if (*this == other) return;
  while (impl_->first_use) impl_->first_use->set(other);
}

Operation::Operation(const OpInfo* info, int num_results, AttributeMap attrs)
    : info_(info),
      num_results_(num_results),
      id_(next_op_id.fetch_add(1, std::memory_order_relaxed)),
      attrs_(std::move(attrs)) {}

Operation* Operation::Create(const OpInfo* info, std::span<const Value> operands, AttributeMap attrs,
                             std::span<const Type> result_types, int num_regions) {
  static_assert(sizeof(Operation) % alignof(detail::ValueImpl) == 0);
  static_assert(sizeof(detail::ValueImpl) % alignof(OpOperand) == 0);
  PD_ASSERT(info != nullptr);
  int n_res = static_cast<int>(result_types.size()), n_op = static_cast<int>(operands.size());
  void* mem = ::operator new(sizeof(Operation) + n_res * sizeof(detail::ValueImpl) + n_op * sizeof(OpOperand));
  Operation* op = new (mem) Operation(info, n_res, std::move(attrs));
  detail::ValueImpl* results = op->results();
  for (int i = 0; i < n_res; ++i) {
    auto* r = new (results + i) detail::ValueImpl;
    r->type = result_types[i];
    r->owner = op;
    r->index = i;
  }
  op->operands_ = reinterpret_cast<OpOperand*>(results + n_res);
  op->num_operands_ = op->operand_capacity_ = n_op;
  for (int i = 0; i < n_op; ++i) {
    auto* o = new (op->operands_ + i) OpOperand(op);
    o->Link(operands[i].impl());
  }
  for (int i = 0; i < num_regions; ++i) op->AddRegion();
  return op;
}

Operation::~Operation() {
  regions_.clear();
  for (int i = 0; i < num_operands_; ++i) operands_[i].Unlink();
  if (!operands_inline_) ::operator delete(static_cast<void*>(operands_));
  for (int i = 0; i < num_results_; ++i) detail::DestroyValue(results() + i);
}

void Operation::Destroy() {
  PD_ASSERT(block_ == nullptr);
  this->~Operation();
  ::operator delete(static_cast<void*>(this));
}

std::vector<Value> Operation::operands() const {
  std::vector<Value> v(num_operands_);
  for (int i = 0; i < num_operands_; ++i) v[i] = operands_[i].get();
  return v;
}

void Operation::SetOperands(std::span<const Value> operands) {
  std::vector<Value> copy(operands.begin(), operands.end());  // may alias our own slots' values
  for (int i = 0; i < num_operands_; ++i) operands_[i].Unlink();
  int n = static_cast<int>(copy.size());
  if (n > operand_capacity_) {
    auto* mem = static_cast<OpOperand*>(::operator new(n * sizeof(OpOperand)));
    if (!operands_inline_) ::operator delete(static_cast<void*>(operands_));
    operands_ = mem;
    operand_capacity_ = n;
    operands_inline_ = false;
  }
  num_operands_ = n;
  for (int i = 0; i < n; ++i) {
    auto* o = new (operands_ + i) OpOperand(this);
    o->Link(copy[i].impl());
  }
  Touch();
}

std::vector<Value> Operation::results_vec() const {
  std::vector<Value> v;
  v.reserve(num_results_);
  for (int i = 0; i < num_results_; ++i) v.push_back(result(i));
  return v;
}

bool Operation::use_empty() const {
  for (int i = 0; i < num_results_; ++i)
    if (!result(i).use_empty()) return false;
  return true;
}

phi::AttrValue Operation::attr_value(std::string_view name) const {
  const AttrInfo* decl = info_->attr(name);
  if (Attribute a = attrs_.Get(name)) return decl ? a.value(decl->code) : a.value();
  PD_CHECK(decl && decl->def.index() != 0, NotFound, "[", info_->name, "] expected attribute '", name,
           "', got an operation without it");
  return decl->def;
}

void Operation::set_attr(Name name, Attribute a) {
  attrs_.Set(name, a);
  Touch();
}

Region& Operation::AddRegion() {
  regions_.push_back(std::make_unique<Region>(this));
  return *regions_.back();
}

Operation* Operation::parent_op() const { return block_ ? block_->parent_op() : nullptr; }

Program* Operation::program() const {
  if (block_) return block_->program();
  return regions_.empty() ? nullptr : regions_[0]->program_;
}

bool Operation::IsBefore(const Operation* other) const {
  PD_ASSERT(block_ && block_ == other->block_);
  if (!block_->ordered_) block_->Renumber();
  return order_ < other->order_;
}

bool Operation::Contains(const Operation* other) const {
  for (; other; other = other->parent_op())
    if (other == this) return true;
  return false;
}

void Operation::Touch() const {
  if (block_) block_->Touch();
}

void Operation::Detach() {
  if (block_) block_->Unlink(this);
}

void Operation::Erase() {
  PD_CHECK(use_empty(), PreconditionNotMet, "[pir] expected no uses of the results of '", name(),
           "' when erasing it, got some");
  Detach();
  Destroy();
}

void Operation::MoveBefore(Operation* other) {
  if (other == this) return;
  Block* b = other->block_;
  Detach();
  b->Insert(other, this);
}

void Operation::MoveAfter(Operation* other) {
  if (other == this) return;
  Block* b = other->block_;
  Detach();
  b->Insert(other->next_, this);
}

void Operation::ReplaceAllUsesWith(std::span<const Value> values) {
  PD_CHECK(static_cast<int>(values.size()) == num_results_, InvalidArgument, "[pir] expected ", num_results_,
           " values to replace the results of '", name(), "', got ", values.size());
  for (int i = 0; i < num_results_; ++i) result(i).ReplaceAllUsesWith(values[i]);
}

}  // namespace pir
