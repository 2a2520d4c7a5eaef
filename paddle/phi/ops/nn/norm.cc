// SPDX-License-Identifier: Apache-2.0
// Normalisation, embedding and linear adapters.
#include "paddle/phi/primitives/norm.h"

#include <cmath>
#include <cstring>

#include "paddle/common/unsupported_error.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/ops/nn/planes.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/gather.h"

namespace phi {
namespace {

// The gradients of scale and bias that are wanted, in the type that a kernel writes.
class ParamGrads {
 public:
  ParamGrads(const Tensor& scale, Tensor* dscale, const Tensor& bias, Tensor* dbias, DataType t)
      : scale_(dscale), bias_(dbias) {
    if (dscale) EnsureOut(*dscale, scale.dims(), t);
    if (dbias) EnsureOut(*dbias, bias.dims(), t);
  }
  void* scale() const { return scale_ ? scale_->raw_data() : nullptr; }
  void* bias() const { return bias_ ? bias_->raw_data() : nullptr; }
  void Zero() const {
    for (Tensor* d : {scale_, bias_})
      if (d) ZeroOf(*d);
  }

 private:
  Tensor *scale_, *bias_;
};

}  // namespace

void batch_norm_infer(const Meta& x, const Meta& mean, const Meta& variance, const Meta* scale, const Meta* bias,
                      bool is_test, double, double, const std::string& format, bool use_global, bool trainable,
                      Meta& out, Meta& mean_out, Meta& variance_out, Meta& saved_mean, Meta& saved_variance,
                      Meta& reserve) {
  PD_CHECK(x.dims.size() >= 2 && x.dims.size() <= 5, InvalidArgument,
           "[batch_norm] expected an input of 2 to 5 axes, got shape ", common::ShapeText(x.dims));
  bool last = common::ChannelsLast(format) && x.dims.size() > 2;
  Dim c = last ? x.dims.back() : x.dims[1];
  for (const Meta* m : {&mean, &variance, scale, bias})
    PD_CHECK(!m || (m->dims.size() == 1 && !common::CertainlyDiffer(m->dims[0], c)), InvalidArgument,
             "[batch_norm] expected mean, variance, scale and bias of ", common::DimText(c), " channels, got shape ",
             common::ShapeText(m->dims));
  out = x;
  mean_out = mean;
  variance_out = variance;
  (void)is_test, (void)use_global, (void)trainable;
  saved_mean = {mean.dims, cpu::StatType(x.dtype)};  // with fixed statistics: those
  saved_variance = saved_mean;                       // 1 / sqrt(variance + epsilon)
  reserve = {{Dim(0)}, DataType::UINT8};             // PaddlePaddle trains a program only where it is there
}

int64_t batch_norm_workspace(const Meta& x, const Meta& mean, const Meta& variance, const Meta*, const Meta*, bool,
                             double, double, const std::string&, bool, bool) {
  const DataType st = cpu::StatType(x.dtype);
  return ConvertedBytes(mean, st) + ConvertedBytes(variance, st) + cpu::BatchNormBytes(x.dtype, CountOf(x));
}
void batch_norm_kernel(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& scale,
                       const Tensor& bias, bool is_test, double momentum, double eps, const std::string& format,
                       bool use_global, bool trainable, Tensor& out, Tensor& mean_out, Tensor& variance_out,
                       Tensor& saved_mean, Tensor& saved_variance, Tensor&) {
  Planes s = PlanesOf(x, format);
  DataType st = cpu::StatType(x.dtype());
  mean_out = mean;
  variance_out = variance;
  if (x.numel() == 0) {
    ZeroOf(saved_mean);
    ZeroOf(saved_variance);
    return;
  }
  bool training = !(is_test && !trainable) && !use_global;
  if (training && s.n * s.spatial == 1) {  // one element has no variance: as in PaddlePaddle it is the result
    CopyInto(x, out);
    ZeroOf(saved_mean);
    ZeroOf(saved_variance);
    return;
  }
  const Ordered own_mean(mean, st), own_variance(variance, st);
  const Tensor &m = own_mean, &v = own_variance;
  const bool own = m.impl() != mean.impl() || v.impl() != variance.impl();
  if (const DeviceForms* forms = FormsHere()) {
    forms->BatchNorm(x.dtype(), {s.n, s.c, s.spatial, s.last}, x.raw_data(), DataOf(scale), DataOf(bias), !training,
                     eps, momentum, m.raw_data(), v.raw_data(), out.raw_data(), saved_mean.raw_data(),
                     saved_variance.raw_data());
  } else if (!training) {
    CopyInto(m, saved_mean);
    auto invert = [&](auto tag) {
      using T = decltype(tag);
      for (int64_t i = 0; i < s.c; ++i)
        saved_variance.data<T>()[i] = static_cast<T>(1.0 / std::sqrt(static_cast<double>(v.data<T>()[i]) + eps));
    };
    ByFloat(st, invert);
    cpu::BatchNormInfer(x.dtype(), x.raw_data(), s.n, s.c, s.spatial, s.last, DataOf(scale), DataOf(bias), m.raw_data(),
                        v.raw_data(), eps, out.raw_data());
  } else {
    cpu::BatchNormTrain(x.dtype(), x.raw_data(), s.n, s.c, s.spatial, s.last, DataOf(scale), DataOf(bias), eps,
                        momentum, m.raw_data(), v.raw_data(), out.raw_data(), saved_mean.raw_data(),
                        saved_variance.raw_data());
  }
  if (training && own) {
    CopyInto(m, mean);
    CopyInto(v, variance);
  }
}

int64_t batch_norm_grad_workspace(const Meta& x, const Meta&, const Meta&, const Meta&, const Meta&, const Meta&,
                                  const Meta&, const Meta&, const Meta&, const Meta&, const Meta&, bool, double, double,
                                  const std::string&, bool, bool) {
  return cpu::BatchNormGradBytes(x.dtype, CountOf(x));
}
void batch_norm_grad_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& saved_mean,
                            const Tensor& saved_variance, const Tensor& dout, const Tensor&, const Tensor&,
                            const Tensor&, const Tensor&, const Tensor&, bool is_test, double, double,
                            const std::string& format, bool use_global, bool trainable, Tensor* dx, Tensor* dscale,
                            Tensor* dbias) {
  if (!dout.defined()) return NoGradients({dx, dscale, dbias});
  Planes s = PlanesOf(x, format);
  DataType st = cpu::StatType(x.dtype());
  bool global = (is_test && !trainable) || use_global;
  const Tensor &m = saved_mean, &inv = saved_variance;
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  const ParamGrads d(scale, dscale, bias, dbias, st);
  if (x.numel() == 0) {
    d.Zero();
  } else if (!global && s.n * s.spatial == 1) {
    if (dx) CopyInto(dout, *dx);
    d.Zero();
  } else if (const DeviceForms* forms = FormsHere()) {
    forms->BatchNormGrad(x.dtype(), {s.n, s.c, s.spatial, s.last}, x.raw_data(), dout.raw_data(), DataOf(scale), global,
                         m.raw_data(), inv.raw_data(), dx ? dx->raw_data() : nullptr, d.scale(), d.bias());
  } else {
    cpu::BatchNormGrad(x.dtype(), x.raw_data(), dout.raw_data(), s.n, s.c, s.spatial, s.last, DataOf(scale),
                       m.raw_data(), inv.raw_data(), global, dx ? dx->raw_data() : nullptr, d.scale(), d.bias());
  }
}

void layer_norm_infer(const Meta& x, const Meta* scale, const Meta* bias, double, int64_t axis, Meta& out, Meta& mean,
                      Meta& variance) {
  PD_CHECK(axis > 0 || x.dims.empty() || axis == 0, InvalidArgument,
           "[layer_norm] expected begin_norm_axis of at least 0, got ", axis);
  PD_CHECK(axis <= x.dims.size(), InvalidArgument, "[layer_norm] expected begin_norm_axis below the rank of shape ",
           common::ShapeText(x.dims), ", got ", axis);
  Dim cols(1);
  Dims rows;
  for (int64_t i = 0; i < x.dims.size(); ++i) {
    if (i < axis)
      rows.push_back(x.dims[i]);
    else
      cols = cols * x.dims[i];
  }
  for (const Meta* m : {scale, bias})
    PD_CHECK(!m || !common::CertainlyDiffer(common::Product(m->dims), cols), InvalidArgument,
             "[layer_norm] expected a scale and a bias of ", common::DimText(cols), " elements, got shape ",
             common::ShapeText(m->dims), " for input shape ", common::ShapeText(x.dims));
  for (const Meta* m : {scale, bias})
    PD_CHECK(!m || IsFloating(m->dtype), InvalidArgument,
             "[layer_norm] expected a scale and a bias of a floating dtype, got ", NameOf(m->dtype));
  PD_CHECK(!scale || !bias || scale->dtype == bias->dtype, InvalidArgument,
           "[layer_norm] expected a scale and a bias of one dtype, got ", NameOf(scale->dtype), " and ",
           NameOf(bias->dtype));
  PD_CHECK(!bias || (scale ? common::MayMatch(bias->dims, scale->dims) : bias->dims.size() == 1), InvalidArgument,
           "[layer_norm] expected a bias of the scale's shape, of one axis without a scale, got shape ",
           bias ? common::ShapeText(bias->dims) : "");
  out = x;
  mean = {rows, cpu::StatType(x.dtype)};
  variance = mean;
}
int64_t layer_norm_workspace(const Meta& x, const Meta* scale, const Meta* bias, double, int64_t) {
  return scale || bias ? cpu::RowNormBytes(x.dtype, CountOf(scale ? *scale : *bias)) : 0;
}
void layer_norm_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, double eps, int64_t axis, Tensor& out,
                       Tensor& mean, Tensor& variance) {
  if (x.numel() == 0) {
    ZeroOf(mean);
    ZeroOf(variance);
    return;
  }
  int64_t rows = mean.numel(), cols = x.numel() / rows;
  (void)axis;
  DataType pt = TypeBeside(scale.defined() ? scale : bias, x);
  cpu::LayerNorm(x.dtype(), pt, x.raw_data(), rows, cols, DataOf(scale), DataOf(bias), eps, out.raw_data(),
                 mean.raw_data(), variance.raw_data());
}
int64_t layer_norm_grad_workspace(const Meta& x, const Meta&, const Meta&, const Meta& mean, const Meta&, const Meta&,
                                  const Meta&, const Meta&, double, int64_t) {
  return cpu::RowNormGradBytes(x.dtype, CountOf(x), CountOf(x) / std::max<int64_t>(1, CountOf(mean)));
}
void layer_norm_grad_kernel(const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean,
                            const Tensor& variance, const Tensor& dout, const Tensor&, const Tensor&, double eps,
                            int64_t axis, Tensor* dx, Tensor* dscale, Tensor* dbias) {
  if (!dout.defined()) return NoGradients({dx, dscale, dbias});
  int64_t rows = mean.numel(), cols = 1;
  for (int64_t i = axis; i < x.ndim(); ++i) cols *= x.dim(i);
  DataType pt = TypeBeside(scale.defined() ? scale : bias, x);
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  const ParamGrads d(scale, dscale, bias, dbias, pt);
  if (x.numel() == 0) {
    d.Zero();
  } else {
    cpu::LayerNormGrad(x.dtype(), pt, x.raw_data(), dout.raw_data(), rows, cols, DataOf(scale), mean.raw_data(),
                       variance.raw_data(), eps, dx ? dx->raw_data() : nullptr, d.scale(), d.bias());
  }
}

void rms_norm_infer(const Meta& x, const Meta* scale, const Ints& shape, double, Meta& y, Meta& invvar) {
  const int64_t k = std::max<int64_t>(shape.size(), 1), rank = x.dims.size();
  PD_CHECK(k <= rank, InvalidArgument, "[rms_norm] expected a normalized_shape of at most ", rank, " axes, got ",
           common::ShapeText(shape));
  Dim cols(1);
  for (int64_t i = 0; i < k; ++i) {
    const Dim d = x.dims[rank - k + i];
    PD_CHECK(shape.empty() || !common::CertainlyDiffer(d, Dim(shape[i])), InvalidArgument,
             "[rms_norm] expected last extents ", common::ShapeText(shape), ", got shape ", common::ShapeText(x.dims));
    cols = cols * d;
  }
  PD_CHECK(!scale || !common::CertainlyDiffer(common::Product(scale->dims), cols), InvalidArgument,
           "[rms_norm] expected a scale of ", common::DimText(cols), " elements, got shape ",
           scale ? common::ShapeText(scale->dims) : "", " for input shape ", common::ShapeText(x.dims));
  y = x;
  invvar = {{}, cpu::StatType(x.dtype)};
  for (int64_t i = 0; i + k < rank; ++i) invvar.dims.push_back(x.dims[i]);
}
int64_t rms_norm_workspace(const Meta& x, const Meta* scale, const Ints&, double) {
  return scale ? cpu::RowNormBytes(x.dtype, CountOf(*scale)) : 0;
}
void rms_norm_kernel(const Tensor& x, const Tensor& scale, const Ints&, double eps, Tensor& y, Tensor& invvar) {
  if (x.numel() == 0) return ZeroOf(invvar);
  const DataType pt = TypeBeside(scale, x);
  cpu::RmsNorm(x.dtype(), pt, x.raw_data(), invvar.numel(), x.numel() / invvar.numel(), DataOf(scale), nullptr, eps,
               y.raw_data(), invvar.raw_data());
}
int64_t rms_norm_grad_workspace(const Meta& x, const Meta&, const Meta& invvar, const Meta&, const Meta&, const Ints&,
                                double) {
  return cpu::RowNormGradBytes(x.dtype, CountOf(x), CountOf(x) / std::max<int64_t>(1, CountOf(invvar)));
}
void rms_norm_grad_kernel(const Tensor& x, const Tensor& scale, const Tensor& invvar, const Tensor& dy, const Tensor&,
                          const Ints&, double, Tensor* dx, Tensor* dscale) {
  if (!dy.defined()) return NoGradients({dx, dscale});
  const int64_t rows = invvar.numel(), cols = rows ? x.numel() / rows : 0;
  const DataType pt = TypeBeside(scale, x);
  if (dx) EnsureOut(*dx, x.dims(), x.dtype());
  const ParamGrads d(scale, dscale, Tensor(), nullptr, pt);
  if (x.numel() == 0)
    d.Zero();
  else
    cpu::RmsNormGrad(x.dtype(), pt, x.raw_data(), dy.raw_data(), rows, cols, DataOf(scale), invvar.raw_data(),
                     dx ? dx->raw_data() : nullptr, d.scale(), nullptr);
}

void embedding_infer(const Meta& x, const Meta& w, int64_t, bool, Meta& out) {
  PD_CHECK_SUPPORTED(IsInteger(x.dtype), "[embedding] expected integer indices, got ", NameOf(x.dtype));
  PD_CHECK(w.dims.size() == 2, InvalidArgument, "[embedding] expected a weight of 2 axes, got shape ",
           common::ShapeText(w.dims));
  out = {x.dims, w.dtype};
  out.dims.push_back(w.dims[1]);
}
int64_t embedding_workspace(const Meta& x, const Meta&, int64_t, bool) { return cpu::PlacesBytes(CountOf(x)); }
void embedding_kernel(const Tensor& x, const Tensor& w, int64_t padding_idx, bool, Tensor& out) {
  cpu::Embedding(w.dtype(), w.raw_data(), w.dim(0), w.dim(1), x.dtype(), x.raw_data(), x.numel(), padding_idx,
                 out.raw_data());
}
void embedding_scatter_infer(const Meta&, const Meta& dy, int64_t rows, int64_t, Meta& out) {
  out = {Dims{Dim(rows), dy.dims.back()}, dy.dtype};
}
int64_t embedding_scatter_workspace(const Meta& x, const Meta& dy, int64_t rows, int64_t) {
  const int64_t count = CountOf(dy), ids = CountOf(x);
  return cpu::PlacesBytes(ids) + cpu::WideWriteBytes(dy.dtype, ids ? count / ids * rows : 0, count);
}
void embedding_scatter_kernel(const Tensor& x, const Tensor& dy, int64_t, int64_t padding_idx, Tensor& out) {
  cpu::EmbeddingGrad(dy.dtype(), dy.raw_data(), out.dim(0), out.dim(1), x.dtype(), x.raw_data(), x.numel(), padding_idx,
                     out.raw_data());
}

namespace {
// The gradient as rows of the table under their numbers: those of dout, without those of padding_idx.
Tensor EmbeddingRows(const Tensor& x, const Tensor& weight, const Tensor& dout, int64_t padding_idx) {
  const int64_t n = x.numel();
  Ints dims = weight.dims();
  dims[0] = n;
  Tensor rows = Empty({n}, DataType::INT64, x.place()), values = Empty(dims, dout.dtype(), dout.place());
  CastParallel(x.dtype(), x.raw_data(), DataType::INT64, rows.raw_data(), n);
  const size_t size = values.numel() * SizeOf(dout.dtype());
  if (size) std::memcpy(values.raw_data(), dout.raw_data(), size);
  for (int64_t i = 0; padding_idx >= 0 && i < n; ++i)
    if (rows.data<int64_t>()[i] == padding_idx)
      std::memset(static_cast<char*>(values.raw_data()) + size / n * i, 0, size / n);
  return MakeSelectedRows(rows, values, weight.dim(0));
}
}  // namespace

int64_t embedding_grad_workspace(const Meta& x, const Meta& weight, const Meta& dout, int64_t padding_idx,
                                 bool sparse) {
  return sparse ? 0 : embedding_scatter_workspace(x, dout, weight.dims[0].value(), padding_idx);
}
void embedding_grad_kernel(const Tensor& x, const Tensor& weight, const Tensor& dout, int64_t padding_idx, bool sparse,
                           Tensor* dweight) {
  if (!dweight) return;
  if (sparse) {
    *dweight = EmbeddingRows(x, weight, dout, padding_idx);
    return;
  }
  EnsureOut(*dweight, weight.dims(), dout.dtype());
  embedding_scatter_kernel(x, dout, weight.dim(0), padding_idx, *dweight);
}

void linear_infer(const Meta& x, const Meta& w, const Meta& bias, bool tw, Meta& out) {
  PD_CHECK(w.dims.size() == 2, InvalidArgument, "[linear] expected a weight of 2 axes, got shape ",
           common::ShapeText(w.dims));
  const common::Dim features = w.dims[tw ? 1 : 0];
  PD_CHECK(!x.dims.empty() && !common::CertainlyDiffer(x.dims.back(), features), InvalidArgument,
           "[linear] expected x of ", common::DimText(features), " features, got shape ", common::ShapeText(x.dims),
           " beside a weight of shape ", common::ShapeText(w.dims));
  PD_CHECK(x.dtype == w.dtype, InvalidArgument, "[linear] expected x of the weight's dtype ", NameOf(w.dtype), ", got ",
           NameOf(x.dtype), "; x.astype(...) converts");
  matmul_infer(x, w, false, tw, out);
  PD_CHECK(JoinsProduct(bias.dtype, w.dtype), InvalidType, "[linear] expected a bias that may be cast to ",
           NameOf(w.dtype), ", got ", NameOf(bias.dtype));
  PD_CHECK(bias.dims.size() == 1 && !common::CertainlyDiffer(bias.dims[0], out.dims.back()), InvalidArgument,
           "[linear] expected a bias of ", common::DimText(out.dims.back()), " elements, got shape ",
           common::ShapeText(bias.dims));
}
void linear_kernel(const Tensor& x, const Tensor& w, const Tensor& bias, bool tw, Tensor& out) {
  if (out.numel() == 0) return;
  if (const DeviceForms* d = FormsHere())
    return d->Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), false, w.raw_data(), w.dims(), w.strides(), tw,
                     bias.raw_data(), out.raw_data());
  if (!tw && x.is_contiguous() && w.is_contiguous() && w.ndim() == 2) {
    int64_t k = w.dim(0), n = w.dim(1);
    cpu::Linear(x.dtype(), out.numel() / n, n, k, x.raw_data(), w.raw_data(), bias.raw_data(), out.raw_data());
    return;
  }
  CopyInto(bias, out);
  cpu::Matmul(x.dtype(), x.raw_data(), x.dims(), x.strides(), false, w.raw_data(), w.dims(), w.strides(), tw,
              out.raw_data(), true);
}

}  // namespace phi
