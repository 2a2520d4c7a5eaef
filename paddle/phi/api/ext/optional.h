// SPDX-License-Identifier: Apache-2.0
// paddle::optional: an argument that may be absent, as operators of users take it.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "paddle/phi/core/tensor.h"

namespace paddle {

struct none_t {
  operator Tensor() const { return Tensor(); }  // NOLINT: functions take an undefined tensor for an absent one
};
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
  bool operator!() const { return !value_.has_value(); }
  // The value. Raises std::bad_optional_access where there is none.
  const T& get() const { return value_.value(); }
  T& get() { return value_.value(); }
  const T& operator*() const { return get(); }
  T& operator*() { return get(); }
  const T* operator->() const { return &get(); }
  T* operator->() { return &get(); }
  // Functions take an undefined tensor for an absent one.
  template <class U, class = std::enable_if_t<std::is_same_v<U, Tensor> && std::is_same_v<T, Tensor>>>
  operator U() const {  // NOLINT: functions take either
    return value_ ? *value_ : Tensor();
  }
  const T* get_ptr() const { return value_ ? &*value_ : nullptr; }
  T* get_ptr() { return value_ ? &*value_ : nullptr; }
  void reset() { value_.reset(); }
  template <class... A>
  T& emplace(A&&... args) {
    return value_.emplace(std::forward<A>(args)...);
  }

 private:
  std::optional<T> value_;
};

template <class T>
optional<std::decay_t<T>> make_optional(T&& value) {
  return std::forward<T>(value);
}

}  // namespace paddle
