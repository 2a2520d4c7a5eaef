// SPDX-License-Identifier: Apache-2.0
// Attention: which arguments the fused kernel takes, the single operations it stands for, and its gradient in
// differentiable ones.
#include <algorithm>
#include <cmath>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"

namespace paddle {
namespace {

Tensor Swapped(const Tensor& x) { return transpose(x, Ints{0, 2, 1, 3}); }

// Key heads repeated for the query heads that share them; [batch, heads, length, dim].
Tensor ForHeads(const Tensor& x, int64_t heads) {
  const int64_t own = size_at(x, 1);
  if (heads == own) return x;
  PD_CHECK(own > 0 && heads % own == 0, InvalidArgument, "[attention] expected the ", heads,
           " query heads to be a multiple of the key heads, got ", own);
  return repeat_interleave(x, heads / own, 1);
}

Tensor Masked(const Tensor& scores, const Tensor& mask) {
  if (mask.dtype() == DataType::BOOL) return where(mask, scores, -std::numeric_limits<double>::infinity());
  return scores + cast_like(mask, scores);
}

// Whether each extent of the mask is 1 or that of the scores.
bool Broadcasts(const Tensor& mask, const Ints& scores) {
  if (mask.ndim() > 4 || !(mask.dtype() == DataType::BOOL || phi::IsFloating(mask.dtype())) ||
      phi::IsFloat8(mask.dtype()))
    return false;
  for (int64_t i = 1; i <= mask.ndim(); ++i)
    if (mask.dim(mask.ndim() - i) != 1 && mask.dim(mask.ndim() - i) != scores[4 - i]) return false;
  return true;
}

bool Fuses(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  if (!phi::IsFloating(q.dtype()) || phi::IsFloat8(q.dtype()) || k.dtype() != q.dtype() || v.dtype() != q.dtype())
    return false;
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4 || k.dim(0) != q.dim(0) || v.dim(0) != q.dim(0) ||
      v.dim(1) != k.dim(1) || v.dim(2) != k.dim(2) || k.dim(3) != q.dim(3) || k.dim(2) == 0 || q.dim(2) % k.dim(2) != 0)
    return false;
  if (!q.place().is_cpu() || !k.place().is_cpu() || !v.place().is_cpu()) return false;
  if (!mask.defined()) return true;
  return mask.place().is_cpu() && !(egr::State().grad_enabled && egr::NeedsGrad(mask)) &&
         Broadcasts(mask, Ints{q.dim(0), q.dim(2), q.dim(1), k.dim(1)});
}

}  // namespace

// In single operations, as PaddlePaddle records it on a CPU.
Tensor attention_parts(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double scale_,
                       bool causal, double dropout_p, bool heads_first) {
  const Tensor q = heads_first ? query : Swapped(query);
  Tensor k = heads_first ? key : Swapped(key), v = heads_first ? value : Swapped(value);
  if (q.ndim() == 4 && k.ndim() == 4 && v.ndim() == 4 && common::CertainlyDiffer(q.extents()[1], k.extents()[1])) {
    k = ForHeads(k, size_at(q, 1));
    v = ForHeads(v, size_at(q, 1));
  }
  Tensor scores = matmul(scale(q, Scalar(scale_), 0.0, true), k, false, true);
  if (causal) scores = scores + triu(full_like(scores, Scalar(-1e4), scores.dtype(), Place{}), 1);
  if (mask.defined()) scores = Masked(scores, mask);
  Tensor weights = softmax(scores, -1);
  if (dropout_p > 0)
    weights = std::get<0>(dropout(weights, Tensor(), Scalar(dropout_p), false, "upscale_in_train", 0, false));
  const Tensor out = matmul(weights, v, false, false);
  return heads_first ? out : Swapped(out);
}

Tensor attention_run(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double scale_,
                     bool causal, double dropout_p, bool heads_first) {
  PD_CHECK(query.ndim() == 4 && key.ndim() == 4 && value.ndim() == 4, InvalidArgument,
           "[attention] expected query, key and value of 4 axes, got shapes ", common::ShapeText(query.extents()), ", ",
           common::ShapeText(key.extents()), " and ", common::ShapeText(value.extents()));
  const Tensor q = heads_first ? Swapped(query) : query, k = heads_first ? Swapped(key) : key,
               v = heads_first ? Swapped(value) : value;
  if (!Fuses(q, k, v, mask)) return attention_parts(query, key, value, mask, scale_, causal, dropout_p, heads_first);
  const Tensor keep = dropout_p > 0 ? attention_keep(q, k, dropout_p) : Tensor();
  const Tensor out = std::get<0>(fused_attention(q, k, v, mask, keep, scale_, causal, 0, dropout_p));
  return heads_first ? Swapped(out) : out;
}

Tensor attention_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                          const Tensor& keep, const Tensor& dout, double scale_, bool causal, int64_t offset,
                          double dropout_p, int64_t which) {
  if (!dout.defined()) return Tensor();
  const int64_t heads = size_at(query, 2), shared = size_at(key, 2);
  const Tensor q = Swapped(query), k = ForHeads(Swapped(key), heads), v = ForHeads(Swapped(value), heads),
               g = Swapped(dout);
  Tensor scores = matmul(q * scale_, k, false, true);
  if (causal) {
    const Tensor visible = tril(full_like(scores, Scalar(1.0), DataType::BOOL, Place{}), offset);
    scores = where(visible, scores, -std::numeric_limits<double>::infinity());
  }
  if (mask.defined()) scores = Masked(scores, mask);
  const Tensor p = softmax(scores, -1);
  const Tensor kept = keep.defined() ? cast_like(keep, p) * (dropout_p < 1 ? 1 / (1 - dropout_p) : 0.0) : Tensor();
  // The gradient of keys that several heads share is the sum of theirs.
  const auto joined = [&](const Tensor& d) {
    if (shared == heads) return Swapped(d);
    const Ints parts{size_at(d, 0), shared, heads / shared, size_at(d, 2), size_at(d, 3)};
    return Swapped(sum(reshape(d, parts), Ints{2}, DataType::UNDEFINED, false));
  };
  if (which == 2) return joined(matmul(kept.defined() ? p * kept : p, g, true, false));
  Tensor dp = matmul(g, v, false, true);
  if (kept.defined()) dp = dp * kept;
  const Tensor ds = p * (dp - sum(p * dp, Ints{-1}, DataType::UNDEFINED, true)) * scale_;
  return which == 0 ? Swapped(matmul(ds, k, false, false)) : joined(matmul(ds, q, true, false));
}

Tensor flash_attn_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& seed_offset,
                           const Tensor& mask, const Tensor& dout, double dropout_p, bool causal, bool is_test,
                           int64_t which) {
  const Tensor keep = !is_test && dropout_p > 0 ? seed_offset : Tensor();
  return attention_backward(query, key, value, mask, keep, dout,
                            std::pow(std::max<int64_t>(size_at(query, 3), 1), -0.5), causal,
                            size_at(key, 1) - size_at(query, 1), dropout_p, which);
}

}  // namespace paddle
