// SPDX-License-Identifier: Apache-2.0
// Shape rules of activations and other layers written on other ops.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

void prelu_infer(const Meta& x, const Meta& alpha, const std::string&, const std::string& mode, Meta& out) {
  PD_CHECK(mode == "all" || mode == "channel" || mode == "element", InvalidArgument,
           "[prelu] expected mode all, channel or element, got ", mode);
  out = {x.dims, Promote("prelu", x.dtype, x.dims.empty(), alpha.dtype, mode == "all")};
}
void CheckCvm(const Dims& x, const Dims& cvm) {
  PD_CHECK(x.size() == 2 && (!x[1].known() || x[1].raw() >= 2) && cvm.size() == 2 &&
               !common::CertainlyDiffer(x[0], cvm[0]) && !common::CertainlyDiffer(cvm[1], Dim(2)),
           InvalidArgument, "[cvm] expected x of two columns or more and cvm of two, of as many rows, got shapes ",
           common::ShapeText(x), " and ", common::ShapeText(cvm));
}
void cvm_infer(const Meta& x, const Meta& cvm, bool use_cvm, Meta& out) {
  CheckCvm(x.dims, cvm.dims);
  out = {use_cvm ? x.dims : Dims{x.dims[0], common::Sub(x.dims[1], Dim(2))}, x.dtype};
}
void CheckSwiglu(const Dims& x, const Dims* y) {
  if (y) {
    bool same = x.size() == y->size();
    for (int64_t i = 0; same && i < x.size(); ++i)
      same = !x[i].known() || !(*y)[i].known() || x[i].raw() == (*y)[i].raw();
    PD_CHECK(same, InvalidArgument, "[swiglu] expected y of the shape of x, ", common::ShapeText(x), ", got ",
             common::ShapeText(*y));
  } else {
    PD_CHECK(!x.empty() && (!x.back().known() || x.back().raw() % 2 == 0), InvalidArgument,
             "[swiglu] expected a last axis of even extent, got shape ", common::ShapeText(x));
  }
}
void swiglu_infer(const Meta& x, const Meta* y, Meta& out) {
  CheckSwiglu(x.dims, y ? &y->dims : nullptr);
  out = {x.dims, y ? Promote("swiglu", x, *y) : x.dtype};
  if (!y) out.dims.back() = common::Div(x.dims.back(), Dim(2));
}
void maxout_infer(const Meta& x, int64_t groups, int64_t axis, Meta& out) {
  int64_t a = common::NormalizeAxis("maxout", axis, x.dims.size());
  PD_CHECK(groups > 0 && (!x.dims[a].known() || x.dims[a].raw() % groups == 0), InvalidArgument,
           "[maxout] expected groups that divide the channels ", common::DimText(x.dims[a]), ", got ", groups);
  out = x;
  out.dims[a] = common::Div(x.dims[a], Dim(groups));
}
void label_smooth_infer(const Meta& label, const Meta*, double, Meta& out) { out = label; }
void temporal_shift_infer(const Meta& x, int64_t seg, double ratio, const std::string&, Meta& out) {
  PD_CHECK(x.dims.size() == 4 && seg > 0 && (!x.dims[0].known() || x.dims[0].raw() % seg == 0), InvalidArgument,
           "[temporal_shift] expected 4 axes of which the first is divisible by seg_num ", seg, ", got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(ratio > 0 && ratio <= 0.5, InvalidArgument, "[temporal_shift] expected a shift_ratio in (0, 0.5], got ",
           ratio);
  out = x;
}
void bilinear_infer(const Meta& x, const Meta& y, const Meta& weight, const Meta* bias, Meta& out) {
  const bool fit = x.dims.size() == 2 && y.dims.size() == 2 && weight.dims.size() == 3 &&
                   !common::CertainlyDiffer(x.dims[0], y.dims[0]) &&
                   !common::CertainlyDiffer(x.dims[1], weight.dims[1]) &&
                   !common::CertainlyDiffer(y.dims[1], weight.dims[2]);
  PD_CHECK(fit, InvalidArgument, "[bilinear] expected x [N, I], y [N, J] and a weight [O, I, J], got shapes ",
           common::ShapeText(x.dims), ", ", common::ShapeText(y.dims), " and ", common::ShapeText(weight.dims));
  out = {Dims{x.dims[0], weight.dims[0]}, Promote("bilinear", Meta{x.dims, Promote("bilinear", x, y)}, weight)};
  if (bias) out = {common::BroadcastDims("bilinear", out.dims, bias->dims), Promote("bilinear", out, *bias)};
}
void spectral_norm_infer(const Meta& weight, const Meta& u, const Meta& v, int64_t dim, int64_t power_iters, double,
                         Meta& out) {
  const int64_t rows = common::NormalizeAxis("spectral_norm", dim, weight.dims.size());
  Dim columns(1);
  for (int64_t k = 0; k < weight.dims.size(); ++k)
    if (k != rows) columns = columns * weight.dims[k];
  const auto holds = [](const Meta& vector, const Dim& n) {
    return vector.dims.size() == 1 && !common::CertainlyDiffer(vector.dims[0], n);
  };
  PD_CHECK(holds(u, weight.dims[rows]) && holds(v, columns), InvalidArgument,
           "[spectral_norm] expected u of the rows and v of the columns of the weight ", common::ShapeText(weight.dims),
           " along dim ", dim, ", got shapes ", common::ShapeText(u.dims), " and ", common::ShapeText(v.dims));
  PD_CHECK_DTYPE(phi::IsFloating(weight.dtype), "[spectral_norm] expected a weight with a floating-point dtype, got ",
                 NameOf(weight.dtype));
  constexpr int64_t kMost = 1 << 16;  // more than any method that converges needs
  PD_CHECK(power_iters >= 0 && power_iters <= kMost, InvalidArgument, "[spectral_norm] expected power_iters from 0 to ",
           kMost, ", got ", power_iters);
  out = weight;
}
void gumbel_softmax_infer(const Meta& x, double temperature, bool, int64_t, Meta& out) {
  PD_CHECK(temperature > 0, InvalidArgument, "[gumbel_softmax] expected temperature > 0, got ", temperature);
  out = x;
}
void clip_by_norm_infer(const Meta& x, double max_norm, Meta& out) {
  PD_CHECK(max_norm > 0, InvalidArgument, "[clip_by_norm] expected a positive max_norm, got ", max_norm);
  out = x;
}

}  // namespace phi
