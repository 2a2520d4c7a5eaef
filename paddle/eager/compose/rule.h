// SPDX-License-Identifier: Apache-2.0
// What generated gradient rules are written with: named steps, conditions, constants, and rules that differentiate
// compositions.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"
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

// Differentiates what is computed of inputs: those that are wanted are stood for by tensors of their own, since one may
// be computed from another. The results have a history where gradients do.
class Differentiation {
 public:
  Differentiation() : again_(egr::State().grad_enabled), on_(true) {}
  Tensor Input(const Tensor& x, bool wanted);
  std::vector<Tensor> Input(const std::vector<Tensor>& list, bool wanted);
  // The gradients that arrive at the wanted inputs; `douts`: those of the results, tensors and lists.
  template <class... D>
  void Run(const std::vector<Tensor>& results, const D&... douts) {
    std::vector<Tensor> grads;
    (Add(douts, grads), ...);
    Arrive(results, grads);
  }
  // Of what Input returned for a wanted input; called once for each, in their order. Zeros where none arrives.
  Tensor Gradient(const Tensor& input);
  std::vector<Tensor> Gradient(const std::vector<Tensor>& list);

 private:
  static void Add(const Tensor& g, std::vector<Tensor>& to) { to.push_back(g); }
  static void Add(const std::vector<Tensor>& list, std::vector<Tensor>& to) {
    to.insert(to.end(), list.begin(), list.end());
  }
  void Arrive(const std::vector<Tensor>& results, const std::vector<Tensor>& grads);

  const bool again_;
  const egr::GradModeGuard on_;
  std::vector<Tensor> inputs_, found_;
  size_t given_ = 0;
};

}  // namespace paddle
