// SPDX-License-Identifier: Apache-2.0
// Copies and casts that the runtime itself needs, below the dispatcher.
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/phi/core/tensor_copy.h"
#include "paddle/phi/primitives/cast.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

// Of `s` broadcast to `dst`: missing leading axes and extents of one repeat.
Ints BroadcastStrides(const Tensor& s, const Tensor& dst) {
  Ints strides(dst.dims().size(), 0);
  int64_t shift = dst.dims().size() - s.dims().size();
  PD_CHECK(shift >= 0, InvalidArgument, "[copy] expected a source that broadcasts to ", common::ShapeText(dst.dims()),
           ", got ", common::ShapeText(s.dims()));
  for (int64_t i = 0; i < s.dims().size(); ++i) {
    PD_CHECK(s.dim(i) == dst.dim(i + shift) || s.dim(i) == 1, InvalidArgument,
             "[copy] expected a source that broadcasts to ", common::ShapeText(dst.dims()), ", got ",
             common::ShapeText(s.dims()));
    strides[i + shift] = s.dim(i) == 1 ? 0 : s.strides()[i];
  }
  return strides;
}

// dst = src, on the CPU, with src's strides along dst's axes.
void Move(const Tensor& src, const Ints& strides, const Tensor& dst) {
  const Ints& dims = dst.dims();
  if (src.dtype() == dst.dtype())
    return cpu::CopyStrided(SizeOf(dst.dtype()), dims, src.raw_data(), strides, dst.raw_data(), dst.strides());
  if (src.is_contiguous() && dst.is_contiguous() && src.dims() == dims)
    return CastParallel(src.dtype(), src.raw_data(), dst.dtype(), dst.raw_data(), dst.numel());
  CastStrided(src.dtype(), src.raw_data(), strides.data(), dst.dtype(), dst.raw_data(), dst.strides().data(),
              dims.data(), static_cast<int>(dims.size()));
}

}  // namespace

void CopyInto(const Tensor& src, const Tensor& dst) {
  const bool same = src.dtype() == dst.dtype();
  Tensor s = same || (src.place().is_cpu() && dst.place().is_cpu()) ? src : CastTo(src, dst.dtype());
  if (__builtin_expect(SameStorage(s, dst), 0)) {
    if (same && s->offset() == dst->offset() && s.dims() == dst.dims() && s.strides() == dst.strides()) return;
    s = CopyOf(s);  // what is read must not have been written
  }
  if (__builtin_expect(!s.place().is_cpu() || !dst.place().is_cpu(), 0)) {
    if (s.dims() == dst.dims()) return CopyAcross(s, dst);
    return CopyAcross(ViewOf(s, dst.dims(), BroadcastStrides(s, dst), s->offset()), dst);
  }
  if (s.dims() == dst.dims()) return Move(s, s.strides(), dst);
  Move(s, BroadcastStrides(s, dst), dst);
}

Tensor CopyOf(const Tensor& x) {
  Tensor out = Empty(x.dims(), x.dtype(), x.place());
  CopyInto(x, out);
  return out;
}

Tensor Contiguous(const Tensor& x) { return x.is_contiguous() ? x : CopyOf(x); }

Tensor CastTo(const Tensor& x, DataType dtype) {
  if (x.dtype() == dtype) return x;
  if (__builtin_expect(!x.place().is_cpu(), 0)) return CastThere(x, dtype);
  Tensor out = Empty(x.dims(), dtype);
  CopyInto(x, out);
  return out;
}

void StoreScalar(const Scalar& value, DataType dtype, void* element) {
  if (IsComplex(value.dtype())) {
    const complex128 c = value.to_complex();
    PD_CHECK(c.imag() == 0 || IsComplex(dtype), InvalidType, "[full] expected a real number for ", NameOf(dtype),
             ", got ", c.real(), c.imag() < 0 ? "" : "+", c.imag(), "j");
    Convert(DataType::COMPLEX128, &c, 1, dtype, element, 1, 1);
  } else if (value.is_integral()) {
    const int64_t i = value.to_int();
    Convert(DataType::INT64, &i, 1, dtype, element, 1, 1);
  } else {
    const double d = value.to_double();
    Convert(DataType::FLOAT64, &d, 1, dtype, element, 1, 1);
  }
}

Tensor FullLike(const Ints& dims, DataType dtype, const Scalar& value) {
  Tensor out = Empty(dims, dtype);
  char element[16];
  StoreScalar(value, dtype, element);
  cpu::Fill(SizeOf(dtype), out.numel(), out.raw_data(), element);
  return out;
}

}  // namespace phi
