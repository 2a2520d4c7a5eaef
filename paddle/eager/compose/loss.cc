// SPDX-License-Identifier: Apache-2.0
// Losses written as compositions.
#include <tuple>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/infer/label.h"
#include "paddle/phi/api/ops.h"

namespace phi {
void huber_infer(const Meta& x, const Meta& label, double delta, Meta& out, Meta& residual);
}  // namespace phi

namespace paddle {

std::tuple<Tensor, Tensor> huber_compose(const Tensor& input, const Tensor& label, double delta) {
  phi::Meta result, residual;
  phi::huber_infer(input.meta(), label.meta(), delta, result, residual);  // refuses other shapes
  Tensor r = label - input;
  if (egr::State().record == egr::RecordMode::kRun) return {huber(r, delta), r};
  Tensor a = abs(r);
  Tensor out = where(a <= delta, r * r * 0.5, (a - 0.5 * delta) * delta);
  return {out, r};
}

Tensor bce_loss_compose(const Tensor& input, const Tensor& label) {
  phi::CheckLabel("bce_loss", input.extents(), label.extents());
  return bce(probabilities(input), label);
}

Tensor sigmoid_ce_compose(const Tensor& x, const Tensor& label, const Tensor& pos_weight, bool normalize,
                          int64_t ignore_index) {
  phi::CheckLabel("sigmoid_cross_entropy_with_logits", x.extents(), label.extents());
  if (!pos_weight.defined() && !normalize && egr::State().record == egr::RecordMode::kRun)
    return bce_logits(x, label, static_cast<double>(ignore_index));
  Tensor out;
  if (pos_weight.defined()) {
    out = (1.0 - label) * x - pos_weight * logsigmoid(x);
  } else {
    // max(x, 0) - x * label + log(1 + exp(-|x|)), both as they are for positive x where x is 0: derivatives are exact.
    const Tensor positive = x >= 0.0;
    out = where(positive, x, zeros_like_of(x)) - x * label + softplus(where(positive, -x, x), 1.0, 20.0);
  }
  Tensor valid = cast(not_equal(label, scalar_like(static_cast<double>(ignore_index), label)), x.dtype());
  out = out * valid;
  if (normalize) out = out / maximum(sum(valid, Ints{}, DataType::UNDEFINED, false), scalar_like(1e-5, x));
  return out;
}

}  // namespace paddle
