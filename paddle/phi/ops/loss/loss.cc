// SPDX-License-Identifier: Apache-2.0
// Loss adapters.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/infer/label.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/loss.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi {
namespace {
struct AxisSplit {
  int64_t outer = 1, n = 1, inner = 1;
};
AxisSplit SplitAt(const Tensor& x, int64_t axis) {
  AxisSplit s;
  int64_t a = common::NormalizeAxis("cross_entropy", axis, x.ndim());
  for (int64_t i = 0; i < x.ndim(); ++i) (i < a ? s.outer : i == a ? s.n : s.inner) *= x.dim(i);
  return s;
}
bool MayBe(const Dims& have, const Dims& want) {
  bool same = have.size() == want.size();
  for (int64_t i = 0; same && i < want.size(); ++i) same = !common::CertainlyDiffer(have[i], want[i]);
  return same;
}
// What labels are read as beside x: probabilities, or classes.
DataType LabelType(const Meta& label, const Meta& x, bool soft) {
  return soft ? x.dtype : label.dtype == DataType::INT32 ? DataType::INT32 : DataType::INT64;
}
}  // namespace

void bce_loss_infer(const Meta& input, const Meta& label, Meta& out) {
  CheckLabel("bce_loss", input.dims, label.dims);
  out = {common::BroadcastDims("bce_loss", input.dims, label.dims), Promote("bce_loss", input, label)};
  PD_CHECK(IsFloating(out.dtype), InvalidType, "[bce_loss] expected a floating input and label, got ",
           NameOf(input.dtype), " and ", NameOf(label.dtype));
}

void probabilities_kernel(const Tensor& x, Tensor& out) {
  if (x.numel()) {
    const Tensor here = ToHost(x);  // a view runs where its operand is, which may be a device
    alignas(8) char ends[16];
    double range[2];
    const int64_t size = SizeOf(x.dtype());
    const cpu::AxisMask every = ReduceMask("bce_loss", x.ndim(), Ints{});
    cpu::Reduce(cpu::ReduceOp::kMin, x.dtype(), here.raw_data(), x.dims(), here.strides(), every, x.dtype(), ends);
    cpu::Reduce(cpu::ReduceOp::kMax, x.dtype(), here.raw_data(), x.dims(), here.strides(), every, x.dtype(),
                ends + size);
    Convert(x.dtype(), ends, 1, DataType::FLOAT64, range, 1, 2);
    PD_CHECK(range[0] >= 0 && range[1] <= 1, InvalidArgument,
             "[binary_cross_entropy] expected an input of probabilities in [0, 1], got one outside");
  }
  out = ViewOf(x, x.dims(), x.strides(), x->offset());
}

void cross_entropy_with_softmax_infer(const Meta& x, const Meta& label, bool soft, bool, bool, int64_t, int64_t axis,
                                      Meta& softmax, Meta& loss) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[cross_entropy] expected a floating input, got ", NameOf(x.dtype));
  int64_t a = common::NormalizeAxis("cross_entropy", axis, x.dims.size());
  PD_CHECK(soft || IsInteger(label.dtype), InvalidType, "[cross_entropy] expected integer labels, got ",
           NameOf(label.dtype));
  Dims want = x.dims;
  if (!soft && !want.empty()) want[a] = Dim(1);
  PD_CHECK(!x.dims.empty() && MayBe(label.dims, want), InvalidArgument, "[cross_entropy] expected ",
           soft ? "soft labels" : "labels", " of shape ", common::ShapeText(want), " for input shape ",
           common::ShapeText(x.dims), ", got ", common::ShapeText(label.dims),
           !soft && MayBe(label.dims, x.dims) ? "; probabilities need soft_label=True" : "");
  softmax = x;
  loss = x;
  loss.dims[a] = Dim(1);
}
int64_t cross_entropy_with_softmax_workspace(const Meta& x, const Meta& label, bool soft, bool use_softmax, bool,
                                             int64_t, int64_t axis) {
  Ints lines = common::ToInts(x.dims);
  if (!lines.empty()) lines[common::NormalizeAxis("cross_entropy", axis, lines.size())] = 1;
  return ConvertedBytes(label, LabelType(label, x, soft)) +
         cpu::CrossEntropyBytes(common::Product(lines), !use_softmax);
}
void cross_entropy_with_softmax_kernel(const Tensor& x, const Tensor& label, bool soft, bool use_softmax, bool,
                                       int64_t ignore, int64_t axis, Tensor& softmax, Tensor& loss) {
  if (x.numel() == 0) return cpu::Zero(loss.raw_data(), loss.numel() * SizeOf(loss.dtype()));
  AxisSplit s = SplitAt(x, axis);
  const Ordered labels(label, LabelType(label.meta(), x.meta(), soft));
  const Tensor& l = labels;
  if (soft) {
    cpu::CrossEntropySoft(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, l.raw_data(), !use_softmax,
                          softmax.raw_data(), loss.raw_data());
  } else {
    cpu::CrossEntropyHard(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, l.dtype(), l.raw_data(), ignore, !use_softmax,
                          softmax.raw_data(), loss.raw_data());
  }
  if (!use_softmax) CopyInto(x, softmax);
}
int64_t cross_entropy_with_softmax_grad_workspace(const Meta&, const Meta& label, const Meta& softmax, const Meta&,
                                                  const Meta&, bool soft, bool, bool, int64_t, int64_t) {
  return ConvertedBytes(label, LabelType(label, softmax, soft));
}
void cross_entropy_with_softmax_grad_kernel(const Tensor&, const Tensor& label, const Tensor& softmax, const Tensor&,
                                            const Tensor& dloss, bool soft, bool use_softmax, bool, int64_t ignore,
                                            int64_t axis, Tensor* dx) {
  if (!dx || !dloss.defined()) return;
  AxisSplit s = SplitAt(softmax, axis);
  EnsureOut(*dx, softmax.dims(), softmax.dtype());
  if (softmax.numel() == 0) return;
  const int64_t rows = s.outer * s.inner;
  PD_CHECK(label.numel() == (soft ? softmax.numel() : rows), InvalidArgument,
           "[cross_entropy_with_softmax_grad] expected labels that fit softmax of shape ",
           common::ShapeText(softmax.dims()), ", got ", common::ShapeText(label.dims()));
  PD_CHECK(dloss.numel() == rows && dloss.dtype() == softmax.dtype(), InvalidArgument,
           "[cross_entropy_with_softmax_grad] expected a gradient of ", rows, " losses of ", NameOf(softmax.dtype()),
           ", got shape ", common::ShapeText(dloss.dims()), " of ", NameOf(dloss.dtype()));
  const Ordered labels(label, LabelType(label.meta(), softmax.meta(), soft));
  const Tensor& l = labels;
  if (soft) {
    cpu::CrossEntropySoftGrad(softmax.dtype(), softmax.raw_data(), s.outer, s.n, s.inner, l.raw_data(), !use_softmax,
                              dloss.raw_data(), dx->raw_data());
  } else {
    cpu::CrossEntropyHardGrad(softmax.dtype(), softmax.raw_data(), s.outer, s.n, s.inner, l.dtype(), l.raw_data(),
                              ignore, !use_softmax, dloss.raw_data(), dx->raw_data());
  }
}

void huber_infer(const Meta& x, const Meta& label, double, Meta& out, Meta& residual) {
  PD_CHECK(MayBe(label.dims, x.dims), InvalidArgument, "[huber_loss] expected an input and a label of one shape, got ",
           common::ShapeText(x.dims), " and ", common::ShapeText(label.dims));
  out = {x.dims, Promote("huber_loss", label, x)};
  residual = out;
}
void kldiv_infer(const Meta& x, const Meta& label, const std::string& reduction, bool, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype) && IsFloating(label.dtype),
                 "[kldiv_loss] expected x and label of floating dtypes, got ", NameOf(x.dtype), " and ",
                 NameOf(label.dtype));
  PD_CHECK(reduction == "none" || reduction == "sum" || reduction == "mean" || reduction == "batchmean",
           InvalidArgument, "[kldiv_loss] expected reduction none, sum, mean or batchmean, got ", reduction);
  Dims d = common::BroadcastDims("kldiv_loss", x.dims, label.dims);
  out = {reduction == "none" ? d : Dims{}, Promote("kldiv_loss", x, label)};
}
void sigmoid_ce_infer(const Meta& x, const Meta& label, const Meta* weight, bool, int64_t, Meta& out) {
  constexpr const char* kOp = "sigmoid_cross_entropy_with_logits";
  CheckLabel(kOp, x.dims, label.dims);
  out = {common::BroadcastDims(kOp, x.dims, label.dims), Promote(kOp, x, label)};
  if (weight) out.dtype = Promote(kOp, out, *weight);
}

namespace {
AxisSplit NllSplit(const Tensor& x) {
  AxisSplit s;
  s.outer = x.dim(0);
  s.n = x.dim(1);
  for (int64_t i = 2; i < x.ndim(); ++i) s.inner *= x.dim(i);
  return s;
}
int Reduction(const std::string& r) {
  PD_CHECK(r == "none" || r == "mean" || r == "sum", InvalidArgument,
           "[nll_loss] expected reduction none, mean or sum, got ", r);
  return r == "none" ? 0 : r == "mean" ? 1 : 2;
}
}  // namespace
void nll_loss_infer(const Meta& x, const Meta& label, const Meta* weight, int64_t, const std::string& reduction,
                    Meta& out, Meta& total) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[nll_loss] expected an input of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  Dims want = x.dims;
  want.erase(1);
  PD_CHECK(MayBe(label.dims, want), InvalidArgument, "[nll_loss] expected labels of shape ", common::ShapeText(want),
           " for input shape ", common::ShapeText(x.dims), ", got ", common::ShapeText(label.dims));
  PD_CHECK(!weight || MayBe(weight->dims, Dims{x.dims[1]}), InvalidArgument, "[nll_loss] expected a weight of ",
           common::DimText(x.dims[1]), " classes, got shape ", weight ? common::ShapeText(weight->dims) : "");
  out = {Reduction(reduction) == 0 ? label.dims : Dims{}, x.dtype};
  total = {Dims{}, x.dtype};
}
void nll_loss_kernel(const Tensor& x, const Tensor& label, const Tensor& weight, int64_t ignore,
                     const std::string& reduction, Tensor& out, Tensor& total) {
  AxisSplit s = NllSplit(x);
  cpu::NllLoss(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, label.dtype(), label.raw_data(),
               weight.defined() ? weight.raw_data() : nullptr, ignore, Reduction(reduction), out.raw_data(),
               total.raw_data());
}
void nll_loss_grad_kernel(const Tensor& x, const Tensor& label, const Tensor& weight, const Tensor& total,
                          const Tensor& dout, const Tensor&, int64_t ignore, const std::string& reduction, Tensor* dx) {
  if (!dx || !dout.defined()) return;
  AxisSplit s = NllSplit(x);
  EnsureOut(*dx, x.dims(), x.dtype());
  cpu::NllLossGrad(x.dtype(), s.outer, s.n, s.inner, label.dtype(), label.raw_data(),
                   weight.defined() ? weight.raw_data() : nullptr, ignore, Reduction(reduction), total.raw_data(),
                   dout.raw_data(), dx->raw_data());
}

}  // namespace phi
