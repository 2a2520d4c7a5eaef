// SPDX-License-Identifier: Apache-2.0
// SSA values and their uses. A Value is one pointer to storage owned by its operation (a result) or its block (an
// argument).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "paddle/pir/core/type.h"

namespace pir {

class Block;
class Operation;
class Value;

namespace detail {
struct ValueImpl;
}

// One operand slot of an operation, linked into the use list of the value it holds.
class OpOperand {
 public:
  Value get() const;
  void set(Value v);
  Operation* owner() const { return owner_; }
  int index() const;
  OpOperand* next_use() const { return next_; }

  OpOperand(const OpOperand&) = delete;
  OpOperand& operator=(const OpOperand&) = delete;

 private:
  friend class Operation;
  explicit OpOperand(Operation* owner) : owner_(owner) {}
  void Link(detail::ValueImpl* v);
  void Unlink();

  detail::ValueImpl* value_ = nullptr;
  OpOperand* next_ = nullptr;
  OpOperand** prev_ = nullptr;  // the pointer that points to this
  Operation* owner_;
};

namespace detail {
struct ValueImpl {
  Type type;
  OpOperand* first_use = nullptr;
  void* owner = nullptr;  // Operation* of a result, Block* of an argument
  int32_t index = 0;
  bool is_arg = false;
  int8_t stop_gradient = -1;  // -1: not set
  int8_t persistable = -1;
  Name name;
  void* user = nullptr;  // a binding's handle; see SetValueDestroyHook
};
}  // namespace detail

class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}  // NOLINT
  explicit Value(detail::ValueImpl* impl) : impl_(impl) {}

  explicit operator bool() const { return impl_ != nullptr; }
  friend bool operator==(Value a, Value b) { return a.impl_ == b.impl_; }
  detail::ValueImpl* impl() const { return impl_; }

  Type type() const { return impl_ ? impl_->type : Type(); }
  void set_type(Type t) const { impl_->type = t; }
  // Shorthands for tensor-like types.
  DataType dtype() const { return type().dtype(); }
  const common::Dims& dims() const { return impl_->type.dims(); }

  // nullptr for a block argument.
  Operation* defining_op() const { return impl_ && !impl_->is_arg ? static_cast<Operation*>(impl_->owner) : nullptr; }
  bool is_block_arg() const { return impl_ && impl_->is_arg; }
  // The block that holds the argument or the defining op; nullptr for a detached op.
  Block* block() const;
  // Result number or argument number.
  int index() const { return impl_->index; }

  OpOperand* first_use() const { return impl_->first_use; }
  bool use_empty() const { return impl_->first_use == nullptr; }
  bool has_one_use() const { return impl_->first_use && !impl_->first_use->next_use(); }
  int64_t use_count() const;
  void ReplaceAllUsesWith(Value other) const;
  // Calls f(OpOperand&) for each use; f may change or unlink that use.
  template <class F>
  void ForEachUse(F f) const {
    for (OpOperand* u = impl_->first_use; u;) {
      OpOperand* next = u->next_use();
      f(*u);
      u = next;
    }
  }

  // A value whose flag was never set reads as stop_gradient = true, persistable = false.
  bool stop_gradient() const { return impl_->stop_gradient != 0; }
  bool has_stop_gradient() const { return impl_->stop_gradient >= 0; }
  void set_stop_gradient(bool v) const { impl_->stop_gradient = v; }
  bool persistable() const { return impl_->persistable > 0; }
  bool has_persistable() const { return impl_->persistable >= 0; }
  void set_persistable(bool v) const { impl_->persistable = v; }
  // A hint for messages and feed/fetch names; empty when none.
  const std::string& name() const { return impl_->name.str(); }
  void set_name(Name n) const { impl_->name = n; }

 private:
  detail::ValueImpl* impl_ = nullptr;
};

// Called for each destroyed value whose `user` is not null, so that a binding can invalidate its handle.
void SetValueDestroyHook(void (*hook)(detail::ValueImpl*));

inline Value OpOperand::get() const { return Value(value_); }

}  // namespace pir

template <>
struct std::hash<pir::Value> {
  size_t operator()(pir::Value v) const noexcept { return std::hash<const void*>()(v.impl()); }
};
