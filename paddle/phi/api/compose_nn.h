// SPDX-License-Identifier: Apache-2.0
// What gradient rules of convolutions ask, and those of recurrent layers, written on ops that can be differentiated
// again.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

bool channels_last(const std::string& format);
// The paddings before and behind each axis that a padding algorithm stands for.
common::Ints window_paddings(const Tensor& x, const Tensor& filter, const common::Ints& strides,
                             const common::Ints& paddings, const std::string& algorithm, const common::Ints& dilations,
                             const std::string& format);

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
