// SPDX-License-Identifier: Apache-2.0
// What recurrent layers compute, step by step.
#include <tuple>

#include "paddle/phi/api/ops.h"
#include "paddle/phi/api/recurrent.h"

namespace paddle {
namespace {

using common::Ints;

struct Cell {
  Tensor w_ih, w_hh, b_ih, b_hh;
};

struct Network {
  const std::string& mode;
  int64_t time, layers, directions;
  double drop;
  std::vector<Tensor> keep;  // [batch, 1] of each step: within the sequence; empty without lengths

  // `gates`: the input's part of them.
  void Step(const Cell& cell, const Tensor& gates, Tensor& h, Tensor& c) const {
    if (mode == "LSTM")
      std::tie(h, c) = lstm_cell(gates, h, c, cell.w_hh, cell.b_hh);
    else if (mode == "GRU")
      h = gru_cell(gates, h, cell.w_hh, cell.b_hh);
    else
      h = simple_rnn_cell(gates, h, cell.w_hh, cell.b_hh, mode == "RNN_RELU" ? "relu" : "tanh");
  }

  // One direction of one layer; h and c are the initial and then the final states.
  Tensor Direction(const Cell& cell, const Tensor& x, bool reverse, Tensor& h, Tensor& c) const {
    Tensor gates = matmul(x, cell.w_ih, false, true);
    if (cell.b_ih.defined()) gates = gates + cell.b_ih;
    std::vector<Tensor> in = unbind(gates, 0), out(in.size());
    for (int64_t step = 0; step < time; ++step) {
      const size_t t = static_cast<size_t>(reverse ? time - 1 - step : step);
      Tensor next_h = h, next_c = c;
      Step(cell, in[t], next_h, next_c);
      if (keep.empty()) {
        h = next_h;
        c = next_c;
        out[t] = h;
        continue;
      }
      h = where(keep[t], next_h, h);
      if (c.defined()) c = where(keep[t], next_c, c);
      out[t] = where(keep[t], next_h, 0.0);
    }
    return stack(out, 0);
  }

  // The output and the final states.
  std::vector<Tensor> Run(Tensor x, const std::vector<Tensor>& states, const std::vector<Tensor>& weights,
                          const Tensor& mask) const {
    const size_t biases = static_cast<size_t>(2 * layers * directions);
    std::vector<std::vector<Tensor>> first, last(states.size());
    for (const Tensor& s : states) first.push_back(unbind(s, 0));
    for (int64_t i = 0; i < layers; ++i) {
      std::vector<Tensor> parts;
      for (int64_t d = 0; d < directions; ++d) {
        const size_t k = static_cast<size_t>(i * directions + d);
        auto bias = [&](size_t at) { return weights.size() == 2 * biases ? weights[biases + at] : Tensor(); };
        const Cell cell{weights[2 * k], weights[2 * k + 1], bias(2 * k), bias(2 * k + 1)};
        Tensor h = first[0][k], c = states.size() > 1 ? first[1][k] : Tensor();
        parts.push_back(Direction(cell, x, d == 1, h, c));
        last[0].push_back(h);
        if (c.defined()) last[1].push_back(c);
      }
      x = parts.size() == 1 ? parts[0] : concat(parts, Scalar(int64_t{-1}));
      if (drop > 0 && i + 1 < layers) {
        x = x * cast_like(reshape(mask, shape_of(x)), x) * (drop == 1 ? 0.0 : 1 / (1 - drop));
      }
    }
    std::vector<Tensor> out{x};
    for (const auto& s : last) out.push_back(stack(s, 0));
    return out;
  }
};

}  // namespace

std::vector<Tensor> rnn_steps(const Tensor& x, const std::vector<Tensor>& pre_state, const std::vector<Tensor>& weights,
                              const Tensor& sequence_length, const Tensor& masks, double dropout, bool both,
                              int64_t layers, const std::string& mode, bool is_test) {
  const int64_t directions = both ? 2 : 1;
  Network net{mode, size_at(x, 0), layers, directions, is_test || layers == 1 ? 0.0 : dropout, {}};
  if (net.time == 0) {
    const IntArray none{0, dim_at(x, 1), directions * size_at(weights[1], 1)};
    std::vector<Tensor> out{zeros_of(none, x.dtype())};
    out.insert(out.end(), pre_state.begin(), pre_state.end());
    return out;
  }
  if (sequence_length.defined()) {
    const Tensor ends = reshape(cast(sequence_length, DataType::INT64), Ints{-1, 1});
    for (int64_t t = 0; t < net.time; ++t) net.keep.push_back(ends > static_cast<double>(t));
  }
  return net.Run(x, pre_state, weights, masks);
}

}  // namespace paddle
