// SPDX-License-Identifier: Apache-2.0
// Adapters of group and instance normalisation.
#include <cmath>
#include <cstring>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/ops/nn/planes.h"
#include "paddle/phi/primitives/norm.h"

namespace phi {
namespace {

void CheckParam(const char* op, const char* what, const Meta* p, Dim size, const Meta& x) {
  if (!p) return;
  PD_CHECK(p->dims.size() == 1 && !common::CertainlyDiffer(p->dims[0], size), InvalidArgument, "[", op, "] expected a ",
           what, " of one axis of ", common::DimText(size), " elements, got shape ", common::ShapeText(p->dims),
           " for input shape ", common::ShapeText(x.dims));
}
void CheckFloating(const char* op, const Meta& x) {
  PD_CHECK_DTYPE(x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64 || IsHalf(x.dtype), "[", op,
                 "] expected a floating input, got ", NameOf(x.dtype));
}

// Memory of a gradient of scale or bias, where it is wanted, in the type that the kernel writes.
void* Room(Tensor* d, const Tensor& param, DataType kernel_type) {
  if (d) EnsureOut(*d, param.dims(), kernel_type);
  return d ? d->raw_data() : nullptr;
}

}  // namespace

void group_norm_infer(const Meta& x, const Meta* scale, const Meta* bias, double, int64_t groups,
                      const std::string& format, Meta& y, Meta& mean, Meta& variance) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[group_norm] expected an input of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  CheckFloating("group_norm", x);
  Dim c = common::ChannelsLast(format) && x.dims.size() > 2 ? x.dims.back() : x.dims[1];
  PD_CHECK(groups > 0 && (!c.known() || c.raw() % groups == 0), InvalidArgument,
           "[group_norm] expected groups that divide the channels ", common::DimText(c), ", got ", groups);
  CheckParam("group_norm", "scale", scale, c, x);
  CheckParam("group_norm", "bias", bias, c, x);
  y = x;
  mean = {Dims{x.dims[0], Dim(groups)}, cpu::StatType(x.dtype)};
  variance = mean;
}

namespace {
int64_t ChannelsOf(const Meta& x, bool last) { return (last ? x.dims.back() : x.dims[1]).value(); }
bool AreLast(const Meta& x, const std::string& format) { return common::ChannelsLast(format) && x.dims.size() > 2; }
}  // namespace
int64_t group_norm_workspace(const Meta& x, const Meta*, const Meta*, double, int64_t, const std::string& format) {
  const bool last = AreLast(x, format);
  return cpu::GroupNormBytes(x.dtype, CountOf(x), ChannelsOf(x, last), last);
}
void group_norm_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, double eps, int64_t groups,
                       const std::string& format, Tensor& y, Tensor& mean, Tensor& variance) {
  if (x.numel() == 0) {
    ZeroOf(mean);
    ZeroOf(variance);
    return;
  }
  const Planes p = PlanesOf(x, common::ChannelsLast(format));
  const DataType pt = TypeBeside(scale.defined() ? scale : bias, x);
  const Ordered s(scale, pt), b(bias, pt);  // of two dtypes, they meet in the first
  cpu::GroupNorm(x.dtype(), pt, x.raw_data(), p.n, p.c, p.spatial, groups, p.last, DataOf(s), DataOf(b), eps,
                 y.raw_data(), mean.raw_data(), variance.raw_data());
}

namespace {
void GroupGrad(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean, const Tensor& variance,
               const Tensor& dout, double eps, int64_t groups, bool last, Tensor* dx, Tensor* dscale, Tensor* dbias) {
  const Planes p = PlanesOf(x, last);
  const DataType pt = TypeBeside(scale.defined() ? scale : bias, x);
  const Ordered s(scale, pt);
  const Widened wide_scale(dscale, scale, pt), wide_bias(dbias, bias, pt);
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  Tensor *ds = wide_scale, *db = wide_bias;
  void *to_scale = Room(ds, scale, pt), *to_bias = Room(db, bias, pt);
  if (x.numel() == 0) {
    if (ds) ZeroOf(*ds);
    if (db) ZeroOf(*db);
  } else {
    cpu::GroupNormGrad(x.dtype(), pt, x.raw_data(), dout.raw_data(), p.n, p.c, p.spatial, groups, p.last, DataOf(s),
                       mean.raw_data(), variance.raw_data(), eps, dx ? dx->raw_data() : nullptr, to_scale, to_bias);
  }
}
}  // namespace

int64_t group_norm_grad_workspace(const Meta& x, const Meta&, const Meta&, const Meta&, const Meta&, const Meta&,
                                  const Meta&, const Meta&, double, int64_t, const std::string& format) {
  const bool last = AreLast(x, format);
  return cpu::GroupNormGradBytes(x.dtype, CountOf(x), ChannelsOf(x, last), last);
}
void group_norm_grad_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                            const Tensor& variance, const Tensor& dy, const Tensor&, const Tensor&, double eps,
                            int64_t groups, const std::string& format, Tensor* dx, Tensor* dscale, Tensor* dbias) {
  const DataType st = cpu::StatType(x.dtype());
  GroupGrad(x, scale, bias, Ordered(mean, st), Ordered(variance, st), dy, eps, groups, common::ChannelsLast(format), dx,
            dscale, dbias);
}

void instance_norm_infer(const Meta& x, const Meta* scale, const Meta* bias, double, Meta& y, Meta& mean,
                         Meta& variance) {
  PD_CHECK(x.dims.size() >= 2 && x.dims.size() <= 5, InvalidArgument,
           "[instance_norm] expected an input of 2 to 5 axes, got shape ", common::ShapeText(x.dims));
  CheckFloating("instance_norm", x);
  CheckParam("instance_norm", "scale", scale, x.dims[1], x);
  CheckParam("instance_norm", "bias", bias, x.dims[1], x);
  y = x;
  mean = {Dims{x.dims[0] * x.dims[1]}, cpu::StatType(x.dtype)};
  variance = mean;
}

namespace {
// variance -> 1 / sqrt(variance + eps), or back to variance + eps.
void Invert(Tensor& t, double eps, bool back) {
  auto run = [&](auto* p) {
    for (int64_t i = 0; i < t.numel(); ++i) {
      const double v = static_cast<double>(p[i]);
      p[i] = static_cast<std::remove_reference_t<decltype(*p)>>(back ? 1 / (v * v) : 1 / std::sqrt(v + eps));
    }
  };
  t.dtype() == DataType::FLOAT64 ? run(t.data<double>()) : run(t.data<float>());
}
}  // namespace

int64_t instance_norm_workspace(const Meta& x, const Meta*, const Meta*, double) {
  return cpu::GroupNormBytes(x.dtype, CountOf(x), ChannelsOf(x, false), false);
}
void instance_norm_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, double eps, Tensor& y, Tensor& mean,
                          Tensor& inverse) {
  group_norm_kernel(x, scale, bias, eps, x.dim(1), "NCHW", y, mean, inverse);
  if (x.numel()) Invert(inverse, eps, false);
}

int64_t instance_norm_grad_workspace(const Meta& x, const Meta&, const Meta&, const Meta&, const Meta& inverse,
                                     const Meta&, const Meta&, const Meta&, double) {
  return WorkspaceFor(inverse.dims, cpu::StatType(x.dtype)) +
         cpu::GroupNormGradBytes(x.dtype, CountOf(x), ChannelsOf(x, false), false);
}
void instance_norm_grad_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                               const Tensor& inverse, const Tensor& dy, const Tensor&, const Tensor&, double,
                               Tensor* dx, Tensor* dscale, Tensor* dbias) {
  const DataType st = cpu::StatType(x.dtype());
  ScratchTensor sum(inverse.dims(), st);
  CopyInto(inverse, sum.tensor);
  Invert(sum.tensor, 0, true);
  GroupGrad(x, scale, bias, Ordered(mean, st), sum.tensor, dy, 0, x.dim(1), false, dx, dscale, dbias);
}

}  // namespace phi
