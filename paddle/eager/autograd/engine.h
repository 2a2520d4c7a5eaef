// SPDX-License-Identifier: Apache-2.0
// Runs the backward graph: every node once, after all gradients of its outputs have arrived.
#pragma once

#include <vector>

#include "paddle/eager/autograd/grad_node.h"

namespace egr {

// Whether a gradient from outside has this shape, as far as extents are known.
bool MayHaveShape(const Tensor& t, const common::Dims& want);

// Adds gradients into the leaves' `.grad`. An undefined grad tensor stands for ones.
void Backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads, bool retain_graph,
              bool create_graph = false);

// Gradients of `outputs` with respect to `inputs`, nothing accumulated. Undefined where an input is not reached, which
// is an error unless `allow_unused`. No gradient flows back through `no_grad_vars`.
std::vector<Tensor> Grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, bool retain_graph, bool create_graph,
                         bool allow_unused, const std::vector<Tensor>& no_grad_vars = {});

// Gradients of `outputs` that arrive at `edges`, none of which is followed further; no hooks of theirs run. Undefined
// where nothing arrives or it is not `wanted`. An output whose gradient in `grad_outputs` is undefined takes no part.
// The graph is kept.
std::vector<Tensor> GradAt(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grad_outputs,
                           const std::vector<Edge>& edges, const std::vector<bool>& wanted, bool create_graph);

// buffer += grad, in place where nobody else sees the buffer.
void AccumulateInto(Tensor& buffer, Tensor grad, bool create_graph);

}  // namespace egr
