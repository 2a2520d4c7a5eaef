// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in one op: all time steps, layers and directions. Training goes step by step through the cells instead.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

int64_t GatesOf(const std::string& mode) {
  if (mode == "LSTM") return 4;
  if (mode == "GRU") return 3;
  PD_CHECK(mode == "RNN_TANH" || mode == "RNN_RELU", InvalidArgument,
           "[rnn] expected mode LSTM, GRU, RNN_TANH or RNN_RELU, got ", mode);
  return 1;
}

void CheckShape(const char* what, const Meta& m, std::initializer_list<Dim> want, DataType dtype) {
  bool fits = m.dims.size() == static_cast<int64_t>(want.size()) && m.dtype == dtype;
  int64_t i = 0;
  Dims w;
  for (Dim d : want) {
    w.push_back(d);
    fits = fits && !common::CertainlyDiffer(m.dims[i++], d);
  }
  PD_CHECK(fits, InvalidArgument, "[rnn] expected ", what, " to be ", NameOf(dtype), " ", common::ShapeText(w), ", got ", NameOf(m.dtype), " ",
           common::ShapeText(m.dims));
}

template <class T>
T Sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// One direction of one layer. `x` is [time, batch, width], h and c [batch, hidden] hold the initial and then the final states; outputs go
// to out[t, b, 0..hidden) with rows of `out_width`.
template <class T>
struct Direction {
  DataType dtype;
  std::string mode;
  int64_t time, batch, width, hidden, gates, out_width;
  const T *w_ih, *w_hh, *b_ih, *b_hh;
  const int64_t* lengths;  // null: all of `time`

  void Run(const T* x, bool reverse, T* h, T* c, T* out) const {
    const int64_t row = gates * hidden;
    std::vector<T> xg(static_cast<size_t>(time * batch * row)), hg(static_cast<size_t>(batch * row));
    cpu::Gemm(dtype, 0, 1, time * batch, row, width, 1, x, width, w_ih, width, 0, xg.data(), row);
    for (int64_t step = 0; step < time; ++step) {
      int64_t t = reverse ? time - 1 - step : step;
      cpu::Gemm(dtype, 0, 1, batch, row, hidden, 1, h, hidden, w_hh, hidden, 0, hg.data(), row);
      for (int64_t b = 0; b < batch; ++b) {
        T* o = out + (t * batch + b) * out_width;
        if (lengths && t >= lengths[b]) {
          std::memset(o, 0, static_cast<size_t>(hidden) * sizeof(T));
          continue;
        }
        Cell(xg.data() + (t * batch + b) * row, hg.data() + b * row, h + b * hidden, c ? c + b * hidden : nullptr);
        std::memcpy(o, h + b * hidden, static_cast<size_t>(hidden) * sizeof(T));
      }
    }
  }

 private:
  void Cell(const T* xg, const T* hg, T* h, T* c) const {
    const int64_t n = hidden;
    auto in = [&](int64_t g, int64_t j) { return xg[g * n + j] + (b_ih ? b_ih[g * n + j] : T(0)); };
    auto rec = [&](int64_t g, int64_t j) { return hg[g * n + j] + (b_hh ? b_hh[g * n + j] : T(0)); };
    for (int64_t j = 0; j < n; ++j) {
      if (gates == 4) {
        T i = Sigmoid(in(0, j) + rec(0, j)), f = Sigmoid(in(1, j) + rec(1, j)), o = Sigmoid(in(3, j) + rec(3, j));
        c[j] = f * c[j] + i * std::tanh(in(2, j) + rec(2, j));
        h[j] = o * std::tanh(c[j]);
      } else if (gates == 3) {
        T r = Sigmoid(in(0, j) + rec(0, j)), z = Sigmoid(in(1, j) + rec(1, j));
        T candidate = std::tanh(in(2, j) + r * rec(2, j));
        h[j] = (h[j] - candidate) * z + candidate;
      } else {
        T v = in(0, j) + rec(0, j);
        h[j] = mode == "RNN_RELU" ? (v > 0 || v != v ? v : T(0)) : std::tanh(v);
      }
    }
  }
};

template <class T>
void Run(const Tensor& x0, const std::vector<Tensor>& states, const std::vector<Tensor>& weights, const int64_t* lengths, int64_t directions,
         int64_t hidden, int64_t layers, const std::string& mode, Tensor& out, std::vector<Tensor>& finals) {
  const int64_t time = x0.dims()[0], batch = x0.dims()[1], gates = GatesOf(mode), cells = layers * directions;
  const size_t biases = static_cast<size_t>(2 * cells);
  bool biased = weights.size() == 2 * biases;
  Tensor x = x0;
  for (int64_t layer = 0; layer < layers; ++layer) {
    Tensor y = layer + 1 == layers ? out : Empty(Ints{time, batch, directions * hidden}, x.dtype());
    for (int64_t d = 0; d < directions; ++d) {
      size_t cell = static_cast<size_t>(layer * directions + d);
      auto data = [&](size_t i) { return static_cast<const T*>(weights[i].raw_data()); };
      Direction<T> run{x.dtype(), mode, time, batch, x.dims()[2], hidden, gates, directions * hidden, data(2 * cell), data(2 * cell + 1),
                       biased ? data(biases + 2 * cell) : nullptr, biased ? data(biases + 2 * cell + 1) : nullptr, lengths};
      auto state = [&](size_t k) { return static_cast<T*>(finals[k].raw_data()) + static_cast<int64_t>(cell) * batch * hidden; };
      run.Run(static_cast<const T*>(x.raw_data()), d == 1, state(0), gates == 4 ? state(1) : nullptr,
              static_cast<T*>(y.raw_data()) + d * hidden);
    }
    x = y;
  }
}

}  // namespace

void rnn_infer(const Meta& x, const MetaList& pre_state, const MetaList& weights, const Meta* sequence_length, const Meta*, double dropout,
               bool is_bidirec, int64_t input_size, int64_t hidden, int64_t layers, const std::string& mode, int64_t, bool is_test, Meta& out,
               Meta& dropout_state, std::vector<Meta>& state, Meta& reserve) {
  int64_t gates = GatesOf(mode), directions = is_bidirec ? 2 : 1;
  PD_CHECK(x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64, InvalidArgument, "[rnn] expected x of float32 or float64, got ",
           NameOf(x.dtype));
  PD_CHECK(layers > 0 && layers < 4096 && hidden > 0 && hidden < (1 << 24), InvalidArgument,
           "[rnn] expected positive num_layers and hidden_size, got ", layers, " and ", hidden);
  PD_CHECK(x.dims.size() == 3, InvalidArgument, "[rnn] expected x of [time, batch, size], got ", common::ShapeText(x.dims));
  PD_CHECK(is_test || dropout == 0 || layers == 1, Unimplemented, "[rnn] expected no dropout between layers in training, got ", dropout);
  size_t cells = static_cast<size_t>(layers * directions), count = static_cast<size_t>(weights.size());
  PD_CHECK(count == 2 * cells || count == 4 * cells, InvalidArgument, "[rnn] expected ", 2 * cells, " or ", 4 * cells, " weights, got ", count);
  PD_CHECK(static_cast<int64_t>(pre_state.size()) == (gates == 4 ? 2 : 1), InvalidArgument, "[rnn] expected ", gates == 4 ? 2 : 1,
           " initial states, got ", pre_state.size());
  for (size_t i = 0; i < static_cast<size_t>(pre_state.size()); ++i)
    CheckShape("an initial state", pre_state[i], {layers * directions, x.dims[1], hidden}, x.dtype);
  for (size_t i = 0; i < count; ++i) {
    if (i >= 2 * cells) CheckShape("a bias", weights[i], {gates * hidden}, x.dtype);
    else if (i % 2) CheckShape("a recurrent weight", weights[i], {gates * hidden, hidden}, x.dtype);
    else
      CheckShape("an input weight", weights[i],
                 {gates * hidden, i / 2 < static_cast<size_t>(directions) ? x.dims[2] : Dim(directions * hidden)}, x.dtype);
  }
  if (sequence_length)
    PD_CHECK(sequence_length->dims.size() == 1 && !common::CertainlyDiffer(sequence_length->dims[0], x.dims[1]) &&
                 IsInteger(sequence_length->dtype),
             InvalidArgument, "[rnn] expected integer sequence lengths, one a sequence, got ", NameOf(sequence_length->dtype), " ",
             common::ShapeText(sequence_length->dims));
  out = {Dims{x.dims[0], x.dims[1], Dim(directions * hidden)}, x.dtype};
  dropout_state = reserve = {Dims{}, DataType::UINT8};
  state.assign(gates == 4 ? 2 : 1, {Dims{Dim(layers * directions), x.dims[1], Dim(hidden)}, x.dtype});
}

void rnn_kernel(const Tensor& x, const std::vector<Tensor>& pre_state, const std::vector<Tensor>& weights, const Tensor& sequence_length,
                const Tensor&, double, bool is_bidirec, int64_t, int64_t hidden, int64_t layers, const std::string& mode, int64_t, bool,
                Tensor& out, Tensor& dropout_state, std::vector<Tensor>& state, Tensor& reserve) {
  std::vector<Tensor> plain;
  for (const Tensor& w : weights) plain.push_back(Contiguous(w));
  state.clear();
  for (const Tensor& s : pre_state) {
    Tensor t = Empty(s.dims(), s.dtype()), from = Contiguous(s);
    if (t.numel()) std::memcpy(t.raw_data(), from.raw_data(), static_cast<size_t>(t.numel() * SizeOf(t.dtype())));
    state.push_back(t);
  }
  Ints lengths;
  if (sequence_length.defined()) {
    for (int64_t n : ToIntVector(sequence_length)) lengths.push_back(n);
    for (int64_t n : lengths)
      PD_CHECK(n >= 0 && n <= x.dims()[0], InvalidArgument, "[rnn] expected sequence lengths from 0 to ", x.dims()[0], ", got ", n);
  }
  for (Tensor* t : {&dropout_state, &reserve}) std::memset(t->raw_data(), 0, static_cast<size_t>(t->numel()));
  if (out.numel() == 0) return;
  auto run = x.dtype() == DataType::FLOAT32 ? Run<float> : Run<double>;
  run(Contiguous(x), pre_state, plain, lengths.size() ? lengths.data() : nullptr, is_bidirec ? 2 : 1, hidden, layers, mode, out, state);
}

}  // namespace phi
