// SPDX-License-Identifier: Apache-2.0
// Higher-order gradients of elementwise functions of one tensor, made from the derivatives that
// tools/opgen/derivatives.py finds. Eager: each order is one loop and one node. Recorded: the first order is the
// gradient's op, as without create_graph, and the others what they are composed of.
#pragma once

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/phi/core/ew_run.h"

namespace egr {

// The function's derivative D(v), v being its argument or its result, and the derivatives of D. Term j is
// p0 * ... * pj * D^(j)(v); it is the gradient of term j - 1 with respect to v.
struct Derivatives {
  static constexpr int kOrders = 3;
  const char* node[kOrders - 1];
  const phi::EwDef* term[kOrders];       // from p0..pj, v; null: zero
  const phi::EwDef* joint[kOrders - 1];  // all gradients of term j from p0..pj, the term's own gradient, v; null: none
  Tensor (*compose[kOrders])(const Tensor& product, const Tensor& v);  // the term from operations; null: zero
};

// Whether `Derivative` serves: all are plain tensors of one type that is not half, or of a program.
bool DerivativesApply(const Tensor& v, const Tensor& p);
// Term j, which must not be zero, with its history.
Tensor Derivative(const Derivatives& s, int j, const Tensor* p, const Tensor& v);

}  // namespace egr
