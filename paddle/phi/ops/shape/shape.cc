// SPDX-License-Identifier: Apache-2.0
// Shapes as tensors, complex numbers as pairs, index tables and bit shifts.
#include <cmath>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/ops/manipulation/views.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {

namespace {
// Element i of a result, where the op runs.
template <class T>
void Store(const Tensor& out, int64_t i, T v) {
  if (const DeviceForms* d = FormsHere())
    d->Fill(sizeof(T), 1, out.data<T>() + i, &v);
  else
    out.data<T>()[i] = v;
}
}  // namespace

void numel_infer(const Meta&, Meta& out) { out = {Dims{}, DataType::INT64}; }
void numel_kernel(const Tensor& x, Tensor& out) { Store(out, 0, x.numel()); }
void shape32_infer(const Meta& x, Meta& out) { out = {Dims{Dim(x.dims.size())}, DataType::INT32}; }
void shape32_kernel(const Tensor& x, Tensor& out) {
  for (int64_t i = 0; i < x.ndim(); ++i) Store(out, i, static_cast<int32_t>(x.dim(i)));
}
void shape64_infer(const Meta& x, Meta& out) { out = {Dims{Dim(x.dims.size())}, DataType::INT64}; }
void shape64_kernel(const Tensor& x, Tensor& out) {
  for (int64_t i = 0; i < x.ndim(); ++i) Store(out, i, x.dim(i));
}
void is_empty_infer(const Meta&, Meta& out) { out = {Dims{}, DataType::BOOL}; }
void is_empty_kernel(const Tensor& x, Tensor& out) { Store(out, 0, x.numel() == 0); }

void as_real_infer(const Meta& x, Meta& out) {
  PD_CHECK_DTYPE(IsComplex(x.dtype), "[as_real] expected a complex dtype, got ", NameOf(x.dtype));
  out = {x.dims, RealOf(x.dtype)};
  out.dims.push_back(Dim(2));
}
void as_real_kernel(const Tensor& x, Tensor& out) {
  Ints dims = x.dims(), strides = x.strides();
  for (int64_t& s : strides) s *= 2;
  dims.push_back(2);
  strides.push_back(1);
  out = Tensor(TensorState::Strided(dims, strides, x->offset() * 2, RealOf(x.dtype()), x->storage()));
}

void as_complex_infer(const Meta& x, Meta& out) {
  PD_CHECK(x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64, InvalidType,
           "[as_complex] expected dtype float32 or float64, got ", NameOf(x.dtype));
  PD_CHECK(!x.dims.empty() && !common::CertainlyDiffer(x.dims.back(), Dim(2)), InvalidArgument,
           "[as_complex] expected a last axis of extent 2, got shape ", common::ShapeText(x.dims));
  out = {x.dims, ComplexOf(x.dtype)};
  out.dims.pop_back();
}
void as_complex_kernel(const Tensor& x, Tensor& out) {
  bool pairs = x.strides().back() == 1 && x->offset() % 2 == 0;
  for (int64_t i = 0; i + 1 < x.ndim(); ++i) pairs = pairs && x.strides()[i] % 2 == 0;
  Ints dims = x.dims(), strides = x.strides();
  dims.pop_back();
  strides.pop_back();
  if (!pairs) {
    EnsureCopy(x, dims, ComplexOf(x.dtype()), out);
    Tensor parts;
    as_real_kernel(out, parts);
    return CopyInto(x, parts);
  }
  for (int64_t& s : strides) s /= 2;
  out = Tensor(TensorState::Strided(dims, strides, x->offset() / 2, ComplexOf(x.dtype()), x->storage()));
}

namespace {
// Of each number its real (part 0) or imaginary (part 1) component.
Tensor PartOf(const Tensor& x, int64_t part) {
  Ints strides = x.strides();
  for (int64_t& s : strides) s *= 2;
  return Tensor(TensorState::Strided(x.dims(), strides, x->offset() * 2 + part, RealOf(x.dtype()), x->storage()));
}
}  // namespace
void real_infer(const Meta& x, Meta& out) {
  PD_CHECK_DTYPE(IsDifferentiable(x.dtype), "[real] expected a complex or floating dtype, got ", NameOf(x.dtype));
  out = {x.dims, RealOf(x.dtype)};
}
void real_kernel(const Tensor& x, Tensor& out) { out = IsComplex(x.dtype()) ? PartOf(x, 0) : AliasOf(x); }
void imag_infer(const Meta& x, Meta& out) {
  PD_CHECK_DTYPE(IsComplex(x.dtype), "[imag] expected a complex dtype, got ", NameOf(x.dtype));
  out = {x.dims, RealOf(x.dtype)};
}
void imag_kernel(const Tensor& x, Tensor& out) { out = PartOf(x, 1); }

void complex_infer(const Meta& re, const Meta& im, Meta& out) {
  PD_CHECK_DTYPE(re.dtype == im.dtype && (re.dtype == DataType::FLOAT32 || re.dtype == DataType::FLOAT64),
                 "[complex] expected two tensors of dtype float32 or float64, got ", NameOf(re.dtype), " and ",
                 NameOf(im.dtype));
  out = {common::BroadcastDims("complex", re.dims, im.dims), ComplexOf(re.dtype)};
}
void complex_kernel(const Tensor& re, const Tensor& im, Tensor& out) {
  if (out.numel() == 0) return;
  Tensor pairs;
  as_real_kernel(out, pairs);
  Ints strides = pairs.strides();
  strides.pop_back();
  CopyInto(re, ViewOf(pairs, out.dims(), strides, pairs->offset()));
  CopyInto(im, ViewOf(pairs, out.dims(), strides, pairs->offset() + 1));
}

void angle_infer(const Meta& x, Meta& out) {
  PD_CHECK_DTYPE(IsDifferentiable(x.dtype), "[angle] expected a floating or complex dtype, got ", NameOf(x.dtype));
  out = {x.dims, RealOf(x.dtype)};
}
namespace {
template <class T>
void Angle(const Tensor& x, bool complex, Tensor& out) {
  T* o = out.data<T>();
  if (complex) {
    const std::complex<T>* p = x.data<std::complex<T>>();
    cpu::ParallelFor(0, x.numel(), cpu::kGrain / 16, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) o[i] = std::atan2(p[i].imag(), p[i].real());
    });
    return;
  }
  const T* p = x.data<T>();
  cpu::ParallelFor(0, x.numel(), cpu::kGrain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) o[i] = p[i] != p[i] ? p[i] : p[i] < 0 ? static_cast<T>(M_PI) : T(0);
  });
}
}  // namespace
int64_t angle_workspace(const Meta& x) {
  const bool read = IsComplex(x.dtype) || x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64;
  return read ? 0 : WorkspaceFor(x.dims, DataType::FLOAT32);
}
void angle_kernel(const Tensor& x, Tensor& out) {
  const bool complex = IsComplex(x.dtype());
  const Ordered real(x, complex ? x.dtype() : out.dtype());
  if (const DeviceForms* d = FormsHere()) {
    const Tensor& numbers = real;
    return d->ForEach("angle", out.dtype(), out.numel(), {numbers.raw_data(), out.raw_data()}, {out.numel(), complex});
  }
  return out.dtype() == DataType::FLOAT64 ? Angle<double>(real, complex, out) : Angle<float>(real, complex, out);
}

namespace {
// The rows of a triangle that hold elements, and which of them the diagonal cuts; the others hold all columns.
struct TriangleRows {
  int64_t first = 0, last = 0;  // [first, last) hold elements
  int64_t lo = 0, hi = 0;       // [lo, hi) of them are cut
};
TriangleRows RowsOf(int64_t rows, int64_t cols, int64_t offset, bool upper) {
  TriangleRows t;
  if (rows == 0 || cols == 0) return t;
  offset = std::clamp(offset, -rows, cols);
  // Row r is cut at column r + offset, which stays in the lower triangle.
  t.first = upper ? 0 : std::clamp<int64_t>(-offset, 0, rows);
  t.last = upper ? std::clamp<int64_t>(cols - offset, 0, rows) : rows;
  t.lo = std::clamp<int64_t>(upper ? -offset : t.first, t.first, t.last);
  t.hi = std::clamp<int64_t>(upper ? t.last : cols - offset, t.lo, t.last);
  return t;
}
template <class F>
void EachTriangle(int64_t rows, int64_t cols, int64_t offset, bool upper, F f) {
  offset = std::clamp(offset, -rows, cols);
  const TriangleRows t = RowsOf(rows, cols, offset, upper);
  for (int64_t r = t.first; r < t.last; ++r) {
    int64_t lo = upper ? std::max<int64_t>(0, r + offset) : 0, hi = upper ? cols : std::min(cols, r + offset + 1);
    for (int64_t c = lo; c < hi; ++c) f(r, c);
  }
}
Meta TriangleMeta(const char* op, int64_t rows, int64_t cols, int64_t offset, bool upper, DataType dtype) {
  PD_CHECK(rows >= 0 && cols >= 0, InvalidArgument, "[", op, "] expected non-negative extents, got ", rows, " and ",
           cols);
  PD_CHECK(dtype == DataType::INT32 || dtype == DataType::INT64, InvalidArgument, "[", op,
           "] expected dtype int32 or int64, got ", NameOf(dtype));
  offset = std::clamp(offset, -rows, cols);
  const TriangleRows t = RowsOf(rows, cols, offset, upper);
  auto width = [&](int64_t r) {
    return upper ? cols - std::max<int64_t>(0, r + offset) : std::min(cols, r + offset + 1);
  };
  __int128 n = static_cast<__int128>(t.last - t.first - (t.hi - t.lo)) * cols;
  if (t.lo < t.hi) n += static_cast<__int128>(t.hi - t.lo) * (width(t.lo) + width(t.hi - 1)) / 2;
  PD_CHECK(n < common::kMaxElements, InvalidArgument, "[", op, "] expected fewer than ", common::kMaxElements,
           " indices, got a matrix of ", rows, " rows and ", cols, " columns");
  return {Dims{Dim(2), Dim(static_cast<int64_t>(n))}, dtype};
}
void StoreTriangle(int64_t rows, int64_t cols, int64_t offset, bool upper, Tensor& out) {
  int64_t n = out.dim(1), k = 0;
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("triangle_places", out.dtype(), n ? rows * cols : 0, {out.raw_data()},
                      {rows * cols, cols, std::clamp(offset, -rows, cols), upper, n});
  EachTriangle(rows, cols, offset, upper, [&](int64_t r, int64_t c) {
    if (out.dtype() == DataType::INT64) {
      out.data<int64_t>()[k] = r;
      out.data<int64_t>()[n + k] = c;
    } else {
      out.data<int32_t>()[k] = static_cast<int32_t>(r);
      out.data<int32_t>()[n + k] = static_cast<int32_t>(c);
    }
    ++k;
  });
}
}  // namespace
void tril_indices_infer(int64_t rows, int64_t cols, int64_t offset, DataType dtype, Place, Meta& out) {
  out = TriangleMeta("tril_indices", rows, cols, offset, false, dtype);
}
void tril_indices_kernel(int64_t rows, int64_t cols, int64_t offset, DataType, Place, Tensor& out) {
  StoreTriangle(rows, cols, offset, false, out);
}
void triu_indices_infer(int64_t rows, int64_t cols, int64_t offset, DataType dtype, Place, Meta& out) {
  out = TriangleMeta("triu_indices", rows, cols, offset, true, dtype);
}
void triu_indices_kernel(int64_t rows, int64_t cols, int64_t offset, DataType, Place, Tensor& out) {
  StoreTriangle(rows, cols, offset, true, out);
}

void shift_infer(const Meta& x, const Meta& y, bool, Meta& out) {
  PD_CHECK_DTYPE(IsInteger(x.dtype) && x.dtype == y.dtype,
                 "[bitwise_shift] expected two tensors of one integer dtype, got ", NameOf(x.dtype), " and ",
                 NameOf(y.dtype));
  out = {common::BroadcastDims("bitwise_shift", x.dims, y.dims), x.dtype};
}
namespace {
template <class T>
void Shift(const T* x, const T* y, T* out, int64_t n, bool left, bool arithmetic) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = sizeof(T) * 8;
  cpu::ParallelFor(0, n, cpu::kGrain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      bool far = y[i] < 0 || static_cast<uint64_t>(y[i]) >= kBits;
      if (left) {
        // The sign of an arithmetic shift stays; a logical one moves all bits.
        out[i] = far ? T(0) : static_cast<T>(static_cast<U>(static_cast<U>(x[i]) << y[i]));
      } else if (arithmetic) {
        out[i] = static_cast<T>(x[i] >> (far ? kBits - 1 : y[i]));
        if (far && std::is_unsigned_v<T>) out[i] = 0;
      } else {
        out[i] = far ? T(0) : static_cast<T>(static_cast<U>(x[i]) >> y[i]);
      }
    }
  });
}
void RunShift(const Tensor& x, const Tensor& y, bool left, bool arithmetic, Tensor& out) {
  if (out.numel() == 0) return;
  const ScratchTensor whole_x(out.dims(), x.dtype()), whole_y(out.dims(), x.dtype());
  const Tensor &a = whole_x.tensor, &b = whole_y.tensor;
  CopyInto(x, a);
  CopyInto(y, b);
  int64_t n = out.numel();
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("shift", x.dtype(), n, {a.raw_data(), b.raw_data(), out.raw_data()}, {n, left, arithmetic});
  switch (x.dtype()) {
    case DataType::UINT8: return Shift(a.data<uint8_t>(), b.data<uint8_t>(), out.data<uint8_t>(), n, left, arithmetic);
    case DataType::INT8: return Shift(a.data<int8_t>(), b.data<int8_t>(), out.data<int8_t>(), n, left, arithmetic);
    case DataType::INT16: return Shift(a.data<int16_t>(), b.data<int16_t>(), out.data<int16_t>(), n, left, arithmetic);
    case DataType::INT32: return Shift(a.data<int32_t>(), b.data<int32_t>(), out.data<int32_t>(), n, left, arithmetic);
    default: return Shift(a.data<int64_t>(), b.data<int64_t>(), out.data<int64_t>(), n, left, arithmetic);
  }
}
}  // namespace
int64_t shift_workspace(const Meta& x, const Meta& y, bool) {
  const Dims out = common::BroadcastDims("bitwise_shift", x.dims, y.dims);
  return 2 * WorkspaceFor(out, x.dtype);
}
void left_shift_kernel(const Tensor& x, const Tensor& y, bool arithmetic, Tensor& out) {
  RunShift(x, y, true, arithmetic, out);
}
void right_shift_kernel(const Tensor& x, const Tensor& y, bool arithmetic, Tensor& out) {
  RunShift(x, y, false, arithmetic, out);
}

}  // namespace phi
