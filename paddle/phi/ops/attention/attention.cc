// SPDX-License-Identifier: Apache-2.0
// Adapters of the attention kernels.
#include "paddle/phi/primitives/attention.h"

#include <algorithm>
#include <cmath>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/uniform.h"

namespace phi {
namespace {

// A batch of one serves all.
cpu::AttentionRows RowsOf(const Tensor& x) {
  return {x.raw_data(), x.dim(0) == 1 ? 0 : x.strides()[0], x.strides()[1], x.strides()[2]};
}
int64_t BatchOf(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  int64_t n = 1;
  for (const Tensor* t : {&q, &k, &v})
    if (t->dim(0) != 1) n = t->dim(0);
  return mask.defined() && mask.ndim() == 4 && mask.dim(0) != 1 ? mask.dim(0) : n;
}

cpu::AttentionArgs ArgsOf(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& keep,
                          double scale, bool causal, int64_t offset, double dropout) {
  cpu::AttentionArgs a{};
  a.type = static_cast<int>(q.dtype());
  a.batch = BatchOf(q, k, v, mask), a.nq = q.dim(1), a.heads = q.dim(2), a.dim = q.dim(3);
  a.nk = k.dim(1), a.kv_heads = k.dim(2), a.vdim = v.dim(3);
  a.scale = scale, a.causal = causal, a.offset = offset;
  a.q = RowsOf(q), a.k = RowsOf(k), a.v = RowsOf(v);
  if (mask.defined() && mask.numel()) {
    a.mask = mask.raw_data();
    a.mask_type = static_cast<int>(mask.dtype());
    const int64_t want[4] = {a.batch, a.heads, a.nq, a.nk}, shift = 4 - mask.ndim();
    for (int64_t i = 0; i < mask.ndim(); ++i) {
      PD_CHECK(mask.dim(i) == 1 || mask.dim(i) == want[i + shift], InvalidArgument,
               "[attention] expected a mask that broadcasts to ",
               common::ShapeText(Ints{want[0], want[1], want[2], want[3]}), ", got shape ",
               common::ShapeText(mask.dims()));
      a.mask_strides[i + shift] = mask.dim(i) == 1 ? 0 : mask.strides()[i];
    }
  }
  if (keep.defined()) {
    PD_CHECK(
        keep.dtype() == DataType::UINT8 && keep.is_contiguous() && keep.dims() == Ints({a.batch, a.heads, a.nq, a.nk}),
        InvalidArgument, "[attention] expected a uint8 dropout mask of shape ",
        common::ShapeText(Ints{a.batch, a.heads, a.nq, a.nk}), ", got ", NameOf(keep.dtype()), " ",
        common::ShapeText(keep.dims()));
    a.keep = keep.data<uint8_t>();
    a.keep_scale = dropout < 1 ? 1 / (1 - dropout) : 0;
  }
  return a;
}

}  // namespace

void fused_attention_infer(const Meta& q, const Meta& k, const Meta& v, const Meta* mask, const Meta* keep, double,
                           bool, int64_t, double dropout, Meta& out, Meta& lse) {
  PD_CHECK(q.dims.size() == 4 && k.dims.size() == 4 && v.dims.size() == 4, InvalidArgument,
           "[attention] expected query, key and value [batch, length, heads, dim], got shapes ",
           common::ShapeText(q.dims), ", ", common::ShapeText(k.dims), " and ", common::ShapeText(v.dims));
  PD_CHECK(IsFloating(q.dtype) && !IsFloat8(q.dtype) && k.dtype == q.dtype && v.dtype == q.dtype, InvalidType,
           "[attention] expected one of float16, bfloat16, float32 and float64, got ", NameOf(q.dtype), ", ",
           NameOf(k.dtype), " and ", NameOf(v.dtype));
  Dims batch = common::BroadcastDims("attention", Dims{q.dims[0]}, Dims{k.dims[0]});
  batch = common::BroadcastDims("attention", batch, Dims{v.dims[0]});
  if (mask && mask->dims.size() == 4) batch = common::BroadcastDims("attention", batch, Dims{mask->dims[0]});
  const bool fit = !common::CertainlyDiffer(k.dims[1], v.dims[1]) && !common::CertainlyDiffer(k.dims[2], v.dims[2]) &&
                   !common::CertainlyDiffer(q.dims[3], k.dims[3]);
  PD_CHECK(fit, InvalidArgument,
           "[attention] expected query and key of equal dim, and as many values as keys, got shapes ",
           common::ShapeText(q.dims), ", ", common::ShapeText(k.dims), " and ", common::ShapeText(v.dims));
  if (q.dims[2].known() && k.dims[2].known())
    PD_CHECK(q.dims[2].raw() == k.dims[2].raw() || (k.dims[2].raw() > 0 && q.dims[2].raw() % k.dims[2].raw() == 0),
             InvalidArgument, "[attention] expected the ", q.dims[2].raw(),
             " query heads to be a multiple of the key heads, got ", k.dims[2].raw());
  PD_CHECK(!mask || (mask->dims.size() <= 4 && (mask->dtype == DataType::BOOL || IsFloating(mask->dtype))),
           InvalidArgument, "[attention] expected a bool or floating mask of at most 4 axes, got ", NameOf(mask->dtype),
           " ", common::ShapeText(mask->dims));
  PD_CHECK(!keep || (keep->dtype == DataType::UINT8 && dropout >= 0 && dropout <= 1), InvalidArgument,
           "[attention] expected dropout in [0, 1], got ", dropout);
  out = {Dims{batch[0], q.dims[1], q.dims[2], v.dims[3]}, q.dtype};
  lse = {Dims{batch[0], q.dims[2], q.dims[1]}, DataType::FLOAT64};
}

void fused_attention_kernel(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& keep,
                            double scale, bool causal, int64_t offset, double dropout, Tensor& out, Tensor& lse) {
  const cpu::AttentionArgs args = ArgsOf(q, k, v, mask, keep, scale, causal, offset, dropout);
  if (const DeviceForms* d = FormsHere()) return d->Attention(args, out.raw_data(), lse.data<double>());
  cpu::Attention(args, out.raw_data(), lse.data<double>());
}

void fused_attention_grad_kernel(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                                 const Tensor& keep, const Tensor& out, const Tensor& lse, const Tensor& dout,
                                 const Tensor&, double scale, bool causal, int64_t offset, double dropout, Tensor* dq,
                                 Tensor* dk, Tensor* dv) {
  if (!dout.defined()) return;
  PD_CHECK(q.dim(0) == k.dim(0) && q.dim(0) == v.dim(0), Unimplemented,
           "[attention] expected a gradient for equal batches of query, key and value, got ", q.dim(0), ", ", k.dim(0),
           " and ", v.dim(0));
  const DeviceForms* forms = FormsHere();
  if (forms)
    for (const Tensor* t : {&q, &k, &v, &mask, &keep, &out, &lse, &dout})
      if (t->defined() && t->place() != forms->place()) throw NoDeviceForm{"operands in several places"};
  cpu::AttentionGradArgs a{};
  a.a = ArgsOf(q, k, v, mask, keep, scale, causal, offset, dropout);
  a.out = RowsOf(out), a.dout = RowsOf(dout);
  a.lse = lse.data<double>();
  const Tensor* given[] = {&q, &k, &v};
  Tensor* wanted[] = {dq, dk, dv};
  void** data[] = {&a.dq, &a.dk, &a.dv};
  for (int i = 0; i < 3; ++i)
    if (wanted[i]) {
      EnsureOut(*wanted[i], given[i]->dims(), q.dtype());
      *data[i] = wanted[i]->raw_data();
    }
  if (forms) return forms->AttentionGrad(a);
  cpu::AttentionGrad(a);
}

void attention_keep_infer(const Meta& q, const Meta& k, double, Meta& keep) {
  keep = {Dims{q.dims[0], q.dims[2], q.dims[1], k.dims[1]}, DataType::UINT8};
}

void attention_keep_kernel(const KernelContext& context, const Tensor&, const Tensor&, double dropout, Tensor& keep) {
  if (const DeviceForms* d = FormsHere())
    return d->Dropout(DataType::FLOAT32, keep.numel(), nullptr, 1 - static_cast<float>(dropout), 1, 0, nullptr,
                      keep.data<uint8_t>());
  EngineFor engine(context, 0);
  cpu::DrawKept(*engine, static_cast<float>(dropout), keep.data<uint8_t>(), keep.numel());
}

void flash_attn_infer(const Meta& q, const Meta& k, const Meta& v, const Meta*, const Meta* mask, double dropout, bool,
                      bool return_softmax, bool is_test, const std::string&, Meta& out, Meta& softmax, Meta& lse,
                      Meta& seed_offset) {
  fused_attention_infer(q, k, v, mask, nullptr, 1, false, 0, 0, out, lse);
  PD_CHECK(!return_softmax, Unimplemented,
           "[flash_attn] expected return_softmax=False, got True: the kernel never holds the probabilities");
  PD_CHECK(dropout >= 0 && dropout <= 1, InvalidArgument, "[flash_attn] expected dropout in [0, 1], got ", dropout);
  softmax = {};
  attention_keep_infer(q, k, dropout, seed_offset);
  if (is_test || dropout == 0) seed_offset.dims = Dims{Dim(0)};
}

void flash_attn_kernel(const KernelContext& context, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor&,
                       const Tensor& mask, double dropout, bool causal, bool, bool, const std::string&, Tensor& out,
                       Tensor&, Tensor& lse, Tensor& seed_offset) {
  if (seed_offset.numel()) attention_keep_kernel(context, q, k, dropout, seed_offset);
  fused_attention_kernel(q, k, v, mask, seed_offset.numel() ? seed_offset : Tensor(),
                         std::pow(std::max<int64_t>(q.dim(3), 1), -0.5), causal, k.dim(1) - q.dim(1), dropout, out,
                         lse);
}

void flash_attn_grad_kernel(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& out,
                            const Tensor& lse, const Tensor& seed_offset, const Tensor& dout, const Tensor&,
                            const Tensor&, const Tensor&, double dropout, bool causal, bool, bool, const std::string&,
                            Tensor* dq, Tensor* dk, Tensor* dv) {
  fused_attention_grad_kernel(q, k, v, mask, seed_offset.numel() ? seed_offset : Tensor(), out, lse, dout, Tensor(),
                              std::pow(std::max<int64_t>(q.dim(3), 1), -0.5), causal, k.dim(1) - q.dim(1), dropout, dq,
                              dk, dv);
}

}  // namespace phi
