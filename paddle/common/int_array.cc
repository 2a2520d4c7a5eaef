// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/int_array.h"

namespace phi {

void RaiseNotKnown() {
  PD_THROW(InvalidType,
           "expected an argument whose value is known while recording, got one that is known only when the program "
           "runs");
}

bool operator==(const IntArray& a, const IntArray& b) {
  if (a.known() && b.known()) return a.numbers_ == b.numbers_;
  return !a.known() && !b.known() && *a.items_ == *b.items_;
}

IntArray::List& IntArray::Items() {
  if (!items_) {
    items_ = std::make_unique<List>(numbers_.begin(), numbers_.end());
    numbers_.clear();
  }
  return *items_;
}

const common::Ints& Known(const char* op, const char* name, const IntArray& list) {
  PD_CHECK(list.known(), InvalidType, "[", op, "] expected '", name, "' to be known while recording, got ",
           common::ShapeText(list));
  return list.numbers();
}

}  // namespace phi

namespace common {

std::string ShapeText(const phi::IntArray& list) {
  std::string s = "[";
  for (int64_t i = 0; i < list.size(); ++i) {
    const phi::Int v = list[i];
    s += i ? ", " : "";
    s += v.known() ? std::to_string(v.value()) : v.kind() == phi::Int::kExtent ? DimText(v.extent()) : "?";
  }
  return s + "]";
}

}  // namespace common
