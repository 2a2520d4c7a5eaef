// SPDX-License-Identifier: Apache-2.0
// Shape rules and adapters of prefix scans.
#include "paddle/phi/primitives/scan.h"

#include <cmath>
#include <limits>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/ops/indexing/axis.h"

namespace phi {
namespace {
Meta ScanMeta(const char* op, const Meta& x, int64_t axis, bool flatten) {
  if (flatten) return {Dims{common::Product(x.dims)}, x.dtype};
  const int64_t rank = std::max<int64_t>(x.dims.size(), 1);
  PD_CHECK(axis >= -rank && axis < rank, OutOfRange, "[", op, "] expected axis in [", -rank, ", ", rank, "), got ",
           axis);
  return x;
}
using ScanFn = void (*)(DataType, const void*, int64_t, int64_t, int64_t, bool, bool, void*);
void RunScan(const char* op, ScanFn fn, const Tensor& x, int64_t axis, bool flatten, bool exclusive, bool reverse,
             Tensor& out) {
  if (x.numel() == 0) return;
  AxisSplit s;
  if (flatten)
    s.n = x.numel();
  else
    s = SplitAt(op, x.dims(), axis);
  fn(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, exclusive, reverse, out.raw_data());
}
}  // namespace

void cumsum_infer(const Meta& x, const Scalar& axis, bool flatten, bool, bool, Meta& out) {
  PD_CHECK_DTYPE(x.dtype != DataType::BOOL, "[cumsum] expected a number dtype, got bool");
  out = ScanMeta("cumsum", x, axis.known() ? axis.to_int() : 0, flatten);
}
int64_t cumsum_workspace(const Meta& x, const Scalar&, bool, bool, bool) { return cpu::ScanBytes(x.dtype, CountOf(x)); }
void cumsum_kernel(const Tensor& x, const Scalar& axis, bool flatten, bool exclusive, bool reverse, Tensor& out) {
  RunScan("cumsum", &cpu::CumSum, x, axis.to_int(), flatten, exclusive, reverse, out);
}

void cumprod_infer(const Meta& x, int64_t dim, bool, bool, Meta& out) {
  PD_CHECK_DTYPE(x.dtype != DataType::BOOL, "[cumprod] expected a number dtype, got bool");
  common::NormalizeAxis("cumprod", dim, x.dims.size());
  out = ScanMeta("cumprod", x, dim, false);
}
int64_t cumprod_workspace(const Meta& x, int64_t, bool, bool) { return cpu::ScanBytes(x.dtype, CountOf(x)); }
void cumprod_kernel(const Tensor& x, int64_t dim, bool exclusive, bool reverse, Tensor& out) {
  RunScan("cumprod", &cpu::CumProd, x, dim, false, exclusive, reverse, out);
}

namespace {
template <class T>
T ConjOf(T v) {
  return v;
}
template <class T>
std::complex<T> ConjOf(std::complex<T> v) {
  return std::conj(v);
}
// dx[i] = (product before i) * sum over j >= i of dout[j] * (product of x between i and j): no division, so zeros are
// exact.
template <class T>
void ProductGrad(const T* x, const T* dout, const AxisSplit& s, bool exclusive, bool reverse, T* dx) {
  cpu::ParallelFor(0, s.outer * s.inner, std::max<int64_t>(1, cpu::kGrain / s.n), [&](int64_t b, int64_t e) {
    for (int64_t line = b; line < e; ++line) {
      int64_t base = line / s.inner * s.n * s.inner + line % s.inner;
      auto at = [&](int64_t i) { return base + (reverse ? s.n - 1 - i : i) * s.inner; };
      T before(1);
      for (int64_t i = 0; i < s.n; ++i) {
        dx[at(i)] = ConjOf(before);
        before *= x[at(i)];
      }
      T after(0);
      for (int64_t i = s.n - 1; i >= 0; --i) {
        // An exclusive product at i+1 is the first that x[i] takes part in.
        if (exclusive) {
          T g = after;
          dx[at(i)] *= g;
          after = dout[at(i)] + ConjOf(x[at(i)]) * after;
        } else {
          after = dout[at(i)] + (i + 1 < s.n ? ConjOf(x[at(i + 1)]) * after : T(0));
          dx[at(i)] *= after;
        }
      }
    }
  });
}
}  // namespace
void cumprod_grad_kernel(const Tensor& x, const Tensor&, const Tensor& dout, int64_t dim, bool exclusive, bool reverse,
                         Tensor* d_x) {
  if (!d_x) return;
  const DataType t = x.dtype();
  EnsureOut(*d_x, x.dims(), t);
  Tensor& dx = *d_x;
  if (x.numel()) {
    AxisSplit s = SplitAt("cumprod_grad", x.dims(), dim);
    if (t == DataType::FLOAT32)
      ProductGrad(x.data<float>(), dout.data<float>(), s, exclusive, reverse, dx.data<float>());
    else if (t == DataType::FLOAT64)
      ProductGrad(x.data<double>(), dout.data<double>(), s, exclusive, reverse, dx.data<double>());
    else if (t == DataType::COMPLEX64)
      ProductGrad(x.data<complex64>(), dout.data<complex64>(), s, exclusive, reverse, dx.data<complex64>());
    else if (t == DataType::COMPLEX128)
      ProductGrad(x.data<complex128>(), dout.data<complex128>(), s, exclusive, reverse, dx.data<complex128>());
    else
      PD_THROW_DTYPE("[cumprod_grad] expected a floating or complex dtype, got ", NameOf(x.dtype()));
  }
}

void logcumsumexp_infer(const Meta& x, int64_t axis, bool flatten, bool, bool, Meta& out) {
  PD_CHECK_DTYPE(!IsComplex(x.dtype), "[logcumsumexp] expected a real dtype, got ", NameOf(x.dtype));
  out = ScanMeta("logcumsumexp", x, axis, flatten);
  if (!IsFloating(x.dtype)) out.dtype = DataType::FLOAT32;
}
int64_t logcumsumexp_workspace(const Meta& x, int64_t, bool, bool, bool) { return cpu::ScanBytes(x.dtype, CountOf(x)); }
void logcumsumexp_kernel(const Tensor& x, int64_t axis, bool flatten, bool exclusive, bool reverse, Tensor& out) {
  RunScan("logcumsumexp", &cpu::LogCumSumExp, x, axis, flatten, exclusive, reverse, out);
}

void logcumsumexp_grad_kernel(const Tensor& x, const Tensor& out, const Tensor& dout, int64_t axis, bool flatten,
                              bool exclusive, bool reverse, Tensor* d_x) {
  if (!d_x) return;
  EnsureOut(*d_x, x.dims(), x.dtype());
  Tensor& dx = *d_x;
  if (x.numel()) {
    AxisSplit s;
    if (flatten)
      s.n = x.numel();
    else
      s = SplitAt("logcumsumexp_grad", x.dims(), axis);
    cpu::LogCumSumExpGrad(x.dtype(), x.raw_data(), out.raw_data(), dout.raw_data(), s.outer, s.n, s.inner, exclusive,
                          reverse, dx.raw_data());
  }
}

void cumextreme_infer(const Meta& x, int64_t axis, DataType dtype, Meta& out, Meta& indices) {
  PD_CHECK(dtype == DataType::INT32 || dtype == DataType::INT64, InvalidArgument,
           "[cummax] expected dtype int32 or int64, got ", NameOf(dtype));
  PD_CHECK_DTYPE(!IsComplex(x.dtype), "[cummax] expected a real dtype, got ", NameOf(x.dtype));
  out = ScanMeta("cummax", x, axis, false);
  indices = {out.dims, dtype};
}
namespace {
void RunExtreme(bool max, const Tensor& x, int64_t axis, Tensor& out, Tensor& indices) {
  if (x.numel() == 0) return;
  AxisSplit s = SplitAt("cummax", x.dims(), axis);
  cpu::CumExtreme(max, x.dtype(), x.raw_data(), s.outer, s.n, s.inner, out.raw_data(), indices.dtype(),
                  indices.raw_data());
}
}  // namespace
int64_t cumextreme_workspace(const Meta& x, int64_t, DataType) { return cpu::ScanBytes(x.dtype, CountOf(x)); }
void cummax_kernel(const Tensor& x, int64_t axis, DataType, Tensor& out, Tensor& indices) {
  RunExtreme(true, x, axis, out, indices);
}
void cummin_kernel(const Tensor& x, int64_t axis, DataType, Tensor& out, Tensor& indices) {
  RunExtreme(false, x, axis, out, indices);
}

}  // namespace phi
