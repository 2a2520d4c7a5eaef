// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: products over all steps at once for what does not recur, and for the rest each thread takes some of
// the sequences through all steps, so that threads meet only at the end.
#include "paddle/phi/primitives/rnn.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/isa.h"

#define PD_RNN_DECL(T, suffix)                                                                                         \
  PD_ISA_DECL(void, rnn_pack_##suffix, (const T* b, int64_t rs, int64_t cs, int64_t k, int64_t n, T* out))             \
  PD_ISA_DECL(                                                                                                         \
      void, rnn_product_##suffix,                                                                                      \
      (const T* a, int64_t lda, int64_t m, const T* packed, int64_t k, int64_t n, T* c, int64_t ldc, T* turned))       \
  PD_ISA_DECL(void, rnn_cell_##suffix, (int mode, int64_t n, T* gates, const T* bias, T* aux, const T* before, T* h))  \
  PD_ISA_DECL(void, rnn_cell_grad_##suffix,                                                                            \
              (int mode, int64_t n, const T* gates, const T* aux, const T* before, const T* dout, T* dh, T* dc, T* dg, \
               T* drec))                                                                                               \
  PD_ISA_DECL(void, rnn_sums_##suffix, (const T* x, int64_t rows, int64_t n, int64_t ld, T* out))
PD_RNN_DECL(float, f32)
PD_RNN_DECL(double, f64)

namespace phi::cpu {
namespace {

constexpr int64_t kMostRows = 12, kPanel = 32;  // bounds of the tiles of both instruction sets

// The loops for an element type in this process's instruction set.
template <class T>
struct Loops;
#define PD_RNN_LOOPS(T, suffix)                                                                    \
  template <>                                                                                      \
  struct Loops<T> {                                                                                \
    decltype(PD_ISA_CALL(rnn_pack_##suffix)) pack = PD_ISA_CALL(rnn_pack_##suffix);                \
    decltype(PD_ISA_CALL(rnn_product_##suffix)) product = PD_ISA_CALL(rnn_product_##suffix);       \
    decltype(PD_ISA_CALL(rnn_cell_##suffix)) cell = PD_ISA_CALL(rnn_cell_##suffix);                \
    decltype(PD_ISA_CALL(rnn_cell_grad_##suffix)) cell_grad = PD_ISA_CALL(rnn_cell_grad_##suffix); \
    decltype(PD_ISA_CALL(rnn_sums_##suffix)) sums = PD_ISA_CALL(rnn_sums_##suffix);                \
  };
PD_RNN_LOOPS(float, f32)
PD_RNN_LOOPS(double, f64)

int64_t PackedSize(int64_t k, int64_t n) { return (n + kPanel - 1) / kPanel * kPanel * k; }

// How many parts the sequences of one direction are cut into: each part reads the whole recurrent matrix at every step.
int64_t PartsOf(const RnnLayer& l) {
  const int64_t work = l.time * l.batch * l.hidden * l.hidden * RnnGates(l.mode);
  if (work < 500000) return 1;
  return std::clamp<int64_t>(MaxThreads() / l.directions, 1, std::max<int64_t>(l.batch / 4, 1));
}
// f(direction, first sequence, end) for all parts.
template <class F>
void EachPart(const RnnLayer& l, F&& f) {
  const int64_t parts = PartsOf(l), work = l.time * l.batch * l.hidden * l.hidden;
  auto one = [&](int64_t i) {
    const int64_t d = i / parts, k = i % parts;
    f(d, l.batch * k / parts, l.batch * (k + 1) / parts);
  };
  const int64_t all = parts * l.directions;
  ParallelFor(0, all, work < 200000 ? all : 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) one(i);
  });
}

template <class T>
struct Net {
  const RnnLayer& l;
  Loops<T> loops{};
  int64_t gates = RnnGates(l.mode), n = l.hidden, row = gates * n, out_row = l.directions * n;
  bool gru = l.mode == RnnMode::kGru, lstm = l.mode == RnnMode::kLstm;

  bool active(int64_t t, int64_t b) const { return !l.lengths || t < l.lengths[b]; }
  bool any(int64_t t, int64_t begin, int64_t end) const {
    if (!l.lengths) return true;
    for (int64_t b = begin; b < end; ++b)
      if (active(t, b)) return true;
    return false;
  }
  // The step that ran before step t of this direction, -1 at the first.
  int64_t before(int64_t t, int64_t d) const { return d == 0 ? t - 1 : t + 1 < l.time ? t + 1 : -1; }
  // What recurs with one matrix: all gates, or of GRU the first two.
  int64_t joint() const { return gru ? 2 * n : row; }

  int64_t ForwardBytes() const {
    return l.directions * (PackedSize(n, joint()) + (gru ? PackedSize(n, n) : 0) + row + n) *
           static_cast<int64_t>(sizeof(T));
  }
  int64_t BackwardSize() const {
    return PackedSize(joint(), n) + (gru ? PackedSize(n, n) : 0) + l.time * l.batch * (row + (gru ? n : 0)) +
           l.batch * row;
  }
  int64_t BackwardBytes() const { return l.directions * BackwardSize() * static_cast<int64_t>(sizeof(T)); }

  void Forward(const RnnWeights* weights, const T* x, const RnnKept* kept, void* const* h, void* const* c,
               T* out) const {
    const int64_t packed = PackedSize(n, joint()), packed_rec = gru ? PackedSize(n, n) : 0, bias_size = row + n;
    CallMemory room(ForwardBytes());
    T* base = room.template as<T>();
    for (int64_t d = 0; d < l.directions; ++d) {
      const RnnWeights& w = weights[d];
      const T *hh = static_cast<const T*>(w.w_hh), *bi = static_cast<const T*>(w.b_ih),
              *bh = static_cast<const T*>(w.b_hh);
      T *p = base + d * (packed + packed_rec + bias_size), *bias = p + packed + packed_rec;
      loops.pack(hh, 1, n, n, joint(), p);
      if (gru) loops.pack(hh + joint() * n, 1, n, n, n, p + packed);
      for (int64_t j = 0; j < row; ++j) bias[j] = (bi ? bi[j] : T(0)) + (bh && j < joint() ? bh[j] : T(0));
      for (int64_t j = 0; j < n; ++j) bias[row + j] = gru && bh ? bh[joint() + j] : T(0);
      Gemm(l.dtype, 0, 1, l.time * l.batch, row, l.width, 1, x, l.width, w.w_ih, l.width, 0, kept[d].gates, row);
    }
    EachPart(l, [&](int64_t d, int64_t begin, int64_t end) {
      const T *p = base + d * (packed + packed_rec + bias_size), *bias = p + packed + packed_rec;
      T *g = static_cast<T*>(kept[d].gates), *aux = static_cast<T*>(kept[d].aux);
      T *hd = static_cast<T*>(h[d]), *cd = lstm ? static_cast<T*>(c[d]) : nullptr;
      Scratch turned(kMostRows * n * static_cast<int64_t>(sizeof(T)));
      const T* c_before = cd;
      for (int64_t step = 0; step < l.time; ++step) {
        const int64_t t = d ? l.time - 1 - step : step, first = t * l.batch + begin, rows = end - begin;
        if (any(t, begin, end)) {
          loops.product(hd + begin * n, n, rows, p, n, joint(), g + first * row, row, turned.as<T>());
          if (gru) {
            std::fill_n(aux + first * n, rows * n, T(0));
            loops.product(hd + begin * n, n, rows, p + packed, n, n, aux + first * n, n, turned.as<T>());
          }
        }
        for (int64_t b = begin; b < end; ++b) {
          const int64_t at = t * l.batch + b;
          T* o = out + at * out_row + d * n;
          if (!active(t, b)) {
            std::fill_n(o, n, T(0));
            if (lstm) std::copy_n(c_before + b * n, n, aux + at * n);
            continue;
          }
          loops.cell(static_cast<int>(l.mode), n, g + at * row, bias, aux ? aux + at * n : nullptr,
                     lstm ? c_before + b * n : hd + b * n, hd + b * n);
          std::copy_n(hd + b * n, n, o);
        }
        if (lstm) c_before = aux + t * l.batch * n;
      }
      if (lstm && l.time) std::copy_n(c_before + begin * n, (end - begin) * n, cd + begin * n);
    });
  }

  void Backward(const RnnWeights* weights, const T* x, const RnnKept* kept, const T* out, const void* const* h0,
                const void* const* c0, const T* dout, const RnnGrads* grads, T* dx) const {
    const int64_t steps = l.time * l.batch, packed = PackedSize(joint(), n), packed_rec = gru ? PackedSize(n, n) : 0;
    const int64_t one = BackwardSize();
    CallMemory room(BackwardBytes());
    auto pack_of = [&](int64_t d) { return room.template as<T>() + d * one; };
    auto dg_of = [&](int64_t d) { return pack_of(d) + packed + packed_rec; };
    for (int64_t d = 0; d < l.directions; ++d) {
      const T* hh = static_cast<const T*>(weights[d].w_hh);
      loops.pack(hh, n, 1, joint(), n, pack_of(d));
      if (gru) loops.pack(hh + joint() * n, n, 1, n, n, pack_of(d) + packed);
    }
    EachPart(l, [&](int64_t d, int64_t begin, int64_t end) {
      const T *p = pack_of(d), *g = static_cast<const T*>(kept[d].gates), *aux = static_cast<const T*>(kept[d].aux);
      T *dg = dg_of(d), *drec = dg + steps * row, *dh = static_cast<T*>(grads[d].h), *dc = static_cast<T*>(grads[d].c);
      const T *h_first = static_cast<const T*>(h0[d]), *c_first = lstm ? static_cast<const T*>(c0[d]) : nullptr;
      Scratch turned(kMostRows * joint() * static_cast<int64_t>(sizeof(T)));
      for (int64_t step = l.time - 1; step >= 0; --step) {
        const int64_t t = d ? l.time - 1 - step : step, last = before(t, d), first = t * l.batch + begin;
        for (int64_t b = begin; b < end; ++b) {
          const int64_t at = t * l.batch + b, prev = last * l.batch + b;
          if (!active(t, b)) {
            std::fill_n(dg + at * row, row, T(0));
            if (gru) std::fill_n(drec + at * n, n, T(0));
            continue;
          }
          const T* state = lstm ? (last < 0 ? c_first + b * n : aux + prev * n)
                                : (last < 0 || !active(last, b) ? h_first + b * n : out + prev * out_row + d * n);
          loops.cell_grad(static_cast<int>(l.mode), n, g + at * row, aux ? aux + at * n : nullptr, state,
                          dout + at * out_row + d * n, dh + b * n, dc ? dc + b * n : nullptr, dg + at * row,
                          gru ? drec + at * n : nullptr);
        }
        if (!any(t, begin, end)) continue;
        loops.product(dg + first * row, row, end - begin, p, joint(), n, dh + begin * n, n, turned.as<T>());
        if (gru) loops.product(drec + first * n, n, end - begin, p + packed, n, n, dh + begin * n, n, turned.as<T>());
      }
    });
    for (int64_t d = 0; d < l.directions; ++d) {
      const T *dg = dg_of(d), *drec = dg + steps * row;
      const RnnGrads& to = grads[d];
      if (dx) Gemm(l.dtype, 0, 0, steps, l.width, row, 1, dg, row, weights[d].w_ih, l.width, d ? 1 : 0, dx, l.width);
      if (to.w_ih) Gemm(l.dtype, 1, 0, row, l.width, steps, 1, dg, row, x, l.width, 0, to.w_ih, l.width);
      if (to.w_hh) {
        T* w = static_cast<T*>(to.w_hh);
        T* picked = dg_of(d) + steps * (row + (gru ? n : 0));
        Recurrent(d, dg, row, joint(), out, h0[d], picked, w);
        if (gru) Recurrent(d, drec, n, n, out, h0[d], picked, w + joint() * n);
      }
      if (to.b_ih) loops.sums(dg, steps, row, row, static_cast<T*>(to.b_ih));
      if (to.b_hh) {
        loops.sums(dg, steps, joint(), row, static_cast<T*>(to.b_hh));
        if (gru) loops.sums(drec, steps, n, n, static_cast<T*>(to.b_hh) + joint());
      }
    }
  }

  // dw [m, hidden]: gradients of all steps (m columns, `ld` apart) times the states before them.
  void Recurrent(int64_t d, const T* dg, int64_t ld, int64_t m, const T* out, const void* h0, T* picked, T* dw) const {
    const int64_t later = (l.time - 1) * l.batch;
    const T *grads = d ? dg : dg + l.batch * ld, *states = (d ? out + l.batch * out_row : out) + d * n;
    Gemm(l.dtype, 1, 0, m, n, later, 1, grads, ld, states, out_row, 0, dw, n);
    const T* start = d ? dg + later * ld : dg;
    if (d && l.lengths) {  // a sequence read backwards starts at its own end
      for (int64_t b = 0; b < l.batch; ++b) {
        if (l.lengths[b] > 0)
          std::copy_n(dg + ((l.lengths[b] - 1) * l.batch + b) * ld, m, picked + b * ld);
        else
          std::fill_n(picked + b * ld, m, T(0));
      }
      start = picked;
    }
    Gemm(l.dtype, 1, 0, m, n, l.batch, 1, start, ld, h0, n, 1, dw, n);
  }
};

}  // namespace

int64_t RnnForwardBytes(const RnnLayer& layer) {
  return layer.dtype == DataType::FLOAT32 ? Net<float>{layer}.ForwardBytes() : Net<double>{layer}.ForwardBytes();
}
int64_t RnnBackwardBytes(const RnnLayer& layer) {
  return layer.dtype == DataType::FLOAT32 ? Net<float>{layer}.BackwardBytes() : Net<double>{layer}.BackwardBytes();
}
void RnnForward(const RnnLayer& layer, const RnnWeights* weights, const void* x, const RnnKept* kept, void* const* h,
                void* const* c, void* out) {
  if (layer.dtype == DataType::FLOAT32)
    Net<float>{layer}.Forward(weights, static_cast<const float*>(x), kept, h, c, static_cast<float*>(out));
  else
    Net<double>{layer}.Forward(weights, static_cast<const double*>(x), kept, h, c, static_cast<double*>(out));
}

void RnnBackward(const RnnLayer& layer, const RnnWeights* weights, const void* x, const RnnKept* kept, const void* out,
                 const void* const* h0, const void* const* c0, const void* dout, const RnnGrads* grads, void* dx) {
  auto run = [&](auto tag) {
    using T = decltype(tag);
    Net<T>{layer}.Backward(weights, static_cast<const T*>(x), kept, static_cast<const T*>(out), h0, c0,
                           static_cast<const T*>(dout), grads, static_cast<T*>(dx));
  };
  if (layer.dtype == DataType::FLOAT32)
    run(float{});
  else
    run(double{});
}

}  // namespace phi::cpu
