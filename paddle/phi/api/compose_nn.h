// SPDX-License-Identifier: Apache-2.0
// Gradient rules of activations, losses and recurrent layers, written on ops that can be differentiated again.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

Tensor prelu_backward(const Tensor& x, const Tensor& alpha, const Tensor& dout, const std::string& format,
                      const std::string& mode, int which);
Tensor swiglu_backward(const Tensor& x, const Tensor& y, const Tensor& dout, int which);
// With respect to x (which 0), label (1) or pos_weight (2).
Tensor sigmoid_ce_backward(const Tensor& x, const Tensor& label, const Tensor& pos_weight, const Tensor& dout,
                           bool normalize, int64_t ignore_index, int which);
// With respect to the label or to the input; each of the output gradients may be undefined.
Tensor huber_backward(const Tensor& residual, const Tensor& dout, const Tensor& dresidual, double delta, bool label);

// The network is composed again and differentiated.
Tensor rnn_backward_x(const Tensor& x, const std::vector<Tensor>& pre_state, const std::vector<Tensor>& weights,
                      const Tensor& sequence_length, const Tensor& masks, const Tensor& dout,
                      const std::vector<Tensor>& dstate, double dropout, bool both, int64_t layers,
                      const std::string& mode, bool is_test);
std::vector<Tensor> rnn_backward_state(const Tensor& x, const std::vector<Tensor>& pre_state,
                                       const std::vector<Tensor>& weights, const Tensor& sequence_length,
                                       const Tensor& masks, const Tensor& dout, const std::vector<Tensor>& dstate,
                                       double dropout, bool both, int64_t layers, const std::string& mode,
                                       bool is_test);
std::vector<Tensor> rnn_backward_weights(const Tensor& x, const std::vector<Tensor>& pre_state,
                                         const std::vector<Tensor>& weights, const Tensor& sequence_length,
                                         const Tensor& masks, const Tensor& dout, const std::vector<Tensor>& dstate,
                                         double dropout, bool both, int64_t layers, const std::string& mode,
                                         bool is_test);

}  // namespace paddle
