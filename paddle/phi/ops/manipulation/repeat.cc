// SPDX-License-Identifier: Apache-2.0
// Repetition, reversal and rotation along axes.
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
void tile_infer(const Meta& x, const IntArray& times, Meta& out) {
  for (int64_t i = 0; i < times.size(); ++i)
    PD_CHECK(!times[i].known() || times[i].value() >= 0, InvalidArgument,
             "[tile] expected non-negative repeat_times, got ", common::ShapeText(times));
  int64_t rank = std::max<int64_t>(x.dims.size(), times.size());
  out = {{}, x.dtype};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t k = i - (rank - x.dims.size()), t = i - (rank - times.size());
    out.dims.push_back((k >= 0 ? x.dims[k] : Dim(1)) * (t >= 0 ? times[t].extent() : Dim(1)));
  }
}

void tile_kernel(const Tensor& x, const Ints& times, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t rank = out.ndim();
  Ints dims, strides;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t k = i - (rank - x.ndim()), t = i - (rank - times.size());
    dims.push_back(t >= 0 ? times[t] : 1);
    strides.push_back(0);
    dims.push_back(k >= 0 ? x.dim(k) : 1);
    strides.push_back(k >= 0 ? x.strides()[k] : 0);
  }
  cpu::CopyToContiguous(SizeOf(x.dtype()), dims, x.raw_data(), strides, out.raw_data());
}

void repeat_interleave_infer(const Meta& x, int64_t repeats, int64_t axis, int64_t, Meta& out) {
  PD_CHECK(repeats >= 0, InvalidArgument, "[repeat_interleave] expected non-negative repeats, got ", repeats);
  int64_t a = common::NormalizeAxis("repeat_interleave", axis, x.dims.size());
  out = x;
  if (out.dims.empty())
    out.dims.push_back(Dim(repeats));
  else
    out.dims[a] = x.dims[a] * Dim(repeats);
}

void repeat_interleave_kernel(const Tensor& x, int64_t repeats, int64_t axis, int64_t, Tensor& out) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("repeat_interleave", x.dims(), axis);
  int64_t dims[] = {s.outer, s.n, repeats, s.inner}, strides[] = {s.n * s.inner, s.inner, 0, 1};
  cpu::CopyToContiguous(SizeOf(x.dtype()), dims, x.raw_data(), strides, out.raw_data());
}

void repeat_by_tensor_infer(const Meta& x, const Meta&, int64_t axis, int64_t output_size, Meta& out) {
  int64_t a = common::NormalizeAxis("repeat_interleave", axis, x.dims.size());
  out = x;
  Dim n = output_size >= 0 ? Dim(output_size) : common::NewSymbol();
  if (out.dims.empty())
    out.dims.push_back(n);
  else
    out.dims[a] = n;
}

void repeat_by_tensor_kernel(const Tensor& x, const Tensor& repeats, int64_t axis, int64_t output_size, Tensor& out) {
  AxisSplit s = SplitAt("repeat_interleave", x.dims(), axis);
  PD_CHECK(IsInteger(repeats.dtype()), InvalidType, "[repeat_interleave] expected integer repeats, got dtype ",
           NameOf(repeats.dtype()));
  std::vector<int64_t> times = ToIntVector(repeats);
  if (times.size() == 1) times.assign(s.n, times[0]);
  PD_CHECK(static_cast<int64_t>(times.size()) == s.n, InvalidArgument, "[repeat_interleave] expected ", s.n,
           " repeats for axis ", s.axis, ", got ", times.size());
  int64_t total = 0;
  for (int64_t t : times) {
    PD_CHECK(t >= 0, InvalidArgument, "[repeat_interleave] expected non-negative repeats, got ", t);
    PD_CHECK(!__builtin_add_overflow(total, t, &total), InvalidArgument,
             "[repeat_interleave] expected repeats whose sum is an extent, got ", common::ShapeText(Ints(times)));
  }
  PD_CHECK(output_size < 0 || output_size == total, InvalidArgument, "[repeat_interleave] expected an output_size of ",
           total, ", got ", output_size);
  Ints dims = x.dims();
  if (dims.empty())
    dims.push_back(total);
  else
    dims[s.axis] = total;
  EnsureOut(out, dims, x.dtype());
  if (out.numel() == 0) return;
  cpu::RepeatInterleave(SizeOf(x.dtype()), x.raw_data(), s.outer, s.n, s.inner, times, out.raw_data());
}

void flip_infer(const Meta& x, const Ints& axis, Meta& out) {
  uint64_t seen = 0;
  for (int64_t a : axis) {
    uint64_t bit = uint64_t{1} << common::NormalizeAxis("flip", a, x.dims.size());
    PD_CHECK(!(seen & bit), InvalidArgument, "[flip] expected each axis once, got ", common::ShapeText(axis));
    seen |= bit;
  }
  out = x;
}
void flip_infer(const Meta& x, const IntArray& axis, Meta& out) {
  if (axis.known())
    flip_infer(x, axis.numbers(), out);
  else
    out = x;
}

void flip_kernel(const Tensor& x, const Ints& axis, Tensor& out) {
  if (x.ndim() == 0) return CopyInto(x, out);
  if (out.numel() == 0) return;
  Ints axes;
  for (int64_t a : axis) axes.push_back(common::NormalizeAxis("flip", a, x.ndim()));
  if (const DeviceForms* d = FormsHere()) {  // from the other end of each axis, back
    Ints strides = x.strides();
    int64_t first = 0;
    for (int64_t a : axes) {
      if (strides[a] < 0) continue;
      first += strides[a] * (x.dim(a) - 1);
      strides[a] = -strides[a];
    }
    const int64_t size = SizeOf(x.dtype());
    return d->Copy(size, x.dims(), static_cast<const char*>(x.raw_data()) + first * size, strides, out.raw_data(),
                   out.strides());
  }
  cpu::Flip(SizeOf(x.dtype()), x.raw_data(), x.dims(), axes, out.raw_data());
}

void roll_infer(const Meta& x, const IntArray& shifts, const Ints& axis, Meta& out) {
  PD_CHECK(axis.empty() ? shifts.size() == 1 : axis.size() == shifts.size(), InvalidArgument,
           "[roll] expected one shift for each axis, got ", shifts.size(), " shifts and ", axis.size(), " axes");
  for (int64_t a : axis) common::NormalizeAxis("roll", a, x.dims.size());
  out = x;
}

void roll_kernel(const Tensor& x, const Ints& shifts, const Ints& axis, Tensor& out) {
  if (x.ndim() == 0) return CopyInto(x, out);
  if (out.numel() == 0) return;
  Ints axes, dims = x.dims();
  if (axis.empty()) {
    axes = Ints{0};
    dims = Ints{x.numel()};
  }
  for (int64_t a : axis) axes.push_back(common::NormalizeAxis("roll", a, x.ndim()));
  cpu::Roll(SizeOf(x.dtype()), x.raw_data(), dims, shifts, axes, out.raw_data());
}

}  // namespace phi
