// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/block.h"

#include "paddle/common/error.h"
#include "paddle/pir/core/program.h"

namespace pir {

namespace detail {
void DestroyValue(ValueImpl* v);

namespace {
std::unique_ptr<ValueImpl> NewArg(Block* block, Type type, int index) {
  auto v = std::make_unique<ValueImpl>();
  v->type = type;
  v->owner = block;
  v->index = index;
  v->is_arg = true;
  return v;
}
// DestroyValue runs the destructor; only the storage is left to free.
void FreeArg(std::unique_ptr<ValueImpl>& v) {
  ValueImpl* p = v.release();
  DestroyValue(p);
  ::operator delete(static_cast<void*>(p), sizeof(ValueImpl));
}
}  // namespace
}  // namespace detail

Block::~Block() {
  region_ = nullptr;  // no epochs are kept while going down
  clear();
  for (auto& a : args_) detail::FreeArg(a);
  for (auto& a : kwargs_) detail::FreeArg(a.second);
}

void Block::clear() {
  // Last to first: users go before the ops that define their operands.
  while (last_) {
    Operation* op = last_;
    Unlink(op);
    op->Destroy();
  }
}

Operation* Block::parent_op() const { return region_ ? region_->parent_op() : nullptr; }

Program* Block::program() const {
  for (const Region* r = region_; r;) {
    if (r->program_) return r->program_;
    Operation* op = r->parent_op();
    Block* b = op ? op->block() : nullptr;
    r = b ? b->region_ : nullptr;
  }
  return nullptr;
}

void Block::Touch() const {
  if (Program* p = program()) p->Touch();
}

Operation* Block::terminator() const { return last_ && last_->info()->has(kTerminator) ? last_ : nullptr; }

void Block::Insert(Operation* before, Operation* op) {
  PD_ASSERT(op->block_ == nullptr);
  PD_ASSERT(before == nullptr || before->block_ == this);
  constexpr int64_t kStride = int64_t{1} << 20;
  Operation* prev = before ? before->prev_ : last_;
  op->block_ = this;
  op->prev_ = prev;
  op->next_ = before;
  (prev ? prev->next_ : first_) = op;
  (before ? before->prev_ : last_) = op;
  ++size_;
  if (ordered_) {
    int64_t lo = prev ? prev->order_ : (before ? before->order_ - 2 * kStride : 0);
    int64_t hi = before ? before->order_ : lo + 2 * kStride;
    op->order_ = lo + (hi - lo) / 2;
    if (hi - lo < 2) ordered_ = false;
  }
  Touch();
}

void Block::Unlink(Operation* op) {
  (op->prev_ ? op->prev_->next_ : first_) = op->next_;
  (op->next_ ? op->next_->prev_ : last_) = op->prev_;
  op->prev_ = op->next_ = nullptr;
  op->block_ = nullptr;
  --size_;
  Touch();
}

void Block::Renumber() const {
  int64_t n = 0;
  for (Operation* op = first_; op; op = op->next_) op->order_ = (n += int64_t{1} << 20);
  ordered_ = true;
}

Value Block::AddArg(Type type) {
  args_.push_back(detail::NewArg(this, type, static_cast<int>(args_.size())));
  Touch();
  return Value(args_.back().get());
}

Value Block::AddKwarg(std::string key, Type type) {
  kwargs_.emplace_back(std::move(key), detail::NewArg(this, type, static_cast<int>(kwargs_.size())));
  Touch();
  return Value(kwargs_.back().second.get());
}

Region::~Region() { clear(); }

void Region::clear() {
  while (!blocks_.empty()) blocks_.pop_back();
}

Block& Region::AddBlock() {
  blocks_.push_back(std::make_unique<Block>());
  blocks_.back()->region_ = this;
  return *blocks_.back();
}

}  // namespace pir
