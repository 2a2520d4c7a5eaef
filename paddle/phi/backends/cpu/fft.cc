// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: one plan covers the axes and one batch dim, other dims are looped over.
#include "paddle/phi/backends/cpu/fft.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/fft_impl.h"
#include "paddle/phi/backends/cpu/plan_cache.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/fourier_batch.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"

namespace phi::cpu {
namespace {

std::vector<int64_t> StridesOf(const std::vector<int64_t>& shape) {
  std::vector<int64_t> s(shape.size());
  ContiguousStrides(shape, s.data());
  return s;
}

void CheckAxes(Ints shape, Ints axes) {
  uint64_t seen = 0;
  const int64_t nd = static_cast<int64_t>(shape.size());
  PD_CHECK(nd <= 64, InvalidArgument, "[fft] expected at most 64 dims, got ", nd);
  PD_CHECK(!axes.empty(), InvalidArgument, "[fft] expected at least one axis, got none");
  PD_CHECK(static_cast<int>(axes.size()) <= kMaxFftRank, Unimplemented, "[fft] expected at most ", kMaxFftRank,
           " axes, got ", axes.size());
  for (int64_t a : axes) {
    PD_CHECK(a >= 0 && a < nd, InvalidArgument, "[fft] expected axes in [0, ", nd, "), got ", a);
    PD_CHECK(!(seen >> a & 1), InvalidArgument, "[fft] expected distinct axes, got ", a, " twice");
    seen |= uint64_t{1} << a;
  }
}

// Transforms `axes` (lengths of the real or full side in `shape`) of x with shape in_shape into out with out_shape.
void Transform(FftKind kind, bool is_double, bool forward, const std::vector<int64_t>& shape, Ints axes, double scale,
               const void* x, const std::vector<int64_t>& in_shape, void* out, const std::vector<int64_t>& out_shape) {
  const auto is = StridesOf(in_shape), os = StridesOf(out_shape);
  const FourierBatch batch(in_shape, is, os, axes);
  FftKey key;
  std::memset(&key, 0, sizeof key);
  key.rank = static_cast<int32_t>(axes.size());
  for (int i = 0; i < key.rank; ++i) {
    const int64_t a = axes[i];
    key.n[i] = shape[a];
    key.in[i + 1] = is[a];
    key.out[i + 1] = os[a];
  }
  key.count = batch.own.n;
  key.in_step = batch.own.in;
  key.out_step = batch.own.out;
  key.scale = scale;
  key.kind = kind;
  key.is_double = is_double;
  key.in_place = x == out;
  key.threads = MaxThreads();
  key.forward = forward;
  static auto* plans = new PlanCache<FftKey, FftPlan>(64);
  const auto plan = plans->Take(key, [&] { return MakeFftPlan(key); });
  const int64_t real = is_double ? 8 : 4;
  const int64_t isize = kind == FftKind::kR2C ? real : 2 * real, osize = kind == FftKind::kC2R ? real : 2 * real;
  batch.Each([&](int64_t from, int64_t to) {
    plan->Run(const_cast<char*>(static_cast<const char*>(x)) + from * isize, static_cast<char*>(out) + to * osize);
  });
}

template <class R>
void Conjugate(const void* x, int64_t n, void* out) {
  const R* s = static_cast<const R*>(x);
  R* d = static_cast<R*>(out);
  ParallelFor(0, n, kGrain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      d[2 * i] = s[2 * i];
      d[2 * i + 1] = -s[2 * i + 1];
    }
  });
}
void Conjugate(bool is_double, const void* x, int64_t n, void* out) {
  is_double ? Conjugate<double>(x, n, out) : Conjugate<float>(x, n, out);
}

}  // namespace

void FftC2C(DataType t, const void* x, Ints shape, Ints axes, bool forward, double scale, void* out) {
  PD_CHECK(IsComplex(t), Unimplemented, "[fft_c2c] expected complex64 or complex128, got ", NameOf(t));
  CheckAxes(shape, axes);
  const std::vector<int64_t> s(shape.begin(), shape.end());
  if (Numel(s) == 0) return;
  if (const DeviceForms* d = FormsHere())
    return d->Transform({FourierKind::kComplex, RealOf(t), forward, false, scale, shape, shape, axes}, x, out);
  Transform(FftKind::kC2C, t == DataType::COMPLEX128, forward, s, axes, scale, x, s, out, s);
}

void FftR2C(DataType t, const void* x, Ints shape, Ints axes, bool forward, bool onesided, double scale, void* out) {
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64, Unimplemented,
           "[fft_r2c] expected float32 or float64, got ", NameOf(t));
  CheckAxes(shape, axes);
  const std::vector<int64_t> s(shape.begin(), shape.end());
  const int64_t n = Numel(s);
  if (n == 0) return;
  const bool is_double = t == DataType::FLOAT64;
  auto os = s;
  const int64_t last = axes.back();
  if (onesided) os[last] = s[last] / 2 + 1;
  if (const DeviceForms* d = FormsHere())
    return d->Transform({FourierKind::kToComplex, t, forward, !onesided, scale, shape, os, axes}, x, out);
  if (!onesided) {
    const auto widen = [&](auto z) {
      using R = decltype(z);
      const R* src = static_cast<const R*>(x);
      std::complex<R>* dst = static_cast<std::complex<R>*>(out);
      for (int64_t i = 0; i < n; ++i) dst[i] = src[i];
    };
    if (is_double)
      widen(double{});
    else
      widen(float{});
    Transform(FftKind::kC2C, is_double, forward, s, axes, scale, out, s, out, s);
    return;
  }
  Transform(FftKind::kR2C, is_double, true, s, axes.last(1), axes.size() == 1 ? scale : 1.0, x, s, out, os);
  if (axes.size() > 1)
    Transform(FftKind::kC2C, is_double, true, os, axes.first(axes.size() - 1), scale, out, os, out, os);
  // Of real data the backward transform is the conjugate of the forward one.
  if (!forward) Conjugate(is_double, out, Numel(os), out);
}

void FftC2R(DataType t, const void* x, Ints shape, Ints axes, int64_t last_dim, bool forward, double scale, void* out) {
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64, Unimplemented,
           "[fft_c2r] expected float32 or float64, got ", NameOf(t));
  CheckAxes(shape, axes);
  const std::vector<int64_t> s(shape.begin(), shape.end());
  const int64_t last = axes.back();
  PD_CHECK(last_dim >= 1 && s[last] == last_dim / 2 + 1, InvalidArgument, "[fft_c2r] expected ", last_dim / 2 + 1,
           " values on axis ", last, " for an output of ", last_dim, ", got ", s[last]);
  auto os = s;
  os[last] = last_dim;
  if (Numel(os) == 0) return;
  if (const DeviceForms* d = FormsHere())
    return d->Transform({FourierKind::kToReal, t, forward, false, scale, shape, os, axes}, x, out);
  const bool is_double = t == DataType::FLOAT64;
  const int64_t n = Numel(s);
  CallMemory tmp(axes.size() > 1 || forward ? n * 2 * SizeOf(t) : 0);
  if (axes.size() > 1) {
    Transform(FftKind::kC2C, is_double, forward, s, axes.first(axes.size() - 1), 1.0, x, s, tmp.as<void>(), s);
    x = tmp.as<void>();
  }
  if (forward) {
    Conjugate(is_double, x, n, tmp.as<void>());
    x = tmp.as<void>();
  }
  Transform(FftKind::kC2R, is_double, false, os, axes.last(1), scale, x, s, out, os);
}

double FftScale(const char* norm, bool forward, int64_t n) {
  if (!std::strcmp(norm, "ortho")) return 1.0 / std::sqrt(static_cast<double>(n));
  if (!std::strcmp(norm, "backward")) return forward ? 1.0 : 1.0 / static_cast<double>(n);
  PD_CHECK(!std::strcmp(norm, "forward"), InvalidArgument, "[fft] expected a norm of backward, forward or ortho, got ",
           norm);
  return forward ? 1.0 / static_cast<double>(n) : 1.0;
}

}  // namespace phi::cpu
