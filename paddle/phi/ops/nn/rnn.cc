// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in one op: all time steps, layers and directions, and their gradient.
#include <cstring>
#include <string>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/rnn.h"
#include "paddle/phi/primitives/uniform.h"

namespace phi {
namespace {

using cpu::RnnMode;

RnnMode ModeOf(const std::string& mode) {
  if (mode == "LSTM") return RnnMode::kLstm;
  if (mode == "GRU") return RnnMode::kGru;
  PD_CHECK(mode == "RNN_TANH" || mode == "RNN_RELU", InvalidArgument,
           "[rnn] expected mode LSTM, GRU, RNN_TANH or RNN_RELU, got ", mode);
  return mode == "RNN_RELU" ? RnnMode::kRelu : RnnMode::kTanh;
}

void CheckShape(const char* what, const Meta& m, std::initializer_list<Dim> want, DataType dtype) {
  bool fits = m.dims.size() == static_cast<int64_t>(want.size()) && m.dtype == dtype;
  int64_t i = 0;
  Dims w;
  for (Dim d : want) {
    w.push_back(d);
    fits = fits && !common::CertainlyDiffer(m.dims[i++], d);
  }
  PD_CHECK(fits, InvalidArgument, "[rnn] expected ", what, " to be ", NameOf(dtype), " ", common::ShapeText(w),
           ", got ", NameOf(m.dtype), " ", common::ShapeText(m.dims));
}

// What one call computes, and where its parts are in the tensors it keeps: for every cell (layer by layer, direction by
// direction) gates and aux of cpu::RnnKept, then the outputs of all layers but the last. Without `keep` the layers use
// the same memory in turn.
struct Net {
  DataType dtype;
  RnnMode mode;
  int64_t time, batch, width, hidden, layers, directions;
  bool keep;
  double drop;  // between layers
  Ints lengths;

  Net(const Meta& x, double dropout, bool both, int64_t hidden_size, int64_t layer_count, const std::string& mode_name,
      bool is_test)
      : dtype(x.dtype),
        mode(ModeOf(mode_name)),
        time(x.dims[0].value()),
        batch(x.dims[1].value()),
        width(x.dims[2].value()),
        hidden(hidden_size),
        layers(layer_count),
        directions(both ? 2 : 1),
        keep(!is_test),
        drop(is_test || layer_count == 1 ? 0 : dropout) {}

  void Read(const Tensor& sequence_length) {
    if (!sequence_length.defined()) return;
    for (int64_t n : ToIntVector(sequence_length)) {
      PD_CHECK(n >= 0 && n <= time, InvalidArgument, "[rnn] expected sequence lengths from 0 to ", time, ", got ", n);
      lengths.push_back(n);
    }
  }

  int64_t steps() const { return time * batch; }
  int64_t states_size() const { return (RnnGates(mode) == 4 ? 2 : 1) * layers * directions * batch * hidden; }
  int64_t out_size() const { return steps() * directions * hidden; }
  int64_t cell_size() const { return steps() * hidden * (RnnGates(mode) + RnnAux(mode)); }
  int64_t reserve_size() const {
    return (keep ? layers : 1) * directions * cell_size() + (keep ? layers - 1 : layers > 1 ? 2 : 0) * out_size();
  }
  // Scratch of Forward: what it keeps for nobody, what dropout leaves of a layer's output, and that of a layer.
  int64_t reserve_bytes() const { return keep ? 0 : reserve_size() * SizeOf(dtype); }
  int64_t forward_bytes() const {
    return Workspace::Piece(dropped_bytes()) + Workspace::Piece(cpu::RnnForwardBytes(Layer(0)));
  }
  int64_t dropped_bytes() const { return drop > 0 ? out_size() * SizeOf(dtype) : 0; }
  // Scratch of Backward: the gradients of two outputs between layers, what dropout leaves of one, and that of a layer.
  int64_t between_bytes(int64_t least) const { return layers > least ? out_size() * SizeOf(dtype) : 0; }
  int64_t backward_bytes() const {
    return Workspace::Piece(dropped_bytes()) + Workspace::Piece(between_bytes(1)) + Workspace::Piece(between_bytes(2)) +
           Workspace::Piece(cpu::RnnBackwardBytes(Layer(0)));
  }
  cpu::RnnLayer Layer(int64_t i) const {
    return {dtype,
            mode,
            time,
            batch,
            i == 0 ? width : directions * hidden,
            hidden,
            directions,
            lengths.size() ? lengths.data() : nullptr};
  }
  char* At(void* memory, int64_t element) const { return static_cast<char*>(memory) + element * SizeOf(dtype); }
  cpu::RnnKept Kept(void* reserve, int64_t layer, int64_t d) const {
    char* gates = At(reserve, ((keep ? layer : 0) * directions + d) * cell_size());
    return {gates, gates + steps() * hidden * RnnGates(mode) * SizeOf(dtype)};
  }
  char* Between(void* reserve, int64_t layer) const {
    return At(reserve, (keep ? layers : 1) * directions * cell_size() + (keep ? layer : layer % 2) * out_size());
  }
  // x with the elements that dropout keeps scaled, the others zero. As in PaddlePaddle, all layers have the same mask.
  template <class T>
  void Drop(const Tensor& mask, const T* x, T* out) const {
    const uint8_t* m = mask.data<uint8_t>();
    const T factor = drop == 1 ? T(0) : static_cast<T>(1 / (1 - drop));
    for (int64_t i = 0; i < out_size(); ++i) out[i] = m[i] ? x[i] * factor : T(0);
  }
  void Drop(const Tensor& mask, const void* x, void* out) const {
    if (dtype == DataType::FLOAT32)
      Drop(mask, static_cast<const float*>(x), static_cast<float*>(out));
    else
      Drop(mask, static_cast<const double*>(x), static_cast<double*>(out));
  }

  std::vector<cpu::RnnWeights> Weights(const std::vector<Tensor>& w, int64_t layer) const {
    const size_t biases = static_cast<size_t>(2 * layers * directions),
                 first = static_cast<size_t>(2 * layer * directions);
    auto bias = [&](size_t i) { return w.size() == 2 * biases ? w[biases + i].raw_data() : nullptr; };
    std::vector<cpu::RnnWeights> r;
    for (size_t i = first; i < first + static_cast<size_t>(2 * directions); i += 2)
      r.push_back({w[i].raw_data(), w[i + 1].raw_data(), bias(i), bias(i + 1)});
    return r;
  }
  // The part of a state tensor that belongs to a cell; null where the mode has no such state.
  void* State(const std::vector<Tensor>& states, size_t which, int64_t layer, int64_t d) const {
    return which < states.size() ? At(states[which].raw_data(), (layer * directions + d) * batch * hidden) : nullptr;
  }

  // `states` hold the initial states, and then the final ones.
  void Forward(const Tensor& x0, const std::vector<Tensor>& w, const std::vector<Tensor>& states, void* reserve,
               const Tensor& mask, const Tensor& out) const {
    const void* x = x0.raw_data();
    const CallMemory dropped(dropped_bytes());
    for (int64_t i = 0; i < layers; ++i) {
      void* y = i + 1 == layers ? out.raw_data() : Between(reserve, i);
      void *h[2], *c[2];
      cpu::RnnKept kept[2];
      for (int64_t d = 0; d < directions; ++d) {
        h[d] = State(states, 0, i, d);
        c[d] = State(states, 1, i, d);
        kept[d] = Kept(reserve, i, d);
      }
      cpu::RnnForward(Layer(i), Weights(w, i).data(), x, kept, h, c, y);
      x = y;
      if (drop > 0 && i + 1 < layers) {
        Drop(mask, y, dropped.as());
        x = dropped.as();
      }
    }
  }

  // `dstates` hold the gradients of the final states, and then those of the initial ones; `dw` is empty when not
  // wanted.
  void Backward(const Tensor& x0, const std::vector<Tensor>& states, const std::vector<Tensor>& w, const Tensor& out,
                const Tensor& mask, void* reserve, const Tensor& dout, const std::vector<Tensor>& dstates,
                const std::vector<Tensor>& dw, Tensor* dx) const {
    const size_t biases = static_cast<size_t>(2 * layers * directions);
    const CallMemory dropped(dropped_bytes()), odd(between_bytes(1)), even(between_bytes(2));
    const void* dy = dout.raw_data();
    for (int64_t i = layers - 1; i >= 0; --i) {
      const void* x = x0.raw_data();
      if (i > 0) x = Between(reserve, i - 1);
      if (i > 0 && drop > 0) {
        Drop(mask, x, dropped.as());
        x = dropped.as();
      }
      cpu::RnnKept kept[2];
      cpu::RnnGrads grads[2];
      const void *h0[2], *c0[2];
      for (int64_t d = 0; d < directions; ++d) {
        const size_t at = static_cast<size_t>(2 * (i * directions + d));
        auto grad = [&](size_t k) { return k < dw.size() ? dw[k].raw_data() : nullptr; };
        kept[d] = Kept(reserve, i, d);
        h0[d] = State(states, 0, i, d);
        c0[d] = State(states, 1, i, d);
        grads[d] = {grad(at),
                    grad(at + 1),
                    grad(biases + at),
                    grad(biases + at + 1),
                    State(dstates, 0, i, d),
                    State(dstates, 1, i, d)};
      }
      void* down = i == 0 ? (dx ? dx->raw_data() : nullptr) : i % 2 ? odd.as() : even.as();
      cpu::RnnBackward(Layer(i), Weights(w, i).data(), x, kept, i + 1 == layers ? out.raw_data() : Between(reserve, i),
                       h0, c0, dy, grads, down);
      if (i > 0 && drop > 0) Drop(mask, down, down);
      dy = down;
    }
  }
};

// Tensors of these shapes: those that are given, where they fit.
std::vector<Tensor> RoomFor(const std::vector<Tensor>& like, const std::vector<Tensor>* given) {
  std::vector<Tensor> r = given ? *given : std::vector<Tensor>();
  r.resize(like.size());
  for (size_t i = 0; i < like.size(); ++i) EnsureOut(r[i], like[i].dims(), like[i].dtype());
  return r;
}
std::vector<Tensor> Copies(const std::vector<Tensor>& from, const std::vector<Tensor>* given = nullptr) {
  std::vector<Tensor> r = RoomFor(from, given);
  for (size_t i = 0; i < from.size(); ++i) CopyInto(from[i], r[i]);
  return r;
}
// Copies of states, all of one shape, in one piece of scratch.
struct ScratchStates {
  ScratchTensor memory;
  std::vector<Tensor> list;

  static Ints Room(const std::vector<Tensor>& from) {
    Ints dims = from[0].dims();
    dims.insert(0, static_cast<int64_t>(from.size()));
    return dims;
  }
  explicit ScratchStates(const std::vector<Tensor>& from) : memory(Room(from), from[0].dtype()) {
    const Ints& all = memory.tensor.strides();
    for (size_t i = 0; i < from.size(); ++i) {
      list.push_back(
          ViewOf(memory.tensor, from[i].dims(), Ints(all.begin() + 1, all.end()), static_cast<int64_t>(i) * all[0]));
      CopyInto(from[i], list.back());
    }
  }
};

}  // namespace

void rnn_infer(const Meta& x, const MetaList& pre_state, const MetaList& weights, const Meta* sequence_length,
               const Meta*, double dropout, bool is_bidirec, int64_t input_size, int64_t hidden, int64_t layers,
               const std::string& mode, int64_t, bool is_test, Meta& out, Meta& dropout_state, std::vector<Meta>& state,
               Meta& reserve) {
  const int64_t gates = cpu::RnnGates(ModeOf(mode)), aux = cpu::RnnAux(ModeOf(mode)), directions = is_bidirec ? 2 : 1;
  PD_CHECK(x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64, InvalidArgument,
           "[rnn] expected x of float32 or float64, got ", NameOf(x.dtype));
  PD_CHECK(layers > 0 && layers < 4096 && hidden > 0 && hidden < (1 << 24), InvalidArgument,
           "[rnn] expected positive num_layers and hidden_size, got ", layers, " and ", hidden);
  PD_CHECK(x.dims.size() == 3, InvalidArgument, "[rnn] expected x of [time, batch, size], got ",
           common::ShapeText(x.dims));
  PD_CHECK(dropout >= 0 && dropout <= 1, InvalidArgument, "[rnn] expected a dropout_prob from 0 to 1, got ", dropout);
  size_t cells = static_cast<size_t>(layers * directions), count = static_cast<size_t>(weights.size());
  PD_CHECK(count == 2 * cells || count == 4 * cells, InvalidArgument, "[rnn] expected ", 2 * cells, " or ", 4 * cells,
           " weights, got ", count);
  PD_CHECK(static_cast<int64_t>(pre_state.size()) == (gates == 4 ? 2 : 1), InvalidArgument, "[rnn] expected ",
           gates == 4 ? 2 : 1, " initial states, got ", pre_state.size());
  for (size_t i = 0; i < static_cast<size_t>(pre_state.size()); ++i)
    CheckShape("an initial state", pre_state[i], {Dim(layers * directions), x.dims[1], Dim(hidden)}, x.dtype);
  const Dim rows(gates * hidden);
  if (weights[0].dims.size() == 2)
    PD_CHECK(!common::CertainlyDiffer(x.dims[2], weights[0].dims[1]), InvalidArgument, "[rnn] expected inputs of ",
             common::DimText(weights[0].dims[1]), " features, got ", common::DimText(x.dims[2]));
  for (size_t i = 0; i < count; ++i) {
    if (i >= 2 * cells)
      CheckShape("a bias", weights[i], {rows}, x.dtype);
    else if (i % 2)
      CheckShape("a recurrent weight", weights[i], {rows, Dim(hidden)}, x.dtype);
    else
      CheckShape("an input weight", weights[i],
                 {rows, i / 2 < static_cast<size_t>(directions) ? x.dims[2] : Dim(directions * hidden)}, x.dtype);
  }
  if (sequence_length)
    PD_CHECK(sequence_length->dims.size() == 1 && !common::CertainlyDiffer(sequence_length->dims[0], x.dims[1]) &&
                 IsInteger(sequence_length->dtype),
             InvalidArgument, "[rnn] expected integer sequence lengths, one a sequence, got ",
             NameOf(sequence_length->dtype), " ", common::ShapeText(sequence_length->dims));
  out = {Dims{x.dims[0], x.dims[1], Dim(directions * hidden)}, x.dtype};
  // Kept for the gradient in training: the mask between layers; gates, aux and the outputs between layers.
  const Dim steps = x.dims[0] * x.dims[1];
  const bool drops = !is_test && dropout > 0 && layers > 1;
  dropout_state = {Dims{drops ? steps * Dim(directions * hidden) : Dim(0)}, DataType::UINT8};
  reserve = {Dims{is_test ? Dim(0) : steps * Dim(directions * hidden * (layers * (gates + aux) + layers - 1))},
             x.dtype};
  state.assign(gates == 4 ? 2 : 1, {Dims{Dim(layers * directions), x.dims[1], Dim(hidden)}, x.dtype});
}

void rnn_kernel(const KernelContext& context, const Tensor& x, const std::vector<Tensor>& pre_state,
                const std::vector<Tensor>& weights, const Tensor& sequence_length, const Tensor&, double dropout,
                bool is_bidirec, int64_t, int64_t hidden, int64_t layers, const std::string& mode, int64_t seed,
                bool is_test, Tensor& out, Tensor& dropout_state, std::vector<Tensor>& state, Tensor& reserve) {
  Net net(x.meta(), dropout, is_bidirec, hidden, layers, mode, is_test);
  net.Read(sequence_length);
  state = Copies(pre_state, &state);
  if (out.numel() == 0) return;
  if (dropout_state.numel()) {
    EngineFor engine(context, seed);
    cpu::DrawKept(*engine, static_cast<float>(net.drop), dropout_state.data<uint8_t>(), dropout_state.numel());
  }
  const CallMemory own(net.reserve_bytes());
  net.Forward(x, weights, state, net.keep ? reserve.raw_data() : own.as(), dropout_state, out);
}
int64_t rnn_workspace(const Meta& x, const MetaList&, const MetaList&, const Meta*, const Meta*, double dropout,
                      bool is_bidirec, int64_t, int64_t hidden, int64_t layers, const std::string& mode, int64_t,
                      bool is_test) {
  const Net net(x, dropout, is_bidirec, hidden, layers, mode, is_test);
  return net.out_size() ? Workspace::Piece(net.reserve_bytes()) + net.forward_bytes() : 0;
}

void rnn_grad_kernel(const Tensor& x, const std::vector<Tensor>& pre_state, const std::vector<Tensor>& weights,
                     const Tensor& sequence_length, const Tensor& out, const Tensor& dropout_state,
                     const Tensor& reserve, const Tensor& dout, const Tensor&, const std::vector<Tensor>& dstate,
                     const Tensor&, double dropout, bool is_bidirec, int64_t, int64_t hidden, int64_t layers,
                     const std::string& mode, int64_t, bool is_test, Tensor* dx, std::vector<Tensor>* dpre,
                     std::vector<Tensor>* dweights) {
  Net net(x.meta(), dropout, is_bidirec, hidden, layers, mode, is_test);
  net.Read(sequence_length);
  std::vector<Tensor> dw;
  const ScratchStates dstates(dstate);
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  if (dweights) dw = RoomFor(weights, dweights);
  if (out.numel() == 0) {
    if (dx) ZeroOf(*dx);
    for (const Tensor& t : dw) ZeroOf(t);
  } else if (is_test) {  // nothing was kept
    net.keep = true;
    const CallMemory again(net.reserve_size() * SizeOf(x.dtype()));
    const ScratchStates states(pre_state);
    const ScratchTensor out_again(out.dims(), out.dtype());
    net.Forward(x, weights, states.list, again.as(), dropout_state, out_again.tensor);
    net.Backward(x, pre_state, weights, out, dropout_state, again.as(), dout, dstates.list, dw, dx);
  } else {
    PD_CHECK(reserve.numel() == net.reserve_size(), InvalidArgument, "[rnn_grad] expected a reserve of ",
             net.reserve_size(), " elements, got ", reserve.numel());
    net.Backward(x, pre_state, weights, out, dropout_state, reserve.raw_data(), dout, dstates.list, dw, dx);
  }
  if (dpre) *dpre = Copies(dstates.list, dpre);
  if (dweights) *dweights = dw;
}
int64_t rnn_grad_workspace(const Meta& x, const Meta&, const Meta&, const Meta&, const Meta&, const Meta&, const Meta&,
                           const Meta&, const Meta&, const Meta&, const Meta&, double dropout, bool is_bidirec, int64_t,
                           int64_t hidden, int64_t layers, const std::string& mode, int64_t, bool is_test) {
  Net net(x, dropout, is_bidirec, hidden, layers, mode, is_test);
  net.keep = true;
  const int64_t size = SizeOf(x.dtype), gradients = Workspace::Piece(net.states_size() * size);
  const int64_t again = is_test && net.out_size() ? Workspace::Piece(net.reserve_size() * size) + gradients +
                                                        Workspace::Piece(net.out_size() * size)
                                                  : 0;
  return gradients + again + (net.out_size() ? std::max(net.backward_bytes(), is_test ? net.forward_bytes() : 0) : 0);
}

}  // namespace phi
