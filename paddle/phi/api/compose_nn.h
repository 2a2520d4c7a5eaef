// SPDX-License-Identifier: Apache-2.0
// What gradient rules of convolutions ask, and the steps of recurrent layers, written on ops that can be differentiated
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

// A recurrent network step by step: the output, then the final states. `masks`: what dropout kept between layers.
std::vector<Tensor> rnn_steps(const Tensor& x, const std::vector<Tensor>& pre_state, const std::vector<Tensor>& weights,
                              const Tensor& sequence_length, const Tensor& masks, double dropout, bool both,
                              int64_t layers, const std::string& mode, bool is_test);
// Attention of each of several sequences in turn: the output. `keep`: what dropout kept.
std::vector<Tensor> unpadded_attention_parts(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cu_q,
                                             const Tensor& cu_k, const Tensor& keep, const phi::Scalar& longest,
                                             double scale, double dropout, bool causal, bool is_test);

}  // namespace paddle
