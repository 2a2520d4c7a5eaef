// SPDX-License-Identifier: Apache-2.0
// What generated gradient rules are written with: named steps, conditions, constants.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"

namespace paddle {

// A value that is computed when it is first read.
template <class F>
class Step {
 public:
  explicit Step(F make) : make_(std::move(make)) {}
  const std::decay_t<std::invoke_result_t<F>>& operator()() const {
    if (!value_) value_.emplace(make_());
    return *value_;
  }

 private:
  F make_;
  mutable std::optional<std::decay_t<std::invoke_result_t<F>>> value_;
};

// Conditions; of a tensor: whether it is there.
inline bool there(bool condition) { return condition; }
inline bool there(const Tensor& x) { return x.defined(); }

// Element K; of a list that may be counted from the end.
template <int K, class... T>
const auto& item(const std::tuple<T...>& values) {
  return std::get<K>(values);
}
template <int K>
const Tensor& item(const std::vector<Tensor>& values) {
  return values[K < 0 ? values.size() + K : K];
}
template <int K>
int64_t item(const Ints& values) {
  return values[K < 0 ? values.size() + K : K];
}

// A tensor without history.
template <class F>
Tensor constant(F make) {
  const egr::GradModeGuard off(false);
  Tensor value = make();
  return egr::NeedsGrad(value) ? assign(value) : value;
}

}  // namespace paddle
