// SPDX-License-Identifier: Apache-2.0
// Attention within each of several sequences that lie end to end, cut where `cu_seqlens` says.
#include <algorithm>
#include <string>
#include <vector>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/attention.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/uniform.h"

namespace phi {
namespace {

constexpr const char* kOp = "flash_attn_unpadded";

// Where sequences begin among `tokens`, and where the last one ends.
std::vector<int64_t> Cuts(const char* name, const Tensor& cu_seqlens, int64_t tokens, int64_t longest) {
  const std::vector<int64_t> cuts = ToIntVector(cu_seqlens);
  int64_t before = 0;
  for (size_t i = 0; i < cuts.size(); ++i) {
    PD_CHECK(cuts[i] >= before && cuts[i] <= tokens, InvalidArgument, "[", kOp, "] expected cu_seqlens_", name,
             " that do not decrease, from 0 to ", tokens, ", got ", cuts[i], " after ", before);
    PD_CHECK(i == 0 || cuts[i] - before <= longest, InvalidArgument, "[", kOp, "] expected max_seqlen_", name,
             " of at least ", cuts[i] - before, ", the length of a sequence, got ", longest);
    before = cuts[i];
  }
  return cuts;
}

// The rows of x [tokens, heads, dim] from `first` on, as a batch of one.
cpu::AttentionRows RowsFrom(const Tensor& x, int64_t first) {
  return {static_cast<const char*>(x.raw_data()) + first * x.strides()[0] * SizeOf(x.dtype()), 0, x.strides()[0],
          x.strides()[1]};
}
char* RowAt(const Tensor& contiguous, int64_t first) {
  return static_cast<char*>(contiguous.raw_data()) +
         first * contiguous.dim(1) * contiguous.dim(2) * SizeOf(contiguous.dtype());
}

struct Call {
  const Tensor &q, &k, &v, &keep;
  std::vector<int64_t> q_cuts, k_cuts;
  int64_t longest;  // of keys
  double scale, dropout;
  bool causal;

  size_t count() const { return q_cuts.size() - 1; }
  int64_t rows(size_t i) const { return q_cuts[i + 1] - q_cuts[i]; }
  int64_t columns(size_t i) const { return k_cuts[i + 1] - k_cuts[i]; }
  // Where what a sequence has for each of its rows begins, one head after the other: logarithms, choices of dropout.
  int64_t place(size_t i) const { return q_cuts[i] * q.dim(1); }
  uint8_t* Keep(size_t i) const { return keep.data<uint8_t>() + place(i) * longest; }

  cpu::AttentionArgs Args(size_t i) const {
    cpu::AttentionArgs a{};
    a.type = static_cast<int>(q.dtype());
    a.batch = 1, a.nq = rows(i), a.heads = q.dim(1), a.dim = q.dim(2);
    a.nk = columns(i), a.kv_heads = k.dim(1), a.vdim = v.dim(2);
    a.scale = scale, a.causal = causal, a.offset = std::max<int64_t>(a.nk - a.nq, 0);
    a.q = RowsFrom(q, q_cuts[i]), a.k = RowsFrom(k, k_cuts[i]), a.v = RowsFrom(v, k_cuts[i]);
    if (keep.numel()) {
      a.keep = Keep(i);
      a.keep_scale = dropout < 1 ? 1 / (1 - dropout) : 0;
    }
    return a;
  }
};

Call CallOf(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cu_q, const Tensor& cu_k,
            const Tensor& keep, const Scalar& max_q, const Scalar& max_k, double scale, double dropout, bool causal) {
  return {q,
          k,
          v,
          keep,
          Cuts("q", cu_q, q.dim(0), max_q.to_int()),
          Cuts("k", cu_k, k.dim(0), max_k.to_int()),
          max_k.to_int(),
          scale,
          dropout,
          causal};
}

}  // namespace

void flash_attn_unpadded_infer(const Meta& q, const Meta& k, const Meta& v, const Meta& cu_q, const Meta& cu_k,
                               const Meta* fixed_seed_offset, const Meta* mask, const Scalar&, const Scalar& max_k,
                               double, double dropout, bool, bool return_softmax, bool is_test, const std::string&,
                               Meta& out, Meta& softmax, Meta& lse, Meta& seed_offset) {
  PD_CHECK(q.dims.size() == 3 && k.dims.size() == 3 && v.dims.size() == 3, InvalidArgument, "[", kOp,
           "] expected query, key and value [tokens, heads, dim], got shapes ", common::ShapeText(q.dims), ", ",
           common::ShapeText(k.dims), " and ", common::ShapeText(v.dims));
  PD_CHECK(IsFloating(q.dtype) && !IsFloat8(q.dtype) && k.dtype == q.dtype && v.dtype == q.dtype, InvalidType, "[", kOp,
           "] expected one of float16, bfloat16, float32 and float64, got ", NameOf(q.dtype), ", ", NameOf(k.dtype),
           " and ", NameOf(v.dtype));
  PD_CHECK(!common::CertainlyDiffer(k.dims[0], v.dims[0]) && !common::CertainlyDiffer(k.dims[1], v.dims[1]) &&
               !common::CertainlyDiffer(q.dims[2], k.dims[2]),
           InvalidArgument, "[", kOp, "] expected query and key of equal dim, and as many values as keys, got shapes ",
           common::ShapeText(q.dims), ", ", common::ShapeText(k.dims), " and ", common::ShapeText(v.dims));
  if (q.dims[1].known() && k.dims[1].known())
    PD_CHECK(k.dims[1].raw() > 0 && q.dims[1].raw() % k.dims[1].raw() == 0, InvalidArgument, "[", kOp,
             "] expected the ", q.dims[1].raw(), " query heads to be a multiple of the key heads, got ",
             k.dims[1].raw());
  for (const Meta* cu : {&cu_q, &cu_k})
    PD_CHECK(cu->dims.size() == 1 && IsInteger(cu->dtype) && !(cu->dims[0].known() && cu->dims[0].raw() == 0),
             InvalidArgument, "[", kOp, "] expected cu_seqlens of integers, one more than sequences, got ",
             NameOf(cu->dtype), " ", common::ShapeText(cu->dims));
  PD_CHECK(!common::CertainlyDiffer(cu_q.dims[0], cu_k.dims[0]), InvalidArgument, "[", kOp,
           "] expected as many sequences of keys as of queries, got cu_seqlens of shapes ",
           common::ShapeText(cu_q.dims), " and ", common::ShapeText(cu_k.dims));
  PD_CHECK(!mask, Unimplemented, "[", kOp, "] expected no attn_mask, got one of shape ", common::ShapeText(mask->dims));
  PD_CHECK(!return_softmax, Unimplemented, "[", kOp,
           "] expected return_softmax=False, got True: the kernel never holds the probabilities");
  PD_CHECK(dropout >= 0 && dropout <= 1, InvalidArgument, "[", kOp, "] expected dropout in [0, 1], got ", dropout);
  const bool drops = !is_test && dropout > 0;
  PD_CHECK(!drops || !fixed_seed_offset, Unimplemented, "[", kOp,
           "] expected no fixed_seed_offset, got one: dropout draws from the generator");
  PD_CHECK(!max_k.known() || max_k.to_int() >= 0, InvalidArgument, "[", kOp,
           "] expected max_seqlen_k of at least 0, got ", max_k.to_int());
  out = {Dims{q.dims[0], q.dims[1], v.dims[2]}, q.dtype};
  softmax = {};
  lse = {Dims{q.dims[0] * q.dims[1]}, DataType::FLOAT64};
  const Dim longest = max_k.known() ? Dim(max_k.to_int()) : common::NewSymbol();
  seed_offset = {Dims{drops ? q.dims[0] * q.dims[1] * longest : Dim(0)}, DataType::UINT8};
}

void flash_attn_unpadded_kernel(const KernelContext& context, const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& cu_q, const Tensor& cu_k, const Tensor&, const Tensor&,
                                const Scalar& max_q, const Scalar& max_k, double scale, double dropout, bool causal,
                                bool, bool, const std::string&, Tensor& out, Tensor&, Tensor& lse,
                                Tensor& seed_offset) {
  const Call call = CallOf(q, k, v, cu_q, cu_k, seed_offset, max_q, max_k, scale, dropout, causal);
  if (out.numel() == 0) return;
  if (seed_offset.numel()) {
    if (FormsHere()) throw NoDeviceForm{"dropout in sequences"};
    EngineFor engine(context, 0);
    for (size_t i = 0; i < call.count(); ++i)
      cpu::DrawKept(*engine, static_cast<float>(dropout), call.Keep(i), q.dim(1) * call.rows(i) * call.columns(i));
  }
  if (call.q_cuts.front() > 0 || call.q_cuts.back() < q.dim(0)) {  // tokens of no sequence
    ZeroOf(out);
    ZeroOf(lse);
  }
  for (size_t i = 0; i < call.count(); ++i)
    if (call.rows(i) > 0) {
      char* const to = RowAt(out, call.q_cuts[i]);
      double* const sums = lse.data<double>() + call.place(i);
      if (const DeviceForms* d = FormsHere())
        d->Attention(call.Args(i), to, sums);
      else
        cpu::Attention(call.Args(i), to, sums);
    }
}

void flash_attn_unpadded_grad_kernel(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cu_q,
                                     const Tensor& cu_k, const Tensor& out, const Tensor& lse,
                                     const Tensor& seed_offset, const Tensor& dout, const Tensor&, const Tensor&,
                                     const Tensor&, const Scalar& max_q, const Scalar& max_k, double scale,
                                     double dropout, bool causal, bool, bool, const std::string&, Tensor* dq,
                                     Tensor* dk, Tensor* dv) {
  if (!dout.defined()) return;
  if (const DeviceForms* d = FormsHere())
    for (const Tensor* t : {&q, &k, &v, &out, &lse, &seed_offset, &dout})
      if (t->numel() && t->place() != d->place()) throw NoDeviceForm{"operands in several places"};
  const Call call = CallOf(q, k, v, cu_q, cu_k, seed_offset, max_q, max_k, scale, dropout, causal);
  const Tensor* given[] = {&q, &k, &v};
  Tensor* wanted[] = {dq, dk, dv};
  for (int j = 0; j < 3; ++j)
    if (wanted[j]) {
      EnsureOut(*wanted[j], given[j]->dims(), q.dtype());
      ZeroOf(*wanted[j]);
    }
  for (size_t i = 0; i < call.count(); ++i) {
    if (call.rows(i) == 0 || call.columns(i) == 0 || out.numel() == 0) continue;
    cpu::AttentionGradArgs g{};
    g.a = call.Args(i);
    g.out = RowsFrom(out, call.q_cuts[i]), g.dout = RowsFrom(dout, call.q_cuts[i]);
    g.lse = lse.data<double>() + call.place(i);
    void** data[] = {&g.dq, &g.dk, &g.dv};
    for (int j = 0; j < 3; ++j)
      if (wanted[j]) *data[j] = RowAt(*wanted[j], j == 0 ? call.q_cuts[i] : call.k_cuts[i]);
    if (const DeviceForms* d = FormsHere())
      d->AttentionGrad(g);
    else
      cpu::AttentionGrad(g);
  }
}

}  // namespace phi
