// SPDX-License-Identifier: Apache-2.0
// Attention: which arguments the fused kernel takes, the single operations it stands for, and what its gradient rules
// share.
#include <algorithm>
#include <cmath>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device_ops.h"

namespace paddle {
namespace {

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
  if (k.place() != q.place() || v.place() != q.place()) return false;
  const bool has_kernel = q.place().is_cpu() || (phi::g_forms_of && phi::g_forms_of(q.place()));
  if (!has_kernel || !mask.defined()) return has_kernel;
  return mask.place() == q.place() && !(egr::State().grad_enabled && egr::NeedsGrad(mask)) &&
         Broadcasts(mask, Ints{q.dim(0), q.dim(2), q.dim(1), k.dim(1)});
}

}  // namespace

Tensor swapped_heads(const Tensor& x) { return transpose(x, Ints{0, 2, 1, 3}); }

Tensor for_heads(const Tensor& key, const Tensor& query) {
  const int64_t own = size_at(key, 1), heads = size_at(query, 1);
  if (heads == own) return key;
  PD_CHECK(own > 0 && heads % own == 0, InvalidArgument, "[attention] expected the ", heads,
           " query heads to be a multiple of the key heads, got ", own);
  return repeat_interleave(key, heads / own, 1);
}

Tensor of_heads(const Tensor& x, const Tensor& key) {
  const int64_t heads = size_at(x, 1), own = size_at(key, 2);
  if (own == heads) return swapped_heads(x);
  const Ints parts{size_at(x, 0), own, heads / own, size_at(x, 2), size_at(x, 3)};
  return swapped_heads(sum(reshape(x, parts), Ints{2}, DataType::UNDEFINED, false));
}

Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& mask, double scale, bool causal,
                         int64_t offset) {
  Tensor scores = matmul(query * scale, key, false, true);
  if (causal) {
    const Tensor visible = tril(full_like(scores, Scalar(1.0), DataType::BOOL, Place{}), offset);
    scores = where(visible, scores, -std::numeric_limits<double>::infinity());
  }
  return softmax(mask.defined() ? Masked(scores, mask) : scores, -1);
}

Tensor kept_weights(const Tensor& weights, const Tensor& keep, double dropout) {
  return keep.defined() ? weights * cast_like(keep, weights) * (dropout < 1 ? 1 / (1 - dropout) : 0.0) : weights;
}

double attention_scale(const Tensor& query) { return std::pow(std::max<int64_t>(size_at(query, 3), 1), -0.5); }

// In single operations, as PaddlePaddle records it on a CPU.
Tensor attention_parts(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double scale_,
                       bool causal, double dropout_p, bool heads_first) {
  const Tensor q = heads_first ? query : swapped_heads(query);
  Tensor k = heads_first ? key : swapped_heads(key), v = heads_first ? value : swapped_heads(value);
  if (q.ndim() == 4 && k.ndim() == 4 && v.ndim() == 4 && common::CertainlyDiffer(q.extents()[1], k.extents()[1])) {
    k = for_heads(k, q);
    v = for_heads(v, q);
  }
  Tensor scores = matmul(scale(q, Scalar(scale_), 0.0, true), k, false, true);
  if (causal) scores = scores + triu(full_like(scores, Scalar(-1e4), scores.dtype(), Place{}), 1);
  if (mask.defined()) scores = Masked(scores, mask);
  Tensor weights = softmax(scores, -1);
  if (dropout_p > 0)
    weights = std::get<0>(dropout(weights, Tensor(), Scalar(dropout_p), false, "upscale_in_train", 0, false));
  const Tensor out = matmul(weights, v, false, false);
  return heads_first ? out : swapped_heads(out);
}

Tensor attention_run(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double scale_,
                     bool causal, double dropout_p, bool heads_first) {
  PD_CHECK(query.ndim() == 4 && key.ndim() == 4 && value.ndim() == 4, InvalidArgument,
           "[attention] expected query, key and value of 4 axes, got shapes ", common::ShapeText(query.extents()), ", ",
           common::ShapeText(key.extents()), " and ", common::ShapeText(value.extents()));
  const Tensor q = heads_first ? swapped_heads(query) : query, k = heads_first ? swapped_heads(key) : key,
               v = heads_first ? swapped_heads(value) : value;
  if (!Fuses(q, k, v, mask)) return attention_parts(query, key, value, mask, scale_, causal, dropout_p, heads_first);
  const Tensor keep = dropout_p > 0 ? attention_keep(q, k, dropout_p) : Tensor();
  Tensor m = mask;
  if (m.defined() && (q.is_dist() || k.is_dist() || v.is_dist() || m.is_dist()) && m.ndim() < 4) {
    // The rule of placements counts axes from the left.
    Ints before;
    for (int64_t i = m.ndim(); i < 4; ++i) before.push_back(0);
    m = unsqueeze(m, before);
  }
  const Tensor out = std::get<0>(fused_attention(q, k, v, m, keep, scale_, causal, 0, dropout_p));
  return heads_first ? swapped_heads(out) : out;
}

std::vector<Tensor> unpadded_attention_parts(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cu_q,
                                             const Tensor& cu_k, const Tensor& keep, const Scalar& longest,
                                             double scale, double dropout, bool causal, bool is_test) {
  PD_CHECK(!cu_q.is_symbolic() && !cu_k.is_symbolic(), Unimplemented,
           "[flash_attn_unpadded] expected known cu_seqlens for a gradient of higher order, got a program's");
  const std::vector<int64_t> at = phi::ToIntVector(cu_q), from = phi::ToIntVector(cu_k);
  const int64_t heads = size_at(q, 1);
  std::vector<Tensor> parts;
  const auto none = [&](int64_t tokens) {
    if (tokens > 0) parts.push_back(zeros_of(IntArray{tokens, heads, size_at(v, 2)}, q.dtype()));
  };
  // Rows [begin, end) as a batch of one, heads first.
  const auto part = [](const Tensor& x, int64_t begin, int64_t end) {
    return swapped_heads(unsqueeze(slice(x, Ints{0}, IntArray{begin}, IntArray{end}, Ints{1}, Ints{}), Ints{0}));
  };
  none(at.front());
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const int64_t rows = at[i + 1] - at[i], columns = from[i + 1] - from[i];
    if (rows == 0) continue;
    if (columns == 0) {
      none(rows);
      continue;
    }
    const Tensor query = part(q, at[i], at[i + 1]), keys = for_heads(part(k, from[i], from[i + 1]), query);
    Tensor kept;
    if (!is_test && dropout > 0) {
      const int64_t first = at[i] * heads * longest.to_int(), n = heads * rows * columns;
      kept = reshape(slice(keep, Ints{0}, IntArray{first}, IntArray{first + n}, Ints{1}, Ints{}),
                     Ints{1, heads, rows, columns});
    }
    const Tensor weights =
        attention_weights(query, keys, Tensor(), scale, causal, std::max<int64_t>(columns - rows, 0));
    const Tensor out =
        matmul(kept_weights(weights, kept, dropout), for_heads(part(v, from[i], from[i + 1]), query), false, false);
    parts.push_back(squeeze(swapped_heads(out), Ints{0}));
  }
  none(size_at(q, 0) - at.back());
  return {parts.empty() ? zeros_of(IntArray{0, heads, size_at(v, 2)}, q.dtype()) : concat(parts, Scalar(0))};
}

}  // namespace paddle
