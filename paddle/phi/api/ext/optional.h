// SPDX-License-Identifier: Apache-2.0
// paddle::optional: an argument that may be absent, as operators of users take it.
#pragma once

#include <optional>
#include <utility>

namespace paddle {

struct none_t {};
inline constexpr none_t none{};

template <class T>
class optional {
 public:
  using value_type = T;

  optional() = default;
  optional(none_t) {}                                // NOLINT: absent
  optional(const T& value) : value_(value) {}        // NOLINT: present
  optional(T&& value) : value_(std::move(value)) {}  // NOLINT: present

  bool is_initialized() const { return value_.has_value(); }
  explicit operator bool() const { return value_.has_value(); }
  // The value. Raises std::bad_optional_access where there is none.
  const T& get() const { return value_.value(); }
  T& get() { return value_.value(); }
  const T& operator*() const { return get(); }
  T& operator*() { return get(); }
  const T* operator->() const { return &get(); }
  T* operator->() { return &get(); }
  const T* get_ptr() const { return value_ ? &*value_ : nullptr; }
  T* get_ptr() { return value_ ? &*value_ : nullptr; }
  void reset() { value_.reset(); }

 private:
  std::optional<T> value_;
};

}  // namespace paddle
