// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/compose/rule.h"

#include "paddle/eager/autograd/engine.h"

namespace paddle {

Tensor Differentiation::Input(const Tensor& x, bool wanted) {
  if (!wanted) return x;
  Tensor own = assign(x);
  own->stop_gradient = false;
  return inputs_.emplace_back(std::move(own));
}

std::vector<Tensor> Differentiation::Input(const std::vector<Tensor>& list, bool wanted) {
  std::vector<Tensor> out;
  for (const Tensor& x : list) out.push_back(Input(x, wanted));
  return out;
}

void Differentiation::Arrive(const std::vector<Tensor>& results, const std::vector<Tensor>& grads) {
  found_ = egr::Grad(results, inputs_, grads, again_, again_, true);
}

Tensor Differentiation::Gradient(const Tensor& input) {
  Tensor g = found_[given_++];
  return g.defined() ? g : zeros_like_of(input);
}

std::vector<Tensor> Differentiation::Gradient(const std::vector<Tensor>& list) {
  std::vector<Tensor> out;
  for (const Tensor& x : list) out.push_back(Gradient(x));
  return out;
}

}  // namespace paddle
