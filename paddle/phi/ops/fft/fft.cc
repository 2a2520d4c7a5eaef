// SPDX-License-Identifier: Apache-2.0
// Shape rules and kernels of Fourier transforms, framing and overlap-add.
#include "paddle/phi/backends/cpu/fft.h"

#include <cstring>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

Ints CheckAxes(const char* op, const Meta& x, const Ints& axes, const std::string& norm) {
  PD_CHECK(norm == "backward" || norm == "forward" || norm == "ortho", InvalidArgument, "[", op,
           "] expected a normalization of backward, forward or ortho, got ", norm);
  uint64_t seen = 0;
  Ints out;
  for (int64_t a : axes) {
    out.push_back(common::NormalizeAxis(op, a, x.dims.size()));
    PD_CHECK(!x.dims.empty() && !(seen >> out.back() & 1), InvalidArgument, "[", op,
             "] expected distinct axes of the input, got ", common::ShapeText(axes));
    seen |= uint64_t{1} << out.back();
  }
  return out;
}
Ints Normal(const char* op, const Ints& axes, int64_t rank) {
  Ints out;
  for (int64_t a : axes) out.push_back(common::NormalizeAxis(op, a, rank));
  return out;
}
void CheckReal(const char* op, DataType t) {
  PD_CHECK_DTYPE(t == DataType::FLOAT32 || t == DataType::FLOAT64, "[", op, "] expected float32 or float64, got ",
                 NameOf(t));
}
void CheckComplex(const char* op, DataType t) {
  PD_CHECK_DTYPE(IsComplex(t), "[", op, "] expected complex64 or complex128, got ", NameOf(t));
}
double ScaleOf(const std::string& norm, bool forward, const Ints& extents, const Ints& axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= extents[a];
  return cpu::FftScale(norm.c_str(), forward, std::max<int64_t>(n, 1));
}
// The long side of the last axis: as given, or twice the other less one.
Dim LongSide(Dim half, int64_t given) { return given > 0 ? Dim(given) : common::Sub(half, Dim(1)) * Dim(2); }

int64_t CheckFrameAxis(const char* op, int64_t axis) {
  PD_CHECK(axis == 0 || axis == -1, InvalidArgument, "[", op, "] expected axis 0 or -1, got ", axis);
  return axis;
}

// out [T, inner] (zero) += frames [F, L, inner], or frames [L, F] with `turned` (inner is 1).
template <class T>
void AddFrames(const T* frames, int64_t f_count, int64_t length, int64_t inner, int64_t hop, bool turned, T* out) {
  for (int64_t f = 0; f < f_count; ++f)
    for (int64_t l = 0; l < length; ++l) {
      T* d = out + (f * hop + l) * inner;
      const T* s = frames + (turned ? l * f_count + f : (f * length + l) * inner);
      for (int64_t i = 0; i < inner; ++i) d[i] += s[i];
    }
}
template <class T>
void OverlapAdd(const Tensor& x, int64_t hop, bool front, Tensor& out) {
  const int64_t rank = x.ndim(), outer = front ? 1 : common::Product(Ints(x.dims().begin(), x.dims().end() - 2));
  const int64_t length = x.dim(front ? 1 : rank - 2), frames = x.dim(front ? 0 : rank - 1);
  const int64_t inner = front ? common::Product(Ints(x.dims().begin() + 2, x.dims().end())) : 1;
  const int64_t item = frames * length * inner, total = outer ? out.numel() / outer : 0;
  cpu::ParallelFor(0, outer, std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(item, 1)), [&](int64_t b, int64_t e) {
    for (int64_t o = b; o < e; ++o)
      AddFrames(x.data<T>() + o * item, frames, length, inner, hop, !front, out.data<T>() + o * total);
  });
}
// Each row of the result is the sum of those that meet in it.
void OverlapAddOn(const DeviceForms& forms, const Tensor& x, int64_t hop, bool front, Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t rank = x.ndim(), length = x.dim(front ? 1 : rank - 2), frames = x.dim(front ? 0 : rank - 1);
  const int64_t total = (frames - 1) * hop + length;
  const DataType part = RealOf(x.dtype());
  const int64_t inner = (front ? out.numel() / total : 1) * (IsComplex(x.dtype()) ? 2 : 1);
  Ints starts = {0}, at;
  for (int64_t t = 0; t < total; ++t) {
    for (int64_t f = std::max<int64_t>(0, (t - length) / hop); f < frames && f * hop <= t; ++f)
      if (const int64_t l = t - f * hop; l < length) at.push_back(front ? f * length + l : l * frames + f);
    starts.push_back(static_cast<int64_t>(at.size()));
  }
  const std::vector<double> ones(at.size(), 1);
  const int64_t outer = front ? 1 : out.numel() / total;
  forms.WeightedRows(part, part, x.raw_data(), outer, frames * length, inner, starts, at, ones, out.raw_data());
}

}  // namespace

void fft_c2c_infer(const Meta& x, const Ints& axes, const std::string& norm, bool, Meta& out) {
  CheckComplex("fft_c2c", x.dtype);
  CheckAxes("fft_c2c", x, axes, norm);
  out = x;
}
void fft_c2c_kernel(const Tensor& x, const Ints& axes, const std::string& norm, bool forward, Tensor& out) {
  if (axes.empty()) return CopyInto(x, out);
  const Ints a = Normal("fft_c2c", axes, x.ndim());
  cpu::FftC2C(x.dtype(), x.raw_data(), x.dims(), a, forward, ScaleOf(norm, forward, x.dims(), a), out.raw_data());
}

void fft_r2c_infer(const Meta& x, const Ints& axes, const std::string& norm, bool, bool onesided, Meta& out) {
  CheckReal("fft_r2c", x.dtype);
  const Ints a = CheckAxes("fft_r2c", x, axes, norm);
  PD_CHECK(!a.empty(), InvalidArgument, "[fft_r2c] expected at least one axis, got none");
  out = {x.dims, x.dtype == DataType::FLOAT32 ? DataType::COMPLEX64 : DataType::COMPLEX128};
  Dim& last = out.dims[a.back()];
  PD_CHECK(!last.known() || last.raw() > 0, InvalidArgument,
           "[fft_r2c] expected a transformed axis with elements, got ", common::ShapeText(x.dims));
  if (onesided) last = common::Div(last, Dim(2)) + Dim(1);
}
void fft_r2c_kernel(const Tensor& x, const Ints& axes, const std::string& norm, bool forward, bool onesided,
                    Tensor& out) {
  const Ints a = Normal("fft_r2c", axes, x.ndim());
  cpu::FftR2C(x.dtype(), x.raw_data(), x.dims(), a, forward, onesided, ScaleOf(norm, forward, x.dims(), a),
              out.raw_data());
}

void fft_c2r_infer(const Meta& x, const Ints& axes, const std::string& norm, bool, int64_t last_dim_size, Meta& out) {
  CheckComplex("fft_c2r", x.dtype);
  const Ints a = CheckAxes("fft_c2r", x, axes, norm);
  PD_CHECK(!a.empty(), InvalidArgument, "[fft_c2r] expected at least one axis, got none");
  out = {x.dims, x.dtype == DataType::COMPLEX64 ? DataType::FLOAT32 : DataType::FLOAT64};
  Dim& last = out.dims[a.back()];
  const Dim half = last;
  PD_CHECK(!half.known() || half.raw() > (last_dim_size > 0 ? 0 : 1), InvalidArgument,
           "[fft_c2r] expected an output of at least one value, got input shape ", common::ShapeText(x.dims));
  last = LongSide(half, last_dim_size);
  PD_CHECK(!half.known() || !last.known() || half.raw() == last.raw() / 2 + 1, InvalidArgument, "[fft_c2r] expected ",
           last.raw() / 2 + 1, " values on axis ", a.back(), " for an output of ", last.raw(), ", got ", half.raw());
}
int64_t fft_c2r_workspace(const Meta& x, const Ints& axes, const std::string&, bool forward, int64_t) {
  return axes.size() > 1 || forward ? WorkspaceFor(x.dims, x.dtype) : 0;
}
void fft_c2r_kernel(const Tensor& x, const Ints& axes, const std::string& norm, bool forward, int64_t, Tensor& out) {
  const Ints a = Normal("fft_c2r", axes, x.ndim());
  cpu::FftC2R(out.dtype(), x.raw_data(), x.dims(), a, out.dim(a.back()), forward, ScaleOf(norm, forward, out.dims(), a),
              out.raw_data());
}

void frame_infer(const Meta& x, int64_t length, int64_t hop, int64_t axis, Meta& out) {
  const bool front = CheckFrameAxis("frame", axis) == 0;
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[frame] expected at least one axis, got a scalar");
  PD_CHECK(hop > 0, InvalidArgument, "[frame] expected a positive hop_length, got ", hop);
  const Dim total = front ? x.dims[0] : x.dims.back();
  PD_CHECK(length > 0 && (!total.known() || length <= total.raw()), InvalidArgument,
           "[frame] expected a frame_length between 1 and ", common::DimText(total), ", got ", length);
  const Dim frames = common::Div(common::Sub(total, Dim(length)), Dim(hop)) + Dim(1);
  out = {{}, x.dtype};
  if (front) out.dims = Dims{frames, Dim(length)};
  for (int64_t i = 0; i < x.dims.size(); ++i)
    if (i != (front ? 0 : x.dims.size() - 1)) out.dims.push_back(x.dims[i]);
  if (front) return;
  out.dims.push_back(Dim(length));
  out.dims.push_back(frames);
}
void frame_kernel(const Tensor& x, int64_t, int64_t hop, int64_t axis, Tensor& out) {
  const int64_t step = x.strides()[axis == 0 ? 0 : x.ndim() - 1];
  Ints strides = axis == 0 ? Ints{hop * step, step} : Ints{};
  for (int64_t i = axis == 0 ? 1 : 0; i < x.ndim() - (axis == 0 ? 0 : 1); ++i) strides.push_back(x.strides()[i]);
  if (axis != 0) {
    strides.push_back(step);
    strides.push_back(hop * step);
  }
  CopyInto(ViewOf(x, out.dims(), strides, x->offset()), out);
}

void overlap_add_infer(const Meta& x, int64_t hop, int64_t axis, Meta& out) {
  const bool front = CheckFrameAxis("overlap_add", axis) == 0;
  const int64_t rank = x.dims.size();
  PD_CHECK(rank >= 2, InvalidArgument, "[overlap_add] expected frames of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  PD_CHECK_DTYPE(IsComplex(x.dtype) || x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64 ||
                     x.dtype == DataType::INT32 || x.dtype == DataType::INT64,
                 "[overlap_add] expected a float, complex, int32 or int64 dtype, got ", NameOf(x.dtype));
  const Dim length = x.dims[front ? 1 : rank - 2], frames = x.dims[front ? 0 : rank - 1];
  PD_CHECK(hop > 0 && (!length.known() || hop <= length.raw()), InvalidArgument,
           "[overlap_add] expected a hop_length between 1 and ", common::DimText(length), ", got ", hop);
  PD_CHECK(!frames.known() || frames.raw() > 0, InvalidArgument,
           "[overlap_add] expected at least one frame, got shape ", common::ShapeText(x.dims));
  const Dim total = common::Sub(frames, Dim(1)) * Dim(hop) + length;
  out = {{}, x.dtype};
  if (front) out.dims.push_back(total);
  for (int64_t i = front ? 2 : 0; i < (front ? rank : rank - 2); ++i) out.dims.push_back(x.dims[i]);
  if (!front) out.dims.push_back(total);
}
void overlap_add_kernel(const Tensor& x, int64_t hop, int64_t axis, Tensor& out) {
  if (const DeviceForms* forms = FormsHere()) return OverlapAddOn(*forms, x, hop, axis == 0, out);
  std::memset(out.raw_data(), 0, out.numel() * SizeOf(out.dtype()));
  switch (x.dtype()) {
    case DataType::FLOAT32: return OverlapAdd<float>(x, hop, axis == 0, out);
    case DataType::FLOAT64: return OverlapAdd<double>(x, hop, axis == 0, out);
    case DataType::COMPLEX64: return OverlapAdd<complex64>(x, hop, axis == 0, out);
    case DataType::COMPLEX128: return OverlapAdd<complex128>(x, hop, axis == 0, out);
    case DataType::INT32: return OverlapAdd<uint32_t>(x, hop, axis == 0, out);  // wraps
    default: return OverlapAdd<uint64_t>(x, hop, axis == 0, out);
  }
}

void stft_infer(const Meta& x, const Meta& window, int64_t n_fft, int64_t hop, bool, bool onesided, Meta& out) {
  CheckReal("stft", x.dtype);
  PD_CHECK(window.dims.size() == 1 && !common::CertainlyDiffer(window.dims[0], Dim(n_fft)), InvalidArgument,
           "[stft] expected a window of ", n_fft, " values, got shape ", common::ShapeText(window.dims));
  Meta frames;
  frame_infer(x, n_fft, hop, -1, frames);
  out = {frames.dims, x.dtype == DataType::FLOAT32 ? DataType::COMPLEX64 : DataType::COMPLEX128};
  if (onesided) out.dims[out.dims.size() - 2] = Dim(n_fft / 2 + 1);
}

}  // namespace phi
