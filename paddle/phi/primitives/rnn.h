// SPDX-License-Identifier: Apache-2.0
// One layer of a recurrent network over all time steps, and its gradient, on contiguous pointers.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

enum class RnnMode : int8_t { kTanh, kRelu, kLstm, kGru };
constexpr int64_t RnnGates(RnnMode m) { return m == RnnMode::kLstm ? 4 : m == RnnMode::kGru ? 3 : 1; }
// Blocks of [time, batch, hidden] kept beside the gates: the cell state of LSTM, the candidate's recurrent term of GRU.
constexpr int64_t RnnAux(RnnMode m) { return m == RnnMode::kLstm || m == RnnMode::kGru ? 1 : 0; }

// What the directions of a layer share. Everything is FLOAT32 or FLOAT64. Directions are 1, or 2: forwards and
// backwards.
struct RnnLayer {
  DataType dtype;
  RnnMode mode;
  int64_t time, batch, width, hidden, directions;
  const int64_t* lengths;  // [batch], null: all of `time`. Later steps leave the states alone and give zeros.
};

// One direction. Weights are [gates * hidden, width] and [gates * hidden, hidden]; biases may be null.
struct RnnWeights {
  const void *w_ih, *w_hh, *b_ih, *b_hh;
};
// gates [time, batch, gates * hidden] and aux [time, batch, hidden], written forwards and read backwards.
struct RnnKept {
  void *gates, *aux;
};

// x [time, batch, width] -> out [time, batch, directions * hidden]. h and (LSTM) c [batch, hidden] hold the initial
// states of a direction, and then the final ones.
void RnnForward(const RnnLayer& layer, const RnnWeights* weights, const void* x, const RnnKept* kept, void* const* h,
                void* const* c, void* out);

// Bytes of CallMemory that the two take of a layer.
int64_t RnnForwardBytes(const RnnLayer& layer);
int64_t RnnBackwardBytes(const RnnLayer& layer);

struct RnnGrads {
  void *w_ih, *w_hh, *b_ih, *b_hh;  // null: not wanted
  void *h, *c;                      // in: gradients of the final states; out: of the initial ones
};
// out as RnnForward wrote it, h0 and c0 the initial states. dx may be null.
void RnnBackward(const RnnLayer& layer, const RnnWeights* weights, const void* x, const RnnKept* kept, const void* out,
                 const void* const* h0, const void* const* c0, const void* dout, const RnnGrads* grads, void* dx);

}  // namespace phi::cpu
