// SPDX-License-Identifier: Apache-2.0
// The neighbours of floating numbers.
#include <cmath>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

template <class T>
void Next(const T* x, const T* y, T* out, int64_t n) {
  cpu::ParallelFor(0, n, cpu::kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = std::nextafter(x[i], y[i]);
  });
}

// Of half types: their bits are in the order of the numbers, once those of negative ones are mirrored. Bits above
// `infinite` belong to no number.
void NextBits(const uint16_t* x, const uint16_t* y, uint16_t* out, int64_t n, uint16_t infinite) {
  const auto order = [](uint16_t bits) { return bits & 0x8000 ? -(bits & 0x7FFF) : int{bits}; };
  cpu::ParallelFor(0, n, cpu::kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int a = order(x[i]), b = order(y[i]), to = a + (b > a) - (b < a);
      if ((x[i] & 0x7FFF) > infinite)
        out[i] = x[i];
      else if ((y[i] & 0x7FFF) > infinite || a == b)
        out[i] = y[i];
      else
        out[i] = static_cast<uint16_t>(to < 0 || (to == 0 && a < 0) ? 0x8000 - to : to);
    }
  });
}

}  // namespace

void nextafter_infer(const Meta& x, const Meta& y, Meta& out) {
  PD_CHECK(IsFloating(x.dtype) && SizeOf(x.dtype) > 1 && x.dtype == y.dtype, InvalidArgument,
           "[nextafter] expected x and y of one floating dtype of 16 bits or more, got ", NameOf(x.dtype), " and ",
           NameOf(y.dtype));
  out = {common::BroadcastDims("nextafter", x.dims, y.dims), x.dtype};
}
int64_t nextafter_workspace(const Meta& x, const Meta& y) {
  const Dims out = common::BroadcastDims("nextafter", x.dims, y.dims);
  return 2 * WorkspaceFor(out, x.dtype);
}
void nextafter_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  const ScratchTensor whole_x(out.dims(), x.dtype()), whole_y(out.dims(), x.dtype());
  const Tensor &a = whole_x.tensor, &b = whole_y.tensor;
  CopyInto(x, a);
  CopyInto(y, b);
  const int64_t n = out.numel();
  switch (x.dtype()) {
    case DataType::FLOAT32: return Next(a.data<float>(), b.data<float>(), out.data<float>(), n);
    case DataType::FLOAT64: return Next(a.data<double>(), b.data<double>(), out.data<double>(), n);
    default:
      return NextBits(static_cast<uint16_t*>(a.raw_data()), static_cast<uint16_t*>(b.raw_data()),
                      static_cast<uint16_t*>(out.raw_data()), n, x.dtype() == DataType::FLOAT16 ? 0x7C00 : 0x7F80);
  }
}

}  // namespace phi
