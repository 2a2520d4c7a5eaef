// SPDX-License-Identifier: Apache-2.0
// Losses written as compositions.
#include <tuple>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"

namespace paddle {

std::tuple<Tensor, Tensor> huber_compose(const Tensor& input, const Tensor& label, double delta) {
  Tensor r = label - input;
  if (egr::State().record == egr::RecordMode::kRun) return {huber(r, delta), r};
  Tensor a = abs(r);
  Tensor out = where(a <= delta, r * r * 0.5, (a - 0.5 * delta) * delta);
  return {out, r};
}

Tensor huber_backward(const Tensor& residual, const Tensor& dout, const Tensor& dresidual, double delta, bool label) {
  Tensor g = dresidual;
  if (dout.defined()) {
    g = dout * clip(residual, Scalar(-delta), Scalar(delta));
    if (dresidual.defined()) g = g + dresidual;
  }
  return label || !g.defined() ? g : -g;
}

Tensor bce_loss_compose(const Tensor& input, const Tensor& label) {
  const Tensor inside = all(logical_and(input >= 0.0, input <= 1.0));
  PD_CHECK(phi::ScalarOf(inside).to_bool(), InvalidArgument,
           "[binary_cross_entropy] expected an input of probabilities in [0, 1], got one outside");
  return bce(input, label);
}

Tensor sigmoid_ce_compose(const Tensor& x, const Tensor& label, const Tensor& pos_weight, bool normalize,
                          int64_t ignore_index) {
  if (!pos_weight.defined() && !normalize && egr::State().record == egr::RecordMode::kRun)
    return bce_logits(x, label, static_cast<double>(ignore_index));
  // max(x, 0) - x * label + log(1 + exp(-|x|)), the log weighted by pos_weight where the label is positive.
  Tensor soft = softplus(-abs(x), 1.0, 20.0);
  Tensor pos = relu(x), out;
  if (pos_weight.defined()) {
    out = (1.0 - label) * x + pos_weight * (soft + relu(-x));
  } else {
    out = pos - x * label + soft;
  }
  Tensor valid = cast(not_equal(label, scalar_like(static_cast<double>(ignore_index), label)), x.dtype());
  out = out * valid;
  if (normalize) out = out / maximum(sum(valid, Ints{}, DataType::UNDEFINED, false), scalar_like(1e-5, x));
  return out;
}

Tensor sigmoid_ce_backward(const Tensor& x, const Tensor& label, const Tensor& pos_weight, const Tensor& dout,
                           bool normalize, int64_t ignore_index, int which) {
  Tensor g;
  {
    egr::GradModeGuard off(false);
    g = cast(not_equal(label, scalar_like(static_cast<double>(ignore_index), label)), x.dtype());
    if (normalize) g = g / maximum(sum(g, Ints{}, DataType::UNDEFINED, false), scalar_like(1e-5, x));
  }
  g = g * dout;
  if (which == 1) return reduce_like(-(g * x), label);
  if (which == 2) return reduce_like(g * (softplus(-abs(x), 1.0, 20.0) + relu(-x)), pos_weight);
  return reduce_like(pos_weight.defined() ? g * ((1.0 - label) - pos_weight * sigmoid(-x)) : g * (sigmoid(x) - label),
                     x);
}

Tensor nll_loss_backward(const Tensor& dout, const Tensor& input, const Tensor& label, const Tensor& weight,
                         const Tensor& total_weight, int64_t ignore_index, const std::string& reduction) {
  if (!dout.defined()) return dout;
  Tensor safe, factor;
  {
    egr::GradModeGuard off(false);  // constants: the rule is linear in the gradient and does not read the input
    Tensor id = cast(label, DataType::INT64);
    Tensor counts = not_equal(id, full({}, Scalar(ignore_index), DataType::INT64));
    safe = where(counts, id, zeros_like_of(id));
    factor = cast(counts, input.dtype());
    if (weight.defined())
      factor = factor * reshape_like(gather(cast(weight, input.dtype()), reshape(safe, Ints{-1}), Scalar(0)), safe);
    if (reduction == "mean") factor = factor / total_weight;
  }
  return put_along_axis(zeros_like_of(input), unsqueeze(safe, Ints{1}), unsqueeze(-(factor * dout), Ints{1}), 1, "add",
                        true);
}

}  // namespace paddle
