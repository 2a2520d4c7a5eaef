// SPDX-License-Identifier: Apache-2.0
// Padding.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

// An element of `dtype` with the scalar's value.
struct Element {
  char bytes[16];
  Element(const Scalar& v, DataType dtype) { StoreScalar(v, dtype, bytes); }
};

// The extent of axis i with elements added, or taken off, at both ends.
Dim Padded(const char* op, const Dims& x, int64_t i, int64_t lo, int64_t hi) {
  CheckWindow(op, "paddings", Ints{lo, hi}, -int64_t{INT32_MAX});
  PD_CHECK(!x[i].known() || x[i].raw() + lo + hi >= 0, InvalidArgument, "[", op,
           "] expected paddings that leave a non-negative extent, got ", lo, " and ", hi, " for axis ", i, " of shape ",
           common::ShapeText(x));
  return lo + hi >= 0 ? x[i] + Dim(lo + hi) : common::Sub(x[i], Dim(-(lo + hi)));
}

struct Pad3d {
  Ints lo, hi;
  cpu::PadMode mode;
};

Pad3d Pad3dPlan(const Dims& x, const Ints& p, const std::string& mode, const std::string& format) {
  PD_CHECK(x.size() == 5, InvalidArgument, "[pad3d] expected an input of 5 axes, got shape ", common::ShapeText(x));
  PD_CHECK(p.size() == 6, InvalidArgument, "[pad3d] expected 6 paddings, got ", p.size());
  PD_CHECK(format == "NCDHW" || format == "NDHWC", InvalidArgument, "[pad3d] expected data_format NCDHW or NDHWC, got ",
           format);
  Pad3d r;
  r.mode = mode == "constant"    ? cpu::PadMode::kConstant
           : mode == "reflect"   ? cpu::PadMode::kReflect
           : mode == "replicate" ? cpu::PadMode::kReplicate
                                 : cpu::PadMode::kCircular;
  PD_CHECK(r.mode != cpu::PadMode::kCircular || mode == "circular", InvalidArgument,
           "[pad3d] expected mode constant, reflect, replicate or circular, got ", mode);
  int64_t first = format == "NCDHW" ? 2 : 1;
  r.lo.assign(5, 0);
  r.hi.assign(5, 0);
  for (int64_t k = 0; k < 3; ++k) {
    int64_t a = first + 2 - k, lo = p[2 * k], hi = p[2 * k + 1];
    r.lo[a] = lo;
    r.hi[a] = hi;
    if (r.mode == cpu::PadMode::kConstant || !x[a].known()) continue;
    int64_t n = x[a].value();
    PD_CHECK(lo >= 0 && hi >= 0, InvalidArgument, "[pad3d] expected non-negative paddings in mode ", mode, ", got ",
             common::ShapeText(p));
    int64_t most = r.mode == cpu::PadMode::kReflect    ? n - 1
                   : r.mode == cpu::PadMode::kCircular ? n
                   : n > 0                             ? INT64_MAX
                                                       : 0;
    PD_CHECK(lo <= most && hi <= most, InvalidArgument, "[pad3d] expected paddings of at most ", most, " in mode ",
             mode, " for extent ", n, ", got ", lo, " and ", hi);
  }
  return r;
}

}  // namespace

void pad_infer(const Meta& x, const Ints& paddings, const Scalar&, Meta& out) {
  PD_CHECK(paddings.size() == 2 * x.dims.size(), InvalidArgument, "[pad] expected ", 2 * x.dims.size(),
           " paddings, got ", paddings.size());
  out = x;
  for (int64_t i = 0; i < x.dims.size(); ++i) {
    out.dims[i] = Padded("pad", x.dims, i, paddings[2 * i], paddings[2 * i + 1]);
  }
}

void pad_kernel(const Tensor& x, const Ints& paddings, const Scalar& value, Tensor& out) {
  if (out.numel() == 0) return;
  Element e(value, x.dtype());
  if (x.ndim() == 0) return CopyInto(x, out);
  if (x.numel() == 0) return cpu::Fill(SizeOf(x.dtype()), out.numel(), out.raw_data(), e.bytes);
  Ints lo, hi;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    lo.push_back(paddings[2 * i]);
    hi.push_back(paddings[2 * i + 1]);
  }
  cpu::Pad(SizeOf(x.dtype()), x.raw_data(), x.dims(), lo, hi, cpu::PadMode::kConstant, e.bytes, out.raw_data());
}

void pad3d_infer(const Meta& x, const IntArray& paddings, const std::string& mode, double, const std::string& format,
                 Meta& out) {
  // Paddings that are not known change the axes that they belong to in a way that is not known, either.
  Ints numbers;
  for (int64_t i = 0; i < paddings.size(); ++i) numbers.push_back(paddings[i].known() ? paddings[i].value() : 0);
  Pad3d p = Pad3dPlan(x.dims, numbers, mode, format);
  out = x;
  for (int64_t i = 0; i < 5; ++i) { out.dims[i] = Padded("pad3d", x.dims, i, p.lo[i], p.hi[i]); }
  if (paddings.known()) return;
  const int64_t first = format == "NCDHW" ? 2 : 1;
  for (int64_t k = 0; k < 3; ++k)
    if (!paddings[2 * k].known() || !paddings[2 * k + 1].known()) out.dims[first + 2 - k] = common::NewSymbol();
}

void pad3d_kernel(const Tensor& x, const Ints& paddings, const std::string& mode, double value,
                  const std::string& format, Tensor& out) {
  if (out.numel() == 0) return;
  Pad3d p = Pad3dPlan(common::ToDims(x.dims()), paddings, mode, format);
  const Element e(Scalar(static_cast<float>(value)), x.dtype());
  if (x.numel() == 0) return cpu::Fill(SizeOf(x.dtype()), out.numel(), out.raw_data(), e.bytes);
  cpu::Pad(SizeOf(x.dtype()), x.raw_data(), x.dims(), p.lo, p.hi, p.mode, e.bytes, out.raw_data());
}

void pad3d_collect_infer(const Meta& dy, const Meta& zero, const IntArray&, const std::string&, const std::string&,
                         Meta& out) {
  out = {zero.dims, dy.dtype};
}

void pad3d_collect_kernel(const Tensor& dy, const Tensor& zero, const Ints& paddings, const std::string& mode,
                          const std::string& format, Tensor& out) {
  if (out.numel() == 0) return;
  Pad3d p = Pad3dPlan(common::ToDims(zero.dims()), paddings, mode, format);
  cpu::PadGrad(dy.dtype(), dy.raw_data(), out.dims(), p.lo, p.hi, p.mode, out.raw_data());
}

}  // namespace phi
