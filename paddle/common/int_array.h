// SPDX-License-Identifier: Apache-2.0
// Integers in an op's arguments. Each is a number, an extent that is known only when the program being recorded runs,
// or an element of a tensor of that program. Only numbers are calculated with; extents are calculated with as Dim.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/common/dim.h"

namespace phi {

// An element of a tensor of a program being recorded: its place in the list of the recorder with that number.
struct RecordedElement {
  uint32_t recorder = 0, index = 0;
};

[[noreturn]] void RaiseNotKnown();

class Int {
 public:
  enum Kind : uint8_t { kNumber, kExtent, kElement };

  constexpr Int(int64_t v = 0) : v_(v) {}                                    // NOLINT: implicit by design
  Int(common::Dim d) : v_(d.raw()), kind_(d.known() ? kNumber : kExtent) {}  // NOLINT
  Int(RecordedElement e)                                                     // NOLINT
      : v_(static_cast<int64_t>(uint64_t{e.recorder} << 32 | e.index)), kind_(kElement) {}

  Kind kind() const { return kind_; }
  bool known() const { return kind_ == kNumber; }
  // Whether it is this number.
  bool is(int64_t v) const { return known() && v_ == v; }
  // The number; raises where it is known only when the program runs.
  int64_t value() const {
    if (__builtin_expect(!known(), 0)) RaiseNotKnown();
    return v_;
  }
  // The extent that it is; raises for an element, whose recorder knows more, and for a number below zero.
  common::Dim extent() const {
    if (known()) return common::Dim(v_);
    if (kind_ != kExtent) RaiseNotKnown();
    return common::Dim::FromRaw(v_);
  }
  RecordedElement element() const {
    PD_ASSERT(kind_ == kElement);
    return {static_cast<uint32_t>(static_cast<uint64_t>(v_) >> 32), static_cast<uint32_t>(v_)};
  }
  friend bool operator==(const Int& a, const Int& b) { return a.kind_ == b.kind_ && a.v_ == b.v_; }

 private:
  int64_t v_ = 0;
  Kind kind_ = kNumber;
};

// A list of such integers. Lists of numbers alone, which all lists are that kernels get, are kept as numbers.
class IntArray {
 public:
  IntArray() = default;
  IntArray(const common::Ints& numbers) : numbers_(numbers) {}        // NOLINT: implicit by design
  IntArray(common::Ints&& numbers) : numbers_(std::move(numbers)) {}  // NOLINT
  IntArray(const common::Dims& extents) {                             // NOLINT
    for (common::Dim d : extents) push_back(Int(d));
  }
  // Shapes as operators of users write them; a template, so that braces stay a list of items.
  template <class V, class = std::enable_if_t<std::is_same_v<V, std::vector<int64_t>>>>
  IntArray(const V& numbers) : numbers_(numbers.begin(), numbers.end()) {}  // NOLINT
  IntArray(std::initializer_list<Int> items) {
    for (Int i : items) push_back(i);
  }
  IntArray(const IntArray& o) : numbers_(o.numbers_), items_(Copy(o)) {}
  IntArray(IntArray&&) = default;
  IntArray& operator=(const IntArray& o) {
    numbers_ = o.numbers_;
    items_ = Copy(o);
    return *this;
  }
  IntArray& operator=(IntArray&&) = default;

  int64_t size() const { return __builtin_expect(items_ != nullptr, 0) ? items_->size() : numbers_.size(); }
  bool empty() const { return size() == 0; }
  // Whether all are numbers.
  bool known() const { return items_ == nullptr; }
  // The numbers; raises where one is known only when the program runs.
  const common::Ints& numbers() const {
    if (__builtin_expect(!known(), 0)) RaiseNotKnown();
    return numbers_;
  }
  operator const common::Ints&() const { return numbers(); }  // NOLINT: kernels take numbers
  Int operator[](int64_t i) const { return known() ? Int(numbers_[i]) : (*items_)[i]; }
  void push_back(int64_t v) {
    if (__builtin_expect(known(), 1))
      numbers_.push_back(v);
    else
      items_->push_back(v);
  }
  void push_back(Int v) {
    if (known() && v.known()) return numbers_.push_back(v.value());
    Items().push_back(v);
  }
  void set(int64_t i, Int v) {
    if (known() && v.known())
      numbers_[i] = v.value();
    else
      Items()[i] = v;
  }
  void pop_back() { known() ? numbers_.pop_back() : items_->pop_back(); }
  void insert(int64_t at, Int v) {
    push_back(v);
    for (int64_t i = size() - 1; i > at; --i) set(i, (*this)[i - 1]);
    set(at, v);
  }
  friend bool operator==(const IntArray& a, const IntArray& b);

 private:
  using List = common::SmallVector<Int, 6>;
  static std::unique_ptr<List> Copy(const IntArray& o) {
    return __builtin_expect(o.known(), 1) ? nullptr : std::make_unique<List>(*o.items_);
  }
  // The items, of a list that is no longer one of numbers alone.
  List& Items();

  common::Ints numbers_;         // empty where there are items
  std::unique_ptr<List> items_;  // null where all are numbers
};

// The numbers of an argument whose effect on the result's shape cannot be told otherwise; raises naming op and
// argument.
const common::Ints& Known(const char* op, const char* name, const IntArray& list);

}  // namespace phi

namespace common {
// "[2, S0, ?]"; the sign stands for an element of a tensor.
std::string ShapeText(const phi::IntArray& list);
}  // namespace common
